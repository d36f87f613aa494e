import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct ResumeTests {
    @Test(arguments: [PagedCollection.Convention.next, .totalPages, .offset, .pageToken, .link])
    func `an error on page 2 reports the progress, and resuming delivers the rest once`(
        convention: PagedCollection.Convention
    ) async throws {
        let collection = PagedCollection(convention)
        let isDown = LockedState(true)
        let server = MockServer {
            Route(.any) { request in
                guard collection.page(of: request) == 1, isDown.withLock({ $0 }) else {
                    return collection.reply(to: request)
                }
                return .status(500)
            }
        }
        let retry = RetryPolicy(backoff: .constant(.zero))
        let client = server.client(interceptors: [.retry(retry)])
        let (items, error) = await client.items(as: String.self).collect()
        #expect(items == Array(collection.items.prefix(3)))
        let failure = try #require(error as? RESTClientError)
        #expect(failure.kind == .status(500))
        #expect(failure.attempts.count == 3)
        #expect(failure.listingProgress?.itemCount == 3)
        #expect(failure.listingProgress?.pageCount == 1)
        let text = try #require(failure.listingProgress?.resume).rawValue

        isDown.withLock { $0 = false }
        let (rest, none) = await client.items(as: String.self, from: ResumeToken(rawValue: text)).collect()
        #expect(none == nil)
        #expect(items + rest == collection.items)
    }

    @Test func `an alternative next page that fails is compared with the page before it after resuming`()
        async throws
    {
        let first = Reply.json(["items": ["a", "b", "c"], "offset": 0, "total": 5])
        let isBroken = LockedState(true)
        let server = MockServer {
            Route(.get, "/v1/items", .query("offset", "3")) { _ in
                isBroken.withLock { $0 }
                    ? .status(422) : .json(["items": ["d", "e"], "offset": 3, "total": 5])
            }
            // A server that ignores an unknown query item.
            Route(.get, "/v1/items", .query("page", "1")) { first.fault(.close(.inBody(after: 20))) }
            Route(.get, "/v1/items") { first.repeats() }
        }
        let client = server.client()
        let (items, error) = await client.items(as: String.self).collect()
        #expect(items == ["a", "b", "c"])
        let failure = try #require(error as? RESTClientError)
        isBroken.withLock { $0 = false }
        let token = try #require(failure.listingProgress?.resume)
        let (rest, end) = await client.items(as: String.self, from: token).collect()
        #expect(rest == ["d", "e"])
        #expect(end == nil)
    }

    @Test func `resuming inside a page does not repeat items`() async throws {
        let collection = PagedCollection(convention: .next, items: (0..<12).map { "item \($0)" }, pageSize: 6)
        let isBroken = LockedState(true)
        let server = MockServer {
            Route(.any) { request in
                let page = collection.page(of: request)
                guard page == 1, isBroken.withLock({ $0 }) else { return collection.reply(page: page) }
                let broken = Data(collection.body(1).utf8.prefix(35))
                return .data(broken, as: .json)
            }
        }
        let client = server.client()
        let (items, error) = await client.items(as: String.self).collect()
        let failure = try #require(error as? RESTClientError)
        guard case .malformedJSON(_, _, .unexpectedEnd) = failure.kind else { throw failure }
        #expect(items.count == 8)
        #expect(failure.listingProgress?.itemCount == 8)
        #expect(failure.listingProgress?.pageCount == 1)
        isBroken.withLock { $0 = false }
        let token = failure.listingProgress?.resume
        let (rest, none) = await client.items(as: String.self, from: token).collect()
        #expect(none == nil)
        #expect(items + rest == collection.items)
        let batches = await client.elements(from: token).collect()
        #expect(batches.elements.reduce(0) { $0 + $1.count } == 4)
    }

    @Test(arguments: [1, 3, 30])
    func `the elements before an error in a page are delivered`(pieces: Int) async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(#"{"items": ["a", "b", "c", oops, "d"]}"#, as: .json).dribble(
                    chunks: pieces, over: .zero)
            }
        }
        let client = server.client()
        let (items, error) = await client.items().collect()
        #expect(items == ["a", "b", "c"])
        let (batches, same) = await client.elements().collect()
        #expect(batches.reduce(0) { $0 + $1.count } == 3)
        for error in [error, same] {
            let failure = try #require(error as? RESTClientError)
            guard case .malformedJSON(offset: 26, _, _) = failure.kind else {
                Issue.record("\(failure.kind)")
                continue
            }
            #expect(failure.listingProgress?.itemCount == 3)
            #expect(failure.listingProgress?.resume?.rawValue.contains("skip=3;") == true)
        }
    }

    @Test func `an incomplete page is reported with the position in the document`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(#"{"items": ["a", "b", "c"]}"#, as: .json).fault(.close(.inBody(after: 17)))
            }
        }
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a"])
        let failure = try #require(error as? RESTClientError)
        guard case .incompleteBody(received: 17, _) = failure.kind else { throw failure }
        #expect((failure.underlying as? ListScanner.Failure)?.path == "$.items[1]")
    }

    @Test(arguments: [1, 3, 30])
    func `an item that does not decode is reported with its index on the page`(pieces: Int) async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) {
                Reply.text(#"{"items": ["c", "d", "e", 7, "f"]}"#, as: .json).dribble(
                    chunks: pieces, over: .zero)
            }
            Route(.any) { Reply.json(["items": ["a", "b"], "next": "?page=2"]) }
        }
        let wrong = RESTClientError.Kind.wrongShape(path: "$.items[3]", expected: .string, found: .number)
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a", "b", "c", "d", "e"])
        let failure = try #require(error as? RESTClientError)
        #expect(failure.kind == wrong)
        #expect(failure.listingProgress?.itemCount == 5)
        let (pages, same) = await server.client().pages().collect()
        #expect(pages.map(\.items) == [["a", "b"]])
        #expect((same as? RESTClientError)?.kind == wrong)
        #expect((same as? RESTClientError)?.listingProgress?.itemCount == 2)
        let again = await server.client().items(from: failure.listingProgress?.resume).collect()
        #expect(again.elements.isEmpty)
        #expect((again.error as? RESTClientError)?.kind == wrong)
    }

    @Test func `an error of getAvailableItems has no resume token`() async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) { Reply.text("<html>", as: .html) }
            Route(.any) { Reply.json(["items": ["a", "b"], "next": "?page=2"]) }
        }
        let error = await #expect(throws: RESTClientError.self) {
            try await server.client().getAvailableItems()
        }
        #expect(error?.kind == .notJSON(found: "<html>", isHTML: true))
        #expect(error?.listingProgress?.itemCount == 2)
        #expect(error?.listingProgress?.resume == nil)
        #expect("\(try #require(error))".contains("received 2 items (1 complete page)"))
    }

    @Test func `resuming in a page with fewer items is an error`() async throws {
        let token = try #require(
            ResumeToken(rawValue: "1;page=2;items=3;skip=5;last=0;url=http://shop.example/v1/items?page=2"))
        let server = PagedCollection(.totalPages).server
        let (items, error) = await server.client().items(from: token).collect()
        #expect(items.isEmpty)
        #expect("\(try #require(error))".contains("has changed"))
    }

    @Test func `a token can contain any URL`() throws {
        let text = "1;page=2;items=3;skip=0;url=http://a.example/x;y=1;z?a;b=;page=9"
        #expect(ResumeToken(rawValue: text)?.rawValue == text)
    }

    @Test func `a token for another origin is an error`() async throws {
        let token = try #require(
            ResumeToken(rawValue: "1;page=2;items=3;skip=0;url=http://other.example/v1/items?page=2"))
        let server = PagedCollection(.totalPages).server
        let (_, error) = await server.client().items(from: token).collect()
        #expect("\(try #require(error))".contains("another origin"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        "", "1", "1;page=2;items=3;skip=0;url=", "2;page=2;items=3;skip=0;url=http://a.example",
        "1;page=0;items=3;skip=0;url=http://a.example", "1;page=1;items=-3;skip=0;url=http://a.example",
        "1;page=1;items=3;skip=x;url=http://a.example", "1;page=1;items=3;skip=2;url=http://a.example",
        "1;page=1;items=3;skip=0;last=0;url=http://a.example",
        "1;page=1;items=3;skip=0;url=file:///etc/passwd",
        "1;items=3;page=1;skip=0;url=http://a.example",
        "1;page=9223372036854775807;items=0;skip=0;url=http://a.example",
        "1;page=1;items=9223372036854775807;skip=0;url=http://a.example",
        "1;page=1;items=0;skip=9223372036854775807;url=http://a.example",
        "1;page=1;items=0;skip=99999999999999999999;url=http://a.example",
    ])
    func `an invalid text is not a token`(text: String) { #expect(ResumeToken(rawValue: text) == nil) }

    @Test func `a token does not contain secrets of the client's request, and resuming restores them`()
        async throws
    {
        let server = MockServer {
            Route(.any, .query("api_key", "hush")) { request in
                let page = request.query["page"] ?? "1"
                return .json(["items": [.value(page)], "total_pages": 4])
            }
        }
        let client = server.client(path: PagedCollection.path + "?api_key=hush&q=&api_token=a")
        var pages = client.pages(as: String.self).makeAsyncIterator()
        let token = try #require(try await pages.next()?.resume)
        #expect(!token.rawValue.contains("hush"))
        #expect(token.rawValue.hasSuffix("?api_key=&q=&api_token="))
        let rest = await client.items(as: String.self, from: token).collect()
        #expect(rest.elements == ["2", "3", "4"])
        #expect(rest.error == nil)

        // Other values, and secrets with another value than the client's, are kept. Values that are not empty are not replaced.
        let empty = PagedCollection(.link, count: 0).server
        let other = empty.client(path: PagedCollection.path + "?api_key=hush&q=tea")
        for (query, asked) in [("api_key=&q=", "api_key=hush&q="), ("api_key=mine&q=", "api_key=mine&q=")] {
            let text = "1;page=2;items=1;skip=0;url=\(PagedCollection.path)?\(query)"
            _ = await other.items(from: ResumeToken(rawValue: text)).collect()
            #expect(empty.requests.last?.url.query() == asked)
        }
        let changing = MockServer {
            Route(.any) {
                Reply.json(["items": ["a"], "next": "?api_key=next&q=tea&after=b"])
                Reply.json(["items": ["b"], "next": "?api_key=next&q=tea&after=c"])
                Reply.json(["items": ["c"]])
            }
        }
        var first = changing.client(path: PagedCollection.path + "?api_key=hush&q=tea").pages()
            .makeAsyncIterator()
        _ = try await first.next()
        let place = try #require(try await first.next()?.resume)
        #expect(place.rawValue.hasSuffix("?api_key=next&q=tea&after=b"))
    }

    @Test(arguments: ["", "hush"])
    func `secrets of the client's request are neither added to nor removed from a URL at another origin`(
        value: String
    ) async throws {
        let page = "http://data.example/p2?api_key=\(value)"
        let isDown = LockedState(true)
        let server = MockServer {
            Route(.any, "http://data.example/p2") { _ in
                .json(["items": ["b"], "next": "/p3"])
            }
            Route(.any, "http://data.example/p3") { _ in
                isDown.withLock { $0 } ? .status(500) : .json(["items": ["c"]])
            }
            Route(.any, "http://shop.example/v1/items") {
                Reply.json(["items": ["a"], "next": .value(page)])
            }
        }
        var listing = ItemListing()
        listing.allowedOrigins = [try #require(URL(string: "http://data.example"))]
        let client = server.client(listing, path: PagedCollection.path + "?api_key=hush")
        let (items, error) = await client.items(as: String.self).collect()
        #expect(items == ["a", "b"])
        let token = try #require((error as? RESTClientError)?.listingProgress?.resume)
        #expect(token.rawValue.hasSuffix("url=\(page)"))
        isDown.withLock { $0 = false }
        let (rest, end) = await client.items(as: String.self, from: token).collect()
        #expect(end == nil)
        #expect(rest == ["c"])
        #expect(server.requests.suffix(2).first?.url.absoluteString == page)
    }
}
