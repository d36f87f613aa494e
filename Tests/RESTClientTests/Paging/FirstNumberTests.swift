import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct FirstNumberTests {
    private struct Element: Decodable, Sendable { var id: String }

    private func list(
        _ list: PagedList, _ pagination: PaginationConvention, query: String = "", path: MemberPath = "items"
    ) async throws -> (ids: [String], requests: [String]) {
        let server = MockServer { Route(.get, "/items", list: list) }
        let client = server.client(
            ItemListing(at: path, pagination: pagination), path: "https://shop.example/items\(query)")
        let ids = try await client.getAvailableItems(as: Element.self).map(\.id)
        return (ids, server.requests.map { $0.url.query() ?? "" })
    }

    private static let all = (1...7).map { "item-\($0)" }

    @Test(
        arguments: [
            (.number(first: 0), ["", "page=1", "page=2"]), (.number(first: 1), ["", "page=2", "page=3"]),
            (.number(first: 5), ["", "page=6", "page=7"]),
            (.number(count: nil, first: 0), ["", "page=1", "page=2", "page=3"]),
            (.number(count: nil, first: 0, last: "is_last"), ["", "page=1", "page=2"]),
            (.offset(first: 0), ["", "offset=3", "offset=6"]),
            (.offset(first: 1), ["", "offset=4", "offset=7"]),
            (.offset(total: nil, first: 1), ["", "offset=4", "offset=7", "offset=8"]),
            (.offset(total: nil, first: 10, more: "going"), ["", "offset=13", "offset=16"]),
        ] as [(PaginationConvention, [String])])
    func `pages are counted from the first number of the convention`(
        convention: PaginationConvention, requests: [String]
    ) async throws {
        var list = PagedList(count: 7, size: 3, by: convention)
        list.hasPosition = false
        let (ids, sent) = try await self.list(list, convention)
        #expect(ids == Self.all)
        // Two pages can be requested at the same time.
        #expect(sent.sorted() == requests.sorted())
    }

    @Test(
        arguments: [
            (.number(first: 0), .number(), "?page=0"), (.offset(first: 1), .offset(), "?offset=1"),
            (.offset(), .offset(), "?offset=0"), (.number(), .number(), "?page=1"),
            // Google Custom Search: counted from 1 without saying so.
            (.offset(parameter: "start", first: 1), .offset(parameter: "start"), ""),
        ] as [(PaginationConvention, PaginationConvention, String)])
    func `a list has no item twice, whatever its first number`(
        served: PaginationConvention, pagination: PaginationConvention, query: String
    ) async throws {
        for count in [1, 3, 6, 7] {
            var list = PagedList(count: count, size: 3, by: served)
            list.hasPosition = false
            let (ids, _) = try await self.list(list, pagination, query: query)
            #expect(ids == Array(Self.all.prefix(count)))
        }
    }

    @Test(arguments: [1, 2, 3, 6, 7], [1, 3])
    func `a response that states the offset 1 is counted from 1`(count: Int, size: Int) async throws {
        let served = PaginationConvention.offset(parameter: "startIndex", total: "totalResults", first: 1)
        let (ids, sent) = try await list(
            PagedList(count: count, size: size, by: served),
            .offset(parameter: "startIndex", total: "totalResults"))
        #expect(ids == Array(Self.all.prefix(count)))
        #expect(sent.count == (count + size - 1) / size)
    }

    @Test func `a list that begins in the middle is complete, whatever its first offset`() async throws {
        for first in [0, 1] {
            var list = PagedList(count: 7, size: 3, by: .offset(parameter: "start", first: first))
            list.hasPosition = false
            for pastEnd in [PagedList.PastEnd.emptyPage, .notFound, .lastPage] {
                list.pastEnd = pastEnd
                let (ids, _) = try await self.list(
                    list, .offset(parameter: "start"), query: "?start=\(first + 3)")
                #expect(ids == Array(Self.all.dropFirst(3)))
            }
        }
    }

    @Test(arguments: ["offset", "page[offset]", "skip", "$skip", "skipCount"])
    func `a number of items to skip is counted from 0`(parameter: String) async throws {
        let convention = PaginationConvention.offset(parameter: parameter)
        let name = QueryItems.encoded(parameter)
        let (ids, sent) = try await list(
            PagedList(count: 7, size: 3, by: convention), convention, query: "?\(name)=3")
        #expect(ids == Array(Self.all.dropFirst(3)))
        #expect(sent == ["\(name)=3", "\(name)=6"])
    }

    @Test(arguments: [0, 1])
    func `a guessed offset loses no item, whatever its first number`(first: Int) async throws {
        let server = MockServer {
            Route(.any) { request in
                let offset = request.number("offset", or: first)
                let items = (1...6).dropFirst(offset - first).prefix(3)
                return .json([
                    "items": .value(items.map { ["id": .value("\($0)")] as JSONLiteral }), "total_pages": 2,
                ])
            }
        }
        #expect(
            try await server.client().getAvailableItems(as: Element.self).map(\.id) == (1...6).map { "\($0)" }
        )
    }

    @Test func `an item that equals the last one of the page before is not lost if the offset is guessed`()
        async throws
    {
        let values = [1, 2, 3, 3, 4, 5]
        for isObject in [true, false] {
            let server = MockServer {
                Route(.any) { request in
                    let offset = request.number("offset")
                    let page = values.dropFirst(offset).prefix(3)
                    let items = page.map { isObject ? ["value": .value($0)] : JSONLiteral.value($0) }
                    return .json(["items": .value(items), "total": 6, "limit": 3])
                }
            }
            let items = try await server.client().getAvailableItems(as: JSONLiteral.self)
            #expect(items == values.map { isObject ? ["value": .value($0)] : .value($0) }, "\(isObject)")
        }
    }

    @Test func `a list goes on after a very large offset`() async {
        let result = await numbers(query: "offset=1000000000&limit=2") { request in
            let offset = request.number("offset") - 1_000_000_000
            let items = (0..<7).dropFirst(max(0, offset)).prefix(2)
            return .json(["items": .value(offset < 0 ? [] : Array(items)), "total": 1_000_000_007])
        }
        #expect(result.error == nil)
        #expect(result.items == Array(0..<7))
    }

    @Test func `pages from 0 that are counted from 1 are an error, not a gap`() async throws {
        var list = PagedList(count: 7, size: 3, by: .number(first: 0))
        list.hasPosition = false
        let error = await #expect(throws: RESTClientError.self) { try await self.list(list, .number()) }
        #expect(error?.kind == .pagination(.emptyNumberedPage(3, count: 3)))
        #expect("\(try #require(error))".contains("page:page,total_pages,first=0"))
    }

    @Test func `an empty last page is no error if pages state their number`() throws {
        let url = try #require(URL(string: "https://shop.example/items?page=3"))
        for (members, isError) in [(#""total_pages": 3, "page": 3"#, false), (#""total_pages": 3"#, true)] {
            let page = PageInfo(
                url: url, number: 3, envelope: Envelope(stringLiteral: "{\(members)}"), itemCount: 0,
                itemsSoFar: 6)
            let pages = try? PaginationConvention.number().pages(after: page)
            #expect(pages?.isEmpty == (isError ? nil : true))
        }
    }

    private static let extremes = [Int.min, .min + 1, -1, 0, 1, .max >> 2, .max - 1, .max]

    @Test(arguments: extremes) func `extreme numbers do not trap`(number: Int) throws {
        let conventions: [PaginationConvention] = [
            .number(first: number), .offset(first: number), .number(count: nil, first: number),
            .offset(total: nil, first: number), .number(), .offset(),
            .number(count: nil, first: number, more: "more"),
            .offset(total: nil, first: number, more: "more"), .link, .next(), .token(), .lastItem(),
            .scroll(),
        ]
        let named = "?page=\(number)&offset=\(number)"
        for (query, count) in [("", Int.max), (named, .min), (named, 0), (named, .max)] {
            let url = try #require(URL(string: "https://shop.example/items\(query)"))
            let members =
                #""total_pages": \#(count), "total": \#(count), "more": true, "next": \#(count), "limit": 1, "next_page": \#(number)"#
            let envelope = Envelope(stringLiteral: "{\(members)}")
            for pagination in [.automatic] + conventions.map({ StandardPagination($0) }) {
                var page = PageInfo(
                    url: url, number: number, envelope: envelope, itemCount: count, itemsSoFar: number)
                _ = try? pagination.pages(after: page)
                (page.number, page.itemCount, page.itemsSoFar) = (count, number, count)
                _ = try? pagination.pages(after: page)
                if let token = pagination.page(count, of: url) {
                    _ = pagination.number(of: token, in: url)
                }
            }
        }
    }

    @Test(
        arguments: [
            (.cloudflare, 3, "?page=3", 3, 0), (.algolia, 3, "?page=3", 4, 0),
            (.scim, 4, "?startIndex=4", 1, 3), (.mailchimp, 4, "?offset=4", 1, 4),
            (.jiraV2, 4, "?startAt=4", 1, 4),
        ] as [(PaginationConvention, Int, String, Int, Int)])
    func `a counted convention has positions`(
        convention: PaginationConvention, number: Int, query: String, page: Int, itemsBefore: Int
    ) throws {
        let url = try #require(URL(string: "https://shop.example/items"))
        let token = try #require(convention.page(number, of: url))
        #expect(token.url.absoluteString == "https://shop.example/items\(query)")
        #expect(token.pageNumber == page)
        #expect(token.itemsBefore == itemsBefore)
        #expect(convention.number(of: token, in: url)?.number == number)
        #expect(PaginationConvention.stripe.page(number, of: url) == nil)
    }

    @Test func `a listing from a position delivers the rest`() async throws {
        let server = MockServer {
            Route(.get, "/items", list: PagedList(count: 7, size: 3, by: .scim, at: "Resources"))
        }
        let url = try #require(URL(string: "https://shop.example/items"))
        let client = MyRESTClient(
            url: url, manager: server.manager(), listing: ItemListing(at: "Resources", pagination: .scim))
        var ids: [String] = []
        let position = PaginationConvention.scim.page(4, of: url)
        for try await item in client.items(as: Element.self, from: position) { ids.append(item.id) }
        #expect(ids == Array(Self.all.dropFirst(3)))
        #expect(server.requests.count == 2)
    }
}
