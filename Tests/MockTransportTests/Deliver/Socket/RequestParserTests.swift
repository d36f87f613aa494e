import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

@Suite struct RequestParserTests {
    private func parser(_ text: String, bodyBytes: Int = 100) -> RequestParser {
        var limits = LoopbackServer.Limits()
        limits.bodyBytes = bodyBytes
        var parser = RequestParser(authority: "127.0.0.1:80", limits: limits)
        Array(text.utf8).withUnsafeBytes { parser.append($0) }
        return parser
    }

    @Test func `white space around a field value is not part of it`() throws {
        var parser = parser("GET / HTTP/1.1\r\nHost:\t x\t \r\nX-A: a b \r\nX-B: \r\n\r\n")
        let next = try parser.next()
        let message = try #require(next)
        #expect(message.head.headers["X-A"] == "a b")
        #expect(message.head.headers["X-B"] == "")
        #expect(message.head.url.absoluteString == "http://x/")
    }

    @Test func `requests on a connection have their own heads, also if one is repeated`() throws {
        let paths = ["/a", "/a", "/b", "/b", "/a", "/longer"]
        var parser = parser(paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        let found = try paths.map { _ in try parser.next()?.head.url.path }
        #expect(found == paths)
    }

    @Test(arguments: [("", true), ("5\r\n", true), ("5", false), ("5\r\nt", false)])
    func `a client that has begun to send the body does not wait for a 100`(body: String, waits: Bool) throws
    {
        var parser = parser(
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        let message = try parser.next()
        #expect(message == nil)
        let expectations = [parser.takeContinueExpectation(), parser.takeContinueExpectation()]
        #expect(expectations == [waits, false])
    }

    @Test(arguments: [
        "Content-Length: 3\r\n\r\ntea", "Transfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n0\r\n\r\n",
    ])
    func `a body may have exactly the maximum size`(rest: String) throws {
        let text = "POST / HTTP/1.1\r\nHost: x\r\n" + rest
        var exact = parser(text, bodyBytes: 3)
        let message = try exact.next()
        #expect(message?.body == Data("tea".utf8))
        var small = parser(text, bodyBytes: 2)
        let error = #expect(throws: HTTPError.self) { _ = try small.next() }
        #expect(error?.status == 413)
    }

    @Test func `an expectation in HTTP 1.0 is ignored`() throws {
        var parser = parser("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        let message = try parser.next()
        let waits = parser.takeContinueExpectation()
        #expect(message == nil && !waits)
    }
}
