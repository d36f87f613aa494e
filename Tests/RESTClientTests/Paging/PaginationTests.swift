import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct PaginationTests {
    @Test(arguments: PagedCollection.Convention.allCases, [0, 1, 3, 6, 7])
    func `every page of every convention is found`(
        convention: PagedCollection.Convention, count: Int
    ) async throws {
        let collection = PagedCollection(convention, count: count)
        let notes = LockedState<[String]>([])
        let monitor = EventMonitor { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let server = collection.server
        let items = try await server.client(monitor: monitor).getAvailableItems(as: String.self)
        #expect(items == collection.items)
        #expect(server.requests.count == collection.pageCount)
        #expect(
            notes.withLock { $0.count } == collection.pageCount - 1,
            "the rule is named for each page that follows")
    }

    @Test(
        arguments: [
            (.next(), #""next": """#, nil), (.next(), #""next": null"#, nil), (.next(), "", nil),
            (.next(), #""next": 2"#, .numberInsteadOfURL(in: "next")),
            (.token(at: "t", parameter: "q"), #""t": """#, nil),
            (.token(at: "t", parameter: "q"), #""t": null"#, nil),
            // The lists of friends of Twitter.
            (.token(at: "next_cursor", parameter: "cursor"), #""next_cursor": 0"#, nil),
            (.token(at: "next_cursor", parameter: "cursor"), #""next_cursor": -1"#, nil),
            (.token(at: "next_cursor", parameter: "cursor"), #""next_cursor": "0""#, nil),
            (.token(at: "next_cursor", parameter: "cursor"), #""next_cursor": "-1""#, nil),
            (.token(at: "next_cursor", parameter: "cursor"), #""next_cursor": "null""#, nil),
            (.next(), ##""next": "#""##, nil), (.next(), #""next": "about:blank""#, nil),
            (.number(), #""total_pages": 1"#, nil), (.number(), #""total_pages": "1""#, nil),
            (.number(), #""total_pages": -1"#, .invalidCount(in: "total_pages", "-1")),
            (.offset(), #""total": 2"#, nil),
            (.offset(), #""total": 2.5"#, .invalidCount(in: "total", "2.5")),
        ] as [(PaginationConvention, String, RESTClientError.PaginationFailure?)])
    func `an explicit convention ends the list or reports an error`(
        pagination: PaginationConvention, members: String, failure: RESTClientError.PaginationFailure?
    ) throws {
        let page = PageInfo(
            url: try #require(URL(string: PagedCollection.path)),
            envelope: Envelope(stringLiteral: "{\(members)}"), itemCount: 2)
        guard let failure else {
            #expect(try pagination.pages(after: page).isEmpty)
            return
        }
        let error = #expect(throws: RESTClientError.self) { try pagination.pages(after: page) }
        #expect(error?.kind == .pagination(failure))
    }

    @Test func `a custom pagination decides from the page`() async throws {
        struct CursorPagination: Pagination {
            func pages(after page: PageInfo) throws -> [URL] {
                page.envelope.string("cursor.after").map { [page.url(setting: "after", to: $0)] } ?? []
            }
        }
        let server = MockServer {
            Route(.any, .query("after", "x9")) { Reply.json(["results": ["c"], "cursor": [:]]) }
            Route(.any) { Reply.json(["results": ["a", "b"], "cursor": ["after": "x9"]]) }
        }
        let client = server.client(ItemListing(at: "results", pagination: CursorPagination()))
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])

        let page = PageInfo(
            url: try #require(URL(string: "http://shop.example/?q=a,b&after=x8")),
            envelope: #"{"cursor": {"after": "x 9"}}"#, itemCount: 2)
        #expect(
            try CursorPagination().pages(after: page).map(\.absoluteString) == [
                "http://shop.example/?q=a,b&after=x%209"
            ])
    }

    @Test func `headers, options, interceptors and credentials apply to every page`() async throws {
        let server = PagedCollection(.next).server
        let url = try #require(URL(string: PagedCollection.path))
        let manager = server.manager(.bearer("secret", for: url))
        let request = manager.request(url, query: ["per_page": "3"], headers: ["X-Key": "k"]).interceptors(
            .adapt { $0.setValue("1", forHTTPHeaderField: "X-Inner") })
        #expect(try await MyRESTClient(request).getAvailableItems().count == 7)
        for received in server.requests {
            #expect(received.headers["X-Key"] == "k")
            #expect(received.headers["X-Inner"] == "1")
            #expect(received.headers[.authorization] == "Bearer secret")
            #expect(received.headers[.accept] == "application/json")
        }
    }

    // MARK: Invalid next pages

    static let refused: [(body: String, reason: String)] = [
        (#""next": "/v1/items""#, "form a loop"),
        (#""next": "http://other.example/items?page=2""#, "another origin"),
        (#""next": "//other.example/items?page=2""#, "another origin"),
        (#""next": "http://shop.example:8080/v1/items?page=2""#, "another origin"),
        (#""next_url": "ftp://shop.example/2""#, "not an HTTP URL"),
        (#""next_url": "javascript:alert(1)""#, "not an HTTP URL"),
        (#""next": "file:///etc/passwd""#, "not an HTTP URL"),
        (#""next_url": "http://[""#, "\"next_url\" is not a URL: \"http://[\""),
        (#""next": "http://u:pw@shop.example/v1/items?page=2""#, "a user name or password"),
        (#""next": "http://:pw@shop.example/v1/items?page=2""#, "a user name or password"),
        (#""next": "https://other.example/v1/items?page=2""#, "another origin"),
        (#""next": "https://shop.example:8443/v1/items?page=2""#, "another origin"),
        (#""next": "dG9rZW4""#, ".token(at: \"next\""), (#""next": 17"#, "17"),
        (#""has_more": true"#, "contains no reference to the next page"),
        (#""total": 90, "limit": 2"#, "2 of 90 items were received"),
    ]

    @Test(arguments: refused) func `an invalid next page is an error after the items of the page`(
        body: String, reason: String
    ) async throws {
        let server = MockServer {
            Route(.any) { Reply.text("{\"items\": [\"a\", \"b\"], \(body)}", as: .json) }
        }
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a", "b"])
        let failure = try #require(error as? RESTClientError)
        guard case .pagination = failure.kind else { throw failure }
        let message = "\(failure)"
        #expect(message.contains(reason), "\(message)")
        #expect(!message.contains("pw"))
        #expect(failure.listingProgress?.itemCount == 2)
        #expect(failure.listingProgress?.pageCount == 1)
        #expect(failure.listingProgress?.resume == nil)
        // The likely query items are tried once.
        let guesses = ["dG9r", "has_more", "total"].contains(where: body.contains) ? 2 : 0
        #expect(server.requests.count == 1 + guesses)
    }

    @Test func `a cycle of pages is an error`() async throws {
        let server = MockServer {
            Route(.any, .query("at", "b")) { Reply.json(["items": ["b"], "next": "?at=a"]) }
            Route(.any, .query("at", "a")) { Reply.json(["items": ["a"], "next": "?at=b"]) }
        }
        let client = server.client(path: PagedCollection.path + "?at=a")
        let (items, error) = await client.items().collect()
        #expect(items == ["a", "b"])
        let failure = try #require(error as? RESTClientError)
        #expect("\(failure)".contains("the pages form a loop"))
    }

    @Test func `more than the maximum number of pages is an error with a resume token`() async throws {
        let server = MockServer {
            Route(.any) { request in
                let page = request.number("page", or: 1)
                return .json(["items": ["\(page)"], "next": "?page=\(page + 1)"])
            }
        }
        let listing = ItemListing(maxPages: 20)
        let (items, error) = await server.client(listing).items(as: String.self).collect()
        #expect(items.count == 20)
        let failure = try #require(error as? RESTClientError)
        #expect(failure.kind == .limit(.pages(20)))
        #expect(server.requests.count == 20)
        let more = await server.client(listing).items(as: String.self, from: failure.listingProgress?.resume)
            .collect()
        #expect(more.elements.first == "21")
        #expect(more.elements.count == 20)
    }

    @Test func `no page beyond the maximum is requested`() async throws {
        let collection = PagedCollection(.totalPages, count: 60)
        let server = collection.server
        let (items, error) = await server.client(ItemListing(maxConcurrentPages: 8, maxPages: 3)).items(
            as: String.self
        ).collect()
        #expect(items == Array(collection.items.prefix(9)))
        #expect("\(try #require(error))".contains("more than 3 pages"))
        #expect(server.requests.count == 3)
    }

    @Test func `a relative URL is resolved against the final URL of the page`() async throws {
        let server = MockServer {
            Route(.any, "/v1/items") { Reply.redirect(to: "/v2/list/") }
            Route(.any, "/v2/list/") { Reply.json(["items": ["a"], "next": "./more?page=2"]) }
            Route(.any, "/v2/list/more", .query("page", "2")) { Reply.json(["items": ["b"]]) }
        }
        #expect(try await server.client().getAvailableItems() == ["a", "b"])
    }

    @Test func `next links are searched around the list, innermost object first`() async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) {
                Reply.text(#"{"data": {"results": ["b"]}, "next": "?page=3"}"#, as: .json)
            }
            Route(.any, .query("page", "3")) { Reply.json(["data": ["results": ["c"]]]) }
            Route(.any) {
                Reply.text(#"{"next": "?page=9", "data": {"next": "?page=2", "results": ["a"]}}"#, as: .json)
            }
        }
        let client = server.client(ItemListing(at: "data.results"))
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
    }

    @Test(
        arguments: [
            ("items 0-1/5", [:], false), ("", [:], false), ("items 0-1/*", [:], false),
            ("items 0-1/2", [:], true), ("items 0-1/5", ["Range": "items=0-1"], true),
        ] as [(String, HTTPHeaders, Bool)])
    func `a partial response without a next page is an error`(
        range: String, headers: HTTPHeaders, isWhole: Bool
    ) async throws {
        let server = MockServer {
            Route(.any) { Reply.json(["items": ["a", "b"]], status: 206).header("Content-Range", range) }
        }
        let request = server.manager().request(PagedCollection.path, headers: headers)
        let (items, error) = await MyRESTClient(request).items().collect()
        #expect(items == ["a", "b"])
        #expect((error == nil) == isWhole)
        if let error { #expect("\(error)".contains("a part of the list (206")) }
    }

    @Test(arguments: [(2, true), (3, false)])
    func `a total confirms that a partial response without a range is the whole list`(
        total: Int, isWhole: Bool
    ) async throws {
        let server = MockServer {
            Route(.any) { Reply.json(["items": ["a", "b"], "total": .value(total)], status: 206).repeats() }
        }
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a", "b"])
        #expect((error == nil) == isWhole)
    }

    @Test func `an upgrade to https on the same host is followed`() async throws {
        let server = MockServer {
            Route(.any, "https://shop.example/v1/items") { Reply.json(["items": ["b"]]) }
            Route(.any) { Reply.json(["items": ["a"], "next": "https://shop.example/v1/items?page=2"]) }
        }
        #expect(try await server.client().getAvailableItems() == ["a", "b"])
    }

    @Test func `an empty page before the total is an error`() async throws {
        let server = MockServer {
            Route(.any, .query("offset", "2")) { Reply.json(["items": [], "offset": 2, "total": 9]) }
            Route(.any) { Reply.json(["items": ["a", "b"], "offset": 0, "total": 9]) }
            Route(.any, .query("offset")) { Reply.json(["items": ["x", "y"]]) }.optional()
        }
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a", "b"])
        #expect("\(try #require(error))".contains("the page at offset 2 is empty, but the total is 9"))
    }
}
