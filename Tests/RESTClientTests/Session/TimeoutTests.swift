import Foundation
import HTTPCore
import MockTransport
import RESTClient
import Testing

@Suite struct TimeoutTests {
    private static let shop = "http://shop.example/items"

    private static func manager(
        _ server: MockServer, _ clock: VirtualClock, _ timeouts: Timeouts = Timeouts()
    ) -> SessionManager {
        SessionManager(
            configuration: server.configuration, options: RequestOptions(timeouts: timeouts), clock: clock)
    }

    @Test func `thirty seconds without a byte are too many`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(3600)) } }
        let request = Self.manager(server, clock).request(try #require(URL(string: Self.shop)))

        let answer = Task { try await request.response() }
        try await clock.advance(by: .seconds(30))
        let error = await #expect(throws: RESTClientError.self) { try await answer.value }
        #expect(error?.kind == .timedOut(.idle))
        #expect(error?.attempts.first?.total == .seconds(30))
    }

    @Test func `bytes put the idle timeout off`() async throws {
        let clock = VirtualClock(.stepped)
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = MockServer(clock: clock) {
            Route(.get, "/items") { Reply.stream(chunks) }
            Route(.get, "/tick") { Reply.status(204).delay(.seconds(20)) }
        }
        let manager = Self.manager(server, clock)
        let url = try #require(URL(string: Self.shop))

        let answer = Task { try await manager.request(url).string() }
        _ = try await server.requests(count: 1)
        for letter in ["t", "e", "a"] {
            // The tick is a wait on the server's clock that carries the time on.
            let tick = Task {
                try await manager.request(url.deletingLastPathComponent().appending(path: "tick")).response()
            }
            source.yield(Data(letter.utf8))
            #expect(try await clock.advance() == .seconds(20))
            _ = try await tick.value
        }
        source.finish()
        #expect(try await answer.value == "tea")
    }

    @Test func `the total timeout ends what is still coming`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(20)) } }
        let manager = Self.manager(server, clock)
        let request = manager.request(try #require(URL(string: Self.shop))).timeout(.seconds(7))

        let answer = Task { try await request.response() }
        try await clock.advance(by: .seconds(7))
        let error = await #expect(throws: RESTClientError.self) { try await answer.value }
        #expect(error?.kind == .timedOut(.total))
    }

    @Test func `the total timeout covers redirects and waits together`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.get, "/items") { Reply.redirect(to: "/a").delay(.seconds(4)) }
            Route(.get, "/a") { Reply.redirect(to: "/b").delay(.seconds(4)) }
            Route(.get, "/b") { Reply.text("late").delay(.seconds(4)) }
        }
        let request = Self.manager(server, clock).request(try #require(URL(string: Self.shop))).timeout(
            .seconds(10))

        let answer = Task { try await request.response() }
        #expect(try await clock.advance() == .seconds(4))
        #expect(try await clock.advance() == .seconds(4))
        try await clock.advance(by: .seconds(2))
        let error = await #expect(throws: RESTClientError.self) { try await answer.value }
        #expect(error?.kind == .timedOut(.total))
        #expect(error?.url.path() == "/b")
    }

    @Test func `without timeouts a request waits for ever`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) { Reply.text("late").delay(.seconds(86_400 * 30)) }
        }
        let manager = Self.manager(server, clock, Timeouts(idle: nil))
        let request = manager.request(try #require(URL(string: Self.shop)))
        let answer = Task { try await request.string() }
        #expect(try await clock.advance() == .seconds(86_400 * 30))
        #expect(try await answer.value == "late")
    }

    @Test func `an interceptor's wait that would pass the total timeout ends at once`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let clock = VirtualClock(.stepped)
        let manager = SessionManager(
            configuration: server.configuration,
            interceptors: [
                .intercept { request, context, next in
                    try await context.wait(.seconds(11), because: "a test")
                    return try await next(request)
                }
            ], clock: clock)
        let request = manager.request(try #require(URL(string: Self.shop))).timeout(.seconds(10))
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(error?.kind == .timedOut(.total))
        #expect(server.requests.isEmpty)
    }

    @Test func `fractions of a second count`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(2)) } }
        let request = Self.manager(server, clock).request(try #require(URL(string: Self.shop)))
            .timeout(.milliseconds(250))
        let answer = Task { try await request.response() }
        try await clock.advance(by: .milliseconds(250))
        await #expect(throws: RESTClientError.self) { try await answer.value }
    }

    @Test(arguments: [.seconds(Int64.max), Duration(attoseconds: .max)])
    func `a timeout longer than any clock is one that never comes`(timeout: Duration) async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let manager = SessionManager(
            configuration: server.configuration,
            options: RequestOptions(timeouts: Timeouts(idle: timeout)))
        let request = manager.request(try #require(URL(string: Self.shop)))
        #expect(try await request.string() == "tea")
        #expect(try await request.timeout(timeout).string() == "tea")
    }

    @Test(arguments: [.zero, .seconds(-1), Duration(attoseconds: .min)])
    func `a timeout that has passed already ends at once`(timeout: Duration) async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(3600)) } }
        let manager = SessionManager(configuration: server.configuration)
        let request = manager.request(try #require(URL(string: Self.shop))).timeout(timeout)
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(error?.kind == .timedOut(.total))
    }

    @Test func `a wait longer than any clock ends when it is cancelled`() async throws {
        let (waiting, source) = AsyncStream.makeStream(of: Void.self)
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = SessionManager(
            configuration: server.configuration,
            interceptors: [
                .intercept { request, context, next in
                    source.finish()
                    try await context.wait(Duration(attoseconds: .max), because: "a test")
                    return try await next(request)
                }
            ])
        let request = manager.request(try #require(URL(string: Self.shop)))
        let call = Task { try await request.response() }
        for await _ in waiting {}
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
