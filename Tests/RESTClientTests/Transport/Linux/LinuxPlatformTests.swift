// Tests of the Linux folder of the transport, which is empty on Apple platforms.
#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@testable import RESTClient

@Suite struct LinuxPlatformTests {
    @Test func `a task starts on the calling thread`() {
        let starter = TaskStarter()
        for _ in 0...TaskStarter.maxCallers {
            let hasStarted = LockedState(false)
            LinuxPlatform.start(by: starter) { hasStarted.withLock { $0 = true } }
            #expect(hasStarted.withLock { $0 })
        }
    }

    @Test func `while two callers start tasks, other tasks start on the queue`() {
        let starter = TaskStarter()
        let hasStarted = LockedState(false)
        starter.queue.suspend()
        LinuxPlatform.start(by: starter) {
            LinuxPlatform.start(by: starter) {
                LinuxPlatform.start(by: starter) { hasStarted.withLock { $0 = true } }
            }
        }
        #expect(!hasStarted.withLock { $0 })
        starter.queue.resume()
        starter.queue.sync {}
        #expect(hasStarted.withLock { $0 })
    }

    @Test(
        arguments: [
            ("transfer closed with 7 bytes remaining to read", incomplete),
            ("transfer closed with outstanding read data remaining", incomplete),
            ("SSL certificate problem: self-signed certificate", .connection(.tls)),
            (
                "Error while processing content unencoding: incorrect header check",
                .invalidResponse(.invalidContentEncoding)
            ),
            (
                "Failed writing received data to disk/application",
                .invalidResponse(.invalidContentEncoding)
            ),
            ("Out of memory", .invalidResponse(.unparsable("the header is too large"))),
            ("Something else", .connection(.other)),
        ] as [(String, RESTClientError.Kind)])
    func `a message of libcurl determines the kind of a failure`(
        text: String, expected: RESTClientError.Kind
    ) {
        let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(LinuxPlatform.errorKind(of: error, incomplete: Self.incomplete, hasHead: false) == expected)
    }

    @Test(
        arguments: [
            ("HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .connection(.reset)),
            ("HTTP/2 stream 1 was not closed cleanly: REFUSED_STREAM (err 7)", .connection(.reset)),
            (
                "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream",
                .connection(.reset)
            ),
            (
                "HTTP/2 stream 1 was closed cleanly, but before getting  all response header fields, treated as error",
                .connection(.reset)
            ),
            ("HTTP/2 stream 1 reset by server (error 0x8 CANCEL)", .connection(.reset)),
            ("Error in the HTTP2 framing layer", .connection(.reset)),
            ("Connection died, tried 5 times before giving up", .connection(.reset)),
            ("Failure when receiving data from the peer", .connection(.reset)),
            ("OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 0", .connection(.reset)),
            (
                "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0",
                .connection(.reset)
            ),
            ("nghttp2 shuts down connection with error 2: INTERNAL_ERROR", .connection(.reset)),
            // A header field that violates the protocol, or a request that the server rejects.
            (
                "HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)",
                .invalidResponse(
                    .unparsable("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)"))
            ),
        ] as [(String, RESTClientError.Kind)])
    func `a connection or HTTP/2 stream that fails is lost before the head, and an incomplete body after it`(
        text: String, early: RESTClientError.Kind
    ) throws {
        let url = try #require(URL(string: "https://shop.example/"))
        let head = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: "HTTP/2", headerFields: ["Content-Length": "10"])
        let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(RESTClientError.Kind(error, head: nil, received: 0) == early)
        #expect(RESTClientError.Kind(error, head: head, received: 3) == Self.incomplete)
    }

    private static let incomplete = RESTClientError.Kind.incompleteBody(received: 3, expected: 10)

    // The documentation advises against this option. If the test fails, the platform has repaired it.
    @Test func `a JSON5 number with two signs of base 16 ends the process`() async {
        await #expect(processExitsWith: .failure) {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            _ = try? decoder.decode([Int].self, from: Data("[0x0X]".utf8))
        }
    }

    @Test func `a request cancelled in the start queue is not sent`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = SessionManager(configuration: server.configuration)
        let events = manager.events()
        let door = DispatchSemaphore(value: 0)
        let starter = LinuxPlatform.starter
        for _ in 0..<TaskStarter.maxCallers {
            while !starter.addCaller() { await Task.yield() }
        }
        defer { for _ in 0..<TaskStarter.maxCallers { starter.removeCaller() } }
        starter.queue.async { door.wait() }
        defer { door.signal() }

        let url = try #require(URL(string: "http://shop.example/items"))
        let call = Task { try await manager.request(url).data() }
        for await event in events { if case .attempt = event.kind { break } }
        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        door.signal()
        await withCheckedContinuation { done in starter.queue.async { done.resume() } }
        #expect(server.requests.isEmpty)
    }
}
#endif
