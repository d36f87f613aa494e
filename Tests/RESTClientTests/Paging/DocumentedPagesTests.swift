import Foundation
import MockTransport
import RESTClient
import Testing

/// Lists of seldom conventions, as the documentation of their APIs describes them.
@Suite struct DocumentedPagesTests {
    private static let size = 3

    /// A list of numbers from 0, of which each page has three.
    struct API: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var path: MemberPath = "items"
        var query = ""
        let page: @Sendable (ReceivedRequest, _ total: Int) -> Reply

        /// Replies with the members of a document.
        static func members(
            _ name: String, path: MemberPath = "items", query: String = "",
            _ page: @escaping @Sendable (ReceivedRequest, Int) -> JSONLiteral
        ) -> Self { Self(testDescription: name, path: path, query: query) { .json(page($0, $1)) } }
    }

    private static func items(from start: Int, of total: Int) -> JSONLiteral {
        JSONLiteral(.array((start..<min(start + size, max(start, total))).map { JSONLiteral(.integer($0)) }))
    }

    private static func pages(_ total: Int) -> Int { (total + size - 1) / size }

    /// Returns `null` after the last page.
    private static func next(after start: Int, of total: Int, _ value: JSONLiteral) -> JSONLiteral {
        start + size < total ? value : nil
    }

    private static let apis: [API] = [
        .members("an offset that is the size of the page", path: "result", query: "page=1&offset=3") {
            let start = ($0.number("page", or: 1) - 1) * size
            return ["status": "1", "message": "OK", "result": items(from: start, of: $1)]
        },
        .members("a total of pages beside one of hits", path: "results") {
            let page = $0.number("page", or: 1)
            return [
                "numberOfHits": .value($1), "results": items(from: (page - 1) * size, of: $1),
                "pageInfo": ["resultsPerPage": 3, "current": .value(page), "total": .value(pages($1))],
            ]
        },
        .members("all parameters of the next page, one of them a name") {
            let isNamed = $0.query["name"] == "USD" && $0.query["items_count"] == "3"
            let start = isNamed ? $0.number("index", or: 0) : 0
            return [
                "items": items(from: start, of: $1),
                "next_page_params": next(
                    after: start, of: $1,
                    ["name": "USD", "index": .value(start + size), "items_count": 3, "is_name_null": false]),
            ]
        },
        .members("the name with which the next page starts", query: "limit=3") {
            let start = $0.query["start"].flatMap { Int($0.dropFirst(3)) } ?? 0
            return [
                "items": items(from: start, of: $1), "prefixes": nil,
                "nextStartWith": next(after: start, of: $1, .value("obj\(start + size)")),
            ]
        },
        .members("a page size named count, above the total") {
            let page = $0.number("page", or: 1)
            return [
                "ok": true, "items": items(from: (page - 1) * size, of: $1),
                "paging": [
                    "count": $1 > size ? 3 : 100, "total": .value($1), "page": .value(page),
                    "pages": .value(max(1, pages($1))),
                ],
            ]
        },
        .members("the cursor of the page itself after the last one", path: "data", query: "page[size]=3") {
            let start = $0.number("page[cursor]", or: 0)
            let cursor = next(after: start, of: $1, .value("\(start + size)"))
            let url = "https://shop.example/items?page[size]=3&page[cursor]=\(start + size)"
            return [
                "data": items(from: start, of: $1),
                "links": ["next": next(after: start, of: $1, .value(url))],
                "meta": ["pagination": ["cursor": .value("\(start)"), "limit": 3, "next_cursor": cursor]],
            ]
        },
        .members("a token of the page itself beside an empty one for the next page", query: "limit=3") {
            let start = $0.query["cursor"].flatMap { Int($0.dropFirst(4)) } ?? 0
            return [
                "items": items(from: start, of: $1), "limit": 3, "cursor": .value("raw:\(start)"),
                "nextCursor": .value(start + size < $1 ? "raw:\(start + size)" : ""),
            ]
        },
        .members("a page count that counts items", path: "products") {
            let page = $0.number("page", or: 1)
            let start = (page - 1) * size
            return [
                "count": .value($1), "page": .value(page),
                "page_count": .value(min(size, max(0, $1 - start))),
                // With as many items as a page, the number could be that of the pages.
                "page_size": .value($1 == size ? 24 : size), "skip": .value(start),
                "products": items(from: start, of: $1),
            ]
        },
        .members("the last identifier in a parameter of the request", query: "last_id=&limit=3") {
            let start = $0.query["last_id"].flatMap { Int($0) } ?? 0
            return [
                "items": items(from: start, of: $1), "total": .value($1),
                "last_id": .value("\(min(start + size, $1))"),
            ]
        },
        .members("a number of pages beside the count of this page") {
            let page = $0.number("page", or: 1)
            let items = items(from: (page - 1) * size, of: $1)
            return [
                "page": .value(page), "page_size": 3, "page_count": .value(max(1, pages($1))),
                "count": .value(min(size, max(0, $1 - (page - 1) * size))), "items": items,
            ]
        },
        .members("a link with an encoded filter", query: "filter=%7B%22a%22%3A1%7D") {
            let page = $0.number("page", or: 1)
            let url = "/items?filter=%7B%22a%22%3A1%7D&page=\(page + 1)"
            return [
                "items": items(from: (page - 1) * size, of: $1),
                "links": ["url": next(after: (page - 1) * size, of: $1, .value(url))],
            ]
        },
        .members("a token with the name of a log") {
            let start = $0.query["log_token"].flatMap { Int($0.dropFirst(9)) } ?? 0
            return [
                "items": items(from: start, of: $1),
                "log_token": next(after: start, of: $1, .value("tokaaaaaa\(start + size)")),
            ]
        },
        .members("a date in a parameter named after, and offsets", query: "after=2024-01-01&limit=3") {
            let start = $0.query["after"] == "2024-01-01" ? $0.number("offset", or: 0) : 99
            return [
                "items": items(from: start, of: $1), "total": .value($1),
                "last_id": .value("\(min(start + size, $1))"),
            ]
        },
        .members("the size of the next page in its parameters", query: "limit=3") {
            let start = $0.number("cursor", or: 0)
            return [
                "items": items(from: start, of: $1),
                "next_page_params": [
                    "cursor": next(after: start, of: $1, .value("\(start + size)")), "limit": 3,
                ],
            ]
        },
        .members("the total of a filter beside that of all items") {
            let page = $0.number("page", or: 1)
            let items = (0..<$1).filter { _ in page == 1 }.map { JSONLiteral(.integer($0)) }
            return [
                "total": .value($1 * 20), "items": JSONLiteral(.array(items)),
                "pagination": ["page": .value(page), "size": 20, "total": .value($1)],
            ]
        },
        API(testDescription: "a token in a header field beside a version", query: "api-version=7.1") {
            let start = $0.number("continuationToken", or: 0)
            var reply = Reply.json(["items": items(from: start, of: $1)])
            if start + size < $1 { reply = reply.header("x-ms-continuationtoken", "\(start + size)") }
            return reply
        },
    ]

    @Test(arguments: apis, [0, 1, 3, 4, 6, 10])
    func `all items are listed`(api: API, total: Int) async throws {
        let server = MockServer { Route(.any) { api.page($0, total) } }
        let url = "https://shop.example/items\(api.query.isEmpty ? "" : "?")\(api.query)"
        let items = try await server.client(ItemListing(at: api.path), path: url).getAvailableItems(
            as: Int.self)
        #expect(items == Array(0..<total))
    }

    @Test func `a padded token in a header field about pages is not lost`() async throws {
        let server = MockServer {
            Route(.any) {
                .json(["items": [0, 1, 2]]).header("X-Pagination-Cursor-Next", "cG9zOjM6azk=")
            }
        }
        let client = server.client(ItemListing(at: "items"), path: "https://shop.example/items")
        await #expect(throws: RESTClientError.self) { try await client.getAvailableItems(as: Int.self) }
    }

    @Test(
        arguments: [
            (["items": [0, 1], "unreachable": ["locations/eu"]], "locations/eu"),
            (["items": [0, 1], "unreachable": []], nil), (["items": [0, 1], "unreachable": ["host"]], nil),
        ] as [(JSONLiteral, String?)])
    func `places that could not be reached are an error of the list`(
        page: JSONLiteral, message: String?
    ) async throws {
        let server = MockServer { Route(.any) { .json(page) } }
        let client = server.client(ItemListing(at: "items"), path: "https://shop.example/items")
        do {
            #expect(try await client.getAvailableItems(as: Int.self) == [0, 1])
            #expect(message == nil)
        } catch let error as RESTClientError {
            #expect("\(error)".contains(message ?? "no message"))
        }
    }
}
