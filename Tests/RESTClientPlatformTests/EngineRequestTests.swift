// Tests of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import RESTClientPlatform

/// The requests that a server receives.
@Suite(.hangLimit) struct EngineRequestTests {
    private static func echo() throws -> RawServer {
        try RawServer.serving { connection in
            while case let request = connection.readRequest(), !request.isEmpty {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    @Test func `a request that was answered with 417 is not repeated`() async throws {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
            while !connection.readRequest().isEmpty {}
        }
        let record = try await ConnectionPool(maxConnectionsPerHost: 1).exchange(
            server, method: "PUT", headers: [("Expect", "100-continue")], body: .data(Data("tea".utf8)))
        #expect(record.head?.status == 417)
        #expect(record.failure == nil)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["/a/../b/./c", "/a/%2E%2E/b?c=/../d", "/../a/.."])
    func `a path is sent as it is`(path: String) async throws {
        let server = try Self.echo()
        let record = try await ConnectionPool(maxConnectionsPerHost: 1).exchange(server, path)
        #expect(record.failure == nil)
        #expect(server.requests.first?.hasPrefix("GET \(path) HTTP/1.1\r\n") == true)
    }

    @Test func `a field is sent without the blanks at its ends`() async throws {
        let server = try Self.echo()
        let fields = [("X-A", " \t1 2\t "), ("X-B", " "), ("X-C", "caf\u{E9}"), ("EXPECT", " ")]
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        _ = try await pool.exchange(server, method: "PUT", headers: fields, body: .data(Data("tea".utf8)))
        let request = try #require(server.requests.first)
        #expect(request.contains("\r\nX-A: 1 2\r\nX-B:\r\nX-C: caf\u{E9}\r\nEXPECT:\r\n"))
    }

    private static let letters = Data((0..<300_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })

    enum Source: String, CaseIterable, Sendable {
        case none, data, slice, file, stream, chunks

        func body(_ bytes: Data) throws -> TransferBody? {
            switch self {
            case .none: return nil
            case .data: return .data(bytes)
            case .slice: return .data((Data("--".utf8) + bytes + Data("--".utf8)).dropFirst(2).dropLast(2))
            case .file:
                let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                try (bytes + Data("more".utf8)).write(to: file)
                return .file(path: file.path, length: Int64(bytes.count))
            case .stream: return .stream(StreamBody(InputStream(data: bytes), length: Int64(bytes.count)))
            case .chunks: return .stream(StreamBody(InputStream(data: bytes)))
            }
        }
    }

    @Test(
        arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"], Source.allCases)
    func `a request is received as it was sent, on one connection`(
        method: String, source: Source
    ) async throws {
        let server = try Self.echo()
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        for size in source == .none ? [0] : [0, 5, 300_000] {
            let bytes = Self.letters.prefix(size)
            let body = try source.body(bytes)
            defer { if case .file(let path, _)? = body { try? FileManager.default.removeItem(atPath: path) } }
            let record = try await pool.exchange(
                server, method: method, headers: [("X-Empty", ""), ("X", "1")], body: body)
            #expect(record.failure == nil)
            #expect(record.head?.status == 200)
            let request = try #require(server.requests.last)
            let end = try #require(request.range(of: "\r\n\r\n"))
            let head = request[..<end.lowerBound].components(separatedBy: "\r\n")
            #expect(head.first == "\(method) / HTTP/1.1")
            #expect(head.contains("X-Empty:") && head.contains("X: 1"))
            let framing = head.filter {
                $0.hasPrefix("Content-Length") || $0.hasPrefix("Transfer-Encoding") || $0.hasPrefix("Expect")
            }
            switch source {
            case .none:
                #expect(framing == (["POST", "PUT", "PATCH"].contains(method) ? ["Content-Length: 0"] : []))
            case .chunks: #expect(framing == ["Transfer-Encoding: chunked"])
            default: #expect(framing == ["Content-Length: \(size)"])
            }
            var received = String(request[end.upperBound...])
            if source == .chunks { received = Self.dechunked(received) }
            #expect(received == String(decoding: bytes, as: UTF8.self))
            #expect(record.sent == Int64(size))
        }
        #expect(server.connections == 1)
    }

    @Test func `a FIFO in place of a file is a failure, and no transfer waits for it`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let (result, isRead) = (LockedState<Bool?>(nil), DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
            defer { buffer.deallocate() }
            let reader = BodyReader(.file(path: path, length: 5))
            if case .failure = reader.read(buffer, resume: {}) { result.withLock { $0 = true } }
            isRead.signal()
        }
        let isInTime = isRead.wait(timeout: .now() + 10) == .success
        #expect(isInTime)
        // Otherwise, a writer ends the wait.
        if !isInTime { close(open(path, O_WRONLY | O_NONBLOCK)) }
        #expect(result.withLock { $0 } == true)
    }

    private static func dechunked(_ text: String) -> String {
        var rest = text.utf8[...], result = ""
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let size = Int(Substring(rest[..<end]), radix: 16), size > 0
        {
            let chunk = rest[end...].dropFirst(2)
            result += Substring(chunk.prefix(size))
            rest = chunk.dropFirst(size + 2)
        }
        return result
    }

    @Test(arguments: ["Content-Length: 3\r\n\r\ntea", "Content-Length: 0\r\n\r\n"])
    func `a response that is complete before its server closes the connection is received`(
        rest: String
    ) async throws {
        let server = try RawServer.serving { connection in
            _ = connection.read(10)
            connection.send("HTTP/1.1 200 OK\r\n\(rest)")
        }
        for _ in 0..<10 {
            let pool = ConnectionPool(maxConnectionsPerHost: 1)
            let record = try await pool.exchange(server, method: "PUT", body: .data(Data(count: 8 << 20)))
            // The reset of the connection discards what was not read yet (RFC 9293, section 3.10.7.4).
            #expect(record.failure == nil || record.head == nil)
        }
    }

    /// The server neither reads the rest of the request nor closes the connection.
    @Test(arguments: [
        ["Content-Length: 3\r\n\r\ntea"], ["Transfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n0\r\n\r\n"],
        ["Transfer-Encoding: chunked\r\n\r\n1\r\nt\r", "\n2\r\nea\r\n0\r\nX: 1", "\r\n\r\n"],
    ])
    func `a response that is complete before the request was received ends the request`(
        parts: [String]
    ) async throws {
        let server = try RawServer.serving { connection in
            _ = connection.read(10)
            connection.send("HTTP/1.1 200 OK\r\n")
            for part in parts {
                connection.send(part)
                usleep(10_000)
            }
            connection.keepOpen()
        }
        for accepts in [true, false] {
            // A body that is paused, and received later, is received as a whole.
            let recorder = Recorder(accepts: { accepts || $0.refusals > 0 })
            let request = TransferRequest(
                url: try server.url("/").absoluteString, method: "PUT", body: .data(Data(count: 32 << 20)))
            let transfer = ConnectionPool(maxConnectionsPerHost: 1).start(request, recorder)
            if !accepts {
                await recorder.wait { $0.refusals > 0 }
                transfer.resume()
            }
            let record = await recorder.wait()
            #expect(record.hasEnded)
            #expect(record.failure == nil)
            #expect(record.text == "tea")
        }
    }

    @Test func `a body that cannot be read is an error`() async throws {
        let server = try Self.echo()
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        let missing = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let used = InputStream(data: Data("tea".utf8))
        used.open()
        used.close()
        let bodies: [TransferBody] = [
            .stream(StreamBody(used)),
            .file(path: missing.path, length: 5), .file(path: "/dev/null", length: 5),
            .file(path: "/tmp", length: 5),
            .stream(StreamBody(InputStream(url: missing) ?? InputStream(data: Data()))),
            .stream(StreamBody(InputStream(data: Data("tea".utf8)), length: 5)),
        ]
        for body in bodies {
            let record = try await pool.exchange(server, method: "POST", body: body)
            #expect(record.failure != nil, "\(body)")
            #expect(record.endCount == 1)
        }
    }
}
#endif
