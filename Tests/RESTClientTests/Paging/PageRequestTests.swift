import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import Testing

/// A server of seven items on pages of three, whose next page is requested in the way of a certain API.
struct RemoteAPI: Sendable, CustomTestStringConvertible {
    let name: String
    let pagination: any Pagination
    let path: MemberPath
    var target = "/list"
    var body: JSONLiteral?
    var requestCount = 3
    /// Returns the index of the first item that is requested, beginning with 0.
    let start: @Sendable (ReceivedRequest) -> String?
    /// Returns the reply for a page: its items, and the index of the next one, or `nil` on the last page.
    let reply: @Sendable (JSONLiteral, _ next: String?) -> Reply

    var testDescription: String { name }

    var server: MockServer {
        MockServer {
            Route(.any) { request in
                let first = start(request).flatMap { Int($0) } ?? 0
                let end = min(7, first + 3)
                let items = (first..<max(first, end)).map { index in
                    ["id": "\(index + 1)", "sort": [.value(index + 1), "x"]] as JSONLiteral
                }
                return reply(JSONLiteral.value(items), end < 7 ? "\(end)" : nil)
            }
        }
    }
}

extension ReceivedRequest {
    fileprivate func member(_ path: MemberPath) -> String? { Envelope(stringLiteral: text).string(path) }
}

/// A pagination of a user, as in the guide.
private struct StripePagination: Pagination {
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard page.envelope.flag("has_more") == true, let id = page.lastItem?.string("id") else { return [] }
        return [page.request(setting: "starting_after", to: .value(id))]
    }
}

private struct NotionPagination: Pagination {
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard let cursor = page.envelope.string("next_cursor") else { return [] }
        return [page.request(setting: "start_cursor", to: .value(cursor))]
    }
}

private struct IssuesPagination: Pagination {
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard page.envelope.flag("data.issues.pageInfo.hasNextPage") == true,
            let cursor = page.envelope.string("data.issues.pageInfo.endCursor")
        else { return [] }
        return [page.request(setting: "variables.after", to: .value(cursor))]
    }
}

@Suite struct PageRequestTests {
    private static func stripe(_ name: String, _ pagination: any Pagination) -> RemoteAPI {
        RemoteAPI(name: name, pagination: pagination, path: "data", start: { $0.query["starting_after"] }) {
            Reply.json(["data": $0, "has_more": .value($1 != nil)])
        }
    }
    private static func notion(_ name: String, _ pagination: any Pagination) -> RemoteAPI {
        RemoteAPI(
            name: name, pagination: pagination, path: "results", body: ["page_size": 3],
            start: { $0.member("start_cursor") }
        ) {
            Reply.json(["results": $0, "next_cursor": .value($1), "has_more": .value($1 != nil)])
        }
    }
    private static func issues(_ name: String, _ pagination: any Pagination, body: JSONLiteral) -> RemoteAPI {
        RemoteAPI(
            name: name, pagination: pagination, path: "data.issues.nodes", body: body,
            start: { $0.member("variables.after") }
        ) {
            let info: JSONLiteral = ["endCursor": .value($1 ?? "7"), "hasNextPage": .value($1 != nil)]
            return Reply.json(["data": ["issues": ["nodes": $0, "pageInfo": info]]])
        }
    }
    private static func heroku(_ name: String, _ pagination: any Pagination) -> RemoteAPI {
        RemoteAPI(
            name: name, pagination: pagination, path: .root,
            start: { $0.headers["Range"]?.split(separator: " ").last.map(String.init) }
        ) { items, next in
            guard let next else { return Reply.json(items) }
            return Reply.json(items, status: 206).header("Next-Range", "]id \(next)")
        }
    }

    static let apis: [RemoteAPI] = [
        stripe("stripe", PaginationConvention.stripe), stripe("custom stripe", StripePagination()),
        notion("notion", PaginationConvention.notion), notion("custom notion", NotionPagination()),
        issues("github", PaginationConvention.githubGraphQL, body: ["query": "query($after: String) {…}"]),
        issues("null variables", PaginationConvention.graphQL(), body: ["query": "q", "variables": nil]),
        issues("custom GraphQL", IssuesPagination(), body: ["query": "q", "variables": ["first": 3]]),
        issues("automatic GraphQL", StandardPagination.automatic, body: ["query": "q", "variables": [:]]),
        RemoteAPI(
            name: "elasticsearch", pagination: PaginationConvention.elasticsearch, path: "hits.hits",
            body: ["size": 3, "sort": ["n", "k"]], requestCount: 4,
            start: { request in
                let keys = Envelope(stringLiteral: request.text)
                struct Search: Decodable { var search_after: [JSONLiteral]? }
                return (try? keys.decode(Search.self))?.search_after?.first.map { "\($0)" }
            }, reply: { items, _ in Reply.json(["hits": ["total": ["value": 7], "hits": items]]) }),
        RemoteAPI(
            name: "dynamodb", pagination: PaginationConvention.dynamoDB, path: "Items",
            body: ["TableName": "t"],
            start: { $0.member("ExclusiveStartKey.id.S") },
            reply: { items, next in
                guard let next else { return Reply.json(["Items": items]) }
                return Reply.json(["Items": items, "LastEvaluatedKey": ["id": ["S": .value(next)]]])
            }),
        heroku("heroku", .heroku), heroku("automatic heroku", .automatic),
        RemoteAPI(
            name: "discord", pagination: PaginationConvention.discord, path: .root, requestCount: 4,
            start: { $0.query["after"] }, reply: { items, _ in Reply.json(items) }),
        RemoteAPI(
            name: "dropbox", pagination: PaginationConvention.dropbox, path: "entries",
            target: "/2/list_folder",
            body: ["path": "/tea"],
            start: {
                $0.url.path().hasSuffix("/continue") && $0.member("path") == nil ? $0.member("cursor") : nil
            },
            reply: {
                Reply.json(["entries": $0, "cursor": .value($1 ?? "end"), "has_more": .value($1 != nil)])
            }
        ),
        RemoteAPI(
            name: "openai", pagination: PaginationConvention.openAI, path: "data",
            start: { $0.query["after"] },
            reply: { Reply.json(["data": $0, "last_id": .value($1), "has_more": .value($1 != nil)]) }),
        RemoteAPI(
            name: "numbers in a body", pagination: StandardPagination.automatic, path: "items",
            body: ["offset": 0, "limit": 3],
            start: { Envelope(stringLiteral: $0.text).integer("offset").map { "\($0)" } },
            reply: { items, _ in Reply.json(["items": items, "total": 7]) }),
        RemoteAPI(
            name: "stac", pagination: StandardPagination.automatic, path: "features",
            body: ["collections": ["s2"]],
            start: { $0.text.contains("s2") ? $0.member("token") : "7" },
            reply: { items, next in
                guard let next else { return Reply.json(["features": items]) }
                let link: JSONLiteral = [
                    "rel": "next", "method": "POST", "href": "/list", "body": ["token": .value(next)],
                    "merge": true,
                ]
                return Reply.json(["features": items, "links": [link]])
            }),
    ]

    private struct Element: Decodable, Sendable { var id: String }

    private func client(_ api: RemoteAPI, _ server: MockServer) throws -> MyRESTClient {
        let url = try #require(URL(string: "https://api.example\(api.target)"))
        let manager = SessionManager(configuration: server.configuration)
        let request = manager.request(
            url, method: api.body == nil ? .get : .post, body: api.body.map { .json($0) })
        return MyRESTClient(request, listing: ItemListing(at: api.path, pagination: api.pagination))
    }

    @Test(arguments: apis) func `a list is complete with further requests of any form`(
        _ api: RemoteAPI
    ) async throws {
        let server = api.server
        let items = try await client(api, server).getAvailableItems(as: Element.self)
        #expect(items.map(\.id) == (1...7).map { "\($0)" })
        #expect(server.requests.count == api.requestCount)
        if let body = api.body, case let size? = Envelope(stringLiteral: "\(body)").integer("page_size") {
            for request in server.requests {
                #expect(Envelope(stringLiteral: request.text).integer("page_size") == size)
            }
        }
    }

    @Test func `a scroll repeats the request until an empty page`() async throws {
        let count = RequestCount()
        let server = MockServer {
            Route(.post) { request in
                let number = count.next()
                let isScroll = number > 1
                #expect(request.url.path() == (isScroll ? "/_search/scroll" : "/tea/_search"))
                #expect((request.text == #"{"scroll_id":"s","scroll":"1m"}"#) == isScroll)
                let hits: JSONLiteral = number < 4 ? [["id": .value("\(number)")]] : []
                return Reply.json(["_scroll_id": "s", "hits": ["hits": hits]])
            }
        }
        let url = try #require(URL(string: "https://api.example/tea/_search?scroll=1m"))
        let request = SessionManager(configuration: server.configuration)
            .request(url, method: .post, body: .json(["size": 1] as JSONLiteral))
        let client = MyRESTClient(
            request, listing: ItemListing(at: "hits.hits", pagination: .elasticsearchScroll))
        #expect(try await client.getAvailableItems(as: Element.self).map(\.id) == ["1", "2", "3"])
    }

    @Test(arguments: [
        (#"{"data": ["a"], "next": "?page=2"}"#, "unknown reference"),
        (#"{"data": ["a"], "total": 9}"#, "1 of 9 items"),
        (#"{"data": ["a"], "has_more": true}"#, "no reference to the next page"),
    ])
    func `a rule that finds nothing on a page that indicates more is an error`(
        body: String, reason: String
    ) async throws {
        for pagination in [PaginationConvention.link, .next(at: "more"), .token(at: "t", parameter: "t")] {
            let server = MockServer { Route(.any) { Reply.text(body, as: .json) } }
            let url = try #require(URL(string: "https://api.example/list"))
            let client = MyRESTClient(
                url: url, manager: SessionManager(configuration: server.configuration),
                listing: ItemListing(at: "data", pagination: pagination))
            let error = try await #require(throws: RESTClientError.self) {
                try await client.getAvailableItems()
            }
            #expect("\(error)".contains(reason), "\(error)")
        }
    }

    @Test func `a parameter that the server ignores is an error before an item is repeated`() async throws {
        let server = MockServer {
            Route(.any) { Reply.json(["items": [["id": "a"]], "has_more": true] as JSONLiteral).repeats() }
        }
        let url = try #require(URL(string: "https://api.example/list"))
        let client = MyRESTClient(
            url: url, manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(pagination: .lastItem(parameter: "since")))
        var ids: [String] = []
        let error = await #expect(throws: RESTClientError.self) {
            for try await item in client.items(as: Element.self) { ids.append(item.id) }
        }
        #expect(ids == ["a"])
        #expect(error?.kind == .pagination(.ignoredParameter("since")))
    }

    @Test func `a last item without the member is an error`() async throws {
        let server = MockServer { Route(.any) { Reply.json(["items": ["a"]]) } }
        let url = try #require(URL(string: "https://api.example/list"))
        let client = MyRESTClient(
            url: url, manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(pagination: .lastItem()))
        let error = await #expect(throws: RESTClientError.self) { try await client.getAvailableItems() }
        #expect(error?.kind == .pagination(.missingItemMember("id")))
    }

    @Test(arguments: [404, 416, 400] as [HTTPStatus])
    func `a numbered list without a count ends with a missing page`(status: HTTPStatus) async throws {
        let server = MockServer {
            Route(.any) { request in
                let page = request.query["page"].flatMap { Int($0) } ?? 1
                return page < 3 ? Reply.json(["items": [.value("item \(page)")]]) : .status(status)
            }
        }
        let url = try #require(URL(string: "https://api.example/list"))
        let client = MyRESTClient(
            url: url, manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(pagination: .number()))
        #expect(try await client.getAvailableItems(as: String.self) == ["item 1", "item 2"])
    }

    @Test func `a missing page is an error if the page before it indicates more`() async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) { Reply.status(404) }
            Route(.any) { Reply.json(["items": ["a"], "total": 9]) }
        }
        let url = try #require(URL(string: "https://api.example/list"))
        let client = MyRESTClient(
            url: url, manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(pagination: .number()))
        let error = await #expect(throws: RESTClientError.self) { try await client.getAvailableItems() }
        #expect(error?.kind == .status(404))
    }

    /// A pagination whose next page has a header field that cannot be sent.
    private struct InvalidHeaderPagination: Pagination {
        func pages(after page: PageInfo) throws -> [PageRequest] {
            var next = PageRequest(page.url)
            next.headers["X-Cursor"] = "a\nb"
            return [next]
        }
    }

    @Test func `a next page that cannot be requested is an error`() async throws {
        let server = MockServer { Route(.any) { Reply.json(["items": ["a"]]) } }
        let url = try #require(URL(string: "https://api.example/list"))
        let client = MyRESTClient(
            url: url, manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(pagination: InvalidHeaderPagination()))
        let error = await #expect(throws: RESTClientError.self) { try await client.getAvailableItems() }
        #expect(error.map { "\($0)" }?.contains("X-Cursor") == true, "\(String(describing: error))")
        #expect(error?.listingProgress?.itemCount == 1)
    }

    @Test func `a page whose request is more than a URL has no resume token`() async throws {
        let api = Self.notion("notion", PaginationConvention.notion)
        let server = api.server
        var tokens: [Bool] = []
        for try await page in try client(api, server).pages(as: Element.self) {
            tokens.append(page.resume != nil)
        }
        #expect(tokens == [false, false, false])
    }
}

private final class RequestCount: Sendable {
    private let count = LockedState(0)
    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
