extension Option {
    /// All options, in the order of the help.
    static let all: [Option] = selection + format + pagination + request + time + limits + general

    private static let selection: [Option] = [
        Option(
            "at", .selection,
            "path of the list (default: items), as in data.results;\na single dot: the document itself",
            .required("PATH") { $0.path = $1 }),
        Option(
            "field", .selection,
            "print these members of each item, separated by tabs;\nuse commas, or repeat the option, for several",
            .required("PATH[,PATH]") { (options, text) throws(UsageError) in
                options.fields += try OptionValue.fields(text)
            }),
        Option(
            "limit", .selection, "stop after N items and cancel the transfer",
            .required("N") { (options, text) throws(UsageError) in
                options.limit = try OptionValue.count(text, of: "--limit")
            }),
        Option(
            "demo", .selection,
            "list built-in demo data without a network;\n--demo=list prints the scenarios",
            .optional("SCENARIO", .words(["list"] + Scenario.all.map(\.name))) {
                (options, text) throws(UsageError) in
                if text == "list" {
                    options.action = .listScenarios
                } else {
                    options.demo = try Scenario(named: text)
                }
            }),
        Option(
            "serve", .selection,
            "serve one or all demos on 127.0.0.1 until interrupted,\nand print their URLs",
            .optional("SCENARIO", .words(Scenario.all.map(\.name))) { (options, text) throws(UsageError) in
                options.action = .serve(
                    try text.map { (text) throws(UsageError) in try Scenario(named: text) })
            }),
        Option(
            "port", .selection, "listen on this port (default: any free port)",
            .required("N") { (options, text) throws(UsageError) in
                options.port = try OptionValue.port(text)
            }),
    ]

    private static let format: [Option] = [
        Option(
            "null", short: "0", .format, "end each item with a null byte, as for xargs -0",
            .none { $0.endsWithNull = true }),
        Option("json", .format, "print one JSON array", .none { $0.format = .json }),
        Option("jsonl", .format, "print each item as one line of JSON", .none { $0.format = .jsonl }),
        Option("csv", .format, "print comma-separated values with a header", .none { $0.format = .csv }),
        Option("table", .format, "print aligned columns with a header", .none { $0.format = .table }),
        Option("count", .format, "print only the number of items", .none { $0.format = .count }),
        Option(
            "output", short: "o", .format, "write to FILE, replaced when the list is complete",
            .required("FILE", .file) { $0.output = $1 == "-" ? nil : $1 }),
        Option(
            "atomic", .format, "print nothing unless the list is complete", .none { $0.isAtomic = true }),
    ]

    private static let pagination: [Option] = [
        Option(
            "pagination", .pagination,
            "how to find the next page: auto (default), none, link,\nnext, token, page, offset",
            .required("RULE", .words(PaginationOption.Rule.allCases.map(\.rawValue))) {
                (options, text) throws(UsageError) in options.pagination = try PaginationOption(text)
            }),
        Option(
            "no-paginate", .pagination, "list the first page only",
            .none { $0.pagination = PaginationOption(.none) }),
        Option(
            "max-pages", .pagination, "fail if there are more than N pages (default: 1000)",
            .required("N") { (options, text) throws(UsageError) in
                options.maxPages = try OptionValue.positive(text, of: "--max-pages")
            }),
        Option(
            "jobs", .pagination,
            "fetch up to N pages at a time, where their URLs are\nknown in advance (default: 2)",
            .required("N") { (options, text) throws(UsageError) in
                options.jobs = try OptionValue.positive(text, of: "--jobs")
            }),
        Option(
            "from", .pagination,
            "start at this page number or offset, sent in the query\nitem of --pagination or of the URL (default: page)",
            .required("N") { (options, text) throws(UsageError) in
                options.from = try OptionValue.count(text, of: "--from")
            }),
        Option(
            "resume-file", .pagination,
            "save the position when a run fails, and continue from\nit on the next run",
            .required("FILE", .file) { $0.resumeFile = $1 }),
    ]

    private static let request: [Option] = [
        Option(
            "header", short: "H", .request, "send a header field; @FILE: one field per line",
            .required("NAME:VALUE|@FILE") { $0.headers.append($1) }),
        Option(
            "user", short: "u", .request,
            "authenticate (Basic) at this origin only; asks for a\nmissing password",
            .required("USER[:PASSWORD]") { $0.user = OptionValue.user($1) }),
        Option(
            "token-file", .request, "authenticate with the token in FILE (Bearer)",
            .required("FILE|-", .file) { $0.tokenFile = $1 }),
        Option(
            "netrc", short: "n", .request, "authenticate with the entry of the host in ~/.netrc",
            .none { $0.usesNetrc = true }),
        Option(
            "max-redirs", .request, "follow at most N redirects (default: 10)",
            .required("N") { (options, text) throws(UsageError) in
                options.maxRedirects = try OptionValue.count(text, of: "--max-redirs")
            }),
    ]

    private static let time: [Option] = [
        Option(
            "idle-timeout", .time, "stop if no data arrives for this time (default: 30)",
            .required("SECONDS") { (options, text) throws(UsageError) in
                options.idleTimeout = try OptionValue.seconds(text, of: "--idle-timeout")
            }),
        Option(
            "max-time", short: "m", .time, "stop after this time in total (default: none)",
            .required("SECONDS") { (options, text) throws(UsageError) in
                options.maxTime = try OptionValue.seconds(text, of: "--max-time")
            }),
        Option(
            "retry", .time, "retry transient failures up to N times (default: 2)",
            .required("N") { (options, text) throws(UsageError) in
                options.retries = try OptionValue.count(text, of: "--retry")
            }),
        Option(
            "retry-max-time", .time, "start no retry after this time (default: 60)",
            .required("SECONDS") { (options, text) throws(UsageError) in
                options.retryMaxTime = try OptionValue.seconds(text, of: "--retry-max-time")
            }),
    ]

    private static let limits: [Option] = [
        Option(
            "max-bytes", .limits, "limit the total size of all pages (default: 4G)",
            .required("SIZE") { (options, text) throws(UsageError) in
                options.maxBytes = try OptionValue.size(text, of: "--max-bytes")
            }),
        Option(
            "max-item", .limits, "limit the size of an item (default: 16M)",
            .required("SIZE") { (options, text) throws(UsageError) in
                options.maxItemBytes = try OptionValue.size(text, of: "--max-item")
            }),
    ]

    private static let general: [Option] = [
        Option(
            "verbose", short: "v", .general, "print requests and responses, with secrets masked",
            .none { $0.verbosity = .verbose }),
        Option("quiet", short: "q", .general, "print only errors", .none { $0.verbosity = .quiet }),
        Option(
            "offline", .general, "print the request without sending it",
            .none { $0.preview = .request }),
        Option("curl", .general, "print an equivalent curl command", .none { $0.preview = .curl }),
        Option(
            "expect", .general, "fail unless there are N items",
            .required("N") { (options, text) throws(UsageError) in
                options.expectedCount = try OptionValue.count(text, of: "--expect")
            }),
        Option("fail-empty", .general, "fail if there are no items", .none { $0.failsWhenEmpty = true }),
        Option(
            "completion", .general, "print a completion script for the shell",
            .required(
                Shell.allCases.map(\.rawValue).joined(separator: "|"), .words(Shell.allCases.map(\.rawValue))
            ) {
                (options, text) throws(UsageError) in
                options.action = .printCompletion(try Shell(named: text))
            }),
        Option("man", .general, "print the manual page (roff)", .none { $0.action = .showManual }),
        Option("help", short: "h", .general, "print this help", .none { $0.action = .showHelp }),
        Option("version", short: "V", .general, "print the version", .none { $0.action = .showVersion }),
    ]
}
