import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import Testing

/// A convention of the catalogue: a preset, or a rule with its usual names.
struct NamedConvention: Sendable, CustomTestStringConvertible {
    let name: String
    let convention: PaginationConvention

    var testDescription: String { name }

    static let presets = PaginationConvention.presets.map { Self(name: $0.name, convention: $0.convention) }
    static let rules = [
        Self("link", .link), Self("next", .next()), Self("token", .token()),
        Self("token with a flag", .token(at: "page.cursor", parameter: "cursor", more: "page.has_more")),
        Self("token on every page", .token(at: "cursor", parameter: "cursor", more: "is_last")),
        Self("last item", .lastItem()), Self("header", .header("X-Next-Cursor", sentAs: "X-Cursor")),
        Self("GraphQL", .graphQL(variable: "cursor")), Self("scroll", .scroll()), Self("number", .number()),
        Self("number without a count", .number(count: nil)), Self("offset", .offset()),
        Self("offset without a total", .offset(total: nil)),
    ]

    private init(_ name: String, _ convention: PaginationConvention) {
        self.init(name: name, convention: convention)
    }

    private init(name: String, convention: PaginationConvention) {
        (self.name, self.convention) = (name, convention)
    }

    /// The path at which the API, or another of its kind, has the list.
    var path: MemberPath {
        switch name {
        case "GraphQL", "linear", "github-graphql", "shopify-graphql": "data.issues.nodes"
        case "link", "header", "github", "gitlab", "okta", "wordpress", "heroku", "discord", "last item":
            .root
        default: "items"
        }
    }

    /// The JSON body of the request, or `nil` for a GET request.
    var body: JSONLiteral? {
        switch name {
        case "GraphQL", "linear", "github-graphql", "shopify-graphql":
            ["query": "{ issues }", "variables": [:]]
        case "elasticsearch", "elasticsearch-scroll", "scroll", "dropbox", "dynamodb", "intercom-search":
            ["q": "tea"]
        default: nil
        }
    }

    func list(_ count: Int, size: Int) -> PagedList {
        PagedList(count: count, size: size, by: convention, at: path)
    }
}

/// Lists of the mock server in every convention, listed by the client.
@Suite struct PagedListConventionTests {
    private struct Element: Decodable, Sendable { var id: String }

    private static let counts = [0, 1, 2, 3, 6, 7, 100]

    /// The result of a listing: the ids, or `nil` after an error, and the number of requests.
    private struct Listing {
        let size: Int
        let expected: [String]
        let ids: [String]?
        let requests: Int
        let note: Comment

        var pageCount: Int { max(1, (expected.count + size - 1) / size) }
    }

    /// Lists every combination of a number of items and a page size.
    private func listings(
        of named: NamedConvention, by pagination: any Pagination, sizes: [Int]
    ) async throws -> [Listing] {
        let server = MockServer {
            Route(.any) { request in
                let numbers = ["X-Count", "X-Size"].map { request.headers[$0].flatMap { Int($0) } ?? 0 }
                return named.list(numbers[0], size: numbers[1]).page(for: request)
            }
        }
        let manager = SessionManager(configuration: server.configuration)
        let url = try #require(URL(string: "https://api.example/v1/list?q=tea"))
        var listings: [Listing] = []
        for size in sizes {
            for count in Self.counts where count < 100 || size == 10 {
                let before = server.requests.count
                let request = manager.request(
                    url, method: named.body == nil ? .get : .post,
                    headers: ["X-Count": "\(count)", "X-Size": "\(size)"],
                    body: named.body.map { .json($0) })
                let client = MyRESTClient(
                    request, listing: ItemListing(at: named.path, pagination: pagination))
                var ids: [String]?
                var note = "\(count) items on pages of \(size)"
                do {
                    ids = try await client.getAvailableItems(as: Element.self).map(\.id)
                } catch {
                    note += ": \(error)"
                }
                listings.append(
                    Listing(
                        size: size, expected: (0..<count).map { "item-\($0 + 1)" }, ids: ids,
                        requests: server.requests.count - before, note: Comment(rawValue: note)))
            }
        }
        return listings
    }

    @Test(arguments: NamedConvention.presets + NamedConvention.rules)
    func `a paged list is complete with its convention, and without needless requests`(
        _ named: NamedConvention
    ) async throws {
        for listing in try await listings(of: named, by: named.convention, sizes: [1, 3, 10]) {
            #expect(listing.ids == listing.expected, listing.note)
            #expect(listing.requests <= listing.pageCount + 1, listing.note)
        }
    }

    @Test(
        arguments: [PaginationConvention.number(count: nil), .offset(total: nil)],
        [PagedList.PastEnd.emptyPage, .notFound, .lastPage])
    func `a list without a count ends after its last page`(
        convention: PaginationConvention, pastEnd: PagedList.PastEnd
    ) async throws {
        var list = PagedList(count: 7, size: 3, by: convention)
        list.pastEnd = pastEnd
        let server = MockServer { Route(.any, list: list) }
        let query = convention.parameter == "page" ? "page=3" : "offset=6"
        let url = "https://api.example/v1/list"
        let client = MyRESTClient(
            url: try #require(URL(string: url)), manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(pagination: convention))
        #expect(try await client.getAvailableItems(as: Element.self).count == 7)

        let token = try #require(ResumeToken(rawValue: "1;page=3;items=6;skip=1;url=\(url)?\(query)"))
        var rest: [String] = []
        for try await item in client.items(as: Element.self, from: token) { rest.append(item.id) }
        #expect(rest.isEmpty)
    }

    /// The conventions that no response shows: bare arrays, and objects with nothing but a list.
    private static let invisible: Set = [
        "discord", "elasticsearch", "last item", "number without a count", "offset without a total",
    ]
    /// The conventions whose responses indicate further pages, but not the parameter for them.
    private static let unnamed: Set = [
        "elasticsearch-scroll", "header", "intercom-search", "notion", "scroll", "stripe",
    ]

    @Test(
        arguments: (NamedConvention.presets + NamedConvention.rules).filter { !invisible.contains($0.name) })
    func `a paged list is complete with automatic pagination, or an error`(
        _ named: NamedConvention
    ) async throws {
        for listing in try await listings(of: named, by: .automatic, sizes: [3, 10]) {
            if listing.ids == nil, Self.unnamed.contains(named.name) { continue }
            #expect(listing.ids == listing.expected, listing.note)
            #expect(listing.requests <= listing.pageCount + 1, listing.note)
        }
    }
}
