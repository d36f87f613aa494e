extension Option {
    /// Every option there is, in the order of the help.
    static let all: [Option] = [
        Option(
            name: "at", short: nil, group: .what,
            help:
                "where the list is (default: items); dots go inside:\ndata.results; a single dot: the document is the list",
            value: .required("PATH") { options, path in options.path = path }),
        Option(
            name: "limit", short: nil, group: .what,
            help: "stop after N items, and the transfer with them",
            value: .required("N") { (options, text) throws(UsageError) in
                options.limit = try OptionValue.count(text, of: "--limit")
            }),
        Option(
            name: "demo", short: nil, group: .what,
            help: "list from a server inside the process, without network;\n--demo=list names the scenarios",
            value: .optional("SCENARIO") { (options, text) throws(UsageError) in
                if text == "list" {
                    options.action = .nameScenarios
                } else {
                    options.demo = try Scenario(named: text)
                }
            }),
        Option(
            name: "serve", short: nil, group: .what,
            help: "serve the demos on 127.0.0.1 until interrupted, one\nor all, and print their URLs",
            value: .optional("SCENARIO") { (options, text) throws(UsageError) in
                options.action = .serve(
                    try text.map { (text) throws(UsageError) in try Scenario(named: text) })
            }),
        Option(
            name: "port", short: nil, group: .what,
            help: "serve on this port (default: any free one)",
            value: .required("N") { (options, text) throws(UsageError) in
                options.port = try OptionValue.port(text)
            }),

        Option(
            name: "json", short: nil, group: .how, help: "print one JSON array",
            value: .none { $0.form = .json }),
        Option(
            name: "count", short: nil, group: .how, help: "print only how many items there are",
            value: .none { $0.form = .count }),

        Option(
            name: "header", short: "H", group: .request,
            help: "send this header field; @FILE: one from each line",
            value: .required("NAME:VALUE|@FILE") { options, text in options.headers.append(text) }),
        Option(
            name: "user", short: "u", group: .request,
            help:
                "sign in (Basic), at this origin only; a password that\nis missing is asked for on the terminal",
            value: .required("USER[:PASSWORD]") { options, text in options.user = OptionValue.user(text) }),

        Option(
            name: "max-time", short: "m", group: .time,
            help: "give up after so many seconds, such as 0.5; 0 is never",
            value: .required("SECONDS") { (options, text) throws(UsageError) in
                options.maxTime = try OptionValue.seconds(text, of: "--max-time")
            }),
        Option(
            name: "retry", short: nil, group: .time,
            help: "try again so many times; only 0 for now",
            value: .required("N") { (_, text) throws(UsageError) in
                guard try OptionValue.count(text, of: "--retry") == 0 else {
                    throw UsageError(
                        "--retry \(text): this version does not try again",
                        hint: "only --retry 0 works for now")
                }
            }),

        Option(
            name: "verbose", short: "v", group: .talk,
            help: "say what is sent and what comes back, secrets masked",
            value: .none { $0.talk = .verbose }),
        Option(
            name: "quiet", short: "q", group: .talk, help: "say nothing but errors",
            value: .none { $0.talk = .quiet }),
        Option(
            name: "completion", short: nil, group: .talk,
            help: "print what makes a shell complete these options",
            value: .required(Shell.allCases.map(\.rawValue).joined(separator: "|")) {
                (options, text) throws(UsageError) in options.action = .complete(try Shell(named: text))
            }),
        Option(
            name: "man", short: nil, group: .talk, help: "print the manual page, as roff",
            value: .none { $0.action = .showManual }),
        Option(
            name: "help", short: "h", group: .talk, help: "show this",
            value: .none { $0.action = .showHelp }),
        Option(
            name: "version", short: "V", group: .talk, help: "show the version",
            value: .none { $0.action = .showVersion }),
    ]
}
