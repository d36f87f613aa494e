import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

@Suite struct RedirectPolicyTests {
    private static func url(_ text: String = "http://shop.example/items") throws -> URL {
        try #require(URL(string: text))
    }

    /// A policy that changes the proposed request.
    private static func changing(_ change: @escaping @Sendable (inout URLRequest) -> Void) -> RedirectPolicy {
        RedirectPolicy { redirect in
            var proposed = redirect.proposed
            change(&proposed)
            return proposed
        }
    }

    @Test func `redirects are followed and recorded`() async throws {
        let server = MockServer {
            Route(.get, "http://shop.example/items") { Reply.redirect(to: "b/c") }
            Route(.get, "http://shop.example/b/c") { Reply.redirect(to: "../d?x=1", status: 307) }
            Route(.get, "http://shop.example/d") { Reply.text("tea") }
        }
        let response = try await server.manager().request(Self.url()).response()
        #expect(response.body == Data("tea".utf8))
        #expect(response.url?.absoluteString == "http://shop.example/d?x=1")
        #expect(response.redirects.map(\.number) == [1, 2])
        #expect(response.redirects.map(\.status) == [302, 307])
        #expect(response.redirects.map { $0.from.path() } == ["/items", "/b/c"])
        #expect(response.attempts.count == 1)
    }

    @Test func `ten redirects are followed, the eleventh is an error`() async throws {
        let server = MockServer {
            Route(.get, "/:n") { request in
                let n = Int(request["n"] ?? "") ?? 0
                return n == 0 ? .text("tea") : .redirect(to: "/\(n - 1)")
            }
        }
        let manager = server.manager()
        #expect(try await manager.request(Self.url("http://shop.example/10")).string() == "tea")
        let request = manager.request(try Self.url("http://shop.example/11"))
        let error = try await failure { try await request.string() }
        #expect(error.kind == .redirect(.tooMany(max: 10, to: "http://shop.example/0")))
    }

    @Test func `a policy may refuse, rewrite or stop`() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.redirect(to: "/moved") }
            Route(.get, "/moved") { Reply.text("moved") }
            Route(.get, "/rewritten") { Reply.text("rewritten") }
        }
        let request = server.manager().request(try Self.url()).validation(.none)
        #expect(try await request.redirects(.doNotFollow).response().status == 302)
        #expect(try await request.redirects(RedirectPolicy { _ in nil }).response().status == 302)
        let rewriting = Self.changing { $0.url = URL(string: "http://shop.example/rewritten") }
        #expect(try await request.redirects(rewriting).string() == "rewritten")
    }

    @Test(arguments: [
        "http://other.example/x", "http://shop.example:8443/x", "https://shop.example:80/x",
        "//other.example/x", "http://sub.shop.example/x", "http://shop.example.b/x",
        "http://b.example/x?http://shop.example/",
    ])
    func `another origin receives no credentials, cookies or headers`(other: String) async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.redirect(to: "http://SHOP.example:80/near") }
            Route(.get, "/near") { Reply.redirect(to: other) }
            Route(.get, "/x") { Reply.redirect(to: "//shop.example/back") }
            Route(.get, "/back") { Reply.text("tea") }
        }
        let configuration = server.configuration
        configuration.httpAdditionalHeaders = ["X-Default": "1"]
        let manager = SessionManager(
            configuration: configuration, interceptors: [.bearer("secret", for: try Self.url())])
        let headers: HTTPHeaders = [
            .cookie: "a=1", "X-Mine": "1", "Proxy-Authorization": "Basic dTpw", .accept: "text/plain",
            .userAgent: "me",
        ]
        #expect(try await manager.request(Self.url(), headers: headers).string() == "tea")
        for (index, headers) in server.requests.map(\.headers).enumerated() {
            for name in [.authorization, .cookie, "X-Mine", "X-Default", "Proxy-Authorization"]
                as [HTTPHeaders.Name]
            {
                #expect((headers[name] != nil) == (index < 2), "\(name) of request \(index)")
            }
            // They are about the client, and not about its user.
            #expect(headers[.accept] == "text/plain")
            #expect(headers[.userAgent] == "me")
        }
    }

    @Test func `a 307 keeps method and body within the origin only`() async throws {
        let server = MockServer {
            Route(.post, "http://shop.example/items") { Reply.redirect(to: "/there", status: 307) }
            Route(.post, "http://shop.example/there") {
                Reply.redirect(to: "http://other.example/", status: 308)
            }
        }
        let request = server.manager().request(try Self.url(), method: .post, body: .json(["a": 1]))
        #expect(try await failure { try await request.response() }.kind == .status(308))
        #expect(
            server.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"a":1}"#, #"{"a":1}"#])
    }

    @Test(
        arguments: [
            ("file:///etc/passwd", .notHTTP), ("ftp://shop.example/", .notHTTP),
            ("data:text/plain,x", .notHTTP), ("javascript:alert(1)", .notHTTP),
            ("http://shop.example/", .insecure), ("https://u:p@shop.example/", .userInfo),
            ("https://u@shop.example/", .userInfo), ("https:///", .missingHost), ("https://", .missingHost),
            ("//", .missingHost), ("https://shop.example:99999/", nil),
            ("https://shop.example:99999999999999999999/", nil), ("https://shop.example:0/", nil),
        ] as [(String, RESTClientError.RefusedRedirect?)])
    func `an unsafe redirect is an error with every policy`(
        location: String, reason: RESTClientError.RefusedRedirect?
    ) async throws {
        let server = MockServer { Route(.any) { Reply.redirect(to: location).repeats() } }
        let request = server.manager().request(try Self.url("https://shop.example/items"))
        for policy in [.follow, RedirectPolicy { $0.proposed }] {
            let error = try await failure { try await request.redirects(policy).response() }
            guard case .redirect(.refused(let refused, let target)) = error.kind else { throw error }
            #expect(reason == nil || refused == reason)
            #expect(error.message.hasPrefix("refused redirect from https://shop.example/items to "))
            #expect(!target.contains("u:p@"))
            #expect(error.response?.status == 302)
        }
        #expect(server.requests.count == 2)
    }

    /// Returns a policy that changes the target to `url`.
    private static func rewriting(to url: String) -> RedirectPolicy {
        Self.changing {
            $0.url = URL(string: url)
            $0.setValue("mine", forHTTPHeaderField: "X-Policy")
        }
    }

    @Test(
        arguments: [
            ("http://shop.example/there", .insecure), ("ftp://shop.example/", .notHTTP),
            ("https://u:p@shop.example/", .userInfo), ("https:///there", .missingHost), ("", .invalidURL),
        ] as [(String, RESTClientError.RefusedRedirect)])
    func `a policy cannot return an unsafe request`(
        rewritten: String, reason: RESTClientError.RefusedRedirect
    ) async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.redirect(to: "/there") }
            Route(.any) { Reply.text("plain") }.optional()
        }
        let request = server.manager().request(try Self.url("https://shop.example/items")).redirects(
            Self.rewriting(to: rewritten))
        let error = try await failure { try await request.response() }
        guard case .redirect(.refused(reason, let target)) = error.kind else { throw error }
        #expect(!target.contains("u:p@"))
        #expect(server.requests.count == 1)
    }

    @Test func `a policy that changes the origin sends no headers of the caller`() async throws {
        let server = MockServer {
            Route(.get, "http://shop.example/items") { Reply.redirect(to: "/there") }
            Route(.get, "http://other.example/there") { Reply.text("tea") }
        }
        let manager = server.manager(.bearer("secret", for: try Self.url()))
        let request = manager.request(try Self.url(), headers: [.cookie: "a=1", "X-Mine": "1"]).redirects(
            Self.rewriting(to: "http://other.example/there"))
        #expect(try await request.string() == "tea")
        let headers = try #require(server.requests.last).headers
        for name in [.authorization, .cookie, "X-Mine"] as [HTTPHeaders.Name] {
            #expect(headers[name] == nil, "\(name) left its origin")
        }
        #expect(headers["X-Policy"] == "mine")
    }

    @Test func `a policy can send its own value of a header to another origin`() async throws {
        let server = MockServer {
            Route(.get, "http://shop.example/items") { Reply.redirect(to: "http://other.example/there") }
            Route(.get, "http://other.example/there") { Reply.text("tea") }
        }
        let policy = Self.changing {
            $0.setValue("theirs", forHTTPHeaderField: "X-Key")
            $0.setValue("mine", forHTTPHeaderField: "X-Other")
        }
        let request = server.manager().request(try Self.url(), headers: ["X-Key": "mine", "X-Other": "mine"])
            .redirects(policy)
        #expect(try await request.string() == "tea")
        #expect(server.requests.last?.headers["X-Key"] == "theirs")
        #expect(server.requests.last?.headers["X-Other"] == nil)
    }

    @Test func `a file is not sent again after a 303, also if the policy changes the method`() async throws {
        let scratch = try ScratchDirectory()
        let file = scratch.url.appending(path: "tea.txt")
        try Data("tea".utf8).write(to: file)
        let server = MockServer {
            Route(.post, "/items") { Reply.redirect(to: "/there", status: 303) }
            Route(.put, "/there") { Reply.text("taken") }
        }
        let policy = Self.changing { $0.httpMethod = "PUT" }
        let request = server.manager().request(try Self.url(), method: .post, body: .file(file)).redirects(
            policy)
        #expect(try await request.string() == "taken")
        #expect(server.requests.map(\.text) == ["tea", ""])
    }

    @Test(arguments: [RequestBody.json(["a": 1]), .stream { AsyncStream<Data> { $0.finish() } }])
    func `a policy can send a body to another origin only if the server named it`(
        body: RequestBody
    ) async throws {
        let server = MockServer {
            Route(.post, "http://shop.example/near") { Reply.redirect(to: "/there", status: 307) }
            Route(.post, "http://shop.example/far") {
                Reply.redirect(to: "http://other.example/there", status: 307)
            }
            Route(.post, "http://other.example/there") { Reply.text("taken") }
        }
        let manager = server.manager()
        let rewritten = try manager.request(Self.url("http://shop.example/near"), method: .post, body: body)
            .redirects(Self.rewriting(to: "http://other.example/there"))
        let error = try await failure { try await rewritten.response() }
        #expect(error.kind == .redirect(.refused(.bodyToOtherOrigin, to: "http://other.example/there")))
        #expect(server.requests.count == 1)

        let agreed = try manager.request(Self.url("http://shop.example/far"), method: .post, body: body)
            .redirects(RedirectPolicy { $0.proposed })
        #expect(try await agreed.string() == "taken")
    }

    @Test func `a policy can change a redirect with a file to a GET`() async throws {
        let server = MockServer {
            Route(.post, "/items") { Reply.redirect(to: "/there", status: 307) }
            Route(.get, "/there") { Reply.text("tea") }
        }
        let request = server.manager().request(
            try Self.url(), method: .post, body: .stream { AsyncStream<Data> { $0.finish() } }
        ).redirects(Self.changing { $0.httpMethod = "GET" })
        #expect(try await request.string() == "tea")
    }

    @Test func `a stream of the caller is sent again only if the policy creates it again`() async throws {
        let server = MockServer {
            Route(.post, "/items") { Reply.redirect(to: "/there", status: 307) }
            Route(.post, "/there") { Reply.text("taken") }
        }
        func upload() throws -> DataRequest {
            var request = URLRequest(url: try Self.url())
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("tea".utf8))
            return server.manager().request(request)
        }
        let error = try await failure { try await upload().response() }
        #expect(error.kind == .redirect(.refused(.bodyStream, to: "http://shop.example/there")))
        #expect(error.hint?.contains("RequestBody.stream") == true)
        #expect(server.requests.count == 1)
        let again = Self.changing { $0.httpBodyStream = InputStream(data: Data("tea".utf8)) }
        #expect(try await upload().redirects(again).string() == "taken")
        #expect(server.requests.map(\.text) == ["tea", "tea", "tea"])
    }
}
