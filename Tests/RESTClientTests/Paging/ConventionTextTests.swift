import Foundation
import MockTransport
import RESTClient
import Testing

/// The text of a convention, and what only a text or a flag with a text can name.
@Suite struct ConventionTextTests {
    @Test(arguments: PaginationConvention.presets.map(\.name))
    func `the convention of a preset is read from its own text`(name: String) throws {
        let preset = try #require(PaginationConvention(name))
        #expect(PaginationConvention("\(preset)") == preset, "\(preset)")
    }

    @Test(
        arguments: [
            ("token:*,header:x-ms-continuation-*", .token(header: "x-ms-continuation-*", parameter: "*")),
            (
                "token:after,next,more=response_type=delta",
                .token(at: "next", parameter: "after", more: "response_type=delta")
            ),
            (
                "offset:skip,-,last=state=done,size=top",
                .offset(parameter: "skip", total: nil, last: .init("state", is: "done")).pageSizeParameter(
                    "top")
            ),
        ] as [(String, PaginationConvention)])
    func `a header field and a flag with a text have a text`(text: String, convention: PaginationConvention) {
        #expect(PaginationConvention(text) == convention)
        #expect("\(convention)" == text)
    }

    /// Lists a server of two pages by a convention. The second one has a query.
    private func list(_ pages: [Reply], by text: String) async throws -> (items: [Int], queries: [String?]) {
        let server = MockServer {
            Route(.any) { request in request.url.query() == nil ? pages[0] : pages[1] }
        }
        let convention = try #require(PaginationConvention(text))
        let client = server.client(ItemListing(pagination: convention), path: "https://shop.example/items")
        let items = try await client.getAvailableItems(as: Int.self)
        return (items, server.requests.map { $0.url.query(percentEncoded: false) })
    }

    @Test func `header fields are sent as query items with the ends of their names`() async throws {
        let first = Reply.json(["items": [1]]).header("x-ms-continuation-NextPartitionKey", "p/2")
            .header("x-ms-continuation-NextRowKey", "r 7")
        let result = try await list([first, .json(["items": [2]])], by: "token:*,header:x-ms-continuation-*")
        #expect(result.items == [1, 2])
        #expect(result.queries == [nil, "NextPartitionKey=p/2&NextRowKey=r 7"])
    }

    @Test func `a flag with a text ends the list with another text`() async throws {
        let result = try await list(
            [
                .json(["items": [1], "cursor": "c", "response_type": "delta"]),
                .json(["items": [2], "cursor": "d", "response_type": "complete"]),
            ], by: "token:cursor,cursor,response_type=delta")
        #expect(result.items == [1, 2])
        #expect(result.queries == [nil, "cursor=c"])
    }

    @Test func `a link of a list is followed by its relation`() async throws {
        let link: JSONLiteral = ["rel": "next", "href": "/items?page=2"]
        let result = try await list(
            [
                .json(["items": [1], "links": [["rel": "self", "href": "/items"], link]]),
                .json(["items": [2]]),
            ],
            by: "next:links.next")
        #expect(result.items == [1, 2])
        #expect(result.queries == [nil, "page=2"])
    }
}
