import Foundation
import Synchronization
import MockTransport

extension MockServer {
    /// Creates a server for the scenarios, used in the process by `--demo` and on a socket by `--serve`.
    ///
    /// The routes are named by their modules, because paths would make the program depend on the folder of its sources.
    ///
    /// - Parameter log: Called for each request with its reply.
    static func demo(
        _ scenarios: [Scenario], log: @escaping @Sendable (ReceivedRequest, Reply) -> Void = { _, _ in }
    ) -> MockServer {
        MockServer(file: #fileID) {
            for scenario in scenarios {
                let requests = Atomic(0)
                for pattern in scenario.patterns {
                    Route(.url(pattern), file: #fileID) { request in
                        let earlier = requests.wrappingAdd(1, ordering: .relaxed).oldValue
                        let reply = scenario.reply(request, earlier)
                        log(request, reply)
                        return reply
                    }
                }
            }
            Route(.any, file: #fileID) { request in
                let reply = Reply.text(
                    "Not found. Available paths:\n" + scenarios.map { "\($0.path)\n" }.joined(), status: 404)
                log(request, reply)
                return reply
            }
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
    static func page(_ request: ReceivedRequest) -> Reply {
        let number = request.query["page"].map { Int($0) ?? 0 } ?? 1
        let pages = (names.count + pageSize - 1) / pageSize
        guard (1...pages).contains(number) else { return .text("There are \(pages) pages.\n", status: 404) }
        let page = Reply.json(["items": Array(names.dropFirst((number - 1) * pageSize).prefix(pageSize))])
        return number < pages ? page.header(.link, "<?page=\(number + 1)>; rel=\"next\"") : page
    }
}
