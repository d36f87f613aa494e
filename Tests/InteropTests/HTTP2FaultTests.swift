import Foundation
import RESTClient
import RESTClientTestingSupport
import Testing

/// The faults of a server with HTTP/2 (`Scripts/interop.d/http2-faults`), with the kinds of the same faults over HTTP/1.1.
@Suite(.running(.faulty), .hangLimit) struct HTTP2FaultTests {
    /// A fault, with the failure if it occurs before the head of the response. In the body, it is `late`, or else an
    /// incomplete body.
    struct Row: Sendable {
        let fault: String
        let phases: [String]
        let early: RESTClientError.Kind?
        let late: RESTClientError.Kind?

        init(
            _ fault: String, _ early: RESTClientError.Kind? = nil, late: RESTClientError.Kind? = nil,
            in phases: String...
        ) {
            (self.fault, self.early, self.late) = (fault, early, late)
            self.phases = phases.isEmpty ? ["head", "start", "body", "end"] : phases
        }
    }

    static let rows = [
        // The connection is reset or closed, or the server sends no more.
        Row("reset", .connection(.reset)),
        Row("close", .connection(.reset)),
        Row("kill", .connection(.reset)),
        Row("stall", .timedOut(.idle), late: .timedOut(.idle)),
        // The stream is reset, or ends early.
        Row("stream", .connection(.reset)),
        Row("cancel", .connection(.reset)),
        // At the end, libcurl 7.88 takes the body for a complete one.
        Row("noerror", .connection(.reset), in: "head", "start", "body"),
        Row("refused", .connection(.reset)),
        Row("cut", in: "start", "body"),
        // The server ends the connection: with an error, because it reloads, or before it has processed the stream.
        Row("goaway", .connection(.reset)),
        Row("reload", .connection(.reset)),
        Row("unprocessed", .connection(.reset)),
        // The server does not send HTTP/2.
        Row("frame", .connection(.emptyReply), in: "head", "start", "body"),
        Row("text", .connection(.emptyReply), in: "head", "start", "body"),
        // More bytes than the head announces, a field name with a capital letter, and a body that is not gzip.
        Row("length", in: "body"),
        Row("header", .connection(.reset), in: "head"),
        Row("gzip", .invalidResponse(.unparsable("")), in: "head"),
    ]

    static let faults = rows.flatMap { row in row.phases.map { (row, $0) } }

    private let body = Data((0..<160).flatMap { _ in UInt8.min...UInt8.max })

    private func request(
        _ row: Row, _ phase: String, _ name: String, _ method: HTTPMethod = .get
    ) throws -> DataRequest {
        let manager = SessionManager(
            interceptors: [.retry(RetryPolicy(backoff: .constant(.zero), budget: nil))])
        var request = try manager.request(
            Servers.faulty("/\(row.fault)/\(phase)/\(name)"), method: method,
            body: method == .post ? .data(Data("tea".utf8), type: "text/plain") : nil)
        if row.early == .timedOut(.idle) { request.options.timeouts = Timeouts(idle: .seconds(1)) }
        return request
    }

    @Test(arguments: faults)
    func `a fault has the kind of the same fault over HTTP 1.1, and a POST is not retried`(
        row: Row, phase: String
    ) async throws {
        let post = try request(row, phase, "always", .post)
        let failure = await #expect(throws: RESTClientError.self) { try await post.data() }
        #expect(failure?.attempts.count == 1)
        let get = try request(row, phase, "always")
        let error = try #require(await #expect(throws: RESTClientError.self) { try await get.data() })
        switch (phase == "head" ? row.early : row.late, error.kind) {
        case (.invalidResponse?, .invalidResponse): break
        // A reset discards the bytes that the system has received and the client has not read (RFC 9293, section 3.10.7.4).
        case (nil, .connection(.reset)) where row.fault == "reset": break
        case (nil, .incompleteBody(let received, let expected)):
            #expect((received > 0) == (phase != "start"))
            #expect(expected == (phase == "end" ? nil : Int64(body.count)))
        case (let expected, let kind): #expect(kind == expected)
        }
    }

    @Test(arguments: faults)
    func `a GET is retried after a fault, and a download continues`(row: Row, phase: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "restclient-interop-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        if case .invalidResponse = row.early {
            let request = try request(row, phase, "always")
            let error = await #expect(throws: RESTClientError.self) { try await request.data() }
            return #expect(error?.attempts.count == 1)
        }
        #expect(try await request(row, phase, "\(UUID())").data() == body)
        let file = folder.appending(path: "body")
        let response = try await request(row, phase, "\(UUID())").download(to: file)
        #expect(try Data(contentsOf: file) == body)
        // After a reset, nothing may have been received that could be continued (RFC 9293, section 3.10.7.4).
        if phase == "body", row.fault != "reset" { #expect(try response.attempts.last?.outcome.get() == 206) }
    }

    @Test func `a request that the server refuses is sent at most twice in each attempt`() async throws {
        let name = "always-\(UUID())"
        let request = try request(Row("refused"), "head", name)
        let error = await #expect(throws: RESTClientError.self) { try await request.data() }
        let count = try await SessionManager().request(Servers.faulty("/count/refused/\(name)")).string()
        #expect(try #require(Int(count)) <= 2 * #require(error).attempts.count)
    }

    /// A server with TLS announces the end of a body without a length (RFC 9112, section 9.8).
    @Test(arguments: ["close", "kill"])
    func `a body without a length is complete only with the end of TLS`(fault: String) async throws {
        let manager = SessionManager(connection: ConnectionOptions(usesHTTP1Only: true), interceptors: [])
        let request = try manager.request(Servers.faulty("/\(fault)"))
        if fault == "close" { return #expect(try await request.string() == "1\n2\n") }
        let error = await #expect(throws: RESTClientError.self) { try await request.data() }
        #expect(error?.kind == .incompleteBody(received: 4, expected: nil))
    }
}
