import Foundation
import RESTClient
import Testing

/// Deadlines and cancellation on the real clock, against servers that take their time.
@Suite(.running(.httpbin), .timeLimit(.minutes(5))) struct TimeTests {
    private let manager = SessionManager()
    private let clock = ContinuousClock()
    /// Less than what a deadline that is not held would take, and time for a machine that has other work.
    private let enough = Duration.seconds(20)

    @Test(arguments: ["/delay/5", "/drip?duration=5&numbytes=5&delay=0"])
    func `the total deadline ends a slow answer`(path: String) async throws {
        let start = clock.now
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.httpbin(path)).timeout(.seconds(1)).response()
        }
        #expect(error?.kind == .timedOut(.total))
        #expect((Duration.seconds(1)..<enough).contains(start.duration(to: clock.now)))
    }

    @Test func `the idle deadline ends a silent one`() async throws {
        var request = try manager.request(Servers.silent("/"))
        request.options.timeouts = Timeouts(idle: .seconds(1))
        let start = clock.now
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(error?.kind == .timedOut(.idle))
        #expect((Duration.seconds(1)..<enough).contains(start.duration(to: clock.now)))
    }

    @Test func `bytes put the idle deadline off`() async throws {
        var request = try manager.request(Servers.httpbin("/drip?duration=2&numbytes=8&delay=0"))
        request.options.timeouts = Timeouts(idle: .seconds(1))
        #expect(try await request.data().count == 8)
    }

    @Test func `a cancelled call ends at once`() async throws {
        let url = try Servers.silent("/")
        let call = Task { try await manager.request(url).response() }
        let start = clock.now
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(start.duration(to: clock.now) < enough)
    }

    @Test func `cancelAll ends what is in flight`() async throws {
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
