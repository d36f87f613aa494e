import Foundation
import MockTransport
import Testing

@Suite struct PagedListTests {
    private func get(
        _ list: PagedList, _ target: String = "", headers: [String: String] = [:], body: String? = nil
    ) async throws -> (body: String, response: HTTPURLResponse) {
        let server = MockServer { Route(.any, "/items", list: list) }
        let (data, response) = try await server.data(
            URLRequest(
                "https://shop.example/items\(target)", method: body == nil ? "GET" : "POST", headers: headers,
                body: body))
        return (String(decoding: data, as: UTF8.self), response)
    }

    private static let teas = ["Assam", "Bancha", "Ceylon"]

    @Test(
        arguments: [
            (.next(), "", #"{"items":["Assam","Bancha"],"next":"https://shop.example/items?page=2"}"#),
            (.next(), "?q=a%2Cb&page=2", #"{"items":["Ceylon"],"next":null}"#),
            (
                .next(at: "links.next"), "?q=a",
                #"{"items":["Assam","Bancha"],"links":{"next":"https://shop.example/items?q=a&page=2"}}"#
            ),
            (.token(), "", #"{"items":["Assam","Bancha"],"nextPageToken":"i2+/=&%"}"#),
            (.token(), "?pageToken=i2%2B%2F%3D%26%25", #"{"items":["Ceylon"],"nextPageToken":null}"#),
            (.jira, "?nextPageToken=i2%2B%2F%3D%26%25", #"{"items":["Ceylon"],"isLast":true}"#),
            (.number(), "?page=2", #"{"items":["Ceylon"],"total_pages":2,"page":2}"#),
            (.number(first: 0), "?page=1", #"{"items":["Ceylon"],"total_pages":2,"page":1}"#),
            (.number(count: nil), "?page=2", #"{"items":["Ceylon"]}"#),
            (.offset(), "?offset=1", #"{"items":["Bancha","Ceylon"],"total":3,"offset":1}"#),
            (.scroll(), "", #"{"items":["Assam","Bancha"],"_scroll_id":"i2+/=&%"}"#),
            (.number(), "?page=x", #"{"error":"page is not valid"}"#),
            (.token(), "?pageToken=q1", #"{"error":"pageToken is not valid"}"#),
        ] as [(PaginationConvention, String, String)])
    func `a page contains its items and the reference to the next page`(
        convention: PaginationConvention, target: String, body: String
    ) async throws {
        let (received, response) = try await get(PagedList(of: Self.teas, size: 2, by: convention), target)
        #expect(received == body)
        #expect(response.statusCode == (body.contains("error") ? 400 : 200))
    }

    @Test func `a bare list has its reference in a header field`() async throws {
        let list = PagedList(of: Self.teas, size: 2, by: .link, at: .root)
        let (body, response) = try await get(list, "?q=a")
        #expect(body == #"["Assam","Bancha"]"#)
        #expect(
            response.value(forHTTPHeaderField: "Link")
                == #"<https://shop.example/items?q=a&page=2>; rel="next""#)
    }

    @Test func `a page after the last one is empty, missing, or the last page again`() async throws {
        var list = PagedList(of: Self.teas, size: 2, by: .number())
        #expect(try await get(list, "?page=3").body == #"{"items":[],"total_pages":2,"page":3}"#)
        list.pastEnd = .notFound
        #expect(try await get(list, "?page=3").response.statusCode == 404)
        list.pastEnd = .lastPage
        #expect(try await get(list, "?page=3").body == #"{"items":["Ceylon"],"total_pages":2,"page":2}"#)
    }

    @Test func `a request sets the page size, in its query or its body`() async throws {
        let list = PagedList(count: 7, size: 3, by: .stripe, at: "data")
        #expect(try await get(list, "?limit=1").body == #"{"data":[{"id":"item-1"}],"has_more":true}"#)
        let body = #"{"limit": 1, "starting_after": "item-6"}"#
        #expect(try await get(list, body: body).body == #"{"data":[{"id":"item-7"}],"has_more":false}"#)
    }

    @Test func `an unknown query item is ignored or rejected`() async throws {
        var list = PagedList(of: Self.teas, by: .number().pageSizeParameter("per_page"))
        #expect(try await get(list, "?sort=name").response.statusCode == 200)
        list.parameters = ["q"]
        #expect(try await get(list, "?q=tea&page=1&per_page=2").response.statusCode == 200)
        let (body, response) = try await get(list, "?sort=name")
        #expect(response.statusCode == 400)
        #expect(body == #"{"error":"sort is not valid"}"#)
    }

    @Test func `links are absolute, a path or a query`() async throws {
        var list = PagedList(of: Self.teas, size: 2, by: .next())
        list.links = .path
        #expect(try await get(list).body == #"{"items":["Assam","Bancha"],"next":"/items?page=2"}"#)
        list.links = .query
        #expect(try await get(list).body == #"{"items":["Assam","Bancha"],"next":"?page=2"}"#)
    }

    @Test func `a total is a member or a header field`() async throws {
        var list = PagedList(of: Self.teas, size: 5, by: .link)
        list.total = .member("meta.total")
        #expect(try await get(list).body == #"{"items":["Assam","Bancha","Ceylon"],"meta":{"total":3}}"#)
        list.total = .header("X-Total-Count")
        #expect(try await get(list).response.value(forHTTPHeaderField: "X-Total-Count") == "3")
    }

    @Test func `a bare list with a convention that needs members fails the request`() async throws {
        await #expect(throws: (any Error).self) { try await get(PagedList(count: 3, by: .stripe, at: .root)) }
    }

    @Test func `items that cannot be encoded fail the request`() async throws {
        await #expect(throws: (any Error).self) { try await get(PagedList(of: [Double.nan], by: .link)) }
    }

    @Test(
        arguments: [
            (.token(), .missing, #"{"items":["Ceylon"]}"#),
            (.token(), .null, #"{"items":["Ceylon"],"nextPageToken":null}"#),
            (.token(), .emptyString, #"{"items":["Ceylon"],"nextPageToken":""}"#),
            (.token(), .kept, #"{"items":["Ceylon"],"nextPageToken":"i3+/=&%"}"#),
            (.token(last: "done"), .kept, #"{"items":["Ceylon"],"nextPageToken":"i3+/=&%","done":true}"#),
            (.token(more: "on"), .missing, #"{"items":["Ceylon"],"on":false}"#),
        ] as [(PaginationConvention, PagedList.End, String)])
    func `the last page ends as configured`(
        convention: PaginationConvention, end: PagedList.End, body: String
    ) async throws {
        var list = PagedList(of: Self.teas, size: 2, by: convention)
        list.end = end
        #expect(try await get(list, "?pageToken=i2%2B%2F%3D%26%25").body == body)
    }

    @Test func `a preset ends as its API does`() async throws {
        func last(_ convention: PaginationConvention, _ target: String = "?size=9") async throws -> String {
            try await get(PagedList(count: 1, by: convention), target).body
        }
        #expect(try await last(.google) == #"{"items":[{"id":"item-1"}]}"#)
        #expect(
            try await last(.slack)
                == #"{"items":[{"id":"item-1"}],"response_metadata":{"next_cursor":""}}"#)
        #expect(
            try await last(.openAI) == #"{"items":[{"id":"item-1"}],"last_id":"item-1","has_more":false}"#)
        let sentry = PagedList(count: 1, by: .sentry, at: .root)
        var list = sentry
        list.end = .kept
        let link = try await get(list).response.value(forHTTPHeaderField: "Link")
        #expect(link == #"<https://shop.example/items?page=2>; rel="next"; results="false""#)
    }

    @Test(arguments: [
        (PaginationConvention.token(), "?pageToken="), (.number(), "?page="), (.offset(), "?offset="),
        (.next(), "?page="), (.stripe, "?starting_after="),
    ])
    func `an empty page or token requests the first page`(
        convention: PaginationConvention, target: String
    ) async throws {
        let (body, response) = try await get(PagedList(count: 3, size: 1, by: convention), target)
        #expect(response.statusCode == 200)
        #expect(body.hasPrefix(#"{"items":[{"id":"item-1"}]"#))
    }

    @Test func `a null variable requests the first page`() async throws {
        let list = PagedList(count: 3, size: 1, by: .githubGraphQL, at: "data.nodes")
        let (body, _) = try await get(list, body: #"{"query": "q", "variables": {"after": null}}"#)
        #expect(body.contains(#""nodes":[{"id":"item-1"}]"#))
    }

    @Test func `a key of DynamoDB is an object, in the body or in a query item`() async throws {
        let list = PagedList(count: 3, size: 2, by: .dynamoDB, at: "Items")
        #expect(
            try await get(list).body
                == #"{"Items":[{"id":"item-1"},{"id":"item-2"}],"LastEvaluatedKey":{"id":{"S":"i2+/=&%"}}}"#)
        let key = #"{"ExclusiveStartKey": {"id": {"S": "i2+/=&%"}}}"#
        #expect(try await get(list, body: key).body == #"{"Items":[{"id":"item-3"}]}"#)
        let query = QueryItems(dictionaryLiteral: ("ExclusiveStartKey", #"{"id":{"S":"i2+/=&%"}}"#))
        #expect(try await get(list, "?\(query.percentEncoded)").body == #"{"Items":[{"id":"item-3"}]}"#)
    }

    @Test func `a range of Heroku sets the page size and the page`() async throws {
        let list = PagedList(count: 5, size: 3, by: .heroku, at: .root)
        let (first, head) = try await get(list, headers: ["Range": "id ..; max=2"])
        #expect(first == #"[{"id":"item-1"},{"id":"item-2"}]"#)
        #expect(head.statusCode == 206)
        #expect(head.value(forHTTPHeaderField: "Next-Range") == "id ]i2+/=&%..; max=2")
        let (last, end) = try await get(list, headers: ["Range": "id ]i4+/=&%..; max=2"])
        #expect(last == #"[{"id":"item-5"}]"#)
        #expect(end.statusCode == 200)
        #expect(end.value(forHTTPHeaderField: "Next-Range") == nil)
        #expect(try await get(list, headers: ["Range": "id ..; max=x"]).response.statusCode == 400)
    }

    @Test(arguments: ["0", "-1", "x", "1.5", ""])
    func `an invalid page size is answered with status 400`(size: String) async throws {
        let (body, response) = try await get(PagedList(count: 3, by: .stripe), "?limit=\(size)")
        #expect(response.statusCode == 400)
        #expect(body == #"{"error":"limit is not valid"}"#)
    }

    @Test func `a page is not larger than the maximum, and a token does not contain its size`() async throws {
        func count(_ list: PagedList, _ target: String) async throws -> Int {
            try await get(list, target).body.split(separator: "item-").count - 1
        }
        var list = PagedList(count: 300, size: 7, by: .notion)
        #expect(try await count(list, "") == 7)
        #expect(try await count(list, "?page_size=50") == 50)
        #expect(try await count(list, "?page_size=1000") == 100)
        #expect(try await count(list, "?page_size=3&start_cursor=i50%2B%2F%3D%26%25") == 3)
        #expect(try await count(list, "?start_cursor=i50%2B%2F%3D%26%25") == 7)
        list.maxSize = 20
        #expect(try await count(list, "?page_size=50") == 20)
        list.maxSize = nil
        list.size = 200
        #expect(try await count(list, "?page_size=1000") == 200)
    }

    @Test(
        arguments: [
            (.token(at: "items"), nil), (.token(at: "items.next"), nil), (.token(at: "a"), "a.items"),
            (.next(at: "data"), "data.list"), (.token(at: "a", more: "a.more"), nil),
            (.number(count: "items.pages"), nil), (.token(last: "items"), nil),
        ] as [(PaginationConvention, MemberPath?)])
    func `a member that contains another, or the list, fails the request`(
        convention: PaginationConvention, path: MemberPath?
    ) async throws {
        for count in [0, 3] {
            let list = PagedList(count: count, size: 2, by: convention, at: path ?? "items")
            await #expect(throws: (any Error).self) { try await get(list) }
        }
    }

    @Test func `links of Confluence are relative to their base`() async throws {
        let server = MockServer {
            Route(.get, "/wiki/rest/list", list: PagedList(of: Self.teas, size: 2, by: .confluence))
        }
        #expect(
            try await server.text("https://shop.example/wiki/rest/list?q=a")
                == #"{"items":["Assam","Bancha"],"_links":{"base":"https://shop.example/wiki","next":"/rest/list?q=a&page=2"}}"#
        )
    }

    @Test func `items are searched for the last one once, not for each page`() async throws {
        // Takes half a minute if each request parses all items.
        let list = PagedList(count: 20_000, size: 1, by: .stripe)
        let server = MockServer { Route(.get, "/items", list: list) }
        for index in 19_960..<20_000 {
            let text = try await server.text("https://shop.example/items?starting_after=item-\(index)")
            #expect(text.contains("item-\(index + 1)"))
        }
    }
}
