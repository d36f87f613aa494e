import Foundation
import RESTClient

/// The parsed command line.
struct Options: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case list, showHelp, showAllHelp, showVersion, listScenarios
        /// Serve a scenario on a socket, or all of them if it is `nil`.
        case serve(Scenario?)
        /// Serve the recorded replies of the HTTP archive at this path.
        case serveArchive(String)
        case printCompletion(Shell), showManual

        var isServer: Bool {
            switch self {
            case .serve, .serveArchive: true
            default: false
            }
        }

        /// Returns the action of `--serve` with the given value: a path if it is one, otherwise a scenario.
        static func serving(_ text: String?) throws(CommandError) -> Self {
            guard let text, text.contains("/") || text.lowercased().hasSuffix(".har") else {
                return .serve(try text.map { text throws(CommandError) in try Scenario(named: text) })
            }
            return .serveArchive(text)
        }
    }

    enum Format: String, Equatable, Sendable {
        case lines, json, jsonl, csv, tsv, table, count

        /// `true` for a format with a header of columns.
        var hasColumns: Bool { isDelimited || self == .table }

        var isDelimited: Bool { self == .csv || self == .tsv }

        /// The format that the extension of a file names, or lines.
        init(ofFile path: String) {
            let name = URL(filePath: path).pathExtension.lowercased()
            self =
                ["csv": .csv, "tsv": .tsv, "json": .json, "jsonl": .jsonl, "ndjson": .jsonl][name] ?? .lines
        }
    }

    var action = Action.list
    /// The input, as typed.
    var input: String?
    /// A hint that names the option whose value looks like an input.
    var inputHint: String?
    /// The demo scenario to list instead of an input.
    var demo: Scenario?
    /// The port to serve on; `nil` selects any free port.
    var port: Int?
    /// `true` to serve the files to which an archive refers.
    var servesFiles = false

    // MARK: Selection

    /// The path of the list, if it was given.
    var at: ListPath?
    /// The path of the list in the document. Defaults to that of the API which the pagination names.
    var list: ListPath { at ?? pagination.list.map(ListPath.init(default:)) ?? .automatic }
    /// The paths of the members to print; empty for whole items.
    var fields: [FieldPath] = []
    /// The comparisons that an item must meet to be printed.
    var conditions: [Condition] = []
    /// The comparisons of which the first that an item does not meet ends the list.
    var bounds: [Condition] = []
    var limit: Int?

    // MARK: Output format

    var format = Format.lines
    var endsWithNull = false
    var escapesFormulas = false
    var nullValue = ""
    /// The file to write to instead of the standard output.
    var output: String?

    // MARK: Pagination

    var pagination = PaginationOption.auto
    var maxPages = 1_000
    var jobs = 2
    /// `true` to replace text that is not valid Unicode.
    var replacesInvalidText = false
    /// `true` to accept a list of which the server says that it is incomplete.
    var allowsIncomplete = false
    /// The origins, other than that of the list, at which further pages may be.
    var allowedOrigins: [URL] = []
    var resumeFile: String?
    /// The directory to which the body of each page is written.
    var pagesDirectory: String?

    // MARK: Request

    /// The first option that has no effect without a request.
    var requestOption: String?
    /// Header fields as typed: `NAME:VALUE`, `NAME;` or `@FILE` with one field per line.
    var headers: [String] = []
    var method: String?
    var data: [BodyPart] = []
    /// `true` to put the data into the query of the URL.
    var putsDataIntoQuery = false
    /// The values of `-b`: cookies, or a file without an equals sign in its name.
    var cookies: [String] = []
    /// The file to which the cookies are written at the end.
    var cookieJar: String?
    var user: User?
    /// The file that contains a token; `-` is the standard input.
    var tokenFile: String?
    var usesNetrc = false
    var maxRedirects = 10
    var connection = ConnectionOptions()

    // MARK: Timeouts and limits

    var idleTimeout: Duration? = .seconds(30)
    var maxTime: Duration?
    var retries = 2
    var retryMaxTime: Duration? = .seconds(60)
    var requestsPerSecond: Double?
    /// The limit for all pages together. Applies to a file only if set.
    var maxBytes: Int?
    var maxItemBytes = 16 << 20

    // MARK: Diagnostics

    var verbosity = Verbosity.normal
    var color = ColorMode.auto
    /// `true` to print the request instead of sending it.
    var isOffline = false
    /// The expected number of items, or a range without an end.
    var expectation: ClosedRange<Int>?
}

extension Options {
    /// Throws if two options contradict each other.
    func check() throws(CommandError) {
        func refuse(
            _ isFound: Bool, _ text: @autoclosure () -> String, _ hint: @autoclosure () -> String? = nil
        ) throws(CommandError) { if isFound { throw .usage(text(), hint: hint()) } }
        let isArchive = if case .serveArchive = action { true } else { false }
        try refuse(
            action.isServer && (demo != nil || input != nil), "--serve does not take an input",
            "name a scenario or a file with =, as in --serve=html or --serve=shop.har")
        try refuse(!action.isServer && port != nil, "--port requires --serve")
        try refuse(servesFiles && !isArchive, "--serve-files requires --serve=FILE.har")
        try refuse(
            demo != nil && input != nil,
            "--demo does not take an input, found \(URLArgument.masked(input ?? "").quoted(200))",
            input.map { $0 == "list" || Scenario.named($0) != nil } == true
                ? "did you mean --demo=\(input ?? "")?"
                : input.flatMap { OptionParser.hint(forInput: $0) }
                    ?? "name a scenario with =, as in --demo=html")
        let isChanged =
            format != .lines || output != nil || !headers.isEmpty || !data.isEmpty || !fields.isEmpty
        try refuse(
            action.isServer && isChanged, "--serve sends the lists as they are",
            "pass the options for the request and the output to the items that lists them")
        try refuse(endsWithNull && format != .lines, "-0 cannot be combined with --\(format.rawValue)")
        try refuse(!nullValue.isEmpty && !format.hasColumns, "--null-value requires --csv, --tsv or --table")
        try refuse(escapesFormulas && !format.isDelimited, "--escape-formulas requires --csv or --tsv")
        try refuse(!fields.isEmpty && format == .count, "--field cannot be combined with --count")
        var labels: Set<[UInt8]> = []
        let repeated = fields.first { !labels.insert(Array($0.label.utf8)).inserted }
        try refuse(
            repeated != nil, "--field names \((repeated?.label ?? "").quoted()) twice",
            "rename one of them: NAME=PATH")
        let least = expectation?.lowerBound ?? 0
        try refuse(
            (limit ?? .max) < least, "--limit \(limit ?? 0) is less than --expect \(least)",
            "omit --limit to count all items")
        try refuse(
            tokenFile == "-" && input == "-", "standard input cannot provide both the token and the list")
        try refuse(
            tokenFile == "-" && data.contains(where: \.isStandardInput),
            "standard input cannot provide both the token and the body")
        let signs = [user != nil ? "-u" : nil, tokenFile.map { _ in "--token-file" }, usesNetrc ? "-n" : nil]
        let given = signs.compactMap(\.self)
        try refuse(given.count > 1, "only one credential is allowed, not \(given.joined(separator: " and "))")
        try refuse(cookieJar == "-", "-c requires a file", "standard output gets the items")
        // In jq, the letter has another meaning.
        try refuse(
            cookieJar?.contains("://") == true, "-c requires a file", "--jsonl prints each item on one line")
        try refuse(
            connection.unixSocket != nil && connection.proxy?.isEmpty == false,
            "--unix-socket cannot be combined with --proxy")
        let keyOption = connection.clientKey != nil ? "key" : connection.keyPassword != nil ? "pass" : nil
        try refuse(
            connection.clientCertificate == nil && keyOption != nil, "--\(keyOption ?? "") requires --cert")
        try refuse(
            putsDataIntoQuery && data.isEmpty, "--get requires --data", "GET is the default; omit --get")
        try refuse(
            resumeFile != nil && !hasAppendableFormat,
            "--resume-file cannot be combined with --\(format.rawValue)",
            format.isDelimited
                ? "specify the columns with --field" : "use lines, --jsonl, or --csv with --field")
    }

    /// Parses the value of `--output`, which is `nil` for the standard output.
    static func output(_ path: String) throws(CommandError) -> String? {
        if path.hasPrefix("--") {
            throw .usage(
                "--output requires a file, not \(path.quoted(200))",
                hint:
                    "for a file of this name, write -o \("./\(path.escaped())".shellQuoted)"
            )
        }
        if let format = Format(rawValue: path), format != .lines, format != .count {
            throw .usage("-o \(path) names a file", hint: "use --\(path) for the format, or -o ./\(path)")
        }
        if let tool = Compression(ofFile: path), !path.hasPrefix("./") {
            throw .usage(
                "-o does not compress \(path.quoted(200))",
                hint: "use a pipe: items … | \(tool) > \(path.escaped().shellQuoted)")
        }
        return path == "-" ? nil : path
    }

    /// A checksum of the options on which the output of a run depends, besides the URL: FNV-1a with 32 bits, from which a body
    /// cannot be restored.
    var checksum: String {
        let comparisons = [conditions, bounds].map { $0.map(\.argument) }
        let format = "\(format) \(nullValue) \(endsWithNull) \(escapesFormulas)"
        let at = "\(list.member) \(list.inner?.text ?? "") \(list.layout) \(list.keyName ?? "")"
        let columns = fields.map { "\($0.label)=\($0.text)" }
        let parts = "\(format) \(at) \(columns) \(comparisons) \(method ?? "") \(data)"
        let hash = parts.utf8.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return String(hash, radix: 16)
    }

    /// `true` if the next run can continue the output of this one.
    var isAppendable: Bool { output == nil && limit == nil && hasAppendableFormat }

    private var hasAppendableFormat: Bool {
        switch format {
        case .lines, .jsonl: true
        case .csv, .tsv: !fields.isEmpty
        case .json, .table, .count: false
        }
    }
}
