import Foundation
import MockTransport
import RESTClient

/// A scenario of `--demo` and `--serve`.
struct Scenario: Sendable {
    /// Returns the reply to a request; the number of earlier requests selects it from a sequence.
    typealias Handler = @Sendable (_ request: ReceivedRequest, _ earlierRequests: Int) -> Reply

    let name: String
    let summary: String
    /// The number of items of `huge=N`; `nil` for scenarios without a number.
    private(set) var count: Int?
    /// `true` if the scenario answers at the host of its name, too.
    private var hasHost = false
    let reply: Handler

    /// All scenarios, in the order of the help.
    static let all = [
        Self(name: "ok", summary: "a list of teas on three pages") { request, _ in Teas.page(request) },
        Self(
            name: "repos",
            summary: "objects on three pages, the latest first; even as a search and in GraphQL"
        ) { request, _ in Repos.page(request) },
        Self(name: "slow", summary: "the same list, sent slowly over three seconds") { _, _ in
            Teas.all.dribble(chunks: 30, over: .seconds(3))
        },
        Self(name: "flaky", summary: "the same list, after a 503 and a connection reset") { _, earlier in
            [Reply.status(503), .fault(.reset(.beforeHead)), Teas.all][earlier % 3]
        },
        Self(name: "ratelimit", summary: "the same list, after a 429 with Retry-After") { _, earlier in
            earlier.isMultiple(of: 2) ? .status(429).header(.retryAfter, "1") : Teas.all
        },
        Self(name: "html", summary: "a login page instead of JSON") { _, _ in
            .text("<!doctype html>\n<title>Sign in</title>\n", as: .html)
        },
        Self(name: "truncated", summary: "a response that ends too early") { _, _ in
            Teas.all.fault(.close(.inBody(after: 60)))
        },
        Self(name: "hostile", summary: "items with terminal control sequences") { _, _ in
            .text(hostileList, as: .json)
        },
        Self(
            name: "huge", summary: "N items (default: 1000000), generated while they are sent",
            count: 1_000_000
        ) { request, _ in .stream(GeneratedList(count: request["count", as: Int.self] ?? 0), as: .json) },
        Self(name: "notNil", summary: "a list of three items, at the host notNil", hasHost: true) { _, _ in
            .json(["items": ["a", "b", "c"]])
        },
        Self(name: "nil", summary: "a response that is not JSON, from the host nil", hasHost: true) { _, _ in
            .text("GARBAGE")
        },
        Self(
            name: "concepts", summary: "JSON of another shape, with the list at \"concepts\"", hasHost: true
        ) { _, _ in .json(["concepts": ["a", "b"], "total": 2]) },
    ]

    /// Items that would control a terminal, or look like several lines to a script, if printed unescaped.
    private static let hostileList = #"""
        {"items": [
            "harmless",
            "\u001b[2Jclears the screen",
            "\u001b]0;renames the window\u0007",
            "\u001b]52;c;c3RvbGVu\u0007",
            "two\nlines",
            "overwritten\rby this",
            "\u009b31mred in eight bits",
            "invoice\u202efdp.exe",
            "\u007f",
            "\"already quoted\"",
            "-rf",
            "",
            {"kind": "object",
             "note": "\u001b[1m"},
            null
        ]}
        """#

    /// The name and value on the command line.
    var usage: String { count == nil ? name : "\(name)=N" }

    var path: String { "/\(name)" + (count.map { "/\($0)" } ?? "") }

    /// The host that the scenario answers for, in lower case.
    var host: String? { hasHost ? name.lowercased() : nil }

    /// The URL of the scenario without a network.
    var url: String { hasHost ? "http://\(name)/" : "https://demo.example\(path)" }

    /// The URL patterns of the requests that the scenario answers.
    var patterns: [String] { count == nil ? [path] + (hasHost ? [url] : []) : ["/\(name)/:count<Int>"] }

    static var list: String {
        let width = all.map(\.usage.count).reduce(0, max) + 2
        return all.map { $0.usage.padding(toLength: width, withPad: " ", startingAt: 0) + $0.summary + "\n" }
            .joined()
    }
}

extension Scenario: Equatable {
    static func named(_ name: String) -> Self? { all.first { $0.name.lowercased() == name.lowercased() } }

    /// Returns the scenario with the given name, ignoring case, or the first one if the name is `nil`.
    init(named text: String?) throws(CommandError) {
        let (name, number) = (text ?? Self.all[0].name).divided(at: "=")
        guard let scenario = Self.named(name) else {
            throw .usage(
                "unknown scenario \((text ?? "").quoted(200))",
                hint: "available scenarios: \(Self.all.map(\.usage).joined(separator: ", "))")
        }
        self = scenario
        guard let number else { return }
        guard count != nil else { throw .usage("the scenario \(self.name) does not take a number") }
        count = try OptionValue.count(number, self.name)
    }

    static func == (left: Self, right: Self) -> Bool { left.path == right.path }
}
