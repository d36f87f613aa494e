import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

/// Behaviors of other mock libraries that no other suite shows. `Documentation/Peers.md` lists the most important.
@Suite struct PeerBehaviorTests {
    // MARK: Conditions

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
            ("http://h.example/a/b/c", true), ("http://h.example/a/b/c?q=1", true),
            ("http://h.example/a/b/c#x", true),
            ("http://h.example/a/b", false), ("http://h.example/a/b/c/d", false),
            ("http://h.example/x?/a/b/c", false),
            ("http://h.example/x#/a/b/c", false), ("http://h.example/a/b/c;p", false),
        ])
    func `a path is compared without query and fragment`(url: String, matches: Bool) throws {
        let request = try ReceivedRequest(url)
        #expect(("/a/b/c" ~= request) == matches)
    }

    @Test(
        arguments: [
            ("/a/b/**", "http://h.example/a/b", true), ("/a/b/**", "http://h.example/a/b/c?q=1", true),
            ("/a/b/**", "http://h.example/x/a/b", false), ("/a/b/**", "http://h.example/x?/a/b", false),
            ("/**/b", "http://h.example/a/b?q=1", true), ("/**/b", "http://h.example/b", true),
            ("/**/b", "http://h.example/a/b/c", false), ("/**/b", "http://h.example/a#/b", false),
            ("/**/*.txt", "http://h.example/a/b.txt?q=1", true),
            ("/**/*.txt", "http://h.example/b.txt", true),
            ("/**/*.txt", "http://h.example/a/b.png", false),
            ("/**/*.txt", "http://h.example/a.b?q=c.txt", false),
        ])
    func `the start, the end and the extension of a path are patterns`(
        pattern: String, url: String, matches: Bool
    ) throws {
        let request = try ReceivedRequest(url)
        #expect((.url(pattern) ~= request) == matches)
    }

    @Test(arguments: [(false, "/a/BAR/12", false), (true, "/a/BAR/12", true), (false, "/a/bar/12", true)])
    func `a regular expression can ignore case`(ignoresCase: Bool, path: String, matches: Bool) throws {
        let request = try ReceivedRequest("http://h.example\(path)")
        #expect((.path(matching: (ignoresCase ? "(?i)" : "") + "/bar/[0-9]+$") ~= request) == matches)
        #expect((.path(matching: /\/bar\/[0-9]+$/.ignoresCase(ignoresCase)) ~= request) == matches)
    }

    @Test(
        arguments: [
            ("q=test&lang=en&empty=&flag", true), ("lang=en&flag&empty=&q=test", true),
            ("flag&&lang=en&more=1&empty=&q=test", true), ("q=test&lang=en&empty&flag", false),
            ("q=test&lang=en&empty=&flag=", false), ("q=en&lang=test&empty=&flag", false), ("q=test", false),
        ])
    func `several query items match in any order, and an empty value is not a missing one`(
        query: String, matches: Bool
    ) throws {
        let request = try ReceivedRequest("http://h.example/?\(query)")
        #expect(("?q=test&lang=en&empty=&flag" ~= request) == matches)
    }

    @Test(
        arguments: [
            (#"{"foo":"bar","baz":42,"qux":true}"#, true),
            ("{ \"qux\": true,\n\"baz\": 42, \"foo\": \"bar\" }", true),
            (#"{"foo":"other","baz":42,"qux":true}"#, false), (#"{"foo":"bar","baz":42}"#, false),
            (#"{"foo":"bar","baz":42,"qux":true,"more":1}"#, false), (#"["foo"]"#, false), ("foo", false),
            ("", false),
        ])
    func `a JSON body is compared regardless of the order of members and of white space`(
        body: String, matches: Bool
    ) throws {
        let request = try ReceivedRequest("http://h.example/", method: .post, body: body)
        #expect((.body(json: ["foo": "bar", "baz": 42, "qux": true]) ~= request) == matches)
    }

    @Test func `the order of elements in a JSON body counts`() throws {
        let request = try ReceivedRequest(
            "http://h.example/", body: #"{"foo":{"list":["a","b"],"more":null}}"#)
        #expect(.body(json: ["foo": ["more": nil, "list": ["a", "b"]]]) ~= request)
        #expect(!(.body(json: ["foo": ["more": nil, "list": ["b", "a"]]]) ~= request))
        #expect(!(.body(json: ["foo": ["more": false, "list": ["a", "b"]]]) ~= request))
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func `conditions are combined with and, or and not`(first: Bool, second: Bool) throws {
        let request = try ReceivedRequest("http://h.example/")
        let (one, other) = (
            RequestMatcher.satisfies("one") { _ in first }, RequestMatcher.satisfies("other") { _ in second }
        )
        #expect((.anyOf(one, other) ~= request) == (first || second))
        #expect((!one ~= request) == !first)
        #expect(
            (Route(one, other) { Reply.text("") }.conditions.allSatisfy { $0.test(request).isMatch })
                == (first && second))
    }

    // MARK: Routes

    @Test func `a URL relative to a base is the same as the whole URL`() async throws {
        let relative = try #require(
            URL(string: "resource?page=2", relativeTo: URL(string: "https://h.example/api/")))
        let server = MockServer { Route(.get, .url(relative)) { Reply.text("tea") } }
        #expect(try await server.text("https://h.example/api/resource?page=2") == "tea")
        await #expect(throws: MockServerError.self) {
            try await server.text("https://h.example/api/resource")
        }
    }

    @Test func `the same URL has a route for each method`() async throws {
        let server = MockServer {
            Route(.get, "/x") { Reply.text("read") }
            Route(.put, "/x") { Reply.text("written") }
        }
        #expect(try await server.text("http://h.example/x") == "read")
        #expect(try await server.text("http://h.example/x", method: "PUT") == "written")
    }

    @Test func `a URL takes precedence over the pattern of its extension`() async throws {
        let server = MockServer {
            Route("/**/*.png") { Reply.text("any") }
            Route("http://h.example/tea.png") { Reply.text("tea") }
        }
        #expect(try await server.text("http://h.example/tea.png?width=200") == "tea")
        #expect(try await server.text("http://h.example/a/milk.png") == "any")
    }

    // MARK: Requests and replies

    @Test func `a body is decoded with the given decoder`() async throws {
        struct Draft: Codable, Equatable { var itemName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let server = MockServer { Route(.post, "/x") { Reply.status(204) } }
        _ = try await server.text("http://h.example/x", method: "POST", body: #"{"item_name":"tea"}"#)
        _ = try await server.text("http://h.example/x", method: "POST", body: #"[{"a":"b"},{"a":"c"}]"#)
        #expect(try server.requests[0].decode(using: decoder) == Draft(itemName: "tea"))
        #expect(try server.requests[1].decode([[String: String]].self) == [["a": "b"], ["a": "c"]])
        #expect(throws: DecodingError.self) { try server.requests[1].decode(Draft.self) }
    }

    @Test func `a reply without a type has no Content-Type, and an empty one no data`() async throws {
        let server = MockServer {
            Route(.put, "/x") { Reply.status(202) }
            Route("/empty") { Reply.data(Data(), status: 400) }
        }
        let (data, response) = try await server.data(URLRequest("http://h.example/x", method: "PUT"))
        #expect(data.isEmpty)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == nil)
        let (none, empty) = try await server.data("http://h.example/empty")
        #expect(none.isEmpty)
        #expect(empty.statusCode == 400)
    }

    @Test func `an empty file is an empty body, and a directory is an error`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = MockServer {
            Route("/file") { Reply.file(file, status: 500) }
            Route("/directory") { Reply.file(FileManager.default.temporaryDirectory) }
        }
        let (data, response) = try await server.data("http://h.example/file")
        #expect(data.isEmpty)
        #expect(response.statusCode == 500)
        await #expect(throws: MockServerError.self) { try await server.data("http://h.example/directory") }
    }

    @Test(arguments: [300, 301, 304, 311])
    func `a status of the class 3xx is delivered with its header fields`(status: Int) async throws {
        let server = MockServer {
            Route(.any) { Reply.status(HTTPStatus(rawValue: status)).header("X-Next", "/next") }
        }
        let (_, response) = try await server.data("http://h.example/")
        #expect(response.statusCode == status)
        #expect(response.value(forHTTPHeaderField: "X-Next") == "/next")
    }

    @Test func `the replies of several requests wait independently`() async throws {
        let server = MockServer(clock: VirtualClock()) {
            Route("/:seconds<Int>") { request in
                .text("done").delay(.seconds(request["seconds", as: Int.self] ?? 0))
            }
        }
        async let slow = server.text("http://h.example/30")
        async let medium = server.text("http://h.example/20")
        async let fast = server.text("http://h.example/10")
        _ = try await (slow, medium, fast)
        let durations = server.exchanges.map { ($0.request.url.path(), $0.duration) }.sorted { $0.0 < $1.0 }
        #expect(durations.map(\.0) == ["/10", "/20", "/30"])
        #expect(durations.map(\.1) == [.seconds(10), .seconds(20), .seconds(30)])
    }
}

extension Criterion.MatchResult {
    fileprivate var isMatch: Bool { if case .match = self { true } else { false } }
}
