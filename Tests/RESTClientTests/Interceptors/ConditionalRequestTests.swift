import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Stored responses that are confirmed by the server.
@Suite struct ConditionalRequestTests {
    /// A server that answers 304 to the validator of its only version.
    private static func server(_ headers: HTTPHeaders = [:]) -> MockServer {
        MockServer {
            Route(.any) { request in
                let isCurrent = request.headers["If-None-Match"] == "\"v1\""
                let reply =
                    isCurrent
                    ? Reply.status(304).header("X-Limit", "9").header(.contentType, "x/y")
                    : .json(["items": ["tea", "milk"]])
                return headers.reduce(reply.header(.eTag, "\"v1\"")) { $0.header($1.name, $1.value) }
            }
        }
    }

    private static func manager(
        _ server: MockServer, _ conditional: ConditionalRequests = .conditional()
    ) -> SessionManager { server.manager(conditional) }

    private static func validators(_ server: MockServer) -> [String?] {
        server.requests.map { $0.headers["If-None-Match"] }
    }

    @Test func `a 304 is answered with the stored response and the new header fields`() async throws {
        let server = Self.server()
        let events = EventLog()
        let manager = server.manager(.conditional(), monitor: events.monitor)
        let request = manager.request(try shop())
        let first = try await request.response()
        let second = try await request.response()
        #expect(Self.validators(server) == [nil, "\"v1\""])
        #expect(second.status == 200)
        #expect(second.body == first.body)
        #expect(second.headers[.contentType] == first.headers[.contentType])
        #expect(second.headers["X-Limit"] == "9")
        #expect(events.lines.contains("304 Not Modified: the stored response is used"))
    }

    @Test func `a 304 after a redirect is about another resource`() async throws {
        let isMoved = LockedState(false)
        let server = MockServer {
            Route(.any, "/items") { request in
                isMoved.withLock { $0 }
                    ? Reply.redirect(to: "/moved") : Reply.text("tea").header(.eTag, "\"v1\"")
            }
            Route(.any, "/moved") { request in
                request.headers["If-None-Match"] == "\"v1\""
                    ? Reply.status(304) : Reply.text("milk").header(.eTag, "\"v1\"")
            }
        }
        let request = Self.manager(server).request(try shop())
        #expect(try await request.string() == "tea")
        isMoved.withLock { $0 = true }
        for _ in 1...2 { #expect(try await request.string() == "milk") }
    }

    @Test func `a list is stored while it is read, and is read from the store`() async throws {
        let server = Self.server()
        let client = MyRESTClient(url: try shop(), manager: Self.manager(server))
        #expect(try await client.getAvailableItems() == ["tea", "milk"])
        #expect(try await client.getAvailableItems() == ["tea", "milk"])
        #expect(Self.validators(server) == [nil, "\"v1\""])
    }

    @Test func `a body that is not read completely is not stored`() async throws {
        let server = Self.server()
        let request = Self.manager(server).request(try shop())
        for try await _ in try await request.stream().body { break }
        _ = try await request.response()
        #expect(Self.validators(server) == [nil, nil])
    }

    @Test(
        arguments: [
            (["Cache-Control": "private, no-store"], [:]), (["Vary": "*"], [:]),
            ([:], ["Cache-Control": "no-store"]),
        ] as [(HTTPHeaders, HTTPHeaders)])
    func `a response or a request that must not be stored is sent again without a validator`(
        response: HTTPHeaders, request: HTTPHeaders
    ) async throws {
        let server = Self.server(response)
        let request = Self.manager(server).request(try shop(), headers: request)
        for _ in 1...2 { _ = try await request.response() }
        #expect(Self.validators(server) == [nil, nil])
    }

    @Test func `a response without a tag is confirmed by its date`() async throws {
        let date = "Mon, 05 Jan 2026 10:00:00 GMT"
        let server = MockServer {
            Route(.any) { request in
                let isCurrent = request.headers["If-Modified-Since"] == date
                return (isCurrent ? Reply.status(304) : .text("tea")).header(.lastModified, date)
            }
        }
        let request = Self.manager(server).request(try shop())
        for _ in 1...2 { #expect(try await request.string() == "tea") }
        #expect(server.requests.map { $0.headers["If-Modified-Since"] } == [nil, date])
    }

    @Test func `a redirected response is not stored`() async throws {
        let server = MockServer {
            Route(.get, "/old") { Reply.redirect(to: "/items").repeats() }
            Route(.any) { Reply.text("tea").header(.eTag, "\"v1\"") }
        }
        let request = Self.manager(server).request(try shop("/old"))
        for _ in 1...2 { #expect(try await request.string() == "tea") }
        #expect(Self.validators(server) == [nil, nil, nil, nil])
    }

    @Test func `a response is used for the same selecting fields only`() async throws {
        let server = Self.server(["Vary": "Accept-Language"])
        let manager = Self.manager(server)
        for headers: HTTPHeaders in [
            ["Accept-Language": "de"], ["Accept-Language": "de", "X-Trace": "7"], ["Accept-Language": "en"],
            ["Accept-Language": "en", .authorization: "Bearer a"],
            ["Accept-Language": "en", .authorization: "Bearer b"],
        ] { _ = try await manager.request(shop(), headers: headers).response() }
        #expect(Self.validators(server) == [nil, "\"v1\"", nil, nil, nil])
    }

    /// A server whose replies to all users have the same tag, and no `Vary`.
    private static func server(of users: [HTTPHeaders.Name]) -> MockServer {
        MockServer {
            Route(.any) { request in
                let isCurrent = request.headers["If-None-Match"] == "\"v1\""
                let user = [request.url.query ?? ""] + users.map { request.headers[$0] ?? "" }
                return (isCurrent ? Reply.status(304) : .text(user.joined())).header(.eTag, "\"v1\"")
            }
        }
    }

    @Test(arguments: [
        ("", HTTPHeaders.Name("X-Api-Key"), "A", "B"), ("", "x-auth-token", "A", "B"),
        ("", "Proxy-Authorization", "Basic A", "Basic B"), ("", "X-Goog-Api-Key", "A", "B"),
        ("", "X-Forwarded-Identity", "Bearer abc123", "Bearer abc124"),
        ("", "X-User", "eyJhbGciOiJIUzI1NiJ9.a", "eyJhbGciOiJIUzI1NiJ9.b"), ("?api_key=A", "X-Trace", "", ""),
        ("?access_token=A#top", "X-Trace", "", ""), ("A:x@", "Authorization", "", ""),
    ])
    func `a response to one user is not used for another`(
        place: String, field: HTTPHeaders.Name, first: String, second: String
    ) async throws {
        let scratch = try ScratchDirectory()
        for conditional in [ConditionalRequests(), try ConditionalRequests(directory: scratch.url)] {
            let server = Self.server(of: [field])
            let manager = server.manager(conditional)
            func text(_ user: String, _ place: String) async throws -> String {
                let (info, query) = place.hasSuffix("@") ? (place, "") : ("", place)
                return try await manager.request(
                    "http://\(info)shop.example/items\(query)", headers: user.isEmpty ? [:] : [field: user]
                ).string()
            }
            let other = place.replacing("A", with: "B")
            let texts = [
                try await text(first, place), try await text(first, place), try await text(second, other),
                try await text(first, place), try await text("", ""),
            ]
            #expect(texts[0] == texts[1] && texts[0] == texts[3] && Set(texts).count == 3)
            #expect(Self.validators(server) == [nil, "\"v1\"", nil, "\"v1\"", nil])
        }
    }

    /// The interceptors of a request are inside those of its manager.
    @Test(arguments: [HTTPHeaders.Name.authorization, "X-Api-Key"])
    func `a response is not used for a credential that is added later`(field: HTTPHeaders.Name) async throws {
        let server = Self.server(of: [field])
        let manager = Self.manager(server)
        func text(_ user: String?) async throws -> String {
            let request = manager.request(try shop())
            guard let user else { return try await request.string() }
            return try await request.interceptors(
                .intercept { request, _, next in
                    var request = request
                    request.setValue(user, forHTTPHeaderField: field.rawValue)
                    return try await next(request)
                }
            ).string()
        }
        for user in ["A", "B", "A", nil, "B", nil] { #expect(try await text(user) == user ?? "") }
        #expect(Self.validators(server) == [nil, nil, nil, nil, "\"v1\"", nil, nil])
    }

    private func mode(of file: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func `a stored file is private, keeps a mode that it was given, and is replaced behind a link`()
        async throws
    {
        let scratch = try ScratchDirectory()
        let manager = Self.manager(Self.server(), try .conditional(directory: scratch.url))
        let request = manager.request(try shop())
        _ = try await request.response()
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: scratch.url.path(percentEncoded: false)).first
        )
        let file = scratch.url.appending(path: name)
        #expect(try mode(of: file) == 0o600)
        let moved = scratch.url.appending(path: "moved")
        try FileManager.default.moveItem(at: file, to: moved)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: moved)
        chmod(moved.path(percentEncoded: false), 0o640)
        let before = try Data(contentsOf: moved)
        _ = try await request.response()
        #expect(try Data(contentsOf: moved) != before)
        #expect(try mode(of: moved) == 0o640)
        #expect(FileAttributes(file).type == .typeSymbolicLink)
    }

    @Test func `a download is not stored, and can be answered with a stored response`() async throws {
        let scratch = try ScratchDirectory()
        let file = scratch.url.appending(path: "items.json")
        let server = Self.server()
        let request = Self.manager(server).request(try shop())
        _ = try await request.download(to: file)
        let body = try await request.data()
        #expect(try Data(contentsOf: file) == body)
        #expect(body.count > 10)
        try FileManager.default.removeItem(at: file)
        _ = try await request.download(to: file)
        #expect(try Data(contentsOf: file) == body)
        #expect(Self.validators(server) == [nil, nil, "\"v1\""])
    }

    @Test func `requests with other methods or with validators of the caller are not changed`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea").header(.eTag, "\"v1\"").repeats() } }
        let manager = Self.manager(server)
        _ = try await manager.request(shop()).response()
        _ = try await manager.request(shop(), method: .post).response()
        _ = try await manager.request(shop(), headers: ["If-None-Match": "\"mine\""]).response()
        #expect(Self.validators(server) == [nil, nil, "\"mine\""])
    }

    @Test
    func `large bodies are not stored, and the least recently used responses are removed`() async throws {
        let body = String(repeating: "x", count: 1_000)
        let server = MockServer { Route(.any) { Reply.text(body).header(.eTag, "\"v1\"").repeats() } }
        let small = server.manager(.conditional(maxBodyBytes: 999))
        for _ in 1...2 { _ = try await small.request(shop()).response() }
        for _ in 1...2 { for try await _ in try await small.request(shop()).stream().body {} }
        #expect(Self.validators(server) == [nil, nil, nil, nil])
        let manager = server.manager(.conditional(maxBytes: 2_500))
        for path in ["/1", "/2", "/1", "/3", "/1", "/2"] {
            _ = try await manager.request(shop(path)).response()
        }
        #expect(Self.validators(server).dropFirst(4) == [nil, nil, "\"v1\"", nil, "\"v1\"", nil])
    }

    @Test func `the least recently used files of a directory are removed`() throws {
        let scratch = try ScratchDirectory()
        let store = try FileResponseStore(scratch.url, maxBytes: 25_000)
        let request = URLRequest(url: try shop())
        let response = try #require(StoredResponse([.eTag: "\"v1\""], to: request)).with(Data(count: 10_000))
        func setDate(_ key: String, year: TimeInterval) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: year * 31_536_000)],
                ofItemAtPath: scratch.url.appending(path: "\(key).response").path(percentEncoded: false))
        }
        for key in ["a", "b"] { store[key] = response }
        try setDate("a", year: 10)
        try setDate("b", year: 20)
        store["a"] = response
        store["c"] = response
        #expect(["a", "b", "c"].map { store[$0] == nil } == [false, true, false])
    }

    @Test func `a directory keeps responses for another manager, within its limit`() async throws {
        let scratch = try ScratchDirectory()
        let directory = scratch.url.appending(path: "responses")
        let server = Self.server()
        for _ in 1...2 {
            let manager = server.manager(try .conditional(directory: directory))
            let client = MyRESTClient(
                manager.request(
                    try shop("/items?access_token=s3cr3t"), headers: [.authorization: "Bearer s3cr3t"]))
            #expect(try await client.getAvailableItems() == ["tea", "milk"])
        }
        #expect(Self.validators(server) == [nil, "\"v1\""])
        for file in try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        { #expect(try Data(contentsOf: file).range(of: Data("s3cr3t".utf8)) == nil) }
        let none = server.manager(try .conditional(directory: directory, maxBytes: 10))
        _ = try await none.request(shop("/other")).response()
        let conditional = try ConditionalRequests(directory: directory)
        conditional.removeAll()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false)) == [])
    }
}
