import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import MockTransport

/// `timeoutInterval` of a request or session in the process, on the clock of the server.
@Suite struct InactivityTimeoutTests {
    private let url = URL(literal: "http://shop.example/items")
    private let clock = VirtualClock()

    private func timedOut(_ server: MockServer, after timeout: TimeInterval) async -> Duration {
        var request = URLRequest(url: url)
        request.timeoutInterval = timeout
        let timed = request
        let error = await #expect(throws: URLError.self) { try await server.text(timed) }
        #expect(error?.code == .timedOut)
        #expect(error?.failingURL == url)
        return clock.now.offset
    }

    @Test(
        arguments: [
            (.text("tea").fault(.stall(.beforeHead)), 7), (.text("tea").fault(.stall(.afterHead)), 7),
            (.text("tea").fault(.stall(.inBody(after: 2))), 7), (.text("tea").fault(.stall(.atEnd)), 7),
            // The default.
            (.fault(.stall(.afterHead)), 60), (.text("tea").delay(.seconds(3_600)), 5),
        ] as [(Reply, TimeInterval)])
    func `a reply that stalls or is late times out after the interval`(
        reply: Reply, interval: TimeInterval
    ) async throws {
        let server = MockServer(clock: clock) { Route(.any) { reply } }
        #expect(await timedOut(server, after: interval) == .seconds(interval))
    }

    @Test(.linuxOnly("URLSession on Apple platforms passes the interval in the request"))
    func `a stalled reply times out after the interval of the session`() async throws {
        let server = MockServer(clock: clock) { Route(.any) { Reply.fault(.stall(.afterHead)) } }
        let configuration = server.configuration
        configuration.timeoutIntervalForRequest = 9
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: configuration).data(from: url)
        }
        #expect(error?.code == .timedOut)
        #expect(clock.now.offset == .seconds(9))
    }

    @Test(
        arguments: [
            (.text("tea").delay(.seconds(60)), 60),
            (.text("tea").dribble(chunks: 3, over: .seconds(150)), 150),
        ] as [(Reply, Int)])
    func `neither a delay of the interval nor a body whose parts arrive within it is a timeout`(
        reply: Reply, seconds: Int
    ) async throws {
        let server = MockServer(clock: clock) { Route(.any) { reply } }
        #expect(try await server.text("http://shop.example/items") == "tea")
        #expect(clock.now.offset == .seconds(seconds))
    }

    @Test func `a handler that takes longer than the interval times out`() async throws {
        let clock = clock
        let server = MockServer(clock: clock) {
            Route(.any) { _ in
                try await clock.sleep(for: .seconds(100))
                return .text("late")
            }
        }
        #expect(await timedOut(server, after: 30) == .seconds(30))
    }

    @Test func `a stream without an element for the interval times out`() async throws {
        let clock = clock
        let server = MockServer(clock: clock) {
            Route(.any) { _ in
                .stream(
                    AsyncStream<Data> { continuation in
                        Task {
                            for pause in [20, 20, 20, 100] {
                                try await clock.sleep(for: .seconds(pause))
                                continuation.yield(Data("tea".utf8))
                            }
                        }
                    })
            }
        }
        #expect(await timedOut(server, after: 30) == .seconds(90))
    }

    @Test(arguments: [0, 31_536_000, .infinity, .nan, -1])
    func `an interval of a year, of zero or that is not a number has no effect`(
        interval: TimeInterval
    ) async throws {
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("tea").delay(.seconds(86_400)) } }
        var request = URLRequest(url: url)
        request.timeoutInterval = interval
        #expect(try await server.text(request) == "tea")
    }

    @Test func `a suspended task does not time out`() async throws {
        let clock = VirtualClock(.stepped)
        let isPaused = LockedState(true)
        let timeouts = LockedState(0)
        let timer = InactivityTimer(.seconds(60), ServerClock(clock), url) { isPaused.withLock { $0 } }
        timer.start { timeouts.withLock { $0 += 1 } }
        // A stepped clock does not advance for timeouts alone.
        async let wait: Void = clock.sleep(for: .seconds(100))
        try await clock.advance(by: .seconds(100))
        try await wait
        // The next check is one timeout later.
        #expect(timer.deadlineReached() == .seconds(160))
        #expect(timeouts.withLock { $0 } == 0)
        isPaused.withLock { $0 = false }
        #expect(timer.deadlineReached() == nil)
        #expect(timeouts.withLock { $0 } > 0)
        timer.stop()
    }

    @Test func `a timeout on a real clock ends the request`() async throws {
        let server = MockServer { Route(.any) { Reply.fault(.stall(.afterHead)) } }
        var request = URLRequest(url: url)
        request.timeoutInterval = 0.05
        let timed = request
        let error = await #expect(throws: URLError.self) { try await server.text(timed) }
        #expect(error?.code == .timedOut)
    }
}
