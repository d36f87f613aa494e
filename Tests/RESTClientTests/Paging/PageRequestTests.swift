import Foundation
import MockTransport
import RESTClient
import Testing

/// A pagination of a user that sets a query item.
private struct StripePagination: Pagination {
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard page.envelope.flag("has_more") == true, let id = page.lastItem?.string("id") else { return [] }
        return [page.request(setting: "starting_after", to: .value(id))]
    }
}

/// A pagination of a user that sets a member of the body.
private struct IssuesPagination: Pagination {
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard page.envelope.flag("data.issues.pageInfo.hasNextPage") == true,
            let cursor = page.envelope.string("data.issues.pageInfo.endCursor")
        else { return [] }
        return [page.request(setting: "variables.after", to: .value(cursor))]
    }
}

@Suite struct PageRequestTests {
    private struct Element: Decodable, Sendable { var id: String }

    private func client(
        _ server: MockServer, _ pagination: any Pagination, at path: MemberPath = "items",
        body: JSONLiteral? = nil
    ) throws -> MyRESTClient {
        let request = server.manager().request(
            "https://api.example/list", method: body == nil ? .get : .post, body: body.map { .json($0) })
        return MyRESTClient(request, listing: ItemListing(at: path, pagination: pagination))
    }

    @Test(
        arguments: [
            (.stripe, StripePagination(), "data", nil),
            (.graphQL(), IssuesPagination(), "data.issues.nodes", ["query": "q", "variables": ["first": 3]]),
            (
                .graphQL(), PaginationConvention.graphQL(), "data.issues.nodes",
                ["query": "q", "variables": nil]
            ),
        ] as [(PaginationConvention, any Pagination, MemberPath, JSONLiteral?)])
    func `a list is complete with a custom pagination, in the query or the body`(
        served: PaginationConvention, pagination: any Pagination, path: MemberPath, body: JSONLiteral?
    ) async throws {
        let server = MockServer { Route(.any, list: PagedList(count: 7, size: 3, by: served, at: path)) }
        let items = try await client(server, pagination, at: path, body: body).getAvailableItems(
            as: Element.self)
        #expect(items.map(\.id) == (1...7).map { "item-\($0)" })
        #expect(server.requests.count == 3)
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
            let error = try await failure {
                try await client(server, pagination, at: "data").getAvailableItems()
            }
            #expect("\(error)".contains(reason), "\(error)")
        }
    }

    @Test func `a parameter that the server ignores is an error before an item is repeated`() async throws {
        let server = MockServer {
            Route(.any) { Reply.json(["items": [["id": "a"]], "has_more": true] as JSONLiteral).repeats() }
        }
        let client = try client(server, PaginationConvention.lastItem(parameter: "since"))
        var ids: [String] = []
        let error = try await failure {
            for try await item in client.items(as: Element.self) { ids.append(item.id) }
        }
        #expect(ids == ["a"])
        #expect(error.kind == .pagination(.ignoredParameter("since")))
    }

    @Test func `a last item without the member is an error`() async throws {
        let server = MockServer { Route(.any) { Reply.json(["items": ["a"]]) } }
        let client = try client(server, PaginationConvention.lastItem())
        let error = try await failure { try await client.getAvailableItems() }
        #expect(error.kind == .pagination(.missingItemMember("id")))
    }

    @Test func `a missing page is an error if the page before it indicates more`() async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) { Reply.status(404) }
            Route(.any) { Reply.json(["items": ["a"], "total": 9]) }
        }
        let client = try client(server, PaginationConvention.number())
        #expect(try await failure { try await client.getAvailableItems() }.kind == .status(404))
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
        let client = try client(server, InvalidHeaderPagination())
        let error = await #expect(throws: RESTClientError.self) { try await client.getAvailableItems() }
        #expect(error.map { "\($0)" }?.contains("X-Cursor") == true, "\(String(describing: error))")
        #expect(error?.listingProgress?.itemCount == 1)
    }

    @Test func `a page whose request is more than a URL has no resume token`() async throws {
        let server = MockServer {
            Route(.post, list: PagedList(count: 7, size: 3, by: .notion, at: "results"))
        }
        let client = try client(server, PaginationConvention.notion, at: "results", body: [:])
        var tokens: [Bool] = []
        for try await page in client.pages(as: Element.self) { tokens.append(page.resume != nil) }
        #expect(tokens == [false, false, false])
    }
}
