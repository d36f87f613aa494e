import Foundation
import RESTClientTestSupport
import Testing

@testable import RESTClient

/// Bodies of requests on connections that fail (PLATFORM A22, A23).
@Suite struct UploadTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    /// Returns bodies of `size` bytes, one of each kind that is sent in its own way.
    private func bodies(_ size: Int) throws -> [RequestBody] {
        let data = Data(repeating: UInt8(ascii: "x"), count: size)
        let file = scratch.url.appending(path: "\(size).bin")
        try data.write(to: file)
        return [
            .data(data), .file(file),
            .stream {
                AsyncStream { continuation in
                    continuation.yield(data)
                    continuation.finish()
                }
            },
            .multipart(RequestBody.Part("part", .file(file))),
        ]
    }

    /// Replies to the first request of each connection, and reads the second one before it calls `end`.
    private static func server(
        end: @escaping @Sendable (RawServer.Connection) -> Void = { _ in }
    ) throws -> RawServer {
        try RawServer.serving { connection in
            guard !connection.readRequest().isEmpty else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            if !connection.readRequest().isEmpty { end(connection) }
        }
    }

    @Test(arguments: [false, true])
    func `a POST on a reused connection that ends without a response is sent once`(isReset: Bool) async throws
    {
        for (number, body) in try bodies(5_000).enumerated() {
            let server = try Self.server { if isReset { $0.reset() } }
            let manager = SessionManager()
            _ = try await manager.request(server.url("/first")).response()
            let request = manager.request(try server.url("/second"), method: .post, body: body)
            let error = await #expect(throws: RESTClientError.self, "body \(number)") {
                try await request.response()
            }
            #expect(error?.kind == .connection(.emptyReply) || error?.kind == .connection(.reset))
            // A repetition may begin, but its body is never complete.
            let length = 5_000
            #expect(server.requests.filter { $0.hasPrefix("POST") && $0.utf8.count > length }.count == 1)
        }
    }

    @Test(arguments: ["PUT", "POST with a key"])
    func `an idempotent request on a reused connection is repeated with its body`(
        request name: String
    ) async throws {
        for body in try bodies(5_000) {
            let server = try Self.server()
            let manager = SessionManager()
            _ = try await manager.request(server.url("/first")).response()
            let isPut = name == "PUT"
            let response = try await manager.request(
                server.url("/second"), method: isPut ? .put : .post,
                headers: isPut ? [:] : [.idempotencyKey: "1"], body: body
            ).response()
            #expect(response.status == 200)
            let sent = server.requests.filter { $0.contains("/second") }
            #expect(sent.count == 2)
            let bodies = sent.map {
                $0.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
            }
            #expect(bodies.first == bodies.last)
            #expect((bodies.first?.utf8.count ?? 0) >= 5_000)
        }
    }

    /// libcurl sends `Expect` with bodies of more than 1 MB.
    @Test(arguments: [1, 5_000, 1_100_000])
    func `a body is sent with its length and without Expect`(size: Int) async throws {
        for body in try bodies(size) {
            let server = try RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] }
            _ = try await SessionManager().request(server.url("/"), method: .post, body: body).response()
            // The whole request has a megabyte.
            let start = String(try #require(server.requests.first).prefix(4_000))
            let head = try #require(start.components(separatedBy: "\r\n\r\n").first).lowercased()
            #expect(head.contains("\r\ncontent-length: "))
            #expect(!head.contains("transfer-encoding"))
            #expect(!head.contains("expect:"))
        }
    }

    /// With `uploadTask(with:fromFile:)`, URLSession ends the process after 1 to 74 of these uploads.
    @Test(arguments: ["reset", "cancel", "deadline"])
    func `an upload that ends while it is sent is an error`(ending: String) async throws {
        let server = try RawServer.serving { connection in
            _ = connection.read(300)
            switch ending {
            case "reset": connection.reset()
            // Nothing more is read until the client closes the connection.
            default: connection.pause(0.05)
            }
        }
        let manager = SessionManager()
        let request = { @Sendable (body: RequestBody) in
            let request = manager.request(try server.url("/"), method: .post, body: body)
            return ending == "deadline" ? request.timeout(.milliseconds(20)) : request
        }
        for body in try bodies(4_096) + bodies(8 << 20) {
            await withTaskGroup { group in
                for delay in stride(from: 0, to: 12, by: 4) {
                    group.addTask {
                        let upload = Task { try await request(body).response() }
                        if ending == "cancel" {
                            try? await Task.sleep(for: .milliseconds(delay))
                            upload.cancel()
                        }
                        await #expect(throws: (any Error).self) { try await upload.value }
                    }
                }
            }
        }
    }

    /// Sends a response after the start of a request, and reads no more.
    private static func server(answering response: String) throws -> RawServer {
        try RawServer.serving { connection in
            _ = connection.read(300)
            connection.send("HTTP/1.1 \(response)")
            connection.keepOpen()
        }
    }

    /// The server sends a whole response and does not read the body. Over HTTP/2, nginx does the same.
    @Test(
        arguments: [
            "200 OK\r\nContent-Length: 5\r\n\r\nearly", "204 No Content\r\n\r\n",
            "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
        ])
    func `a response that is complete before the body was sent ends the upload`(response: String) async throws
    {
        let server = try Self.server(answering: response)
        let manager = SessionManager()
        for body in try bodies(16 << 20) {
            let data = try await manager.request(server.url("/"), method: .put, body: body).data()
            #expect(data == Data((response.hasSuffix("early") ? "early" : "").utf8))
        }
    }

    /// A part of a response is not a success, and neither is a response that may be longer.
    @Test(
        arguments: ["200 OK\r\nContent-Length: 6\r\n\r\nearly", "200 OK\r\n\r\nearly"])
    func `a response that is not complete before the body was sent is a timeout`(
        response: String
    ) async throws {
        let server = try Self.server(answering: response)
        let manager = SessionManager(options: RequestOptions(timeouts: Timeouts(idle: .milliseconds(300))))
        let request = try manager.request(server.url("/"), method: .put, body: .data(Data(count: 16 << 20)))
        #expect(try await failure { try await request.data() }.kind == .timedOut(.idle))
    }

    @Test(arguments: [307, 413])
    func `a redirect or an error that is complete before the body was sent ends the upload at once`(
        status: Int
    ) async throws {
        let server = try Self.server(answering: "\(status) No\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
        let manager = SessionManager(options: RequestOptions(redirects: .doNotFollow))
        let request = try manager.request(server.url("/"), method: .put, body: .data(Data(count: 16 << 20)))
        let error = try await failure { try await request.data() }
        #expect(error.response?.status == HTTPStatus(rawValue: status))
    }

    @Test func `a file that becomes shorter while it is sent is an error`() async throws {
        let file = scratch.url.appending(path: "shrinking.bin")
        try Data(count: 20 << 20).write(to: file)
        let server = try RawServer.serving { connection in
            _ = connection.read(300)
            try? FileHandle(forWritingTo: file).truncate(atOffset: 1_000)
            while !connection.read(1 << 20).isEmpty {}
        }
        let request = SessionManager().request(try server.url("/"), method: .post, body: .file(file))
        #expect(try await failure { try await request.response() }.kind == .invalidRequest(.bodyFileChanged))
    }

    @Test func `a progress handler receives the number of bytes and the total`() async throws {
        let server = try RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] }
        for body in try bodies(300_000) {
            let last = LockedState<TransferProgress?>(nil)
            _ = try await SessionManager().request(server.url("/"), method: .post, body: body)
                .progress { progress in last.withLock { $0 = progress.sent > 0 ? progress : $0 } }.response()
            let progress = try #require(last.withLock { $0 })
            #expect(progress.sent >= 300_000)
            #expect(progress.toSend == progress.sent)
        }
    }
}
