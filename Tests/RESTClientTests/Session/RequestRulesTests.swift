import Foundation
import RESTClientHTTP
import Testing

@testable import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestRulesTests {
    private func request(
        _ url: String, method: String = "GET", headers: [String: String] = [:]
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        return request
    }

    @Test func `scheme and fragment are made fit for the platform`() throws {
        let checked = try request("HTTP://Shop.example/a?q=1#top").checked()
        #expect(checked.url?.absoluteString == "http://Shop.example/a?q=1")
    }

    @Test func `user info becomes Basic and leaves the URL`() throws {
        let checked = try request("http://u:p%40@shop.example/a").checked()
        #expect(checked.url?.absoluteString == "http://shop.example/a")
        #expect(checked.value(forHTTPHeaderField: "Authorization") == "Basic dTpwQA==")
    }

    @Test func `an Authorization of the caller's stays`() throws {
        let checked = try request("http://u:p@shop.example/a", headers: ["Authorization": "Bearer t"])
            .checked()
        #expect(checked.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    }

    @Test(
        arguments: [
            ("ftp://shop.example/", .unsupportedScheme("ftp")),
            ("data:text/plain,hello", .unsupportedScheme("data")),
            ("shop.example/items", .missingURL),
            ("http:///items", .missingHost),
            ("http://shop.example:99999/", .invalidPort("99999")),
            ("http://shop.example:0/", .invalidPort("0")),
        ] as [(String, RESTClientError.InvalidRequest)])
    func `a URL that cannot be sent is refused`(url: String, reason: RESTClientError.InvalidRequest) throws {
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
    func `a plain URL goes as it is, any other is looked at`(url: String, isPlain: Bool) throws {
        let url = try #require(URL(string: url))
        #expect(url.isPlain == isPlain)
        let slow = try? URLRequest(url: url).withoutUserInfo().checkedURL()
        if isPlain { #expect(slow == url) }
    }

    #if canImport(FoundationNetworking)
    @Test func `an IPv6 address is refused in the platform's stead`() throws {
        let error = #expect(throws: RESTClientError.self) { try request("http://[::1]/").checked() }
        #expect(error?.kind == .invalidRequest(.ipv6Literal))
    }
    #endif

    @Test(arguments: [
        "Content-Length", "transfer-encoding", "HOST", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer",
    ])
    func `headers that frame the message are refused`(name: String) throws {
        let error = #expect(throws: RESTClientError.self) {
            try request("http://shop.example/", headers: [name: "1"]).checked()
        }
        #expect(error?.kind == .invalidRequest(.reservedHeader(name)))
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b", "\u{7F}"])
    func `a header value that would split the request is refused`(value: String) throws {
        let error = #expect(throws: RESTClientError.self) {
            try request("http://shop.example/", headers: ["X-A": value]).checked()
        }
        #expect(error?.kind == .invalidRequest(.invalidHeaderValue(name: "X-A")))
    }

    @Test(arguments: ["", "G ET", "GET\r\n", "GÉT"])
    func `a method that is no token is refused`(method: String) throws {
        #expect(throws: RESTClientError.self) {
            try request("http://shop.example/", method: method).checked()
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `a GET with a body is refused before the network`(method: String) throws {
        var request = try request("http://shop.example/", method: method)
        request.httpBody = Data("x".utf8)
        let error = #expect(throws: RESTClientError.self) { try request.checked() }
        #expect(error?.kind == .invalidRequest(.bodyNotAllowed(HTTPMethod(rawValue: method))))
    }
}
