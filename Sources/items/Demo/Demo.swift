import Foundation
import Synchronization
import MockTransport

extension MockServer {
    /// Creates a server for the scenarios, used in the process by `--demo` and on a socket by `--serve`. The
    /// routes are named by their modules, because paths would make the program depend on the folder of its
    /// sources.
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

/// The list of `repos`: objects, of which the latest change is first.
enum Repos {
    private static let all = [
        #"{"name":"kettle","stars":310,"open":true,"updated":"2026-03-02","owner":{"login":"ann"}}"#,
        #"{"name":"infuser","stars":42,"open":true,"updated":"2026-02-11","owner":{"login":"bo"}}"#,
        #"{"name":"samovar","stars":1200,"open":false,"updated":"2026-01-20","owner":{"login":"ann"}}"#,
        #"{"name":"strainer","stars":7,"open":true,"updated":"2025-12-30","owner":{"login":"cy"}}"#,
        #"{"name":"caddy","stars":95,"open":false,"updated":"2025-11-08","owner":{"login":"bo"}}"#,
        #"{"name":"gaiwan","stars":640,"open":true,"updated":"2025-06-17","owner":{"login":"dee"}}"#,
    ]

    /// The page of a number in the query or in the body, or after a cursor of GraphQL.
    static func page(_ request: ReceivedRequest) -> Reply {
        let isGraphQL = request.text.contains("$after")
        let inBody = request.text.firstMatch(of: /"(?:page|after)": ?"?(\d+)/).flatMap { Int($0.1) }
        let number = request.query["page"].flatMap { Int($0) } ?? inBody.map { isGraphQL ? $0 + 1 : $0 } ?? 1
        guard (1...3).contains(number) else { return .text("There are 3 pages.\n", status: 404) }
        let items = all[(2 * number - 2)..<(2 * number)].joined(separator: ",")
        let page =
            isGraphQL
            ? #"{"data":{"repos":{"nodes":[\#(items)],"pageInfo":{"hasNextPage":\#(number < 3),"endCursor":"\#(number)"}}}}"#
            : #"{"items":[\#(items)],"page":\#(number),"total_pages":3,"total":6}"#
        let reply = Reply.text(page, as: .json)
        guard request.text.isEmpty, number < 3 else { return reply }
        return reply.header(.link, "<?page=\(number + 1)>; rel=\"next\"")
    }
}
