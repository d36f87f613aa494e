import Foundation
import Testing

@testable import RESTClient

@Suite struct RedirectsTests {
    private static func redirected(
        from: String = "https://shop.example/a/b/c?q=1", method: HTTPMethod = .get, status: HTTPStatus = 302,
        to location: String?
    ) throws -> RedirectPolicy.Redirect? {
        var request = URLRequest(url: try #require(URL(string: from)))
        request.httpMethod = method.rawValue
        try request.set([
            .authorization: "Bearer t", .cookie: "a=1", "X-Mine": "1", .accept: "application/json",
            .contentType: "application/json",
        ])
        if ![.get, .head].contains(method) { request.httpBody = Data("{}".utf8) }
        let headers: HTTPHeaders = location.map { [.location: $0] } ?? [:]
        let response = Response(to: request, status: status, headers: headers, body: Data())
        return try Redirects.redirect(number: 1, after: response)
    }

    @Test(arguments: [
        ("d", "https://shop.example/a/b/d"), ("../d", "https://shop.example/a/d"),
        ("?p=2", "https://shop.example/a/b/c?p=2"), ("/d", "https://shop.example/d"),
        ("//other.example/d", "https://other.example/d"), ("https://other.example", "https://other.example"),
        ("/a b", "https://shop.example/a%20b"),
        ("/caf\u{E9}?x=%20%2F", "https://shop.example/caf%C3%A9?x=%20%2F"),
        ("  /d ", "https://shop.example/d"),
        // An invalid character must not change characters that are already encoded.
        ("?page[number]=2&q=a%20b", "https://shop.example/a/b/c?page%5Bnumber%5D=2&q=a%20b"),
        ("/x[1]?q=%41", "https://shop.example/x%5B1%5D?q=%41"),
        ("/d?q=a%20%zz%", "https://shop.example/d?q=a%20%25zz%25"),
        ("https://shop.example/d?a[]=%20", "https://shop.example/d?a%5B%5D=%20"),
        ("https://[::1]:8443/d?a=%20[", "https://[::1]:8443/d?a=%20%5B"),
        ("//shop.example?next=//[a]", "https://shop.example?next=//%5Ba%5D"),
        ("/d#a#%20", "https://shop.example/d#a%23%20"),
    ])
    func `a target is resolved according to RFC 3986`(location: String, expected: String) throws {
        #expect(try Self.redirected(to: location)?.proposed.url?.absoluteString == expected)
    }

    @Test(arguments: [200, 300, 304, 305, 306, 399, 404] as [HTTPStatus])
    func `other statuses are not redirects`(status: HTTPStatus) throws {
        #expect(try Self.redirected(status: status, to: "/d") == nil)
    }

    @Test func `a 302 without Location is not a redirect`() throws {
        #expect(try Self.redirected(to: nil) == nil)
    }

    @Test(
        arguments: [
            (.post, 301, "GET", false), (.post, 302, "GET", false), (.post, 303, "GET", false),
            (.post, 307, "POST", true), (.post, 308, "POST", true), (.put, 301, "PUT", true),
            (.put, 303, "GET", false), (.head, 303, "HEAD", false), (.delete, 302, "DELETE", true),
        ] as [(HTTPMethod, HTTPStatus, String, Bool)])
    func `the status determines method and body`(
        method: HTTPMethod, status: HTTPStatus, expected: String, keepsBody: Bool
    ) throws {
        let hop = try #require(try Self.redirected(method: method, status: status, to: "/d"))
        #expect(hop.proposed.httpMethod == expected)
        #expect((hop.proposed.httpBody != nil) == keepsBody)
        if !keepsBody { #expect(hop.proposed.value(forHTTPHeaderField: "Content-Type") == nil) }
    }

    @Test(arguments: [
        ("/there, /there", "https://shop.example/there"),
        ("//bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
    ])
    func `repeated fields and international hosts are understood`(location: String, target: String) throws {
        #expect(try Self.redirected(to: location)?.proposed.url?.absoluteString == target)
    }

    @Test func `a policy is offered a request without most headers if the origin changes`() throws {
        let near = try #require(try Self.redirected(to: "https://SHOP.example:443/d")).proposed
        #expect(near.value(forHTTPHeaderField: "Authorization") == "Bearer t")
        let other = try #require(try Self.redirected(to: "https://other.example/")).proposed
        #expect(other.allHTTPHeaderFields == ["Accept": "application/json"])
    }
}
