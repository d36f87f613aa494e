import Foundation
import MockTransport
import RESTClient

/// Lists many small pages from a server that delays each by 10 ms.
struct Paging {
    var pages = 1_000
    private let size = 100
    private let delay = Duration.milliseconds(10)

    func run() async throws {
        let (pages, size, delay) = (pages, size, delay)
        let server = MockServer {
            Route(.get, "/numbered") { request in
                Self.page(request, size, "\"page\":\(Self.number(request)),\"total_pages\":\(pages)").delay(
                    delay)
            }.optional()
            Route(.get, "/chain") { request in
                let next = Self.number(request) + 1
                return Self.page(
                    request, size, next > pages ? "\"next\":null" : "\"next\":\"/chain?page=\(next)\""
                )
                .delay(delay)
            }.optional()
        }
        let loopback = try await server.listen()
        print("\(pages) pages of \(size) items, a delay of 10 ms each, \(pages * 10 / 1_000) s in total")
        var alone = 0.0
        for (name, path, jobs) in [
            ("numbered, one at a time", "numbered", 1), ("numbered, maxConcurrentPages: 2", "numbered", 2),
            ("numbered, maxConcurrentPages: 8", "numbered", 8), ("next links", "chain", 2),
        ] {
            let listing = ItemListing(maxConcurrentPages: jobs, maxPages: pages)
            let client = MyRESTClient(url: loopback.url.appending(path: path), listing: listing)
            let start = ContinuousClock.now
            let items = try await client.getAvailableItems(as: Int.self)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            if alone == 0 { alone = seconds }
            print(
                name.padding(toLength: 28, withPad: " ", startingAt: 0)
                    + String(format: "%7.2f s  × %.2f", seconds, alone / seconds)
                    + (items == Array(0..<pages * size) ? "  correct" : "  WRONG ITEMS"))
        }
        await loopback.close()
    }

    private static func number(_ request: ReceivedRequest) -> Int {
        request.query["page"].flatMap { Int($0) } ?? 1
    }

    private static func page(_ request: ReceivedRequest, _ size: Int, _ rest: String) -> Reply {
        let first = (number(request) - 1) * size
        let items = (first..<first + size).map { String($0) }.joined(separator: ",")
        return .data(Data("{\"items\":[\(items)],\(rest)}".utf8), as: .json)
    }
}
