import Foundation
import RESTClient

/// The parsed command line.
struct Options: Equatable, Sendable {
    /// The action to perform.
    enum Action: Equatable, Sendable {
        case list, showHelp, showAllHelp, showVersion, listScenarios
        /// Serve a scenario on a socket, or all of them if it is `nil`.
        case serve(Scenario?)
        /// Serve the recorded replies of the HTTP archive at this path.
        case serveArchive(String)
        case printCompletion(Shell), showManual

        /// `true` if the action serves on a socket.
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

    /// The output format.
    enum Format: String, Equatable, Sendable {
        case lines, json, jsonl, csv, tsv, table, count

        /// `true` for a format with a header of columns.
        var hasColumns: Bool { self == .csv || self == .tsv || self == .table }
    }

    /// A description of the request, printed instead of sending it.
    enum Preview: Equatable, Sendable { case request, curl }

    var action = Action.list
    /// The input, as typed.
    var input: String?
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
    /// `true` to drop values that have no column.
    var dropsExtra = false
    var escapesFormulas = false
    /// The text of null in a column.
    var nullValue = ""
    /// The file to write to instead of the standard output.
    var output: String?
    var isAtomic = false

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
    /// The page number or offset to start at.
    var from: Int?
    var resumeFile: String?
    /// The directory to which the body of each page is written.
    var pagesDirectory: String?

    // MARK: Request

    /// Header fields as typed: `NAME:VALUE`, `NAME;` or `@FILE` with one field per line.
    var headers: [String] = []
    var method: String?
    /// The parts of the body as typed.
    var data: [BodyPart] = []
    /// `true` to put the data into the query of the URL.
    var putsDataIntoQuery = false
    var user: User?
    /// The file that contains a token; `-` is the standard input.
    var tokenFile: String?
    var usesNetrc = false
    var maxRedirects = 10
    var connection = ConnectionOptions()

    // MARK: Timeouts and limits

    var idleTimeout: Duration? = .seconds(30)
    var maxTime: Duration?
    /// The maximum number of retries.
    var retries = 2
    var retryMaxTime: Duration? = .seconds(60)
    var requestsPerSecond: Double?
    /// The limit for all pages together. Applies to a file only if set.
    var maxBytes: Int?
    var maxItemBytes = 16 << 20

    // MARK: Diagnostics

    var verbosity = Verbosity.normal
    var reportsTiming = false
    var color = ColorMode.auto
    var preview: Preview?
    /// The expected number of items, or a range without an end.
    var expectation: ClosedRange<Int>?
}

extension Options {
    /// Throws if two options contradict each other.
    func check() throws(CommandError) {
        if action.isServer {
            guard demo == nil, input == nil else {
                throw .usage(
                    "--serve does not take an input",
                    hint: "name a scenario or a file with =, as in --serve=html or --serve=shop.har")
            }
        } else if port != nil {
            throw .usage("--port requires --serve")
        }
        if servesFiles {
            guard case .serveArchive = action else { throw .usage("--serve-files requires --serve=FILE.har") }
        }
        if demo != nil, let input {
            throw .usage(
                "--demo does not take an input, found \(TerminalEscaping.quoted(URLArgument.masked(input)))",
                hint: "name a scenario with =, as in --demo=html")
        }
        if endsWithNull, format != .lines { throw .usage("-0 cannot be combined with --\(format.rawValue)") }
        if dropsExtra, !format.hasColumns { throw .usage("--drop-extra requires --csv, --tsv or --table") }
        if !nullValue.isEmpty, !format.hasColumns {
            throw .usage("--null-value requires --csv, --tsv or --table")
        }
        if escapesFormulas, format != .csv, format != .tsv {
            throw .usage("--escape-formulas requires --csv or --tsv")
        }
        if !fields.isEmpty, format == .count { throw .usage("--field cannot be combined with --count") }
        if let limit, let expectation, limit < expectation.lowerBound {
            throw .usage(
                "--limit \(limit) is less than --expect \(expectation.lowerBound)",
                hint: "omit --limit to count all items")
        }
        if tokenFile == "-", input == "-" {
            throw .usage("standard input cannot provide both the token and the list")
        }
        let signs = [user != nil ? "-u" : nil, tokenFile.map { _ in "--token-file" }, usesNetrc ? "-n" : nil]
        let given = signs.compactMap(\.self)
        if given.count > 1 {
            throw .usage("only one credential is allowed, not \(given.joined(separator: " and "))")
        }
        if connection.unixSocket != nil, connection.proxy?.isEmpty == false {
            throw .usage("--unix-socket cannot be combined with --proxy")
        }
        if connection.clientCertificate == nil, connection.clientKey != nil || connection.keyPassword != nil {
            throw .usage("--\(connection.clientKey == nil ? "pass" : "key") requires --cert")
        }
        if from != nil, !data.isEmpty, !putsDataIntoQuery {
            throw .usage("--from cannot be combined with --data", hint: "put the page into the body")
        }
        if putsDataIntoQuery, data.isEmpty {
            throw .usage("--get requires --data", hint: "GET is the default; omit --get")
        }
        if from != nil, !pagination.hasNumbers {
            throw .usage(
                "--from cannot be combined with --pagination \(pagination.rule)",
                hint: "put the page into the URL, or use --pagination page or offset")
        }
        if resumeFile != nil { try checkResumeFile() }
    }

    /// Throws if the output of a failed run could not be continued by the next run.
    private func checkResumeFile() throws(CommandError) {
        if isAtomic {
            throw .usage(
                "--resume-file cannot be combined with --atomic, which discards the output of a failed run",
                hint: "use -o FILE, which is replaced when the list is complete")
        }
        if !hasAppendableFormat {
            throw .usage(
                "--resume-file cannot be combined with --\(format.rawValue)",
                hint: format == .csv || format == .tsv
                    ? "specify the columns with --field" : "use lines, --jsonl, or --csv with --field")
        }
    }

    /// `true` if the next run can continue the output of this one.
    var isAppendable: Bool { output == nil && !isAtomic && limit == nil && hasAppendableFormat }

    private var hasAppendableFormat: Bool {
        switch format {
        case .lines, .jsonl: true
        case .csv, .tsv: !fields.isEmpty
        case .json, .table, .count: false
        }
    }
}
