import Foundation
import MockTransport
import RESTClientTestingSupport
import RESTClient
import Testing

@Suite struct TimeoutTests {
    private static let shop = "http://shop.example/items"

    private static func manager(
        _ server: MockServer, _ clock: VirtualClock, _ timeouts: Timeouts = Timeouts()
    ) -> SessionManager { server.manager(options: RequestOptions(timeouts: timeouts), clock: clock) }

    @Test(arguments: [nil, .seconds(7), .milliseconds(250)] as [Duration?])
    func `the default idle timeout is 30 seconds, and the total timeout is exact`(
        total: Duration?
    ) async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(3600)) } }
        var request = Self.manager(server, clock).request(Self.shop)
        if let total { request = request.timeout(total) }
        let answer = Task { [request] in try await request.response() }
        try await clock.advance(by: total ?? .seconds(30))
        let error = await #expect(throws: RESTClientError.self) { try await answer.value }
        #expect(error?.kind == .timedOut(total == nil ? .idle : .total))
        #expect(error?.attempts.first?.duration == total ?? .seconds(30))
    }

    @Test func `received data restarts the idle timeout`() async throws {
        let clock = VirtualClock(.stepped)
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = MockServer(clock: clock) {
            Route(.get, "/items") { Reply.stream(chunks) }
            Route(.get, "/tick") { Reply.status(204).delay(.seconds(20)) }
        }
        let manager = Self.manager(server, clock)
        let url = try #require(URL(string: Self.shop))

        let call = Task { try await manager.request(url).stream().body }
        _ = try await server.requests(count: 1)
        source.yield(Data("cup".utf8))
        var body = try await call.value.makeAsyncIterator()
        #expect(try await body.next() == Data("cup".utf8))
        for letter in ["t", "e", "a"] {
            // The tick is a wait on the server's clock that advances the time.
            let tick = Task {
                try await manager.request(url.deletingLastPathComponent().appending(path: "tick")).response()
            }
            source.yield(Data(letter.utf8))
            #expect(try await body.next() == Data(letter.utf8))
            #expect(try await clock.advance() == .seconds(20))
            _ = try await tick.value
        }
        source.finish()
        #expect(try await body.next() == nil)
    }

    @Test func `the total timeout includes redirects and waits`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.get, "/items") { Reply.redirect(to: "/a").delay(.seconds(4)) }
            Route(.get, "/a") { Reply.redirect(to: "/b").delay(.seconds(4)) }
            Route(.get, "/b") { Reply.text("late").delay(.seconds(4)) }
        }
        let request = Self.manager(server, clock).request(Self.shop).timeout(.seconds(10))

        let answer = Task { try await request.response() }
        #expect(try await clock.advance() == .seconds(4))
        #expect(try await clock.advance() == .seconds(4))
        try await clock.advance(by: .seconds(2))
        let error = try await failure { try await answer.value }
        #expect(error.kind == .timedOut(.total))
        #expect(error.url?.path() == "/b")
    }

    @Test func `a request without timeouts does not time out`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) { Reply.text("late").delay(.seconds(86_400 * 30)) }
        }
        let manager = Self.manager(server, clock, Timeouts(idle: nil))
        let request = manager.request(Self.shop)
        let answer = Task { try await request.string() }
        #expect(try await clock.advance() == .seconds(86_400 * 30))
        #expect(try await answer.value == "late")
    }

    @Test func `a wait longer than the remaining total timeout fails immediately`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let (clock, events) = (VirtualClock(.stepped), EventLog())
        let manager = server.manager(
            .intercept { request, context, next in
                try await context.wait(.seconds(11), because: "a test")
                return try await next(request)
            }, monitor: events.monitor, clock: clock)
        let request = manager.request(Self.shop).timeout(.seconds(10))
        #expect(try await failure { try await request.response() }.kind == .timedOut(.total))
        #expect(events.lines.contains("waiting 11 s would exceed the total timeout: a test"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a body whose source stalls times out`(endsOnCancellation: Bool) async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let gate = Gate()
        let (parts, source) = AsyncStream.makeStream(of: Data.self)
        let body = RequestBody.stream {
            endsOnCancellation
                ? parts
                : AsyncStream {
                    await gate.pass()
                    return nil
                }
        }
        let request = Self.manager(server, clock, Timeouts(idle: .seconds(5))).request(
            Self.shop, method: .put, body: body)
        let answer = Task { try await request.response() }
        source.yield(Data("cup".utf8))
        await clock.passTime(.seconds(5), until: answer)
        #expect(try await failure { try await answer.value }.kind == .timedOut(.idle))
        #expect(server.requests.isEmpty)
        gate.open()
    }

    @Test(arguments: [.seconds(Int64.max), Duration(attoseconds: .max)])
    func `a timeout that exceeds the range of the clock never elapses`(timeout: Duration) async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let manager = server.manager(options: RequestOptions(timeouts: Timeouts(idle: timeout)))
        let request = manager.request(Self.shop)
        #expect(try await request.string() == "tea")
        #expect(try await request.timeout(timeout).string() == "tea")
    }

    @Test(arguments: [.zero, .seconds(-1), Duration(attoseconds: .min)])
    func `a timeout of zero or less elapses immediately`(timeout: Duration) async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(3600)) } }
        let manager = server.manager()
        let request = manager.request(Self.shop).timeout(timeout)
        #expect(try await failure { try await request.response() }.kind == .timedOut(.total))
    }

    @Test func `a wait that exceeds the range of the clock can be cancelled`() async throws {
        let (waiting, source) = AsyncStream.makeStream(of: Void.self)
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = server.manager(
            .intercept { request, context, next in
                source.finish()
                try await context.wait(Duration(attoseconds: .max), because: "a test")
                return try await next(request)
            })
        let request = manager.request(Self.shop)
        let call = Task { try await request.response() }
        for await _ in waiting {}
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `the total timeout ends the encoding of a body`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.status(200) }.optional() }
        let stalled = RequestBody.stream { AsyncStream<Data>.makeStream().stream }
        for body in [stalled, .multipart(.init("file", stalled))] {
            let request = Self.manager(server, clock).request(Self.shop, method: .post, body: body).timeout(
                .seconds(7))
            let answer = Task { try await request.response() }
            await clock.passTime(.seconds(7), until: answer)
            let error = try await failure { try await answer.value }
            #expect(error.kind == .timedOut(.total))
            #expect(error.method == .post)
        }
        #expect(server.requests.isEmpty)
    }

    @Test
    func `a timed-out request sends nothing more, even if an interceptor ignores the error`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(20)) } }
        let manager = server.manager(
            .intercept { request, _, next in
                do { return try await next(request) } catch { return try await next(request) }
            }, clock: clock)
        let request = manager.request(Self.shop).timeout(.seconds(7))
        let answer = Task { try await request.response() }
        try await clock.advance(by: .seconds(7))
        #expect(try await failure { try await answer.value }.kind == .timedOut(.total))
        #expect(server.requests.count == 1)
    }

    @Test func `deadlines work with a clock whose sleep fails`() async throws {
        let clock = SleeplessClock()
        let server = MockServer(clock: VirtualClock(.stepped)) {
            Route(.any) { Reply.text("late").delay(.seconds(3600)) }
        }
        let manager = server.manager(clock: clock)
        let request = manager.request(Self.shop)
        let calls = (1...2).map { _ in Task { try await request.response() } }
        _ = try await server.requests(count: 2)
        clock.advance(by: .seconds(30))
        for call in calls {
            #expect(try await failure { try await call.value }.kind == .timedOut(.idle))
        }
    }

    /// A clock whose `sleep` fails.
    private final class SleeplessClock: Clock, Sendable {
        private struct CannotSleep: Error {}

        private let offset = LockedState(Duration.zero)

        var now: VirtualClock.Instant { VirtualClock().now.advanced(by: offset.withLock { $0 }) }
        var minimumResolution: Duration { .zero }

        func advance(by duration: Duration) { offset.withLock { $0 += duration } }
        func sleep(until deadline: VirtualClock.Instant, tolerance: Duration?) async throws {
            throw CannotSleep()
        }
    }
}
