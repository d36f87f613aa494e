import Foundation
import RESTClient
import RESTClientTestingSupport
import Testing

/// Timeouts and cancellation on the real clock with slow servers.
@Suite(.running(.httpbin), .hangLimit) struct TimeoutTests {
    private let manager = SessionManager()
    private let clock = ContinuousClock()
    /// The upper bound for a test that times out; long limit for a busy machine.
    private let limit = Duration.seconds(20)

    @Test(arguments: ["/delay/5", "/drip?duration=5&numbytes=5&delay=0"])
    func `the total timeout ends a slow response`(path: String) async throws {
        let start = clock.now
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.httpbin(path)).timeout(.seconds(1)).response()
        }
        #expect(error?.kind == .timedOut(.total))
        #expect((Duration.seconds(1)..<limit).contains(start.duration(to: clock.now)))
    }

    @Test func `the idle timeout ends a request without a response`() async throws {
        var request = try manager.request(Servers.silent("/"))
        request.options.timeouts = Timeouts(idle: .seconds(1))
        let start = clock.now
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(error?.kind == .timedOut(.idle))
        #expect((Duration.seconds(1)..<limit).contains(start.duration(to: clock.now)))
    }

    @Test func `received bytes restart the idle timeout`() async throws {
        var request = try manager.request(Servers.httpbin("/drip?duration=2&numbytes=8&delay=0"))
        request.options.timeouts = Timeouts(idle: .seconds(1))
        #expect(try await request.data().count == 8)
    }

    @Test func `a cancelled request ends immediately`() async throws {
        let url = try Servers.silent("/")
        let call = Task { try await manager.request(url).response() }
        let start = clock.now
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(start.duration(to: clock.now) < limit)
    }

    @Test func `cancelAll cancels a running request`() async throws {
        let manager = SessionManager()
        let url = try Servers.silent("/")
        let started = AsyncStream.makeStream(of: Void.self)
        let call = Task {
            try await manager.request(url)
                .interceptors(
                    .adapt { _ in started.continuation.yield() }
                ).response()
        }
        for await _ in started.stream { break }
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
