import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

@Suite struct MatchingTests {
    @Test(
        arguments: [
            ("/items", ["/items", "/items?page=2", "/items#top"], ["/items/"]), ("items", ["/items"], []),
            ("/items/:id", ["/items/7"], ["/items/", "/items/7/parts"]),
            ("/items/:id<Int>", ["/items/7"], ["/items/tea"]), ("/items/:id<String>", ["/items/tea"], []),
            ("/items/:id<UUID>", ["/items/123E4567-E89B-12D3-A456-426614174000"], ["/items/7"]),
            ("/items:search", ["/items:search"], []),
            ("/files/**", ["/files/a/b.txt", "/files"], ["/x/files/a", "/x?/files/a"]),
            ("/files/**/raw", ["/files/a/b/raw", "/files/a/raw", "/files/raw"], ["/files/a/b"]),
            ("/img/*.png", ["/img/tea.png"], ["/img/tea.gif"]), ("/img/*", [], ["/img/a/b", "/img/"]),
            ("/img/tea*.png", [], ["/img/milk.png"]), ("/img/tea**.png", ["/img/tea-1.png"], []),
            ("/img/*tea*.png", ["/img/green-tea-1.png"], ["/img/milk.png"]),
            ("/**", [""], []), ("**", ["https://a.example:8443/x"], []),
            ("/**/b", ["/a/b?q=1", "/b"], ["/a/b/c", "/a#/b"]),
            ("/**/*.txt", ["/a/b.txt?q=1", "/b.txt"], ["/a/b.png", "/a.b?q=c.txt"]),
            ("/a/b/c", ["/a/b/c"], ["/a/b", "/a/b/c/d", "/x?/a/b/c", "/x#/a/b/c", "/a/b/c;p"]),
            ("http://notNil/", ["http://notNil", "http://notnil/"], ["http://notNil/x", "https://notNil/"]),
            ("http://notNil", ["http://notNil/"], []), ("*://notNil/", ["https://notNil/"], []),
            ("http://a.example:8080/x", ["http://a.example:8080/x"], ["http://a.example/x"]),
            ("http://a.example:80/x", ["http://a.example/x"], []),
            ("https://a.example:443/x", ["https://a.example/x"], []),
            ("http://a.example:*/x", ["http://a.example:8080/x"], []),
            ("http://user:pw@a.example/x", ["http://a.example/x"], []),
            ("https://*.example.com/x", ["https://api.example.com/x"], ["https://example.com/x"]),
            ("http://[::1]:8080/x", ["http://[::1]:8080/x"], []),
            ("http://[::1]/x", ["http://[::1]/x"], ["http://[::2]/x"]),
            ("/x?page=2", ["/x?page=2&per=5"], ["/x?page=3"]), ("/x?page=2&per=5", [], ["/x?page=2"]),
            ("/x?flag", ["/x?flag"], ["/x?flag=", "/x?flag=1"]), ("/x?flag=", ["/x?flag="], ["/x?flag"]),
            ("/x?flag=*", ["/x?flag=1", "/x?flag="], ["/x?flag"]),
            ("/x?q=tea*", ["/x?q=tea%20room"], ["/x?q=milk"]), ("?a=1&b=2", [], ["/?a=2&b=1"]),
            (
                "?a=1&b=&flag", ["/?flag&b=&a=1", "/?flag&&more=1&b=&a=1"],
                ["/?a=1&b&flag", "/?a=1&b=&flag="]
            ),
            ("/a b", ["/a%20b"], []), ("/a%20b", ["/a%20b"], []), ("/caf\u{E9}", ["/caf%C3%A9"], []),
            ("/items#top", ["/items"], []), ("/items?page=2#top", ["/items?page=2"], []),
            ("http://b\u{FC}cher.example/x", ["http://xn--bcher-kva.example/x"], ["http://bucher.example/x"]),
            ("http://B\u{DC}CHER.example/x", ["http://xn--bcher-kva.example/x"], []),
            ("http://bu\u{308}cher.example/x", ["http://xn--bcher-kva.example/x"], []),
            ("http://xn--bcher-kva.example/x", ["http://xn--bcher-kva.example/x"], []),
            ("http://*.b\u{FC}cher.example/x", ["http://api.xn--bcher-kva.example/x"], []),
            ("http://\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}/", ["http://xn--r8jz45g.xn--zckzah/"], []),
        ] as [(String, [String], [String])])
    func `a URL pattern matches the expected URLs and no others`(
        pattern: String, expected: [String], others: [String]
    ) throws {
        #expect(RequestMatcher.url(pattern).problem == nil)
        for url in expected + others {
            let request = try ReceivedRequest(url.hasPrefix("http") ? url : "http://a.example\(url)")
            #expect((.url(pattern) ~= request) == expected.contains(url), "\(url)")
        }
    }

    @Test(
        arguments: [
            (.any, true), (.post, true), (.get, false), (.method("PURGE"), false),
            (.scheme("HTTPS"), true), (.scheme("http"), false),
            (.host("API.example.com"), true), (.host("*.example.com"), true), (.host("*"), true),
            (.host("example.com"), false), (.port(443), true), (.port(80), false),
            (.query("page"), true), (.query("page", "2"), true), (.query("page", "3"), false),
            (.query("pag"), false),
            (.query("q", "a b"), true), (!.query("absent"), true), (!.query("page"), false),
            (.query(["q": "a b", "page": "2"]), true), (.query(["page": "2"]), false),
            (.header("x-trace"), true), (.header("X-Trace", "7"), true), (.header("X-Trace", "8"), false),
            (.header(.authorization), false), (!.header(.authorization), true),
            (.cookie("sid"), true), (.cookie("sid", "1"), true), (.cookie("sid", "2"), false),
            (.cookie("id"), false),
            (.satisfies("is long", { $0.body.count > 10 }), true),
            (.satisfies("is short", { $0.body.count < 10 }), false),
            (.anyOf(.get, .post), true), (.anyOf(.get, .put), false), (!(.anyOf(.get, .put)), true),
            (.body(json: ["name": "tea", "price": 2, "tags": ["hot", "wet"]]), true),
            (.body(json: ["tags": ["hot", "wet"], "price": 2.0, "name": "tea"]), true),
            (.body(json: ["name": "tea"]), false),
            (.body(json: ["name": "tea", "price": 2, "tags": ["hot"]]), false),
            (.body(json: ["name": "tea", "price": 2, "tags": ["hot", "wet", "hot"]]), false),
            (.body(jsonContaining: ["name": "tea"]), true), (.body(jsonContaining: ["name": "milk"]), false),
            (.body(jsonContaining: ["tags": ["wet"]]), true),
            (.body(jsonContaining: ["tags": ["dry"]]), false),
            (.body(text: "tea"), false), (.body(Data("tea".utf8)), false),
            (.body(matching: /"price":\d/), true), (.body(matching: /^tea/), false),
            (.body(at: "name", "tea"), true), (.body(at: "price", 2.0), true),
            (.body(at: "name", "milk"), false),
            (.body(at: "tags.1", "wet"), true), (.body(at: "tags.2", "wet"), false),
            (.body(at: "tags.*", "wet"), true), (.body(at: "tags.*", "dry"), false),
            (.body(at: "name", matching: /^t/), true), (.body(at: "price", matching: /^\d$/), true),
            (.body(at: "name", matching: /^m/), false), (.body(at: "name.x", matching: /./), false),
            (.graphQL("Teas"), false),
        ] as [(RequestMatcher, Bool)])
    func `a matcher matches the expected requests`(matcher: RequestMatcher, matches: Bool) throws {
        let request = try ReceivedRequest(
            "https://api.example.com/items?q=a+b&page=2", method: .post,
            headers: ["X-Trace": "7", .cookie: "theme=dark; sid=1"],
            body: #"{"name":"tea","price":2,"tags":["hot","wet"]}"#)
        #expect((matcher ~= request) == matches)
    }

    @Test(
        arguments: [
            #"{"query":"query Teas($first: Int) { teas }","variables":{"first":3,"after":"x"}}"#,
            ##"{"query":"# the query Other is old\nquery Teas { teas }","variables":{"first":3}}"##,
            #"{"query":"query A { a } query Teas { teas }","operationName":"Teas","variables":{"first":3}}"#,
        ])
    func `an operation of GraphQL is matched by its name and its variables`(body: String) throws {
        let request = try ReceivedRequest("http://a.example/graphql", method: .post, body: body)
        #expect(.graphQL("Teas") ~= request)
        #expect(.graphQL("Teas", variables: ["first": 3]) ~= request)
        #expect(!(.graphQL("Teas", variables: ["first": 4]) ~= request))
        #expect(!(.graphQL("Tea") ~= request))
    }

    @Test(arguments: ["GET", "PUT", "PATCH", "POST", "DELETE", "HEAD", "OPTIONS", "PURGE"])
    func `each method has a condition that matches only it`(method: String) throws {
        let matchers: [RequestMatcher] = [
            .get, .put, .patch, .post, .delete, .head, .options, .method("PURGE"),
        ]
        let names = ["GET", "PUT", "PATCH", "POST", "DELETE", "HEAD", "OPTIONS", "PURGE"]
        let request = try ReceivedRequest("http://a.example/", method: HTTPMethod(rawValue: method))
        #expect(zip(names, matchers).filter { $0.1 ~= request }.map(\.0) == [method])
    }

    @Test(
        arguments: [
            (#"{"foo":"bar","list":["a","b"],"more":null}"#, true),
            ("{ \"more\": null,\n\"list\": [\"a\", \"b\"], \"foo\": \"bar\" }", true),
            (#"{"foo":"other","list":["a","b"],"more":null}"#, false), (#"{"foo":"bar","more":null}"#, false),
            (#"{"foo":"bar","list":["b","a"],"more":null}"#, false),
            (#"{"foo":"bar","list":["a","b"],"more":false}"#, false),
            (#"{"foo":"bar","list":["a","b"],"more":null,"x":1}"#, false),
            (#"["foo"]"#, false), ("foo", false), ("", false),
        ])
    func `a JSON body is compared regardless of the order of members and of white space`(
        body: String, matches: Bool
    ) throws {
        let request = try ReceivedRequest("http://h.example/", method: .post, body: body)
        #expect((.body(json: ["foo": "bar", "list": ["a", "b"], "more": nil]) ~= request) == matches)
    }

    @Test func `items, fields and cookies that occur twice are compared`() throws {
        let request = try ReceivedRequest(
            "http://a.example/?a=1&a=2", headers: ["X-A": "1", .cookie: "a=1; a=2"],
            body: #"{"a": 1, "a": 2}"#)
        #expect(.query("a", "1") ~= request)
        #expect(.query("a", "2") ~= request)
        #expect(.query(["a": "1", "a": "2"]) ~= request)
        #expect(!(.query(["a": "1"]) ~= request))
        #expect(!(.query(["a": "1", "a": "3"]) ~= request))
        // A client that sends a name twice means the last one.
        #expect(.cookie("a", "2") ~= request)
        #expect(!(.cookie("a", "1") ~= request))
        var headers: HTTPHeaders = ["X-A": "1"]
        headers.add("X-A", "2")
        let twice = try ReceivedRequest("http://a.example/", headers: headers)
        #expect(.header("X-A", "2") ~= twice)
        #expect(.header("X-A", "1, 2") ~= twice)
        #expect(!(.header("X-A", "3") ~= twice))
    }

    @Test func `body matchers compare bytes, text and forms`() throws {
        let text = try ReceivedRequest("http://a.example/", method: .post, body: "q=a+b&page=2")
        #expect(.body(text: "q=a+b&page=2") ~= text)
        #expect(.body(Data("q=a+b&page=2".utf8)) ~= text)
        #expect(.body(form: ["page": "2", "q": "a b"]) ~= text)
        #expect(!(.body(form: ["page": "2"]) ~= text))
    }

    @Test func `part matchers compare the parts of a multipart body`() throws {
        let body = [
            "--b0", "Content-Disposition: form-data; name=\"title\"", "", "tea & \"milk\"", "--b0",
            "Content-Disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\".txt\"",
            "Content-Type: text/plain", "", "line 1", "line 2", "--b0--", "",
        ].joined(separator: "\r\n")
        let request = try ReceivedRequest(
            "http://a.example/", method: .post,
            headers: [.contentType: "multipart/form-data; boundary=\"b0\""], body: body)
        #expect(request.parts.map(\.name) == ["title", "file"])
        #expect(request.parts.last?.text == "line 1\r\nline 2")
        #expect(request.parts.last?.filename == #"a "b".txt"#)
        #expect(request.parts.last?.headers[.contentType] == "text/plain")
        #expect(.part("title") ~= request)
        #expect(.part("title", #"tea & "milk""#) ~= request)
        #expect(.part("file", filename: #"a "b".txt"#) ~= request)
        #expect(!(.part("title", "milk") ~= request))
        #expect(!(.part("file", filename: "a") ~= request))
        #expect(!(.part("title", filename: "a") ~= request))
        #expect(!(.part("titel") ~= request))
    }

    @Test func `captures are available as text and as values`() async throws {
        let server = MockServer {
            Route(.get, "/shops/:shop/items/:id<Int>") { request in
                .text("\(request["shop"] ?? "?") \(request["id", as: Int.self].map { $0 + 1 } ?? 0)")
            }
        }
        #expect(try await server.text("http://a.example/shops/tea%20room/items/41") == "tea room 42")
    }

    @Test func `a handler can switch over a request with matchers`() async throws {
        let server = MockServer {
            Route(.any) { request in
                switch request {
                case .get: .text("read")
                case "/items/:id": .text("changed one")
                default: .text("changed")
                }
            }
        }
        #expect(try await server.text("http://a.example/items/7") == "read")
        #expect(try await server.text("http://a.example/items/7", method: "PUT") == "changed one")
        #expect(try await server.text("http://a.example/", method: "PUT") == "changed")
    }

    @Test(
        arguments: [
            ("http://a.example/items/new", "literal"),
            ("http://a.example/items/7", "number"),
            ("http://a.example/items/tea", "capture"),
            ("http://a.example/items/tea?page=2", "query"),
            ("http://a.example/items/tea/x", "rest"),
            ("http://b.example/other", "host"), ("http://b.example/form?page=2", "form"),
            ("http://b.example/tea.png?width=200", "URL"), ("http://a.example/a/milk.png", "extension"),
            ("http://a.example/other", "any"),
        ])
    func `the most specific route is used, regardless of its position`(
        url: String, winner: String
    ) async throws {
        let server = MockServer {
            Route(.any) { Reply.text("any") }.optional()
            Route("/items/**") { Reply.text("rest") }.optional()
            Route("/items/:id") { Reply.text("capture") }.optional()
            Route("/items/:id<Int>") { Reply.text("number") }.optional()
            Route("/items/:id", .query("page")) { Reply.text("query") }.optional()
            Route("/items/new") { Reply.text("literal") }.optional()
            Route(.host("b.example")) { Reply.text("host") }.optional()
            Route("/**/*.png") { Reply.text("extension") }.optional()
            Route("http://b.example/tea.png") { Reply.text("URL") }.optional()
            Route(.get, "/form") { Reply.text("form") }.optional()
            // As specific as its least specific condition.
            Route(.anyOf(.post, .query(["page": "2"])), "/form") { Reply.text("any of") }.optional()
        }
        #expect(try await server.text(url) == winner)
    }

    @Test func `the conditions of a route are tested once for each request`() async throws {
        let asked = LockedState(0)
        let server = MockServer {
            Route(
                .satisfies("counts") { _ in
                    asked.withLock {
                        $0 += 1; return true
                    }
                }
            ) { Reply.text("tea") }
        }
        for _ in 0..<3 { _ = try await server.text("http://a.example/") }
        #expect(asked.withLock { $0 } == 3)
    }

    @Test func `routes with a prefix match the combined pattern`() async throws {
        let server = MockServer {
            Routes(under: "https://api.example.com/v1") {
                Route(.get, "/items") { Reply.text("list") }
                Route(.get, "/items/:id") { request in .text("item \(request["id"] ?? "")") }
                Route(.delete) { Reply.status(204) }
                Route("http://other.example/x") { Reply.text("elsewhere") }
                for word in ["tea", "milk"] { Route("/\(word)") { Reply.text(word) }.optional() }
            }
            Routes(under: .header("X-Beta")) { Route("/items") { Reply.text("beta") }.optional() }
        }
        #expect(try await server.text("https://api.example.com/v1/items") == "list")
        #expect(try await server.text("https://api.example.com/v1/items/7") == "item 7")
        #expect(try await server.text("https://api.example.com/v1/anything/else", method: "DELETE") == "")
        #expect(try await server.text("http://other.example/x") == "elsewhere")
        #expect(try await server.text("https://api.example.com/v1/milk") == "milk")
        let first = server.core.router.usages[0].route
        #expect(first.description == #"Route(.get, "https://api.example.com/v1/items")"#)
        try server.verify()
        await #expect(throws: MockServerError.self) { try await server.text("https://api.example.com/items") }
    }

    @Test func `requests are recorded in order with their arrival times`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("tea") } }
        _ = try await server.text("http://a.example/1")
        async let wait: Void = clock.sleep(for: .seconds(30))
        try await clock.advance()
        try await wait
        _ = try await server.text("http://a.example/2")
        #expect(server.requests.map(\.url.path) == ["/1", "/2"])
        #expect(server.requests.map(\.time) == [.zero, .seconds(30)])
    }
}
