import RESTClient

/// A scenario of `--demo` and `--serve`.
enum Scenario: Hashable, Sendable {
    case ok, slow, flaky, rateLimit, html, truncated, hostile
    /// The given number of items, generated while they are sent.
    case huge(Int)
    case notNil, `nil`, concepts

    /// All scenarios, in the order of the help.
    static let all: [Self] = [
        .ok, .slow, .flaky, .rateLimit, .html, .truncated, .hostile, .huge(1_000_000), .notNil, .nil,
        .concepts,
    ]

    /// The name of the scenario, which is also its path on a server: `/ok`.
    var name: String {
        switch self {
        case .ok: "ok"
        case .slow: "slow"
        case .flaky: "flaky"
        case .rateLimit: "ratelimit"
        case .html: "html"
        case .truncated: "truncated"
        case .hostile: "hostile"
        case .huge: "huge"
        case .notNil: "notNil"
        case .nil: "nil"
        case .concepts: "concepts"
        }
    }

    /// The name and value on the command line.
    var usage: String { if case .huge = self { "huge=N" } else { name } }

    /// A description for the list of scenarios.
    var summary: String {
        switch self {
        case .ok: "a list of teas on three pages"
        case .slow: "the same list, sent slowly over three seconds"
        case .flaky: "the same list, after a 503 and a connection reset"
        case .rateLimit: "the same list, after a 429 with Retry-After"
        case .html: "a login page instead of JSON"
        case .truncated: "a response that ends too early"
        case .hostile: "items with terminal control sequences"
        case .huge: "N items (default: 1000000), generated while they are sent"
        case .notNil: "three items from the host notNil"
        case .nil: "a response that is not JSON, from the host nil"
        case .concepts: "JSON of another shape, with the list at \"concepts\""
        }
    }

    /// Returns the scenario with the given name, ignoring case, or the first one if the name is `nil`.
    init(named text: String?) throws(UsageError) {
        guard let text else { self = Self.all[0]; return }
        let (name, number) = text.divided(at: "=")
        guard let scenario = Self.all.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw UsageError(
                "unknown demo \(TerminalEscaping.quoted(text))",
                hint: "available demos: \(Self.all.map(\.usage).joined(separator: ", "))")
        }
        self = scenario
        guard let number else { return }
        guard case .huge = scenario else {
            throw UsageError("the demo \(scenario.name) does not take a number")
        }
        self = .huge(try OptionValue.count(number, of: "huge"))
    }

    /// The output of `--demo=list`.
    static var list: String {
        let width = all.map(\.usage.count).reduce(0, max) + 2
        return all.map { scenario in
            let usage = scenario.usage
            return usage + String(repeating: " ", count: width - usage.count) + scenario.summary + "\n"
        }.joined()
    }
}
