import Foundation
import MockTransport
import RESTClientHTTP
import Testing

/// Informational responses before a reply.
@Suite struct InformationalTests {
    private let server = MockServer {
        Route(.get, "/tea") {
            Reply.text("tea").informational(103, headers: ["Link": "</style.css>; rel=preload"])
                .informational(102)
        }
        Route("/late") { Reply.text("late").informational(103).delay(.milliseconds(5)) }
        Route("/wrong") { Reply.text("x").informational(200) }
    }

    @Test func `informational responses precede the reply on a socket`() async throws {
        let one = "GET /tea HTTP/1.1\r\nHost: localhost\r\n"
        let (text, end) = try await server.answer(to: "\(one)\r\n\(one)Connection: close\r\n\r\n")
        #expect(
            text.hasPrefix(
                """
                HTTP/1.1 103 Early Hints\r
                Link: </style.css>; rel=preload\r
                \r
                HTTP/1.1 102 \r
                \r
                HTTP/1.1 200 OK\r

                """))
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 3, "the connection is kept")
        #expect(end == .closed)
    }

    @Test func `a client of HTTP 1·0 receives no informational response`() async throws {
        let (text, _) = try await server.answer(to: "GET /tea HTTP/1.0\r\nHost: localhost\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test(arguments: ["tea", "late"])
    func `URLSession receives the final response only`(path: String) async throws {
        let loopback = try await server.listen()
        #expect(try await loopback.reply(to: path) == (path, 200))
        #expect(try await server.text("http://shop.example/\(path)") == path, "the same in the process")
    }

    @Test func `another status is refused`() async throws {
        let error = try await server.refusal(of: "http://shop.example/wrong")
        #expect(error == "200 is not the status of an informational response: use 100, 102 or 103")
    }
}
