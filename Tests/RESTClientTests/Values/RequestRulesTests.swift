import Foundation
import MockTransport
import Testing

@testable import RESTClient

@Suite struct RequestRulesTests {
    private func request(
        _ url: String, method: String = "GET", headers: [String: String] = [:]
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        return request
    }

    @Test func `the scheme is lowercased and the fragment removed`() throws {
        let checked = try request("HTTP://Shop.example/a?q=1#top").checked()
        #expect(checked.url?.absoluteString == "http://Shop.example/a?q=1")
    }

    @Test func `user info is moved to a Basic header`() throws {
        let checked = try request("http://u:p%40@shop.example/a").checked()
        #expect(checked.url?.absoluteString == "http://shop.example/a")
        #expect(checked.value(forHTTPHeaderField: "Authorization") == "Basic dTpwQA==")
    }

    @Test func `an existing Authorization is kept`() throws {
        let checked = try request("http://u:p@shop.example/a", headers: ["Authorization": "Bearer t"])
            .checked()
        #expect(checked.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    }

    @Test(
        arguments: [
            ("ftp://shop.example/", .unsupportedScheme("ftp")),
            ("data:text/plain,hello", .unsupportedScheme("data")), ("shop.example/items", .missingURL),
            ("http:///items", .missingHost), ("http://shop.example:99999/", .invalidPort("99999")),
            ("http://shop.example:0/", .invalidPort("0")),
        ] as [(String, RESTClientError.InvalidRequest)])
    func `an invalid URL is rejected`(url: String, reason: RESTClientError.InvalidRequest) throws {
        let error = #expect(throws: RESTClientError.self) { try request(url).checked() }
        #expect(error?.kind == .invalidRequest(reason))
    }

    @Test(arguments: [
        ("http://shop.example", true), ("https://shop.example/a?q=1", true), ("http://127.0.0.1:8080/", true),
        ("http://Shop-1.example:65535/a", true), ("HTTP://shop.example/", false),
        ("ftp://shop.example/", false), ("http:///items", false), ("http://u@shop.example/", false),
        ("http://u:80@shop.example/", false), ("http://shop.example/#top", false),
        ("http://shop.example?q#top", false), ("http://[::1]/", false), ("http://shop.example:/", false),
        ("http://shop.example:0/", false), ("http://shop.example:65536/", false),
        ("http://shop.example:0000080/", false), ("shop.example/items", false),
    ])
    func `a plain URL is unchanged, any other is checked`(url: String, isPlain: Bool) throws {
        let url = try #require(URL(string: url))
        #expect(url.isPlain == isPlain)
        let slow = try? URLRequest(url: url).withoutUserInfo().checkedURL()
        if isPlain { #expect(slow == url) }
    }

    @Test(arguments: [
        "Content-Length", "transfer-encoding", "HOST", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer",
    ])
    func `reserved headers are rejected`(name: String) throws {
        let error = #expect(throws: RESTClientError.self) {
            try request("http://shop.example/", headers: [name: "1"]).checked()
        }
        #expect(error?.kind == .invalidRequest(.reservedHeader(name)))
    }

    @Test(arguments: ["token\n", "a\r\nX-Evil: 1", "a\u{0}b", "\u{7F}"])
    func `a credential or header with a control character is not sent`(value: String) async throws {
        let server = MockServer { Route(.any) { Reply.text("ok") } }
        let url = try #require(URL(string: "http://shop.example/"))
        let configuration = server.configuration
        let manager = SessionManager(configuration: configuration)
        configuration.httpAdditionalHeaders = ["X-App": value]
        let key = Credential.header("X-Api-Key", value)
        let login = Authenticator(for: url) { _, _ in .bearer(value) }
        let requests: [(DataRequest, String)] = [
            (manager.request(url).interceptors(.bearer(value, for: url)), "Authorization"),
            (manager.request(url).interceptors(.credential(key, for: url)), "X-Api-Key"),
            (manager.request(url).interceptors(login), "Authorization"),
            (manager.request(url, headers: ["X-Trace": value]), "X-Trace"),
            (SessionManager(configuration: configuration).request(url), "X-App"),
        ]
        for (request, name) in requests {
            let error = try await failure { try await request.response() }
            #expect(error.kind == .invalidRequest(.invalidHeaderValue(name: name)))
            #expect(!"\(error)".contains(value))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a header with an invalid name is not sent`() async throws {
        let server = MockServer { Route(.any) { Reply.text("ok") } }
        let request = server.manager().request("http://shop.example/", headers: ["X A": "1"])
        let error = try await failure { try await request.response() }
        #expect(error.kind == .invalidRequest(.invalidHeaderName("X A")))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["", "G ET", "GET\r\n", "GÉT"])
    func `an invalid method is rejected`(method: String) throws {
        #expect(throws: RESTClientError.self) {
            try request("http://shop.example/", method: method).checked()
        }
    }

    @Test(arguments: ["GET", "HEAD", "TRACE"])
    func `a method without a body is rejected with one`(method: String) throws {
        var request = try request("http://shop.example/", method: method)
        request.httpBody = Data("x".utf8)
        let error = #expect(throws: RESTClientError.self) { try request.checked() }
        #expect(error?.kind == .invalidRequest(.bodyNotAllowed(HTTPMethod(rawValue: method))))
    }
}
