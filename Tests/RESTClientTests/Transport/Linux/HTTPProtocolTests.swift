// Tests of the protocol that sends requests on Linux.
#if canImport(FoundationNetworking)
import Foundation
import RESTClient
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// Responses that end or block a process that receives them with URLSession's own protocol, and plain sessions.
@Suite(.hangLimit) struct HTTPProtocolTests {
    private static func session() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = SessionManager.protocolClasses
        return URLSession(configuration: configuration)
    }

    /// Returns a server that answers each connection with a response to its requests.
    private static func server(_ responses: String...) throws -> RawServer {
        try RawServer.serving { connection in
            for response in responses where !connection.readRequest().isEmpty { connection.send(response) }
            connection.keepOpen()
        }
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n0\r\nX-Sum: 7\r\n\r\n",
        "X: caf\u{E9}\r\nContent-Length: 3\r\n\r\ntea",
        "X: a\r\r\nContent-Length: 3\r\n\r\ntea",
        "Content-Length: 3\nX: bare line feeds\n\ntea",
    ])
    func `an unusual response is received`(rest: String) async throws {
        let server = try RawServer { _ in
            // As Latin-1, in which the last character of café is one byte.
            [.bytes("HTTP/1.1 200 OK\r\n\(rest)".data(using: .isoLatin1) ?? Data()), .silence]
        }
        #expect(try await SessionManager().request(server.url("/")).string() == "tea")
        #expect(try await Self.session().data(from: server.url("/")).0 == Data("tea".utf8))
    }

    @Test func `a response that nobody asked for is not that of the next request`() async throws {
        let (timeouts, timeout) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer.serving { connection in
            guard !connection.readRequest().isEmpty else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            timeout.yield()
            connection.keepOpen()
        }
        let manager = SessionManager()
        var sent = timeouts.makeAsyncIterator()
        for number in 1...30 {
            #expect(try await manager.request(server.url("/\(number)")).string() == "ok")
            // The next request is sent when the 408 waits on the connection.
            await sent.next()
        }
    }

    @Test func `the body of a redirect that does not end is not received`() async throws {
        let server = try RawServer.serving { connection in
            guard connection.readRequest().contains("/old") else {
                return connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea")
            }
            connection.send("HTTP/1.1 302 Found\r\nLocation: /new\r\n\r\n")
            while connection.send(Data(count: 64 << 10)) {}
        }
        let manager = SessionManager()
        #expect(try await manager.request(server.url("/old")).string() == "tea")
        var body = Data()
        for try await chunk in try await manager.request(server.url("/old")).stream().body { body += chunk }
        #expect(body == Data("tea".utf8))
    }

    @Test func `other managers are served during a body that does not end`() async throws {
        let endless = try RawServer.serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send(Data(count: 64 << 10)) {}
        }
        let other = try Self.server("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea")
        let stream = try await SessionManager().request(endless.url("/")).stream().body
        let reader = Task { for try await _ in stream {} }
        for _ in 0..<10 { #expect(try await SessionManager().request(other.url("/")).string() == "tea") }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func `an IPv6 address is connected to`() async throws {
        let error = try await failure { try await SessionManager().request("http://[::1]:1/").data() }
        #expect(error.kind == .connection(.refused))
    }

    /// A protocol of the caller that does not answer any request.
    private final class Declining: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { false }
    }

    @Test func `a request that a protocol of the caller declines is sent, with its file`() async throws {
        let server = try Self.server("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Declining.self] + (configuration.protocolClasses ?? [])
        let scratch = try ScratchDirectory()
        let file = scratch.url.appending(path: "leaf")
        try Data("leaf".utf8).write(to: file)
        let manager = SessionManager(configuration: configuration)
        let request = try manager.request(server.url("/"), method: .put, body: .file(file))
        #expect(try await request.timeout(.seconds(30)).string() == "tea")
        #expect(server.requests.first?.contains("Content-Length: 4\r\n") == true)
    }

    // MARK: Plain sessions

    @Test func `a plain session follows redirects`() async throws {
        let server = try RawServer.serving { connection in
            while case let request = connection.readRequest(), !request.isEmpty {
                connection.send(
                    request.contains("/old")
                        ? "HTTP/1.1 302 Found\r\nLocation: ../new\r\nContent-Length: 4\r\n\r\ngone"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea")
            }
        }
        let (body, response) = try await Self.session().data(from: server.url("/shop/old"))
        #expect(body == Data("tea".utf8))
        #expect(response.url == (try server.url("/new")))
    }

    @Test func `a plain session uploads, and sends the fields of its configuration`() async throws {
        let server = try RawServer.serving { connection in
            while !connection.readRequest().isEmpty {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea")
            }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = SessionManager.protocolClasses
        configuration.httpAdditionalHeaders = ["X-Shop": "7"]
        var request = URLRequest(url: try server.url("/"))
        request.httpMethod = "PUT"
        let (body, _) = try await URLSession(configuration: configuration).upload(
            for: request, from: Data("leaf".utf8))
        #expect(body == Data("tea".utf8))
        let received = try #require(server.requests.first)
        #expect(received.contains("X-Shop: 7\r\n"))
        #expect(received.contains("Content-Length: 4\r\n"))
        #expect(received.hasSuffix("\r\n\r\nleaf"))
    }

    @Test func `a plain session refuses a download task with the reason`() async throws {
        let server = try Self.server("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea")
        let url = try server.url("/")
        let error: URLError? = await withCheckedContinuation { continuation in
            Self.session().downloadTask(with: url) { _, _, error in
                continuation.resume(returning: error as? URLError)
            }.resume()
        }
        #expect(error?.code == .unsupportedURL)
        #expect(error?.localizedDescription.contains("download task") == true)
    }
}
#endif
