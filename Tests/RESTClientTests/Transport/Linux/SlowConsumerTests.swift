// Tests of the Linux folder of the transport, which is empty on Apple platforms.
#if canImport(FoundationNetworking)
import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// A streamed body whose consumer does not read, while no other request of the session is active.
@Suite(.hangLimit) struct SlowConsumerTests {
    private static let size = 16 << 20

    /// A server of a large and a small body on a socket, and a session that must not write to a file.
    private struct Setup {
        let loopback: LoopbackServer
        let clock = VirtualClock(.stepped)
        let manager: SessionManager

        init(maxSpillBytes: Int64 = 0) async throws {
            let server = MockServer {
                Route(.get, "/large") { Reply.data(Data(count: SlowConsumerTests.size)).repeats() }
                Route(.get, "/small") { Reply.text("tea").repeats() }
            }
            loopback = try await server.listen()
            manager = SessionManager(
                options: RequestOptions(timeouts: Timeouts(idle: .seconds(5)), maxSpillBytes: maxSpillBytes),
                clock: clock)
        }

        func url(_ path: String) -> URL { loopback.url.appending(path: path) }

        /// Returns a stream of the large body after the session has stopped to read it.
        func stalledStream() async throws -> ByteStream {
            let stream = try await manager.request(url("large")).stream().body
            while !manager.transport.delegate.throttle.isWaiting {
                try await Task.sleep(for: .milliseconds(1))
            }
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
        #expect(try await setup.length(of: stream) == Self.size)
        #expect(!setup.manager.transport.delegate.throttle.isWaiting)
    }

    @Test func `other sessions do not wait for the consumer`() async throws {
        let setup = try await Setup()
        let stream = try await setup.stalledStream()
        let plain = URLSession(configuration: .ephemeral)
        for _ in 0..<5 {
            #expect(try await plain.data(from: setup.url("small")).0 == Data("tea".utf8))
        }
        #expect(setup.manager.transport.delegate.throttle.isWaiting)
        #expect(try await setup.length(of: stream) == Self.size)
    }

    @Test(arguments: [true, false])
    func `a transfer that waits for its consumer can be cancelled`(isReleased: Bool) async throws {
        let setup = try await Setup()
        var stream: ByteStream? = try await setup.stalledStream()
        if isReleased { stream = nil } else { setup.manager.cancelAll() }
        await setup.manager.shutdown()
        #expect(!setup.manager.transport.delegate.throttle.isWaiting)
        if let stream {
            await #expect(throws: CancellationError.self) { try await setup.length(of: stream) }
        }
    }

    @Test func `the total timeout ends a transfer that waits for its consumer`() async throws {
        let setup = try await Setup()
        let stream = try await setup.manager.request(setup.url("large")).timeout(.seconds(30)).stream().body
        while !setup.manager.transport.delegate.throttle.isWaiting {
            try await Task.sleep(for: .milliseconds(1))
        }
        try await setup.clock.passTime(.seconds(31))
        let error = await #expect(throws: RESTClientError.self) { try await setup.length(of: stream) }
        #expect(error?.kind == .timedOut(.total))
        #expect(!setup.manager.transport.delegate.throttle.isWaiting)
    }

    @Test func `a request of the same session is not delayed by a transfer that waits`() async throws {
        let setup = try await Setup(maxSpillBytes: 1 << 30)
        let stream = try await setup.stalledStream()
        #expect(try await setup.manager.request(setup.url("small")).string() == "tea")
        #expect(try await setup.length(of: stream) == Self.size)
    }
}
#endif
