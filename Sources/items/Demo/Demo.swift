import Foundation
import Synchronization
import MockTransport

/// A mock server inside the process that serves one scenario without a network.
struct Demo {
    /// The URL to list.
    let url: String
    private let server: MockServer

    init(_ scenario: Scenario) {
        url = scenario.address
        server = MockServer.demo([scenario])
    }

    /// A configuration whose requests the server answers while it exists.
    var configuration: URLSessionConfiguration { server.configuration }
}

extension MockServer {
    /// Creates a server with a route for each scenario, used in the process by `--demo` and on a socket by `--serve`.
    ///
    /// - Parameter log: Called for each request with its reply.
    static func demo(
        _ scenarios: [Scenario], log: @escaping @Sendable (ReceivedRequest, Reply) -> Void = { _, _ in }
    ) -> MockServer {
        MockServer {
            for scenario in scenarios {
                let handler = scenario.handler
                for route in scenario.routes {
                    Route(.url(route)) { request in
                        let reply = handler(request)
                        log(request, reply)
                        return reply
                    }
                }
            }
            Route(.any) { request in
                let reply = Reply.text(
                    "Not found. Available paths:\n" + scenarios.map { "\($0.path)\n" }.joined(), status: 404)
                log(request, reply)
                return reply
            }
        }
    }
}

extension Scenario {
    /// The path of the scenario on a server.
    var path: String { if case .huge(let count) = self { "/huge/\(count)" } else { "/\(name)" } }

    /// The URL of the scenario without a network. The classic scenarios answer at their host names.
    fileprivate var address: String {
        switch self {
        case .notNil, .nil, .concepts: "http://\(name)/"
        default: "https://demo.example\(path)"
        }
    }

    /// The routes of the scenario: its path and, for the classic scenarios, their host names.
    fileprivate var routes: [String] {
        switch self {
        case .huge: ["/huge/:count<Int>"]
        case .notNil, .nil, .concepts: [path, "http://\(name)/"]
        default: [path]
        }
    }

    /// The reply to a request. A sequence of replies starts again for each server.
    fileprivate var handler: @Sendable (ReceivedRequest) -> Reply {
        switch self {
        case .ok: Teas.page
        case .slow: { _ in Teas.all.dribble(chunks: 30, over: .seconds(3)) }
        case .flaky: Self.cycling(.status(503), .fault(.reset(.beforeHead)), Teas.all)
        case .rateLimit: Self.cycling(.status(429).header(.retryAfter, "1"), Teas.all)
        case .html: { _ in .text("<!doctype html>\n<title>Sign in</title>\n", as: .html) }
        case .truncated: { _ in Teas.all.fault(.close(.inBody(after: 60))) }
        case .hostile: { _ in .data(Data(HostileItems.json.utf8), as: .json) }
        case .huge(let count):
            { request in .stream(GeneratedList(count: request["count", as: Int.self] ?? count), as: .json) }
        case .notNil: { _ in .json(["items": ["a", "b", "c"]]) }
        case .nil: { _ in .text("GARBAGE") }
        case .concepts: { _ in .json(["concepts": ["a", "b"], "total": 2]) }
        }
    }

    /// Returns a handler that repeats the replies in order.
    private static func cycling(_ replies: Reply...) -> @Sendable (ReceivedRequest) -> Reply {
        let requests = Atomic(0)
        return { _ in
            replies[(requests.wrappingAdd(1, ordering: .relaxed).newValue - 1) % replies.count]
        }
    }
}

/// The list that most scenarios serve.
enum Teas {
    private static let names = [
        "Assam", "Darjeeling", "Dragon Well", "Genmaicha", "Lapsang Souchong", "Sencha",
    ]
    private static let pageSize = 2

    /// All items on one page.
    static let all = Reply.json(["items": names])

    /// The requested page. Its `Link` header names the next page (RFC 8288).
    static let page: @Sendable (ReceivedRequest) -> Reply = { request in
        let number = request.query["page"].map { Int($0) ?? 0 } ?? 1
        let pages = (names.count + pageSize - 1) / pageSize
        guard (1...pages).contains(number) else { return .text("There are \(pages) pages.\n", status: 404) }
        let page = Reply.json(["items": Array(names.dropFirst((number - 1) * pageSize).prefix(pageSize))])
        return number < pages ? page.header(.link, "<?page=\(number + 1)>; rel=\"next\"") : page
    }
}

/// Items that would control a terminal, or look like several lines to a script, if printed unescaped.
enum HostileItems {
    static let json = #"""
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
}
