import Foundation
import MockTransport
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server inside the process that answers as its scenario says, and knows no network.
struct Demo {
    /// What to list.
    let url: String
    private let server: MockServer

    init(_ scenario: Scenario) {
        url = scenario.address
        server = MockServer.demo([scenario])
    }

    /// A configuration whose requests the server answers, as long as it lives.
    var configuration: URLSessionConfiguration { server.configuration }
}

extension Scenario {
    /// Where it is when there is no network: the classic hosts answer at their names.
    fileprivate var address: String {
        switch self {
        case .notNil, .nil, .concepts: "http://\(name)/"
        default: "https://demo.example\(path)"
        }
    }
}

extension MockServer {
    /// A server of `scenarios`, each at its path: the same for `--demo`, in the process, and `--serve`, on a socket.
    ///
    /// - Parameter log: hears of each request, and what answers it.
    static func demo(
        _ scenarios: [Scenario], log: @escaping @Sendable (ReceivedRequest, Reply) -> Void = { _, _ in }
    ) -> MockServer {
        MockServer {
            for scenario in scenarios {
                let reply = scenario.reply
                for place in scenario.routes {
                    Route(.url(place)) { request in
                        let reply = answer(request)
                        log(request, reply)
                        return reply
                    }
                }
            }
            Route(.any) { request in
                let reply = Reply.text(
                    "Not here. Here is:\n" + scenarios.map { "\($0.path)\n" }.joined(), status: 404)
                log(request, reply)
                return reply
            }
        }
    }
}

extension Scenario {
    /// Its path on a server.
    var path: String { if case .huge(let count) = self { "/huge/\(count)" } else { "/\(name)" } }

    /// Where it answers: at its path, and the classic hosts at their names, too.
    fileprivate var routes: [String] {
        switch self {
        case .huge: ["/huge/:count<Int>"]
        case .notNil, .nil, .concepts: [path, "http://\(name)/"]
        default: [path]
        }
    }

    /// What it answers; what takes turns begins anew with each call.
    fileprivate var reply: @Sendable (ReceivedRequest) -> Reply {
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

    /// One reply after the other, over and over.
    private static func cycling(_ replies: Reply...) -> @Sendable (ReceivedRequest) -> Reply {
        let turn = LockedState(0)
        return { _ in
            replies[
                turn.withLock { turn in
                    defer { turn = (turn + 1) % replies.count }
                    return turn
                }]
        }
    }
}

/// The list that most scenarios are about.
enum Teas {
    private static let names = [
        "Assam", "Darjeeling", "Dragon Well", "Genmaicha", "Lapsang Souchong", "Sencha",
    ]
    private static let pageSize = 2

    /// All at once.
    static let all = Reply.json(["items": names])

    /// The page that `request` asks for; its head says where the next one is (RFC 8288).
    static let page: @Sendable (ReceivedRequest) -> Reply = { request in
        let number = request.query["page"].map { Int($0) ?? 0 } ?? 1
        let pages = (names.count + pageSize - 1) / pageSize
        guard (1...pages).contains(number) else { return .text("There are \(pages) pages.\n", status: 404) }
        let page = Reply.json(["items": Array(names.dropFirst((number - 1) * pageSize).prefix(pageSize))])
        return number < pages ? page.header(.link, "<?page=\(number + 1)>; rel=\"next\"") : page
    }
}

/// Items of which each does harm to a terminal that is shown it raw, or to a script that takes lines for items.
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
