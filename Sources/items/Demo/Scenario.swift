import RESTClientHTTP

/// What the server of `--demo` and `--serve` answers.
enum Scenario: Hashable, Sendable {
    case ok, slow, flaky, rateLimit, html, truncated, hostile
    /// So many items, made while they are sent.
    case huge(Int)
    case notNil, `nil`, concepts

    /// Each one, in the order in which they are listed.
    static let all: [Self] = [
        .ok, .slow, .flaky, .rateLimit, .html, .truncated, .hostile, .huge(1_000_000), .notNil, .nil,
        .concepts,
    ]

    /// How it is called, and where a server has it: `/ok`.
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

    /// How it is written on the command line.
    var usage: String { if case .huge = self { "huge=N" } else { name } }

    /// What there is to see.
    var summary: String {
        switch self {
        case .ok: "a list of teas, on three pages"
        case .slow: "the same, in drops over three seconds"
        case .flaky: "the same, but first a 503, then a reset"
        case .rateLimit: "the same, but first a 429 that says when to come again"
        case .html: "a login page in place of JSON"
        case .truncated: "a list that ends too early"
        case .hostile: "items that would drive the terminal"
        case .huge: "N items, a million if N is left out, made as they are sent"
        case .notNil: "three items, from the host notNil"
        case .nil: "no JSON at all, from the host nil"
        case .concepts: "JSON of another shape: the list is at \"concepts\""
        }
    }

    /// The scenario that someone names, whatever the case of its letters; the first one where none is named.
    init(named text: String?) throws(UsageError) {
        guard let text else { self = Self.all[0]; return }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let scenario = Self.all.first(where: { $0.name.lowercased() == parts[0].lowercased() }) else {
            throw UsageError(
                "there is no demo \(TerminalEscaping.quoted(text))",
                hint: "the demos: \(Self.all.map(\.usage).joined(separator: ", "))")
        }
        self = scenario
        guard parts.count > 1 else { return }
        guard case .huge = scenario else { throw UsageError("the demo \(scenario.name) takes no number") }
        self = .huge(try OptionValue.count(String(parts[1]), of: "huge"))
    }

    /// What `--demo=list` prints.
    static var list: String {
        let width = all.map(\.usage.count).reduce(0, max) + 2
        return all.map { scenario in
            let usage = scenario.usage
            return usage + String(repeating: " ", count: width - usage.count) + scenario.summary + "\n"
        }.joined()
    }
}
