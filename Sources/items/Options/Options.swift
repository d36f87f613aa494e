/// What the command line asks for.
struct Options: Equatable, Sendable {
    /// What to do.
    enum Action: Equatable, Sendable {
        case list, showHelp, showVersion, nameScenarios
        /// The scenarios on a socket; all of them, if none is named.
        case serve(Scenario?)
        case complete(Shell), showManual
    }

    /// How items are printed.
    enum Form: String, Equatable, Sendable {
        case lines, json, jsonl, csv, table, count
    }

    /// What is shown in place of a list, without a network.
    enum Preview: Equatable, Sendable {
        case request, curl
    }

    /// How much is said on the standard error.
    enum Talk: Int, Comparable, Sendable {
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

    var form = Form.lines
    var endsWithNull = false
    /// The file in place of the standard output.
    var output: String?
    var isAtomic = false

    // MARK: Pages

    var paging = Paging(.auto)
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

    var talk = Talk.normal
    var preview: Preview?
    var expectedCount: Int?
    var failsWhenEmpty = false
}
