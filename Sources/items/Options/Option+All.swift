extension Option {
    /// Every option there is, in the order of the help.
    static let all: [Option] = selection + format + pagination + request + time + limits + general

    private static let selection: [Option] = [
        Option(
            "at", .selection,
            "where the list is (default: items); dots go inside:\ndata.results; a single dot: the document is the list",
            .required("PATH") { $0.path = $1 }),
        Option(
            "field", .selection,
            "print these members of each item, with tabs between;\nseveral with commas, or the option again",
            .required("PATH[,PATH]") { (options, text) throws(UsageError) in
                options.fields += try OptionValue.fields(text)
            }),
        Option(
            "limit", .selection, "stop after N items, and the transfer with them",
            .required("N") { (options, text) throws(UsageError) in
                options.limit = try OptionValue.count(text, of: "--limit")
            }),
        Option(
            "demo", .selection,
            "list from a server inside the process, without network;\n--demo=list names the scenarios",
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
            "serve the demos on 127.0.0.1 until interrupted, one\nor all, and print their URLs",
            .optional("SCENARIO", .words(Scenario.all.map(\.name))) { (options, text) throws(UsageError) in
                options.action = .serve(
                    try text.map { (text) throws(UsageError) in try Scenario(named: text) })
            }),
        Option(
            "port", .selection, "serve on this port (default: any free one)",
            .required("N") { (options, text) throws(UsageError) in
                options.port = try OptionValue.port(text)
            }),
    ]

    private static let format: [Option] = [
        Option(
            "null", short: "0", .format, "end each item with a null byte, for xargs -0",
            .none { $0.endsWithNull = true }),
        Option("json", .format, "print one JSON array", .none { $0.format = .json }),
        Option("jsonl", .format, "print each item as JSON on a line", .none { $0.format = .jsonl }),
        Option("csv", .format, "print comma-separated values, a header first", .none { $0.format = .csv }),
        Option("table", .format, "print aligned columns, a header first", .none { $0.format = .table }),
        Option("count", .format, "print only how many items there are", .none { $0.format = .count }),
        Option(
            "output", short: "o", .format, "write to FILE, which is there when the list is complete",
            .required("FILE", .file) { $0.output = $1 == "-" ? nil : $1 }),
        Option(
            "atomic", .format, "print nothing unless the list is complete", .none { $0.isAtomic = true }),
    ]

    private static let pagination: [Option] = [
        Option(
            "pagination", .pagination,
            "how pages follow one another: auto (default), none,\nlink, next, token, page, offset",
            .required("RULE", .words(PaginationOption.Rule.allCases.map(\.rawValue))) {
                (options, text) throws(UsageError) in options.pagination = try PaginationOption(text)
            }),
        Option(
            "no-paginate", .pagination, "list the first page only",
            .none { $0.pagination = PaginationOption(.none) }),
        Option(
            "max-pages", .pagination, "the most pages (default: 1000); one more is an error",
            .required("N") { (options, text) throws(UsageError) in
                options.maxPages = try OptionValue.positive(text, of: "--max-pages")
            }),
        Option(
            "jobs", .pagination, "pages at a time, where they are known ahead (default: 2)",
            .required("N") { (options, text) throws(UsageError) in
                options.jobs = try OptionValue.positive(text, of: "--jobs")
            }),
        Option(
            "from", .pagination,
            "begin at this page number, or offset; it goes into what\n--pagination names or the URL has, else into page",
            .required("N") { (options, text) throws(UsageError) in
                options.from = try OptionValue.count(text, of: "--from")
            }),
        Option(
            "resume-file", .pagination, "note here where a run failed, and go on there next time",
            .required("FILE", .file) { $0.resumeFile = $1 }),
    ]

    private static let request: [Option] = [
        Option(
            "header", short: "H", .request, "send this header field; @FILE: one from each line",
            .required("NAME:VALUE|@FILE") { $0.headers.append($1) }),
        Option(
            "user", short: "u", .request,
            "sign in (Basic), at this origin only; a password that\nis missing is asked for on the terminal",
            .required("USER[:PASSWORD]") { $0.user = OptionValue.user($1) }),
        Option(
            "token-file", .request, "sign in with the token (Bearer) that is in FILE",
            .required("FILE|-", .file) { $0.tokenFile = $1 }),
        Option(
            "netrc", short: "n", .request, "sign in with what ~/.netrc has for the host",
            .none { $0.usesNetrc = true }),
        Option(
            "max-redirs", .request, "follow so many redirects (default: 10); 0 follows none",
            .required("N") { (options, text) throws(UsageError) in
                options.maxRedirects = try OptionValue.count(text, of: "--max-redirs")
            }),
    ]

    private static let time: [Option] = [
        Option(
            "idle-timeout", .time, "give up when no byte comes for so long (default: 30)",
            .required("SECONDS") { (options, text) throws(UsageError) in
                options.idleTimeout = try OptionValue.seconds(text, of: "--idle-timeout")
            }),
        Option(
            "max-time", short: "m", .time, "give up after so long, whatever happens",
            .required("SECONDS") { (options, text) throws(UsageError) in
                options.maxTime = try OptionValue.seconds(text, of: "--max-time")
            }),
        Option(
            "retry", .time, "try again so many times what may pass (default: 2)",
            .required("N") { (options, text) throws(UsageError) in
                options.retries = try OptionValue.count(text, of: "--retry")
            }),
        Option(
            "retry-max-time", .time, "begin no retry later than this (default: 60)",
            .required("SECONDS") { (options, text) throws(UsageError) in
                options.retryMaxTime = try OptionValue.seconds(text, of: "--retry-max-time")
            }),
    ]

    private static let limits: [Option] = [
        Option(
            "max-bytes", .limits, "the most that all pages may have (default: 4G)",
            .required("SIZE") { (options, text) throws(UsageError) in
                options.maxBytes = try OptionValue.size(text, of: "--max-bytes")
            }),
        Option(
            "max-item", .limits, "the most that one item may have (default: 16M)",
            .required("SIZE") { (options, text) throws(UsageError) in
                options.maxItemBytes = try OptionValue.size(text, of: "--max-item")
            }),
    ]

    private static let general: [Option] = [
        Option(
            "verbose", short: "v", .general, "say what is sent and what comes back, secrets masked",
            .none { $0.verbosity = .verbose }),
        Option("quiet", short: "q", .general, "say nothing but errors", .none { $0.verbosity = .quiet }),
        Option(
            "offline", .general, "show the request, secrets masked, and send nothing",
            .none { $0.preview = .request }),
        Option("curl", .general, "show it as a curl command", .none { $0.preview = .curl }),
        Option(
            "expect", .general, "fail unless there are N items",
            .required("N") { (options, text) throws(UsageError) in
                options.expectedCount = try OptionValue.count(text, of: "--expect")
            }),
        Option("fail-empty", .general, "fail when there are none", .none { $0.failsWhenEmpty = true }),
        Option(
            "completion", .general, "print what makes a shell complete all this",
            .required(
                Shell.allCases.map(\.rawValue).joined(separator: "|"), .words(Shell.allCases.map(\.rawValue))
            ) {
                (options, text) throws(UsageError) in
                options.action = .printCompletion(try Shell(named: text))
            }),
        Option("man", .general, "print the manual page, as roff", .none { $0.action = .showManual }),
        Option("help", short: "h", .general, "show this", .none { $0.action = .showHelp }),
        Option("version", short: "V", .general, "show the version", .none { $0.action = .showVersion }),
    ]
}
