import Foundation
import MockTransport
import RESTClientPlatform
import RESTClientTestSupport
import Testing

// Compares the errors of the mock with those of libcurl. CFNetwork describes the same failures in other
// words.
#if canImport(FoundationNetworking)
/// Each fault in the process compared with the same fault on a socket.
@Suite struct FaultTests {
    private static let body = "0123456789"
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
    private static let length = head + "Content-Length: 10\r\n\r\n"
    private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"

    static let pairs: [(Fault, [RawServer.Action])] = [
        (.emptyReply, [.close]),
        (.malformedHead, [.send("GARBAGE\r\n\r\n"), .close]),
        (.malformedChunk, [.send(chunked + "5\r\n01234\r\nZZ\r\n"), .close]),
        (.invalidGzip, [.send(head + "Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n" + body)]),
        (.reset(.beforeHead), [.reset]),
        (.reset(.afterHead), [.send(length), .reset]),
        (.reset(.inBody(after: 4)), [.send(length + "0123"), .reset]),
        (.reset(.inBody(after: 10)), [.send(chunked + "a\r\n\(body)\r\n"), .reset]),
        (.reset(.atEnd), [.send(chunked + "a\r\n\(body)\r\n"), .reset]),
        (.close(.beforeHead), [.close]),
        (.close(.afterHead), [.send(length), .close]),
        (.close(.inBody(after: 4)), [.send(length + "0123"), .close]),
        (.close(.atEnd), [.send(chunked + "a\r\n\(body)\r\n"), .close]),
        (.contentLength(offBy: 5), [.send(head + "Content-Length: 15\r\n\r\n" + body), .close]),
        (.contentLength(offBy: -5), [.send(head + "Content-Length: 5\r\n\r\n" + body), .close]),
        (.truncatedGzip, [.bytes(truncatedGzip), .close]),
    ]

    /// Half of a gzip file with a single stored block (RFC 1951, section 3.2.4).
    private static var truncatedGzip: Data {
        let file: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1, 10, 0, 0xF5, 0xFF] + Array("01234".utf8)
        return Data((head + "Content-Encoding: gzip\r\nContent-Length: \(file.count)\r\n\r\n").utf8)
            + Data(file)
    }

    @Test(arguments: pairs)
    func `a fault gives the same error as on a socket`(fault: Fault, wire: [RawServer.Action]) async throws {
        let mock = MockServer { Route(.any) { Reply.text(Self.body).fault(fault) } }
        let raw = try RawServer { _ in wire }
        let url = try raw.url("/items")
        let inProcess = try await transcript(of: url, with: mock.configuration)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [HTTPProtocol.self]
        let onSocket = try await transcript(of: url, with: configuration)

        #expect(inProcess.response?.statusCode == onSocket.response?.statusCode)
        #expect(inProcess.body == onSocket.body)
        #expect(inProcess.lines.last == onSocket.lines.last)
        #expect(inProcess.error?.localizedDescription == onSocket.error?.localizedDescription)
        let keys = { (error: (any Error)?) in (error as? URLError).map { $0.userInfo.keys.sorted() } }
        #expect(keys(inProcess.error) == keys(onSocket.error))
    }

    @Test(arguments: [
        (
            Fault.refused, "http://127.0.0.1:9/items", URLError.Code.cannotConnectToHost,
            "Failed to connect to 127.0.0.1 port 9 "
        ),
        (
            .hostNotFound, "http://nowhere.invalid/items", .cannotFindHost,
            "Could not resolve host: nowhere.invalid"
        ),
        (
            .tlsFailure, "https://shop.example/items", .serverCertificateUntrusted,
            "SSL certificate problem: self-signed certificate"
        ),
    ])
    func `a fault before there is a connection gives the same error as on a socket`(
        fault: Fault, url: String, code: URLError.Code, text: String
    ) async throws {
        let mock = MockServer { Route(.any) { Reply.fault(fault) } }
        let error = try await transcript(of: try #require(URL(string: url)), with: mock.configuration).error
        #expect((error as? URLError)?.code == code)
        #expect(error?.localizedDescription.hasPrefix(text) == true)
    }

    @Test(arguments: [Fault.Phase.beforeHead, .afterHead, .inBody(after: 4), .atEnd])
    func `a stalled reply sends nothing until the client cancels`(moment: Fault.Phase) async throws {
        let mock = MockServer { Route(.any) { Reply.text(Self.body).fault(.stall(moment)) } }
        let recorder = Recorder()
        let session = mock.session(recorder, isInline: true)
        let task = session.dataTask(with: try #require(URL(string: "http://shop.example/items")))
        async let end = recorder.run(task)
        _ = try await mock.requests(count: 1)
        let expected: [Transcript.Line] =
            switch moment {
            case .beforeHead: []
            case .afterHead: [.head(200)]
            case .inBody: [.head(200), .chunk("0123")]
            case .atEnd: [.head(200), .chunk("0123456789")]
            }
        while recorder.transcript(of: task)?.lines.count ?? 0 < expected.count { await Task.yield() }
        #expect(recorder.transcript(of: task)?.lines ?? [] == expected)
        DispatchQueue.global().async { task.cancel() }
        let lines = await end.lines
        #expect(lines == expected + [.failure(URLError.cancelled.rawValue)])
    }

    @Test func `a HEAD request fails only for faults before the body`() async throws {
        let mock = MockServer {
            Route("/broken") { Reply.text("tea").fault(.reset(.beforeHead)) }
            Route("/whole") { Reply.text("tea").fault(.reset(.inBody(after: 1))) }
        }
        let (_, response) = try await mock.data(URLRequest("http://shop.example/whole", method: "HEAD"))
        #expect(response.statusCode == 200)
        await #expect(throws: URLError.self) {
            try await mock.data(URLRequest("http://shop.example/broken", method: "HEAD"))
        }
    }

    private func transcript(
        of url: URL, with configuration: URLSessionConfiguration
    ) async throws -> Transcript {
        let recorder = Recorder()
        let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return await recorder.run(session.dataTask(with: url))
    }
}
#endif
