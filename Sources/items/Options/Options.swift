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
    enum Form: Equatable, Sendable {
        case lines, json, count
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

    /// Where the list is, as a member path is written.
    var path = "items"
    var form = Form.lines
    var limit: Int?

    /// Fields as they were typed: `NAME:VALUE`, `NAME;`, or `@FILE` with one a line.
    var headers: [String] = []
    var user: User?
    var maxTime: Duration?

    var talk = Talk.normal
}
