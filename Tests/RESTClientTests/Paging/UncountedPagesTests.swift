import Foundation
import MockTransport
import RESTClient
import Testing

/// Lists whose responses contain neither a total nor a usable reference to the next page, as real servers send them.
@Suite struct UncountedPagesTests {
    private static let size = 3

    /// Lists 7 items of a server, and returns the numbers of the received items and of the requests.
    private func list(
        _ total: Int = 7, path: MemberPath = "items",
        _ page: @escaping @Sendable (ReceivedRequest, Int) -> JSONLiteral
    ) async throws -> (items: [Int], requests: Int) {
        let server = MockServer { Route(.any) { request in Reply.json(page(request, total)) } }
        let client = server.client(ItemListing(at: path), path: "https://shop.example/items")
        let items = try await client.getAvailableItems(as: Int.self)
        return (items, server.requests.count)
    }

    private static func items(from start: Int, of total: Int) -> JSONLiteral {
        JSONLiteral(.array((start..<min(start + size, max(start, total))).map { JSONLiteral(.integer($0)) }))
    }

    @Test func `a total with the word of the list counts it`() async throws {
        let result = try await list(path: "call_list") { request, total in
            let page = request.query["page"].flatMap { Int($0) } ?? 1
            return [
                "call_list": Self.items(from: (page - 1) * Self.size, of: total),
                "total_call_count": .value(total),
                "total_missed_call_count": 1,
            ]
        }
        #expect(result.items == Array(0..<7))
    }

    @Test func `the parameter that led to the second page leads to the third`() async throws {
        let result = try await list { request, total in
            let page = request.query["current"].flatMap { Int($0) } ?? 1
            return [
                "items": Self.items(from: (page - 1) * Self.size, of: total), "current": .value(page),
                "total": .value(total),
            ]
        }
        #expect(result.items == Array(0..<7))
        #expect(result.requests == 4)
    }

    /// A server without a total, and the number of requests for lists of some lengths.
    struct Uncounted: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let requests: KeyValuePairs<Int, Int>
        let page: @Sendable (ReceivedRequest, Int) -> JSONLiteral
    }

    private static let uncounted = [
        // fastapi-pagination without a total.
        Uncounted(testDescription: "a number", requests: [0: 1, 1: 1, 3: 2, 6: 3, 7: 3]) { request, total in
            let page = request.number("page", or: 1)
            return [
                "items": items(from: (page - 1) * size, of: total), "page": .value(page),
                "size": .value(size), "total": nil, "pages": nil,
            ]
        },
        Uncounted(testDescription: "skip and take", requests: [0: 1, 1: 1, 3: 2, 6: 3, 7: 3]) {
            request, total in
            let skip = request.number("skip")
            return ["items": items(from: skip, of: total), "skip": .value(skip), "take": .value(size)]
        },
        Uncounted(testDescription: "an offset", requests: [0: 1, 1: 1, 3: 2, 6: 3, 7: 3]) { request, total in
            let offset = request.number("offset")
            return [
                "items": items(from: offset, of: total), "offset": .value(offset), "limit": .value(size),
                "total": nil,
            ]
        },
        // Eve without counts, whose links never end. After a full page, an empty one can be one whose items are hidden.
        Uncounted(testDescription: "links", requests: [0: 2, 6: 4, 7: 4]) { request, total in
            let page = request.number("page", or: 1)
            return [
                "items": items(from: (page - 1) * size, of: total),
                "_meta": ["page": .value(page), "max_results": .value(size)],
                "_links": ["next": ["href": .value("items?page=\(page + 1)")]],
            ]
        },
        // NodeBB, which names the next offset after the end, too.
        Uncounted(testDescription: "a next offset and a count", requests: [1: 2, 6: 3, 7: 4]) {
            request, total in
            let start = request.number("start")
            return [
                "items": items(from: start, of: total), "nextStart": .value(start + size),
                "num_items": .value(total),
            ]
        },
        Uncounted(testDescription: "a number of the first item", requests: [0: 1, 1: 1, 3: 2, 6: 3, 7: 3]) {
            request, total in
            let start = request.number("startIndex", or: 1)
            return [
                "items": items(from: start - 1, of: total), "startIndex": .value(start),
                "itemsPerPage": .value(size),
            ]
        },
        // Litestar.
        Uncounted(testDescription: "a cursor", requests: [0: 1, 3: 1, 7: 3]) { request, total in
            let start = request.number("cursor")
            let next = start + size
            return [
                "items": items(from: start, of: total), "results_per_page": .value(size),
                "cursor": next < total ? .value(next) : nil,
            ]
        },
    ]

    @Test(arguments: ["page=1&offset=3", "page_num=1&offset=3"])
    func `an offset beside a page number is the page size`(query: String) async throws {
        let result = await numbers(query: query) { request in
            let size = request.number("offset", or: 20)
            let start = (request.number("page", or: request.number("page_num", or: 1)) - 1) * size
            return .json(["count": "7", "items": .value(Array(start..<max(start, min(start + size, 7))))])
        }
        #expect(result.error == nil)
        #expect(result.items == Array(0..<7))
    }

    @Test(arguments: uncounted)
    func
        `a full page without a total is followed by another one, with a number, an offset, a link or a cursor`(
            server: Uncounted
        ) async throws
    {
        for (total, requests) in server.requests {
            let result = try await list(total, server.page)
            #expect(result.items == Array(0..<total))
            #expect(result.requests == requests)
        }
    }

    /// NodeBB, whose pages have numbers, and the next offset even at the end.
    @Test func `a next offset that leads to the last page again ends the list`() async throws {
        let server = MockServer {
            Route(.any) { request in
                let page = request.number("page", or: 1)
                let topics = (page * 3 - 2...min(page * 3, 7)).map { ["id": .value($0)] as JSONLiteral }
                return .json([
                    "topics": JSONLiteral(.array(topics)), "topicCount": 7,
                    "nextStart": .value(min(page * 3, 7)),
                    "pagination": [
                        "next": ["page": .value(min(page + 1, 3)), "active": .value(page < 3)],
                        "currentPage": .value(page), "pageCount": 3,
                    ],
                ])
            }
        }
        let client = server.client(ItemListing(at: "topics"), path: "https://shop.example/items")
        #expect(try await client.getAvailableItems(as: JSONLiteral.self).count == 7)
        #expect(server.requests.count == 4)
    }

    private static let uncountedNumbers = ItemListing(pagination: .number(count: nil))

    @Test(arguments: [HTTPStatus(422), 403, 500])
    func `a failed page in a list without a count is an error`(status: HTTPStatus) async {
        let result = await numbers(Self.uncountedNumbers) { request in
            let page = request.number("page", or: 1)
            return page == 3 ? .status(status) : .json(["items": page == 2 ? [4, 5, 6] : [1, 2, 3]])
        }
        #expect(result.error?.kind == .status(status))
    }

    @Test(arguments: [
        PaginationConvention.number(parameter: "pg", count: nil), .offset(parameter: "skp", total: nil),
    ])
    func `a server that ignores the named parameter of a list without a count is an error`(
        convention: PaginationConvention
    ) async {
        let listing = ItemListing(pagination: convention)
        #expect(await numbers(listing) { _ in .json(["items": [1, 2, 3]]) }.error != nil)
        let all = await numbers(listing, query: "limit=10") { _ in .json(["items": [1, 2, 3]]) }
        #expect(all.error == nil)
        #expect(all.items == [1, 2, 3])
    }

    @Test func `the error of a page names its URL, and the secrets of the URL are masked in its texts`()
        async throws
    {
        let server = MockServer {
            Route(.get, "/items") { Reply.json(["items": [1], "next": "http://[s3cr3tvalue99"]) }
        }
        let client = server.client(path: "https://shop.example/items?api_key=s3cr3tvalue99")
        let error = await #expect(throws: RESTClientError.self) {
            _ = try await client.getAvailableItems(as: Int.self)
        }
        guard case .pagination = error?.kind else { Issue.record("\(error as Any)"); return }
        #expect(error?.url?.absoluteString.hasPrefix("https://shop.example/items?api_key=") == true)
        #expect(error.map { "\($0) \($0.kind)" }?.contains("s3cr3tvalue99") == false)
    }

    @Test(arguments: [("eq", nil), ("gte", RESTClientError.Kind.pagination(.missingNext))])
    func `a total that is a lower bound does not end the list`(
        relation: String, kind: RESTClientError.Kind?
    ) async {
        let result = await numbers(ItemListing(at: "hits.hits")) { _ in
            .json(["hits": ["total": ["value": 3, "relation": .value(relation)], "hits": [1, 2, 3]]])
        }
        #expect(result.error?.kind == kind)
    }

    @Test(arguments: [
        (#""total": -4"#, RESTClientError.PaginationFailure.invalidCount(in: "total", "-4")),
        (#""total": 3, "isMin": true"#, .missingNext),
        (#""total": 3, "count_is_exact": false"#, .missingNext),
        (#""total": -1"#, nil), (#""total": 3, "isMin": false"#, nil), (#""total": 3, "exact": false"#, nil),
        (#""total": 3, "numFoundExact": false"#, .missingNext), (#""total": 3, "isEstimate": true"#, nil),
        (#""total": 3, "isMin": true, "hasMore": false"#, nil), (#""total": -4, "next": null"#, nil),
    ])
    func `a total that is not the number of all items does not end the list`(
        members: String, failure: RESTClientError.PaginationFailure?
    ) async {
        let result = await numbers(ItemListing()) { _ in
            .text("{\(members), \"items\": [1, 2, 3]}", as: .json)
        }
        #expect(result.error?.kind == failure.map { .pagination($0) })
    }

    @Test func `a page number outweighs the position of the first item`() async {
        let result = await numbers(query: "page=1&size=3") { request in
            let page = request.number("page", or: 1)
            let items = Self.items(from: page * 3 - 3, of: 7)
            return .json(["page": .value(page), "from": .value(page * 3 - 3), "size": 3, "items": items])
        }
        #expect(result.items == Array(0..<7) && result.error == nil)
    }

    @Test(arguments: [(size: 3, query: "", count: 7), (4, "", 3), (3, "limit=100", 7), (4, "limit=3", 7)])
    func `an offset in a list of groups is followed only if it counts groups`(
        size: Int, query: String, count: Int
    ) async {
        var listing = ItemListing(at: "groups")
        listing.hasGroups = true
        let result = await numbers(listing, query: query) { request in
            let start = request.number("offset", or: 0)
            return .json([
                "total": 7, "offset": .value(start), "limit": .value(size),
                "groups": Self.items(from: start, of: 7),
            ])
        }
        #expect(result.items.count == count)
        #expect(result.error?.kind == (count == 7 ? nil : .pagination(.unclearUnit(elements: 3))))
    }

    @Test(arguments: [(40, true), (40, false), (6, true), (5, false)])
    func `a named list that ends with a full page before its total is an error`(
        total: Int, isFull: Bool
    ) async {
        let result = await numbers(ItemListing(pagination: .github)) { request in
            if request.query["page"] == "2" {
                return .json(["items": .value(isFull ? [4, 5, 6] : [4, 5]), "total_count": .value(total)])
            }
            return .json(["items": [1, 2, 3], "total_count": .value(total)]).header(
                "Link", "</items?page=2>; rel=\"next\"")
        }
        #expect(result.items.count == (isFull ? 6 : 5))
        let failure = RESTClientError.PaginationFailure.incompleteTotal(
            received: 6, total: 40, in: "total_count")
        #expect(result.error?.kind == (isFull && total == 40 ? .pagination(failure) : nil))
    }

    @Test(arguments: ["{\"items\": [4, 5, x", "{\"items\": [4, 5, "])
    func `a repeated last page that breaks off is not delivered again`(last: String) async {
        let result = await numbers(Self.uncountedNumbers) { request in
            let page = request.number("page", or: 1)
            return page == 3 ? .text(last, as: .json) : .json(["items": page == 2 ? [4, 5, 6] : [1, 2, 3]])
        }
        #expect(result.items == [1, 2, 3, 4, 5, 6])
        #expect(result.error != nil)
    }

    @Test func `an empty list with a cursor that leads to itself is complete`() async throws {
        let result = try await list(0) { _, _ in ["items": [], "pagination": ["cursor": "c1"]] }
        #expect(result.items.isEmpty)
        #expect(result.requests <= 2)
    }

    @Test(arguments: [(0, 1), (2, 1), (3, 2), (6, 3), (7, 3)])
    func `a full page that states at most its size is followed by another one of the request`(
        total: Int, requests: Int
    ) async throws {
        let queries = ["limit=3&offset=0&stated", "limit=3&offset=0", "per_page=3&page=1", "page=0&size=3"]
        for (isIgnored, query) in queries.flatMap({ [(false, $0), (true, $0)] }) {
            let isStated = query.hasSuffix("stated")
            let result = await numbers(ItemListing(at: isStated ? "items" : .root), query: query) { request in
                let first = query.hasPrefix("page=0") ? 0 : 1
                let start = request.number(
                    "offset", or: (request.number("page", or: first) - first) * Self.size)
                let items = Self.items(from: isIgnored ? 0 : start, of: total)
                return .json(isStated ? ["limit": 3, "items": items] : items)
            }
            #expect(result.error == nil, "\(query)")
            #expect(result.items == Array(0..<(isIgnored ? min(3, total) : total)), "\(query)")
            #expect(result.requests == (isIgnored ? min(2, requests) : requests), "\(query)")
        }
    }

    @Test(arguments: ["limit=3", "offset=0", "page=1", "limit=4&offset=0", "limit=3&offset=0&link"])
    func `a bare page without a size and a position in the request, or with a Link, is the only one`(
        query: String
    ) async {
        let result = await numbers(ItemListing(at: .root), query: query) { _ in
            let reply = Reply.json(Self.items(from: 0, of: 7))
            return query.hasSuffix("link") ? reply.header("Link", "</help>; rel=\"help\"") : reply
        }
        #expect(result.error == nil)
        #expect(result.items == [0, 1, 2])
        #expect(result.requests == 1)
    }

    @Test(arguments: [
        ("items", "{}", true), ("response.items", #"{"response": {}}"#, true),
        ("response.items", "{}", false), ("items", #"{"message": "no"}"#, false),
    ])
    func `an empty object after a full page ends the list`(path: String, page: String, isEnd: Bool) async {
        let result = await numbers(ItemListing(at: MemberPath(path)), query: "page=1&size=3") { request in
            guard request.query["page"] == "1" else { return .text(page, as: .json) }
            return .json(
                path == "items" ? ["items": [1, 2, 3]] : ["response": ["count": 3, "items": [1, 2, 3]]])
        }
        #expect(result.items == [1, 2, 3])
        #expect((result.error == nil) == isEnd, "\(result.error as Any)")
    }

    @Test(arguments: [
        ("items", #"{"nextPageToken": "t2"}"#, true),
        ("items", #"{"kind": "x", "nextPageToken": "t2"}"#, false),
        ("teas", #"{"nextPageToken": "t2", "items": [1]}"#, false), ("teas", "{}", true),
        ("items", "{}", false),
        ("response.teas", #"{"response": {}, "time": "x"}"#, true),
        ("response.teas", #"{"response": {}, "total": 3}"#, false),
        ("response.teas", #"{"response": {}, "status": "error"}"#, false), ("response.items", "{}", true),
        ("response.teas", #"{"response": {"rows": 3}}"#, false), ("teas", #"{"data": {}}"#, true),
        ("teas", #"{"teas": {"id": 7}}"#, false),
        ("teas", #"{"message": "no"}"#, false),
        ("items", #"{"items": [], "ErrorCode": 1, "ErrorStatus": "Success", "Message": "Ok"}"#, true),
        ("items", #"{"items": [], "ErrorCode": 1, "ErrorStatus": "DestinyThrottled"}"#, false),
        ("items", #"{"items": [], "ErrorCode": 1, "Message": "Ok"}"#, false),
    ])
    func `a first page without a list is empty if its server leaves out empty lists`(
        path: String, page: String, isEmpty: Bool
    ) async {
        let result = await numbers(ItemListing(at: MemberPath(path))) { request in
            request.query["pageToken"] == nil ? .text(page, as: .json) : .json([path: [1, 2]])
        }
        #expect((result.error == nil) == isEmpty, "\(result.error as Any)")
        #expect(result.items == (isEmpty && page.contains("t2") ? [1, 2] : []))
    }

    @Test(arguments: [
        ("teas", HTTPStatus(204), "", true), (".", 204, "", true), ("items", 204, "", false),
        ("teas", 204, "5", false), ("teas", 200, "", false), ("teas", 205, "", false),
    ])
    func `a first page without content is an empty list if the path of the list was given`(
        path: String, status: HTTPStatus, total: String, isEmpty: Bool
    ) async {
        let result = await numbers(ItemListing(at: path == "." ? .root : MemberPath(path))) { _ in
            let reply = Reply.status(status)
            return total.isEmpty ? reply : reply.header("X-Total-Count", total)
        }
        #expect(result.items.isEmpty)
        #expect((result.error == nil) == isEmpty, "\(result.error as Any)")
    }

    @Test(arguments: [(0, 20), (3, 20), (7, 20), (7, 7), (3, 3)])
    func `the smaller of two totals ends the list if the pages agree with it`(count: Int, all: Int) async {
        let names = [("total", "subtotal"), ("total", "totalHits"), ("total", "total_filtered")]
        for (total, subtotal) in names where count != 0 || subtotal == "subtotal" {
            let result = await numbers(query: "per_page=3") { request in
                let page = request.number("page", or: 1)
                let items = Self.items(from: page * 3 - 3, of: count)
                let isStated = subtotal == "subtotal"
                return .json([
                    total: .value(all), subtotal: .value(count), "items": items,
                    "page": isStated ? .value(page) : nil, "per_page": 3,
                ])
            }
            #expect(result.error == nil, "\(subtotal)")
            #expect(result.items == Array(0..<count), "\(subtotal)")
        }
    }

    @Test(arguments: ["$t", "#text", "value"])
    func `an empty token in an object with attributes ends the list`(name: String) async {
        let result = await numbers(query: "verb=list") { request in
            let start = request.query["resumptionToken"].flatMap { Int($0.dropFirst()) } ?? 0
            let next = start + 3 < 7 ? "t\(start + 3)" : ""
            return .json([
                "items": Self.items(from: start, of: 7),
                "resumptionToken": [
                    name: .value(next), "@completeListSize": "7", "@cursor": .value("\(start)"),
                ],
            ])
        }
        #expect(result.error == nil)
        #expect(result.items == Array(0..<7))
    }

    @Test func `the message of a server that rejects the tried parameter is a part of the error`()
        async throws
    {
        let result = await numbers { request in
            request.query.isEmpty
                ? .json(["items": [1, 2], "total": 5])
                : .json(["message": "use the parameter von"], status: 400)
        }
        let error = try #require(result.error)
        #expect(error.kind == .pagination(.incompleteTotal(received: 2, total: 5, in: "total")))
        #expect(error.serverMessage == "\"use the parameter von\"")
    }

    @Test(arguments: [0, 1])
    func `an offset that is the number of a page is suggested as one`(first: Int) async throws {
        let server: @Sendable (ReceivedRequest) -> Reply = { request in
            let page = request.number("offset", or: first) - first
            let items = Self.items(from: page * 3, of: 7)
            return .json(["total": 7, "limit": 3, "offset": .value(page + first), "items": items])
        }
        let error = try #require(await numbers(reply: server).error)
        let suggestion = try #require(error.suggestedPagination)
        #expect(suggestion == .number(parameter: "offset", count: nil, first: first))
        #expect(await numbers(ItemListing(pagination: suggestion), reply: server).items == Array(0..<7))
    }

    @Test(arguments: [(HTTPStatus(400), true), (404, true), (416, true), (403, false), (500, false)])
    func `a status of a missing page after a full one ends the list`(status: HTTPStatus, isEnd: Bool) async {
        let result = await numbers(ItemListing(at: .root), query: "limit=3&offset=0") { request in
            request.number("offset") == 3 ? .status(status) : .json([1, 2, 3])
        }
        #expect(result.items == [1, 2, 3])
        #expect((result.error == nil) == isEnd, "\(result.error as Any)")
    }

    @Test(arguments: [
        ("from + size must be less than or equal to 1000", false), ("Result window is too large", false),
        ("offset must be less than 500", false), ("only the first 1,000 results are available", false),
        ("The offset exceeds the 6 items of the list", true), ("page 3 is greater than 2", true),
        ("Invalid page.", true), ("HTTP error 400: no such page", true),
    ])
    func `a 400 after a full page ends the list unless its message names a limit beyond what was received`(
        message: String, isEnd: Bool
    ) async {
        let result = await numbers(ItemListing(at: .root), query: "limit=3&offset=0") { request in
            let offset = request.number("offset")
            if offset == 6 { return .json(["message": .value(message)], status: 400) }
            return .json(offset == 3 ? [4, 5, 6] : [1, 2, 3])
        }
        #expect(result.items == [1, 2, 3, 4, 5, 6])
        #expect((result.error == nil) == isEnd, "\(result.error as Any)")
    }

    @Test(arguments: [(30, 990, false), (100, 1000, false), (100, 900, true)])
    func `a 400 for a page beyond 1,000 items can be a limit`(size: Int, received: Int, isEnd: Bool) async {
        let result = await numbers(ItemListing(at: .root), query: "limit=\(size)&offset=0") { request in
            let offset = request.number("offset")
            return offset < received
                ? .json(.value(Array(offset..<min(offset + size, received)))) : .status(400)
        }
        #expect(result.items.count == received)
        #expect((result.error == nil) == isEnd, "\(result.error as Any)")
    }

    @Test func `a resumed list whose position is known only from the request goes on after its full pages`()
        async throws
    {
        let server = MockServer {
            Route(.get, "/items") { request in .json(Self.items(from: request.number("offset"), of: 7)) }
        }
        let client = server.client(
            ItemListing(at: .root), path: "https://shop.example/items?limit=3&offset=0")
        var pages = client.pages(as: Int.self).makeAsyncIterator()
        let token = try #require(try await pages.next()?.resume)
        #expect(await client.items(as: Int.self, from: token).collect().elements == [3, 4, 5, 6])
    }

    @Test func `a full page with the id of its last item is followed by another one, or is an error`() async {
        let result = await numbers(query: "limit=3") { request in
            request.query["after"] == "3"
                ? .json(["meta": ["limit": 3, "last_id": nil], "items": [4]])
                : .json(["meta": ["limit": 3, "last_id": 3], "items": [1, 2, 3]])
        }
        #expect(result.error == nil)
        #expect(result.items == [1, 2, 3, 4])
    }
}
