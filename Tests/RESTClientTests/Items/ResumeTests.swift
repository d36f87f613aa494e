import Foundation
import HTTPCore
import MockTransport
import RESTClient
import Testing

@Suite struct ResumeTests {
    @Test(arguments: [PagedCollection.Convention.next, .totalPages, .offset, .pageToken, .link])
    func `what page 2 fails with says how far it got, and resuming gives the rest once`(
        convention: PagedCollection.Convention
    ) async throws {
        let collection = PagedCollection(convention)
        let isDown = Lock(true)
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
        #expect(failure.listing?.items == 3)
        #expect(failure.listing?.pages == 1)
        let text = try #require(failure.listing?.resume).rawValue

        isDown.withLock { $0 = false }
        let (rest, none) = await client.items(
            as: String.self, from: ResumeToken(rawValue: text)
        )
        .collect()
        #expect(none == nil)
        #expect(items + rest == collection.items)
    }

    @Test func `the items of a page that broke off do not come twice`() async throws {
        let collection = PagedCollection(
            convention: .next, items: (0..<12).map { "item \($0)" }, pageSize: 6)
        let isBroken = Lock(true)
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
        guard case .incompleteBody = failure.kind else {
            Issue.record("\(failure.kind)")
            return
        }
        #expect(items.count == 8)
        #expect(failure.listing?.items == 8)
        #expect(failure.listing?.pages == 1)
        isBroken.withLock { $0 = false }
        let token = failure.listing?.resume
        let (rest, none) = await client.items(as: String.self, from: token).collect()
        #expect(none == nil)
        #expect(items + rest == collection.items)
        let batches = await client.elements(from: token).collect()
        #expect(batches.elements.reduce(0) { $0 + $1.count } == 4)
    }

    @Test func `a page that failed is not handed out in part by pages`() async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) { Reply.text(#"{"items": ["c", "d"], "#, as: .json) }
            Route(.any) { Reply.json(["items": ["a", "b"], "next": "?page=2"]) }
        }
        let (pages, error) = await server.client().pages(as: String.self).collect()
        #expect(pages.map(\.items) == [["a", "b"]])
        let failure = try #require(error as? RESTClientError)
        #expect(failure.listing?.items == 2)
        #expect(failure.listing?.resume == pages[0].resume)
    }

    @Test func `an item that does not decode comes as an error behind those before it`() async throws {
        let isBroken = Lock(true)
        let server = MockServer {
            Route(.any) { _ in
                .json(["items": ["a", "b", isBroken.withLock { $0 } ? 7 : "c", "d"]])
            }
        }
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a", "b"])
        let failure = try #require(error as? RESTClientError)
        #expect(failure.kind == .wrongShape(path: "$.items[2]", expected: "a string", found: "a number"))
        #expect(failure.listing?.items == 2)
        let again = await server.client().items(from: failure.listing?.resume).collect()
        #expect(
            (again.error as? RESTClientError)?.kind
                == .wrongShape(path: "$.items[2]", expected: "a string", found: "a number"))
        isBroken.withLock { $0 = false }
        let rest = await server.client().items(from: failure.listing?.resume).collect()
        #expect(rest.elements == ["c", "d"])
    }

    @Test func `a list that is given as a whole has no place to go on`() async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) { Reply.text("<html>", as: .html) }
            Route(.any) { Reply.json(["items": ["a", "b"], "next": "?page=2"]) }
        }
        let error = await #expect(throws: RESTClientError.self) {
            try await server.client().getAvailableItems()
        }
        #expect(error?.kind == .notJSON(found: "<html>"))
        #expect(error?.listing?.items == 2)
        #expect(error?.listing?.resume == nil)
        #expect("\(try #require(error))".contains("2 items of 1 complete page came before"))
    }

    @Test func `a page that shrank is an error`() async throws {
        let token = try #require(
            ResumeToken(rawValue: "1;page=2;items=3;skip=5;url=http://shop.example/v1/items?page=2"))
        let server = PagedCollection(.totalPages).server
        let (items, error) = await server.client().items(from: token).collect()
        #expect(items.isEmpty)
        #expect("\(try #require(error))".contains("it has changed"))
    }

    @Test func `a token leads to its own origin only`() async throws {
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
        "1;page=1;items=3;skip=x;url=http://a.example", "1;page=1;items=3;skip=0;url=file:///etc/passwd",
        "1;items=3;page=1;skip=0;url=http://a.example",
        "1;page=9223372036854775807;items=0;skip=0;url=http://a.example",
        "1;page=1;items=9223372036854775807;skip=0;url=http://a.example",
    ])
    func `a text that is no token is none`(text: String) {
        #expect(ResumeToken(rawValue: text) == nil)
    }

    @Test func `a token keeps no secret of the client's own`() async throws {
        let server = MockServer {
            Route(.any, .query("page", "2"), .query("api_key", "hush")) { Reply.json(["items": ["b"]]) }
            Route(.any, .query("api_key", "hush")) {
                Reply.json(["items": ["a"], "next": "/v1/items?api_key=hush&page=2"])
            }
        }
        let client = server.client(path: PagedCollection.path + "?api_key=hush")
        var pages = client.pages(as: String.self).makeAsyncIterator()
        let token = try #require(try await pages.next()?.resume)
        #expect(!token.rawValue.contains("hush"))
        let rest = await client.items(from: token).collect()
        #expect(rest.elements == ["b"])
        #expect(rest.error == nil)
    }
}
