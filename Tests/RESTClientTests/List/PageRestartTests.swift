import Foundation
import MockTransport
import RESTClient
import Testing

/// Pages that are requested again after their bodies broke off.
@Suite struct PageRestartTests {
    private static let body = #"{"items": ["a", "b", "c"]}"#

    private func list(
        _ replies: [Reply], method: HTTPMethod = .get, restarts: Int = 2, maxBytes: Int64 = 1 << 20,
        interceptors: [any RequestInterceptor] = []
    ) async throws -> (items: [String], error: (any Error)?, requests: Int) {
        let clock = VirtualClock(.automatic)
        let number = LockedState(0)
        let server = MockServer(clock: clock) {
            Route(.any) { _ in replies[min(number.next(), replies.count) - 1] }
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: interceptors, clock: clock)
        var listing = ItemListing(maxBytes: maxBytes)
        listing.maxPageRestarts = restarts
        let client = MyRESTClient(manager.request("http://a.example/items", method: method), listing: listing)
        let (items, error) = await client.items(as: String.self).collect()
        return (items, error, server.requests.count)
    }

    private func broken(_ text: String = body, after bytes: Int) -> Reply {
        .text(text, as: .json).fault(.reset(.inBody(after: bytes)))
    }

    @Test(arguments: [15, 18, 20, 23, 25])
    func `a page that breaks off is continued, and each item is delivered once`(bytes: Int) async throws {
        let (items, error, requests) = try await list([broken(after: bytes), .text(Self.body, as: .json)])
        #expect(error == nil)
        #expect(items == ["a", "b", "c"])
        #expect(requests == 2)
    }

    @Test func `the bytes of a page that is requested again count once towards the limit`() async throws {
        let replies = [broken(after: 20), broken(after: 23), .text(Self.body, as: .json)]
        let size = Int64(Self.body.utf8.count)
        let exact = try await list(replies, maxBytes: size)
        #expect(exact.error == nil)
        #expect(exact.items == ["a", "b", "c"])
        let less = try await list(replies, maxBytes: size - 1)
        #expect(less.error != nil)
    }

    @Test func `a page whose body is replaced by an interceptor is continued`() async throws {
        let (items, error, requests) = try await list(
            [broken(after: 20), .text(Self.body, as: .json)],
            interceptors: [
                .intercept { request, _, next in
                    var response = try await next(request)
                    if case .stream(let stream) = response.body {
                        response.body = .stream(ByteStream(stream))
                    }
                    return response
                }
            ])
        #expect(error == nil)
        #expect(items == ["a", "b", "c"])
        #expect(requests == 2)
    }

    @Test(arguments: [#"{"items": ["x", "b", "c"]}"#, #"{"items": ["x", "a", "b"]}"#, #"{"items": []}"#])
    func `a page whose start has changed is an error`(changed: String) async throws {
        let (items, error, _) = try await list([broken(after: 20), .text(changed, as: .json)])
        #expect(items == ["a", "b"])
        let failure = try #require(error as? RESTClientError)
        guard case .incompleteBody = failure.kind else { throw failure }
        #expect(failure.listingProgress?.itemCount == 2)
        #expect(failure.listingProgress?.resume?.skip == 2)
    }

    @Test func `the last delivered item is compared on a page of more than 64 KB`() async throws {
        let items = (0..<9_000).map { "item number \($0)" }
        func page(_ items: [String]) -> String {
            "{\"items\": [\(items.map { "\"\($0)\"" }.joined(separator: ","))]}"
        }
        let whole = page(items)
        let cut = whole.utf8.count - 2_000
        let same = try await list([broken(whole, after: cut), .text(whole, as: .json)])
        #expect(same.error == nil)
        #expect(same.items == items)
        let inserted = page(Array(items[..<8_000]) + ["new"] + Array(items[8_000...]))
        let other = try await list([broken(whole, after: cut), .text(inserted, as: .json)])
        #expect(other.error != nil)
        #expect(other.items == Array(items.prefix(other.items.count)))
    }

    @Test
    func `only a page requested with GET, and only as often as allowed, is requested again`() async throws {
        #expect(try await list([broken(after: 20)], method: .post).requests == 1)
        #expect(try await list([broken(after: 20)], restarts: 0).requests == 1)
        let (items, error, requests) = try await list([broken(after: 20)], restarts: 2)
        #expect(items == ["a", "b"])
        #expect(error != nil)
        #expect(requests == 3)
    }
}

/// Pages at other origins.
@Suite struct AllowedOriginTests {
    private func list(
        _ allowed: [String], method: HTTPMethod = .get, body: RequestBody? = nil
    ) async throws -> (items: [String], error: (any Error)?, headers: HTTPHeaders?) {
        let server = MockServer {
            Route(.any, "http://a.example/items") {
                Reply.json(["items": ["a"], "next": "http://b.example:81/items"])
            }
            Route(.any, "http://b.example:81/items") {
                Reply.json(["items": ["b"], "next": "http://a.example/items?page=3"])
            }
            Route(.any, "http://a.example/items", .query("page", "3")) { Reply.json(["items": ["c"]]) }
        }
        let manager = server.manager()
        var listing = ItemListing()
        listing.allowedOrigins = allowed.compactMap { URL(string: $0) }
        let request = manager.request(
            "http://a.example/items", method: method,
            headers: ["X-Api-Key": "secret", "Accept": "application/json"], body: body)
        let (items, error) = await MyRESTClient(request, listing: listing).items(as: String.self).collect()
        let other = server.requests.first { $0.url.host() == "b.example" }
        return (items, error, other?.headers)
    }

    @Test
    func `a page at an allowed origin is followed without the header fields of the request`() async throws {
        let (items, error, headers) = try await list(["http://b.example:81/any/path"])
        #expect(error == nil)
        #expect(items == ["a", "b", "c"])
        #expect(headers?["X-Api-Key"] == nil)
        #expect(headers?["Accept"] == "application/json")
    }

    @Test(arguments: [[], ["http://b.example"], ["https://b.example:81"], ["http://c.example:81"]])
    func `a page at another origin is an error`(allowed: [String]) async throws {
        let (items, error, headers) = try await list(allowed)
        #expect(items == ["a"])
        #expect(headers == nil)
        guard case .pagination(.otherOrigin)? = (error as? RESTClientError)?.kind else {
            throw try #require(error)
        }
    }

    @Test func `a body is not sent to an allowed origin`() async throws {
        let (_, error, headers) = try await list(
            ["http://b.example:81"], method: .post, body: .json(["q": "tea"] as JSONLiteral))
        #expect(error != nil)
        #expect(headers == nil)
    }
}

/// JSON Lines and JSON text sequences from a server.
@Suite struct SequenceListingTests {
    @Test(arguments: [
        ("application/x-ndjson", "{\"id\": 1}\n{\"id\": 2}\n"),
        ("application/jsonl; charset=utf-8", "{\"id\": 1}\n{\"id\": 2}"),
        ("application/json-seq", "\u{1E}{\"id\": 1}\n\u{1E}{\"id\": 2}\n"),
    ])
    func `the values of a sequence are the items of all pages`(type: String, body: String) async throws {
        let server = MockServer {
            Route(.any, "/items", .query("page", "2")) {
                Reply.data(Data("{\"id\": 3}\n".utf8), as: MediaType(rawValue: type))
            }
            Route(.any, "/items") {
                Reply.data(Data(body.utf8), as: MediaType(rawValue: type)).header(
                    .link, "</items?page=2>; rel=next")
            }
        }
        #expect(try await elements(server) == [#"{"id": 1}"#, #"{"id": 2}"#, #"{"id": 3}"#])
    }

    @Test(arguments: [("1\n23", ["1", "23"]), ("", []), ("[1]\n\n[2]\n", ["[1]", "[2]"])])
    func `a sequence can end with a number, and can be empty`(body: String, items: [String]) async throws {
        let server = MockServer {
            Route(.any) { Reply.data(Data(body.utf8), as: MediaType(rawValue: "application/x-ndjson")) }
        }
        #expect(try await elements(server) == items)
    }

    @Test(arguments: ["{\"id\": 1}\n{\"id", "{\"a\":\"b"])
    func `a sequence that ends inside a value or a text is an error`(body: String) async throws {
        let server = MockServer {
            Route(.any) { Reply.data(Data(body.utf8), as: MediaType(rawValue: "application/x-ndjson")) }
        }
        let error = try await failure { try await elements(server) }
        guard case .malformedJSON(_, _, .unexpectedEnd) = error.kind else { throw error }
    }

    private func elements(_ server: MockServer) async throws -> [String] {
        let manager = server.manager()
        var listing = ItemListing()
        listing.layout = .pathOrDocument
        let (elements, error) = await MyRESTClient(
            manager.request("http://a.example/items"), listing: listing
        ).texts()
        if let error { throw error }
        return elements
    }
}
