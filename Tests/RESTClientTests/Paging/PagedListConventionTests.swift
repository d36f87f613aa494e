import Foundation
import MockTransport
import RESTClient
import Testing

/// Lists of the mock server in every convention, listed by the client.
@Suite struct PagedListConventionTests {
    private struct Element: Decodable, Sendable { var id: String }

    /// The numbers of items and the page sizes of the lists.
    private static let lists = [(7, 3), (3, 3), (0, 3), (2, 1)]

    /// The result of a listing: the ids, or `nil` after an error, and the number of requests.
    private struct Listing {
        let expected: [String]
        let ids: [String]?
        let requests: Int
        let pageCount: Int
        let note: Comment
    }

    /// Lists every combination of a number of items and a page size.
    private func listings(
        of named: NamedConvention, by pagination: any Pagination, ending end: PagedList.End? = nil,
        first count: Int = 4
    ) async throws -> [Listing] {
        let page: @Sendable (ReceivedRequest) -> Reply = { request in
            let numbers = ["X-Count", "X-Size"].map { request.headers[$0].flatMap { Int($0) } ?? 0 }
            var list = named.list(numbers[0], size: numbers[1])
            if let end { list.end = end }
            return list.page(for: request)
        }
        let server = MockServer {
            Route(named.body == nil ? .get : .post, "/v1/list", reply: page)
            Route(.post, "/v1/list_folder/continue", reply: page).optional()
            Route(.post, "/_search/scroll", reply: page).optional()
        }
        let manager = server.manager()
        var listings: [Listing] = []
        for (count, size) in Self.lists.prefix(count) {
            let before = server.requests.count
            let request = manager.request(
                "https://api.example/v1/list?q=tea", method: named.body == nil ? .get : .post,
                headers: ["X-Count": "\(count)", "X-Size": "\(size)"], body: named.body.map { .json($0) })
            let client = MyRESTClient(request, listing: ItemListing(at: named.path, pagination: pagination))
            var ids: [String]?
            var note = "\(count) items on pages of \(size), ending \(end.map { "\($0)" } ?? "as its API")"
            do { ids = try await client.getAvailableItems(as: Element.self).map(\.id) } catch {
                note += ": \(error)"
            }
            listings.append(
                Listing(
                    expected: (0..<count).map { "item-\($0 + 1)" }, ids: ids,
                    requests: server.requests.count - before, pageCount: max(1, (count + size - 1) / size),
                    note: Comment(rawValue: note)))
        }
        return listings
    }

    @Test(arguments: NamedConvention.presets + NamedConvention.rules)
    func `a paged list is complete with its convention and its ends, without needless requests`(
        _ named: NamedConvention
    ) async throws {
        // A preset is a rule with other names, and all rules have all of their ends.
        let isRule = NamedConvention.rules.contains { $0.name == named.name }
        for (index, end) in named.ends.prefix(isRule ? .max : 1).enumerated() {
            // The ends differ only on the last page.
            let count = isRule ? (index == 0 ? 4 : 2) : 1
            for listing in try await listings(of: named, by: named.convention, ending: end, first: count) {
                #expect(listing.ids == listing.expected, listing.note)
                let isLonger = named.endsWithEmptyPage(end) && !listing.expected.isEmpty
                #expect(listing.requests == listing.pageCount + (isLonger ? 1 : 0), listing.note)
            }
        }
    }

    @Test(
        arguments: [PaginationConvention.number(count: nil), .offset(total: nil), .number(), .offset()],
        [PagedList.PastEnd.emptyPage, .notFound, .lastPage])
    func `a list without a count ends after its last page`(
        convention: PaginationConvention, pastEnd: PagedList.PastEnd
    ) async throws {
        let isPage = convention.parameter == "page"
        var list = PagedList(count: 7, size: 3, by: isPage ? .number(count: nil) : .offset(total: nil))
        list.pastEnd = pastEnd
        let server = MockServer { Route(.get, "/v1/list", list: list) }
        let query = isPage ? "page=3" : "offset=6"
        let url = "https://api.example/v1/list"
        let client = server.client(ItemListing(pagination: convention), path: url)
        #expect(try await client.getAvailableItems(as: Element.self).count == 7)

        let token = try #require(ResumeToken(rawValue: "1;page=3;items=6;skip=0;url=\(url)?\(query)"))
        var rest: [String] = []
        for try await item in client.items(as: Element.self, from: token) { rest.append(item.id) }
        #expect(rest.count == 1)
    }

    /// The conventions that no response shows: bare arrays, and objects with nothing but a list.
    private static let invisible: Set = [
        "auth0", "discord", "elasticsearch", "last item", "number from 5", "number without a count",
        "offset without a total",
    ]
    /// The conventions whose responses indicate further pages, but not the parameter for them.
    private static let unnamed: Set = [
        "elasticsearch-scroll", "header", "intercom-search", "last item with an end flag", "notion",
        "offset from 1", "offset with a flag", "scroll", "scroll with a flag", "stripe",
    ]

    @Test(
        arguments: (NamedConvention.presets + NamedConvention.rules).filter { !invisible.contains($0.name) })
    func `a paged list is complete with automatic pagination, or an error`(
        _ named: NamedConvention
    ) async throws {
        let isRule = NamedConvention.rules.contains { $0.name == named.name }
        for listing in try await listings(of: named, by: .automatic, first: isRule ? 2 : 1) {
            let isUnnamed = Self.unnamed.contains(named.name)
            if listing.ids == nil, isUnnamed { continue }
            #expect(listing.ids == listing.expected, listing.note)
            #expect(listing.requests <= listing.pageCount + (isUnnamed ? 2 : 1), listing.note)
        }
    }
}
