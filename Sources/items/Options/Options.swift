import RESTClientHTTP

/// What the command line asks for.
struct Options: Equatable, Sendable {
    /// What to do.
    enum Action: Equatable, Sendable {
        case list, showHelp, showVersion, listScenarios
        /// The scenarios on a socket; all of them, if none is named.
        case serve(Scenario?)
        case printCompletion(Shell), showManual
    }

    /// How items are printed.
    enum Format: String, Equatable, Sendable {
        case lines, json, jsonl, csv, table, count
    }

    /// What is shown in place of a list, without a network.
    enum Preview: Equatable, Sendable {
        case request, curl
    }

    /// How much is said on the standard error.
    enum Verbosity: Int, Comparable, Sendable {
        case quiet, normal, verbose

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// A user, and a password unless it has to be asked for.
    struct User: Equatable, Sendable {
        var name: String
        var password: String?
    }

    var action = Action.list
    /// What to list, as it was typed.
    var input: String?
    /// The demo in place of an input.
    var demo: Scenario?
    /// Where to serve; `nil` is any free port.
    var port: Int?

    // MARK: What

    /// Where the list is, as a member path is written.
    var path = "items"
    /// The members of an item that are wanted, as member paths are written; none is the item itself.
    var fields: [String] = []
    var limit: Int?

    // MARK: How

    var format = Format.lines
    var endsWithNull = false
    /// The file in place of the standard output.
    var output: String?
    var isAtomic = false

    // MARK: Pages

    var pagination = PaginationOption(.auto)
    var maxPages = 1_000
    var jobs = 2
    /// The page number or the offset to begin at.
    var from: Int?
    var resumeFile: String?

    // MARK: Request

    /// Fields as they were typed: `NAME:VALUE`, `NAME;`, or `@FILE` with one a line.
    var headers: [String] = []
    var user: User?
    /// The file that holds a token; `-` is the standard input.
    var tokenFile: String?
    var usesNetrc = false
    var maxRedirects = 10

    // MARK: Time and limits

    var idleTimeout: Duration? = .seconds(30)
    var maxTime: Duration?
    /// Attempts behind the first.
    var retries = 2
    var retryMaxTime: Duration? = .seconds(60)
    /// Of all pages together; of a file only where it is asked for.
    var maxBytes: Int?
    var maxItemBytes = 16 << 20

    // MARK: Talk

    var verbosity = Verbosity.normal
    var preview: Preview?
    var expectedCount: Int?
    var failsWhenEmpty = false
}

extension Options {
    /// Refuses what cannot be meant together.
    func check() throws(UsageError) {
        if case .serve = action {
            guard demo == nil, input == nil else {
                throw UsageError(
                    "--serve lists nothing",
                    hint: "list the URLs that it prints; a scenario is joined to it: --serve=html")
            }
        } else if port != nil {
            throw UsageError("--port belongs to --serve")
        }
        if demo != nil, let input {
            throw UsageError(
                "--demo lists its own data, not \(TerminalEscaping.quoted(Input.redacted(input)))",
                hint: "a scenario is joined to it: --demo=html")
        }
        if endsWithNull, format != .lines {
            throw UsageError("-0 ends items, and --\(format.rawValue) has none that end")
        }
        if !fields.isEmpty, format == .count { throw UsageError("--count prints no --field") }
        if let limit, let expectedCount, limit < expectedCount {
            throw UsageError(
                "--limit \(limit) stops before there are the \(expectedCount) items of --expect",
                hint: "leave out --limit to count them all")
        }
        if tokenFile == "-", input == "-" {
            throw UsageError("the standard input is either the token or the list")
        }
        let signs = [user != nil ? "-u" : nil, tokenFile.map { _ in "--token-file" }, usesNetrc ? "-n" : nil]
        let given = signs.compactMap(\.self)
        if given.count > 1 {
            throw UsageError("sign in one way at a time, not with \(given.joined(separator: " and "))")
        }
        if from != nil, [.none, .link, .next, .token].contains(pagination.rule) {
            let rule = pagination.rule == .none ? "--no-paginate" : "--pagination \(pagination.rule.rawValue)"
            throw UsageError(
                "with \(rule) pages have no numbers for --from",
                hint: "write the page into the URL, or use --pagination page or offset")
        }
        if resumeFile != nil { try checkResumeFile() }
    }

    /// A run that goes on adds to what the one before has printed, so that must be out, and must be such that it can be
    /// added to.
    private func checkResumeFile() throws(UsageError) {
        if output != nil || isAtomic {
            throw UsageError(
                "--resume-file goes on behind what is out, and \(isAtomic ? "--atomic" : "-o") leaves nothing of a run that failed",
                hint: "append to a file: items … >> FILE")
        }
        if limit != nil {
            throw UsageError("--resume-file is for runs that fail, and --limit ends one on purpose")
        }
        if !hasAppendableFormat {
            throw UsageError(
                "--resume-file cannot go on with --\(format.rawValue)",
                hint: format == .csv
                    ? "name the columns with --field" : "print lines, --jsonl, or --csv with --field")
        }
    }

    /// Whether what a run has printed is something that the next one can add to.
    var isAppendable: Bool { output == nil && !isAtomic && limit == nil && hasAppendableFormat }

    private var hasAppendableFormat: Bool {
        switch format {
        case .lines, .jsonl: true
        case .csv: !fields.isEmpty
        case .json, .table, .count: false
        }
    }
}
