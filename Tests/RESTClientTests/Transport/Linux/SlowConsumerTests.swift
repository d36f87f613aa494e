// Tests of the engine for Linux. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// A streamed body whose consumer does not read, while the server would send more.
@Suite(.hangLimit) struct SlowConsumerTests {
    private static let chunk = Data(count: 256 << 10)
    private static let chunkCount = 128

    /// A server of a large and a small body on a socket.
    private struct Setup {
        let loopback: LoopbackServer
        let clock = VirtualClock(.stepped)
        let manager: SessionManager
        /// The number of chunks that the server has sent.
        let sent = LockedState(0)

        init() async throws {
            let server = MockServer { [sent] in
                Route(.get, "/large") {
                    Reply.stream(
                        AsyncStream {
                            let number = sent.next()
                            return number <= SlowConsumerTests.chunkCount ? SlowConsumerTests.chunk : nil
                        }
                    ).repeats()
                }
                Route(.get, "/small") { Reply.text("tea").repeats() }
            }
            loopback = try await server.listen()
            manager = SessionManager(
                options: RequestOptions(timeouts: Timeouts(idle: .seconds(5))), clock: clock)
        }

        func url(_ path: String) -> URL { loopback.url.appending(path: path) }

        /// Returns a stream of the large body after the server has noticed that it is not read.
        func stalledStream(timeout: Duration? = nil) async throws -> ByteStream {
            let request = manager.request(url("large"))
            let stream = try await (timeout.map { request.timeout($0) } ?? request).stream().body
            var last = -1
            while case let count = sent.withLock({ $0 }), count != last || count == 0 {
                last = count
                for _ in 0..<20 { _ = try await manager.request(url("small")).string() }
            }
            #expect(last < SlowConsumerTests.chunkCount, "the transfer did not wait")
            return stream
        }

        func length(of stream: ByteStream) async throws -> Int {
            var length = 0
            for try await chunk in stream { length += chunk.count }
            return length
        }
    }

    @Test func `a transfer waits for its consumer, without a timeout`() async throws {
        let setup = try await Setup()
        let stream = try await setup.stalledStream()
        try await setup.clock.passTime(.seconds(80))
        #expect(try await setup.length(of: stream) == Self.chunk.count * Self.chunkCount)
    }

    @Test(arguments: [true, false])
    func `a transfer that waits for its consumer can be cancelled`(isReleased: Bool) async throws {
        let setup = try await Setup()
        var stream: ByteStream? = try await setup.stalledStream()
        if isReleased { stream = nil } else { setup.manager.cancelAll() }
        await setup.manager.shutdown()
        if let stream {
            await #expect(throws: CancellationError.self) { try await setup.length(of: stream) }
        }
    }

    @Test func `the total timeout ends a transfer that waits for its consumer`() async throws {
        let setup = try await Setup()
        let stream = try await setup.stalledStream(timeout: .seconds(30))
        try await setup.clock.passTime(.seconds(31))
        #expect(try await failure { try await setup.length(of: stream) }.kind == .timedOut(.total))
    }
}
#endif
