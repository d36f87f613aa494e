import Foundation
import MockTransport
import Testing

/// Replies that a socket cannot transmit as they are in the process.
@Suite struct LoopbackDifferenceTests {
    private let server = MockServer {
        Route("/error") { Reply.error(URLError(.notConnectedToInternet)) }
        Route("/throws") { _ in throw CancellationError() }
        Route("/passthrough") { Reply.passthrough }
        Route("/handler") { _ in .passthrough }
        Route("/twice") {
            Reply.text("first")
            Reply.text("second")
        }
    }

    private func answers(_ path: String, count: Int = 1) async throws -> (String, TestSocket.End?) {
        let request = "GET /\(path) HTTP/1.1\r\nHost: localhost\r\n"
        let requests = String(repeating: "\(request)\r\n", count: count - 1) + request
        return try await server.answer(to: "\(requests)Connection: close\r\n\r\n")
    }

    @Test(arguments: ["error", "throws"])
    func `an error instead of a response closes the connection`(path: String) async throws {
        let (text, end) = try await answers(path)
        #expect(text.isEmpty)
        #expect(end == .closed)
    }

    @Test(arguments: ["passthrough", "handler"])
    func `a reply that passes the request through receives 500 with the reason`(path: String) async throws {
        let (text, _) = try await answers(path)
        #expect(text.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
        #expect(text.contains("Reply.passthrough works only in the process"))
    }

    @Test func `a request after the last reply receives 501 with the reason`() async throws {
        let (text, _) = try await answers("twice", count: 3)
        let replies = text.components(separatedBy: "HTTP/1.1 ").dropFirst()
        #expect(replies.map { $0.prefix(3) } == ["200", "200", "501"])
        #expect(text.contains(#"is request 3 for Route("/twice")"#))
    }
}
