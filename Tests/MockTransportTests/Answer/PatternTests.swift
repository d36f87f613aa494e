import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

/// Patterns and conditions that could silently mean something else.
@Suite struct PatternTests {
    /// A server with many routes looks them up by the start of a path before it tests them.
    @Test(
        arguments: [
            "", "/", "/a", "a", "/a/", "//a", "/a/b", "/a//b", "/a/:id", "/a/:id<Int>", "/:x/b", "/**",
            "/**/b", "/a/**",
            "/a/**/b", "/a/*", "/a*/b", "/a%20b", "/a%2Fb", "/%61", "/caf%C3%A9", "/cafe%CC%81", "/100%",
            "/a/b/c/d/:e",
        ])
    func `a server answers exactly the requests that a pattern matches`(pattern: String) throws {
        let paths = [
            "", "/", "/a", "/a/", "//a", "/a/b", "/a//b", "/a/7", "/c/b", "/b", "/a/x/y/b", "/a%20b",
            "/a%2Fb", "/%61",
            "/caf%C3%A9", "/cafe%CC%81", "/100%25", "/a/b/c/d/e", "/a/b/c/d",
        ]
        let others = (0..<9).map { number in Route(.url("/other/\(number)")) { Reply.text("milk") } }
        let router = Router(others + [Route(.url(pattern)) { Reply.text("tea") }])
        for path in paths {
            let request = try ReceivedRequest("http://a.example\(path)")
            let isAnswered = if case .reply = router.route(request).outcome { true } else { false }
            #expect(isAnswered == (.url(pattern) ~= request), "\(path)")
        }
    }

    @Test(
        arguments: [
            (
                "/f:n<Int>",
                #"a capture is a whole segment of the path, and "f:n<Int>" is more than a capture"#
            ),
            (
                "/a/:n<Int>.json",
                #"a capture is a whole segment of the path, and ":n<Int>.json" is more than a capture"#
            ),
            (
                "/a/:n.json",
                #"a capture is a whole segment of the path, and ":n.json" is more than a capture"#
            ),
            (
                "/a/:from:to",
                #"a capture is a whole segment of the path, and ":from:to" is more than a capture"#
            ),
            ("/a/:id<Integer>", #"the type of the capture ":id<Integer>" is not Int, UUID or String"#),
            ("/a/{id}", #"a capture is written ":id" instead of "{id}""#),
            ("GET", #""GET" is a method, which is written .get"#),
            ("http:///items", #"there is no host after "://""#),
            ("http://a.example:port/items", #""port" is not a port"#),
            ("http://a.example:70000/items", #""70000" is not a port"#),
        ])
    func `a pattern that can never match is refused`(pattern: String, problem: String) async throws {
        #expect(RequestMatcher.url(pattern).problem == problem)
        let server = MockServer {
            Route(.get, "/items") { Reply.text("tea") }
            Route(.url(pattern), fileID: "Shop/ShopTests.swift", line: 11) { Reply.text("x") }.optional()
        }
        let error = try await server.refusal(of: "http://a.example/items")
        #expect(
            error
                == "Route(\"\(pattern)\") at ShopTests.swift:11 is not valid: \(problem). "
                + "No request is answered until it is changed.")
        let verification = #expect(throws: MockServerError.self) { try server.verify() }
        #expect(verification?.issues.first?.location.line == 11)
    }

    @Test func `a refused condition is found inside of others, and the route can be replaced`() async throws {
        let server = MockServer {
            Route(!.anyOf(.host("a.example:8080"), "/x")) { Reply.text("tea") }.named("bad")
            Routes(under: "/v1") { Route("/f:n<Int>") { Reply.text("x") }.named("bad") }
        }
        await #expect(throws: MockServerError.self) { try await server.text("http://a.example/items") }
        server.replaceRoutes(named: "bad") { Route("/items") { Reply.text("tea") } }
        #expect(try await server.text("http://a.example/items") == "tea")
    }

    @Test(arguments: ["http://a.example", "a.example/items", "a.example:80", "", "a b"])
    func `a condition on a host that no URL has is refused`(host: String) {
        #expect(RequestMatcher.host(host).problem != nil)
    }

    @Test(
        arguments: [
            (.query("page"), "?page=2", true), (.query("page"), "?page", true), (.query("page"), "", false),
            (.query("page", nil), "", true), (.query("page", nil), "?page", false),
            (.query("page", nil), "?page=2", false), (.query("page", ""), "?page=", true),
            (.query("page", ""), "?page", false), (.query(["page": ""]), "?page", false),
            (.header("X-A", nil), "", true), (.header("Accept", nil), "", false),
            (.header("Accept", "text/html"), "", true), (.header("Accept", "application/json"), "", true),
            (.header("Accept", "text/html, application/json"), "", true),
            (.header("Accept", "text"), "", false),
            (.header("X-List", "a, b"), "", false), (.header("X-List", "c"), "", true),
            (.cookie("sid", nil), "", true), (.cookie("theme", nil), "", false),
            (.cookie("theme"), "", true), (.cookie("theme", "dark"), "", true),
        ] as [(RequestMatcher, String, Bool)])
    func `a condition can require that something is absent`(
        matcher: RequestMatcher, query: String, matches: Bool
    ) throws {
        let request = try ReceivedRequest(
            "http://a.example/x\(query)",
            headers: [
                "Accept": "text/html, application/json", .cookie: "theme=dark", "X-List": #""a, b", c"#,
            ])
        #expect((matcher ~= request) == matches)
    }

    @Test func `an absent item that is present is reported`() async throws {
        let server = MockServer {
            Route("/x", .query("page", nil), fileID: "Shop/ShopTests.swift", line: 11) { Reply.text("x") }
        }
        let error = try await server.refusal(of: "http://a.example/x?page=2")
        #expect(
            error.contains(
                """
                Route("/x", .query("page", nil)) at ShopTests.swift:11
                    query page: expected no item, found "2"
                """))
    }

    @Test(
        arguments: [
            (.path(matching: "^/items/[0-9]+$"), "/items/7", true),
            (.path(matching: "^/items/[0-9]+$"), "/items/tea", false),
            (.path(matching: /room/), "/tea%20room", true),
            (.path(matching: /tea room$/), "/tea%20room", true),
            (.path(matching: /^room/), "/tea%20room", false),
            (.path(matching: "/bar/[0-9]+$"), "/a/BAR/12", false),
            (.path(matching: "(?i)/bar/[0-9]+$"), "/a/BAR/12", true),
            (.path(matching: /\/bar\/[0-9]+$/.ignoresCase()), "/a/BAR/12", true),
            (.path(containing: "a r"), "/tea%20room", true),
            (.path(containing: "milk"), "/tea%20room", false),
            (.path(containing: "/"), "", true),
        ] as [(RequestMatcher, String, Bool)])
    func `a path is compared with a regular expression or a part`(
        matcher: RequestMatcher, path: String, matches: Bool
    ) throws {
        let request = try ReceivedRequest("http://a.example\(path)")
        #expect((matcher ~= request) == matches)
    }

    @Test func `the groups of a regular expression are captures`() async throws {
        let server = MockServer {
            Route(.path(matching: /^\/items\/(?<id>[0-9]+)(?:\.(?<format>\w+))?$/)) { request in
                .text("\(request["id"] ?? "-") \(request["format"] ?? "-")")
            }
        }
        #expect(try await server.text("http://a.example/items/7.json") == "7 json")
        #expect(try await server.text("http://a.example/items/7") == "7 -")
    }

    @Test func `a text that is not a regular expression is refused`() {
        #expect(RequestMatcher.path(matching: "(").problem?.contains("is not a regular expression") == true)
    }

    @Test(
        arguments: [
            (
                "http://a.example/a:b/*/:id?q=*&c=a%2Bb&flag",
                "http://a.example/a:b/*/:id?flag&q=*&c=a%2Bb&x=1", true
            ),
            ("http://a.example/a:b/*/:id", "http://a.example/a:b/x/:id", false),
            ("http://a.example/a:b/*/:id", "http://a.example/a:b/*/7", false),
            ("http://a.example/?q=*", "http://a.example/?q=1", false),
            ("http://a.example/**", "http://a.example/x", false),
            ("http://a.example", "http://a.example/", true),
            ("http://a.example:8080/x#top", "http://a.example:8080/x", true),
            ("http://a.example/x", "http://a.example:8080/x", false),
            ("/items/:n<Int>.json", "http://a.example/items/:n%3CInt%3E.json", true),
        ])
    func `a URL value matches that URL only`(url: String, other: String, matches: Bool) throws {
        let matcher = RequestMatcher.url(try #require(URL(string: url)))
        #expect(matcher.problem == nil)
        let request = try ReceivedRequest(other)
        #expect((matcher ~= request) == matches)
    }

    @Test func `a URL relative to a base is the same as the whole URL`() async throws {
        let relative = try #require(
            URL(string: "resource?page=2", relativeTo: URL(string: "https://h.example/api/")))
        let server = MockServer { Route(.get, .url(relative)) { Reply.text("tea") } }
        #expect(try await server.text("https://h.example/api/resource?page=2") == "tea")
        await #expect(throws: MockServerError.self) {
            try await server.text("https://h.example/api/resource")
        }
    }

    @Test func `credentials are compared and not shown`() async throws {
        let basic = try ReceivedRequest(
            "http://a.example/",
            headers: [.authorization: "basic \(Data("me:s3cret".utf8).base64EncodedString())"])
        #expect(.basicAuth("me", "s3cret") ~= basic)
        #expect(!(.basicAuth("me", "other") ~= basic))
        #expect(!(.bearerToken() ~= basic))
        let bearer = try ReceivedRequest("http://a.example/", headers: [.authorization: "Bearer s3cret"])
        #expect(.bearerToken() ~= bearer)
        #expect(.bearerToken("s3cret") ~= bearer)
        #expect(!(.bearerToken("other") ~= bearer))
        #expect(!(.basicAuth("me", "s3cret") ~= bearer))
        let none = try ReceivedRequest("http://a.example/")
        #expect(!(.bearerToken() ~= none))
        let server = MockServer {
            Route(.basicAuth("me", "pa55"), .bearerToken("t0ken")) { Reply.text("x") }
        }
        for value in ["s3cret", "Bearer s3cret"] {
            let request = try URLRequest("http://a.example/", headers: ["Authorization": value])
            let error = try await server.refusal(of: request)
            for secret in ["s3cret", "pa55", "t0ken"] { #expect(!error.contains(secret)) }
        }
    }

    @Test func `null is a member of a JSON literal`() async throws {
        let server = MockServer {
            Route(.body(json: ["old": .null])) { Reply.json(["new": .null, "list": [.null, 1]]) }
        }
        #expect(
            try await server.text("http://a.example/", method: "POST", body: #"{"old":null}"#)
                == #"{"new":null,"list":[null,1]}"#)
    }

    @Test(arguments: [
        ("/caf\u{E9}", "/cafe%CC%81"), ("/cafe\u{301}/:id", "/caf%C3%A9/7"),
        ("/tea/caf%C3%A9", "/tea/cafe%CC%81"), ("/K", "/%E2%84%AA"), ("/K/:id", "/%E2%84%AA/7"),
        ("/tea/*/caf\u{E9}", "/tea/7/caf%C3%A9"),
    ])
    func `paths are compared as text, whatever the form of its characters`(
        pattern: String, path: String
    ) async throws {
        let server = MockServer { Route(.url(pattern)) { Reply.text("tea") } }
        #expect(try await server.text("http://a.example\(path)") == "tea")
        await #expect(throws: MockServerError.self) { try await server.text("http://a.example/other") }
        await #expect(throws: MockServerError.self) {
            try await server.text("http://a.example\(path)/%C3%BC/more")
        }
    }
}
