import Foundation
import Testing

@testable import MockTransport

/// The exact bytes of requests and responses.
@Suite struct LoopbackServerTests {
    let server = MockServer {
        Route(.get, "/tea") { Reply.text("tea") }
        Route(.head, "/tea") { Reply.text("tea") }
        Route(.get, "/none") { Reply.status(204) }
        Route(.get, "/reset-content") { Reply.status(205) }
        Route(.get, "/chunks") { Reply.stream(.chunks("te", "a"), as: .text) }
        Route(.head, "/chunks") { Reply.stream(.chunks("te", "a"), as: .text) }
        Route(.get, "/twice") { Reply.text("x").header(.setCookie, "a=1").header(.setCookie, "b=2") }
        Route(.post, "/echo") { request in .text("\(request.body.count) \(request.text.prefix(40))") }
        Route("http://shop.example/tea") { Reply.text("the shop's") }
        Route("/wait") { request in
            try await Task.sleep(for: .seconds(3_600))
            return .text("late")
        }
    }
    private let host = "Host: localhost\r\n"
    private let close = "Host: localhost\r\nConnection: close\r\n\r\n"

    @Test func `a reply contains only the head and body of the route`() async throws {
        let (text, end) = try await server.answer(to: "GET /tea HTTP/1.1\r\n\(close)")
        #expect(
            text == """
                HTTP/1.1 200 OK\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Length: 3\r
                Connection: close\r
                \r
                tea
                """)
        #expect(end == .closed)
    }

    @Test func `a connection answers consecutive and pipelined requests`() async throws {
        let one = "GET /tea HTTP/1.1\r\n\(host)\r\n"
        let (text, end) = try await server.answer(to: one + one + "GET /chunks HTTP/1.1\r\n\(close)")
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
        #expect(text.hasSuffix("\r\n\r\n2\r\nte\r\n1\r\na\r\n0\r\n\r\n"))
        #expect(end == .closed)
        #expect(server.requests.map(\.url.path) == ["/tea", "/tea", "/chunks"])
    }

    @Test func `a request can arrive byte by byte`() async throws {
        let loopback = try await server.listen()
        let client = try TestSocket(loopback)
        for byte in "\r\nPOST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n".utf8 {
            client.send(Data([byte]))
        }
        for byte in "2;x=y\r\nte\r\n1\r\na\r\n0\r\nTrailer: 1\r\n\r\nGET /none HTTP/1.1\r\n\(close)".utf8 {
            client.send(Data([byte]))
        }
        let (text, _) = await client.receive()
        #expect(text.contains("\r\n\r\n3 teaHTTP/1.1 204 No Content\r\n"))
    }

    @Test func `a HEAD request receives only the head`() async throws {
        let (text, _) = try await server.answer(
            to: "HEAD /tea HTTP/1.1\r\n\(host)\r\nHEAD /chunks HTTP/1.1\r\n\(close)")
        #expect(text.contains("Content-Length: 3\r\n\r\nHTTP/1.1 200 OK"))
        #expect(text.hasSuffix("Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"))
    }

    @Test(arguments: [
        Reply.status(1_000), .file(URL(literal: "file:///none")), .passthrough,
        .file(URL(literal: "file:///none")).delay(.milliseconds(1)),
    ])
    func `a reply that cannot be sent is an error, of which a HEAD request receives only the head`(
        reply: Reply
    ) async throws {
        let server = MockServer { Route("/tea") { reply } }
        let (text, _) = try await server.answer(
            to: "HEAD /tea HTTP/1.1\r\n\(host)\r\nGET /tea HTTP/1.1\r\n\(close)")
        let replies = text.components(separatedBy: "HTTP/1.1 500 Internal Server Error\r\n")
        try #require(replies.count == 3, "\(text)")
        #expect(replies[0].isEmpty)
        #expect(replies[1].hasSuffix("\r\n\r\n"))
        #expect(!replies[2].hasSuffix("\r\n\r\n"))
    }

    @Test func `a reply without a body announces no content`() async throws {
        let (text, _) = try await server.answer(
            to: "GET /none HTTP/1.1\r\n\(host)\r\nGET /reset-content HTTP/1.1\r\n\(close)")
        #expect(
            text == """
                HTTP/1.1 204 No Content\r\n\r
                HTTP/1.1 205 Reset Content\r
                Content-Length: 0\r
                Connection: close\r\n\r\n
                """)
    }

    @Test(arguments: [("1.1", "", true), ("1.1", "t", false), ("1.0", "", false)])
    func `a client that expects 100-continue receives it, unless it has begun to send the body`(
        version: String, start: String, isExpected: Bool
    ) async throws {
        let client = try TestSocket(try await server.listen())
        let head = "POST /echo HTTP/\(version)\r\n\(host)Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        client.send(head + start)
        let first = await client.receive(within: isExpected ? .seconds(1_000) : .milliseconds(20)) {
            $0.hasSuffix("\r\n\r\n")
        }
        #expect(first.text == (isExpected ? "HTTP/1.1 100 Continue\r\n\r\n" : ""))
        client.send(String("tea".dropFirst(start.count)))
        let second = await client.receive { $0.hasSuffix("3 tea") }
        #expect(second.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func `an HTTP/1.0 client receives no chunked coding`() async throws {
        let loopback = try await server.listen()
        let (text, end) = try await loopback.answer(to: "GET /chunks HTTP/1.0\r\n\r\n")
        #expect(text.hasSuffix("Connection: close\r\n\r\ntea"))
        #expect(!text.contains("Transfer-Encoding"))
        #expect(end == .closed)
        let kept = try TestSocket(loopback)
        kept.send("GET /tea HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let reply = await kept.receive { $0.hasSuffix("tea") }
        #expect(reply.text.contains("Connection: keep-alive\r\n"))
    }

    @Test func `a client can use the server as a proxy`() async throws {
        let (text, _) = try await server.answer(to: "GET http://shop.example/tea HTTP/1.1\r\n\(close)")
        #expect(text.hasSuffix("the shop's"))
        #expect(server.requests.map(\.url.absoluteString) == ["http://shop.example/tea"])
    }

    @Test func `a request that matches no route receives the error message`() async throws {
        let (text, _) = try await server.answer(to: "GET /tee HTTP/1.1\r\n\(close)")
        #expect(text.hasPrefix("HTTP/1.1 501 Not Implemented\r\n"))
        #expect(
            text.contains(
                "GET http://localhost/tee matches none of the 10 routes of the mock server; nearest first:")
        )
    }

    @Test(arguments: [true, false])
    func `a head of exactly the limit is accepted`(isExact: Bool) async throws {
        let head = "GET /tea HTTP/1.1\r\n\(close)"
        let loopback = try await server.listen { $0.headBytes = head.utf8.count - (isExact ? 0 : 1) }
        let (text, _) = try await loopback.answer(to: head)
        #expect(text.hasPrefix(isExact ? "HTTP/1.1 200 " : "HTTP/1.1 431 "))
    }

    @Test(arguments: [true, false])
    func `a body of exactly the limit is accepted, as a whole or in chunks`(isExact: Bool) async throws {
        let loopback = try await server.listen { $0.bodyBytes = isExact ? 9 : 8 }
        let chunks = String(repeating: "3\r\ntea\r\n", count: 3) + "0\r\n\r\n"
        for (field, body) in [("Transfer-Encoding: chunked", chunks), ("Content-Length: 9", "teateatea")] {
            let (text, _) = try await loopback.answer(
                to: "POST /echo HTTP/1.1\r\n\(field)\r\n\(close)\(body)")
            #expect(isExact ? text.hasSuffix("9 teateatea") : text.hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `a disconnected client cancels its handler`() async throws {
        let (ended, report) = AsyncStream<Void>.makeStream()
        let server = MockServer {
            Route("/wait") { _ in
                await withTaskCancellationHandler {
                    try? await Task.sleep(for: .seconds(3_600))
                } onCancel: {
                    report.finish()
                }
                return .text("late")
            }
        }
        let loopback = try await server.listen()
        var client: TestSocket? = try TestSocket(loopback)
        client?.send("GET /wait HTTP/1.1\r\n\(host)\r\n")
        _ = try await server.requests(count: 1)
        client = nil
        for await _ in ended {}
    }

    @Test func `a closed server refuses connections`() async throws {
        let loopback = try await server.listen()
        let idle = try TestSocket(loopback)
        let busy = try TestSocket(loopback)
        busy.send("GET /wait HTTP/1.1\r\n\(host)\r\n")
        _ = try await server.requests(count: 1)
        await loopback.close()
        #expect(await idle.receive().end != .timedOut)
        #expect(await busy.receive().end != .timedOut)
        #expect(throws: POSIXError.self) { try TestSocket(loopback) }
    }

    @Test func `a deallocated loopback server answers at its URL`() async throws {
        let url = try await server.listen().url
        let (data, _) = try await URLSession(configuration: .ephemeral).data(from: url.appending(path: "tea"))
        #expect(String(decoding: data, as: UTF8.self) == "tea")
        #expect(server.requests.count == 1)
    }

    @Test func `another server can use the port of a deallocated loopback server`() async throws {
        let port = try await server.listen().url.port ?? 0
        let other = MockServer { Route(.any) { Reply.text("other") } }
        let again = try await other.listen(port: port)
        let (text, _) = try await again.answer(to: "GET / HTTP/1.1\r\n\(close)")
        #expect(text.hasSuffix("other"))
        #expect(server.requests.isEmpty)
        await again.close()
    }

    @Test func `a server can be deallocated immediately`() async throws {
        let loopback = try await MockServer { Route(.any) { Reply.text("still there") } }.listen()
        let (text, _) = try await loopback.answer(to: "GET / HTTP/1.1\r\n\(close)")
        #expect(text.hasSuffix("still there"))
    }

    @Test func `listening on a port in use throws`() async throws {
        let loopback = try await server.listen()
        await #expect(throws: POSIXError.self) { try await server.listen(port: loopback.url.port ?? 0) }
        await #expect(throws: POSIXError.self) { try await server.listen(port: 70_000) }
    }

    @Test func `the server keeps the configured number of requests`() async throws {
        let loopback = try await server.listen { $0.recordedRequests = 10 }
        let one = "POST /echo HTTP/1.1\r\n\(host)Content-Length: 1\r\n\r\nx"
        _ = try await loopback.answer(
            to: String(repeating: one, count: 100) + "GET /tea HTTP/1.1\r\n\(close)")
        #expect(try await server.requests(count: 101).count < 20)
        #expect(server.requests.last?.url.path == "/tea")
    }
}
