import Foundation
import RESTClientHTTP
import MockTransport

extension MockServer {
    /// A server of `scenarios`, each at its path: the same for `--demo`, in the process, and `--serve`, on a socket.
    ///
    /// - Parameter log: hears of each request, and what answers it.
    static func demo(
        _ scenarios: [Scenario], log: @escaping @Sendable (ReceivedRequest, Reply) -> Void = { _, _ in }
    ) -> MockServer {
        MockServer {
            for scenario in scenarios {
                let answer = scenario.answer
                for place in scenario.places {
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
    fileprivate var places: [String] {
        switch self {
        case .huge: ["/huge/:count<Int>"]
        case .notNil, .nil, .concepts: [path, "http://\(name)/"]
        default: [path]
        }
    }

    /// What it answers; what takes turns begins anew with each call.
    fileprivate var answer: @Sendable (ReceivedRequest) -> Reply {
        switch self {
        case .ok: Teas.page
        case .slow: { _ in Teas.all.dribble(chunks: 30, over: .seconds(3)) }
        case .flaky: Self.turns(.status(503), .fault(.reset(.beforeHead)), Teas.all)
        case .rateLimit: Self.turns(.status(429).header(.retryAfter, "1"), Teas.all)
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
    private static func turns(_ replies: Reply...) -> @Sendable (ReceivedRequest) -> Reply {
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
