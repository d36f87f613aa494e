import Foundation
import MockTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct PagedListTests {
    private func get(
        _ list: PagedList, _ target: String = "", body: String? = nil
    ) async throws -> (body: String, response: HTTPURLResponse) {
        let server = MockServer { Route(.any, "/items", list: list) }
        var request = URLRequest(url: try #require(URL(string: "https://shop.example/items\(target)")))
        request.httpMethod = body == nil ? "GET" : "POST"
        request.httpBody = body.map { Data($0.utf8) }
        let (data, response) = try await URLSession(configuration: server.configuration).data(for: request)
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
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
            (.token(), "", #"{"items":["Assam","Bancha"],"nextPageToken":"p1-2"}"#),
            (.token(), "?pageToken=p1-2", #"{"items":["Ceylon"],"nextPageToken":null}"#),
            (
                .jira, "?nextPageToken=p1-2",
                #"{"items":["Ceylon"],"nextPageToken":null,"isLast":true}"#
            ),
            (.number(), "?page=2", #"{"items":["Ceylon"],"page":2,"total_pages":2}"#),
            (.number(count: nil), "?page=2", #"{"items":["Ceylon"]}"#),
            (.offset(), "?offset=1", #"{"items":["Bancha","Ceylon"],"offset":1,"total":3}"#),
            (.scroll(), "", #"{"items":["Assam","Bancha"],"_scroll_id":"p1-2"}"#),
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
        let (_, range) = try await get(PagedList(of: Self.teas, size: 2, by: .heroku, at: .root))
        #expect(range.statusCode == 206)
        #expect(range.value(forHTTPHeaderField: "Next-Range") == "p1-2")
    }

    @Test func `a page after the last one is empty, missing, or the last page again`() async throws {
        var list = PagedList(of: Self.teas, size: 2, by: .number())
        #expect(try await get(list, "?page=3").body == #"{"items":[],"page":3,"total_pages":2}"#)
        list.pastEnd = .notFound
        #expect(try await get(list, "?page=3").response.statusCode == 404)
        list.pastEnd = .lastPage
        #expect(try await get(list, "?page=3").body == #"{"items":["Ceylon"],"page":2,"total_pages":2}"#)
    }

    @Test func `a request sets the page size, in its query or its body`() async throws {
        let list = PagedList(count: 7, size: 3, by: .stripe, at: "data")
        #expect(try await get(list, "?limit=1").body == #"{"data":[{"id":"item-1"}],"has_more":true}"#)
        let body = #"{"limit": 1, "starting_after": "item-6"}"#
        #expect(try await get(list, body: body).body == #"{"data":[{"id":"item-7"}],"has_more":false}"#)
    }

    @Test func `an unknown query item is ignored or rejected`() async throws {
        var list = PagedList(of: Self.teas, by: .number().pageSize("per_page"))
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

    @Test func `pages can be numbered from zero`() async throws {
        var list = PagedList(of: Self.teas, size: 2, by: .number())
        list.firstNumber = 0
        #expect(try await get(list, "?page=1").body == #"{"items":["Ceylon"],"page":1,"total_pages":2}"#)
    }

    @Test func `a bare list with a convention that needs members fails the request`() async throws {
        await #expect(throws: (any Error).self) { try await get(PagedList(count: 3, by: .stripe, at: .root)) }
    }

    @Test func `items that cannot be encoded fail the request`() async throws {
        await #expect(throws: (any Error).self) { try await get(PagedList(of: [Double.nan], by: .link)) }
    }
}
