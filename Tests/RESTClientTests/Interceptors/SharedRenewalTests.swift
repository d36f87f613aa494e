import Foundation
import RESTClientHTTP
import MockTransport
import RESTClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Many requests and one renewal: who waits, who leaves, who is told what.
@Suite struct SharedRenewalTests {
    private typealias Renewed = AuthenticatorTests

    /// A door that opens once.
    private struct Gate: Sendable {
        private let stream: AsyncStream<Void>
        private let source: AsyncStream<Void>.Continuation

        init() { (stream, source) = AsyncStream.makeStream() }

        func open() { source.finish() }
        func pass() async { for await _ in stream {} }
    }

    private struct NoToken: Error {}

    @Test func `a hundred requests that are refused make one renewal`() async throws {
        let server = Renewed.server()
        let renewals = LockedState(0)
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) {
            [server] _, manager in
            renewals.withLock { $0 += 1 }
            // All have been sent with the old one.
            _ = try await server.requests(count: 100)
            return try await Renewed.login(manager)
        }
        let manager = Renewed.manager(server, session)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await manager.request(Renewed.shop()).string() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "tea", count: 100))
        #expect(renewals.withLock { $0 } == 1)
        #expect(server.requests.count == 201)
    }

    @Test func `a hundred requests whose renewal fails are a hundred errors`() async throws {
        let server = Renewed.server()
        let renewals = LockedState(0)
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) {
            [server] _, manager in
            guard
                renewals.withLock({
                    $0 += 1; return $0
                }) == 1
            else { return try await Renewed.login(manager) }
            _ = try await server.requests(count: 100)
            throw NoToken()
        }
        let manager = Renewed.manager(server, .retry(), session)
        let errors = await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        _ = try await manager.request(Renewed.shop()).string()
                        return nil
                    } catch { return error }
                }
            }
            return await group.reduce(into: []) { $0.append($1 as? RESTClientError) }
        }
        #expect(errors.count == 100)
        #expect(errors.allSatisfy { $0?.underlying is NoToken })
        #expect(
            errors.allSatisfy {
                $0?.kind == .authentication(.refreshFailed) && $0?.message.contains("(NoToken)") == true
            }
        )
        #expect(renewals.withLock { $0 } == 1)

        // The next one may try again.
        #expect(try await manager.request(Renewed.shop()).string() == "tea")
        #expect(renewals.withLock { $0 } == 2)
    }

    /// A server that answers `/slow` a second later than everything else.
    private static func slowServer(_ clock: VirtualClock) -> MockServer {
        MockServer(clock: clock) {
            Route(.post, "/login") { Reply.text("new") }
            Route(.any) { request in
                if request.headers[.authorization] == "Bearer new" { return .text("tea") }
                return request.url.path() == "/slow" ? Reply.status(401).delay(.seconds(1)) : .status(401)
            }
        }
    }

    @Test func `a request sent with an older credential is sent again without a renewal`() async throws {
        let clock = VirtualClock(.stepped)
        let server = Self.slowServer(clock)
        let renewals = LockedState(0)
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, manager in
            renewals.withLock { $0 += 1 }
            return try await Renewed.login(manager)
        }
        let manager = Renewed.manager(server, session)
        try await Self.expectTea(manager, server, clock)
        #expect(renewals.withLock { $0 } == 1)
        #expect(
            server.requests.map { $0.headers[.authorization] }
                == ["Bearer old", "Bearer old", nil, "Bearer new", "Bearer new"])
    }

    @Test func `a refusal that comes after the renewal has failed makes no second one`() async throws {
        let clock = VirtualClock(.stepped)
        let server = Self.slowServer(clock)
        let renewals = LockedState(0)
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, _ in
            renewals.withLock { $0 += 1 }
            throw NoToken()
        }
        let manager = Renewed.manager(server, session)
        let slow = Task { try await manager.request(Renewed.shop("/slow")).string() }
        _ = try await server.requests(count: 1)
        await #expect(throws: RESTClientError.self) { try await manager.request(Renewed.shop()).string() }
        try await clock.advance()
        let error = await #expect(throws: RESTClientError.self) { try await slow.value }
        #expect(error?.underlying is NoToken)
        #expect(error?.url?.path() == "/slow")
        #expect(renewals.withLock { $0 } == 1)
    }

    @Test func `a newer credential that is refused, too, is renewed once`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) { request in
                if request.headers[.authorization] == "Bearer 2" { return .text("tea") }
                if request.headers[.authorization] == "Bearer 1", request.url.path() == "/items" {
                    return .text("tea")
                }
                return request.headers[.authorization] == "Bearer 0" && request.url.path() == "/slow"
                    ? Reply.status(401).delay(.seconds(1)) : .status(401)
            }
        }
        let renewals = LockedState(0)
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("0")) { _, _ in
            .bearer("\(renewals.withLock { $0 += 1; return $0 })")
        }
        let manager = Renewed.manager(server, session)
        try await Self.expectTea(manager, server, clock)
        #expect(renewals.withLock { $0 } == 2)
    }

    /// A slow request that is overtaken by another one, and both give tea.
    private static func expectTea(
        _ manager: SessionManager, _ server: MockServer, _ clock: VirtualClock
    ) async throws {
        let slow = Task { try await manager.request(Renewed.shop("/slow")).string() }
        _ = try await server.requests(count: 1)
        #expect(try await manager.request(Renewed.shop()).string() == "tea")
        try await clock.advance()
        #expect(try await slow.value == "tea")
    }

    // MARK: Leaving

    @Test func `who is cancelled leaves at once, the others and the renewal go on`() async throws {
        let server = Renewed.server()
        let (gate, begun) = (Gate(), Gate())
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, manager in
            begun.open()
            await gate.pass()
            #expect(!Task.isCancelled)
            return try await Renewed.login(manager)
        }
        let manager = Renewed.manager(server, session)
        // The first asker, whose task the renewal must not be part of.
        let first = Task { try await manager.request(Renewed.shop()).string() }
        await begun.pass()
        let others = (0..<20).map { _ in Task { try await manager.request(Renewed.shop()).string() } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        for (index, other) in others.enumerated() where index % 2 == 0 { other.cancel() }
        for (index, other) in others.enumerated() where index % 2 == 0 {
            await #expect(throws: CancellationError.self) { try await other.value }
        }
        gate.open()
        for (index, other) in others.enumerated() where index % 2 == 1 {
            #expect(try await other.value == "tea")
        }
    }

    @Test func `a renewal that nobody waits for any more is kept for the next request`() async throws {
        let server = Renewed.server()
        let (gate, begun) = (Gate(), Gate())
        let renewals = LockedState(0)
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, manager in
            renewals.withLock { $0 += 1 }
            begun.open()
            await gate.pass()
            return try await Renewed.login(manager)
        }
        let manager = Renewed.manager(server, session)
        let only = Task { try await manager.request(Renewed.shop()).string() }
        await begun.pass()
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        gate.open()
        #expect(try await manager.request(Renewed.shop()).string() == "tea")
        #expect(renewals.withLock { $0 } == 1)
    }

    @Test func `cancelAll ends those who wait, and the renewal's own requests`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.post, "/login") { Reply.text("new").delay(.seconds(3600)) }
            Route(.any) { Reply.status(401) }
        }
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, manager in
            try await Renewed.login(manager)
        }
        let events = EventLog()
        let manager = Renewed.manager(server, .retry(), session, monitor: events.monitor)
        let calls = (0..<10).map { _ in Task { try await manager.request(Renewed.shop()).string() } }
        await events.next(count: 11) { $0.hasPrefix("GET") || $0.hasPrefix("POST") }
        manager.cancelAll()
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        await manager.shutdown()
    }

    @Test(.timeLimit(.minutes(1)))
    func `cancelAll ends who waits in a task of an interceptor's own`() async throws {
        let (gate, begun) = (Gate(), Gate())
        let session = try Authenticator(for: Renewed.shop()) { _, _ in
            begun.open()
            await gate.pass()
            return .bearer("new")
        }
        let apart: some RequestInterceptor = .intercept { request, _, next in
            try await Task { try await next(request) }.value
        }
        let manager = Renewed.manager(Renewed.server(), apart, session)
        let call = Task { try await manager.request(Renewed.shop()).string() }
        await begun.pass()
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.open()
    }

    @Test func `the total timeout counts while others renew`() async throws {
        let clock = VirtualClock(.stepped)
        let server = Renewed.server(clock: clock)
        let (gate, begun) = (Gate(), Gate())
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, manager in
            begun.open()
            await gate.pass()
            return try await Renewed.login(manager)
        }
        let manager = Renewed.manager(
            server,
            .intercept { request, context, next in
                // A wait on the clock that carries the time on, beside the renewal.
                async let tick: Void = context.wait(.seconds(3), because: "a test")
                let response = try await next(request)
                try await tick
                return response
            }, session, clock: clock)
        let call = Task { try await manager.request(Renewed.shop()).timeout(.seconds(5)).string() }
        await begun.pass()
        try await clock.advance(by: .seconds(5))
        let error = await #expect(throws: RESTClientError.self) { try await call.value }
        #expect(error?.kind == .timedOut(.total))
        gate.open()
        await manager.shutdown()
    }

    @Test func `a renewal that is cancelled ends its waiters the same way`() async throws {
        let server = Renewed.server()
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, _ in
            throw CancellationError()
        }
        let request = try Renewed.manager(server, session).request(Renewed.shop())
        await #expect(throws: CancellationError.self) { try await request.string() }
    }

    @Test func `an error of the renewal's own request says what went wrong`() async throws {
        let server = MockServer {
            Route(.post, "/login") { Reply.status(500) }
            Route(.any) { Reply.status(401) }
        }
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, manager in
            try await Renewed.login(manager)
        }
        let request = try Renewed.manager(server, session).request(Renewed.shop())
        let error = await #expect(throws: RESTClientError.self) { try await request.string() }
        let cause = "HTTP 500 Internal Server Error from http://shop.example/login"
        #expect(error?.kind == .authentication(.refreshFailed))
        #expect(error?.message.contains("(\(cause))") == true)
        #expect((error?.underlying as? RESTClientError)?.kind == .status(500))
        #expect(error?.attempts.count == 1)
    }

    @Test func `one authenticator serves several managers`() async throws {
        let server = Renewed.server()
        let renewals = LockedState(0)
        let session = try Authenticator(for: Renewed.shop(), credential: .bearer("old")) { _, manager in
            renewals.withLock { $0 += 1 }
            return try await Renewed.login(manager)
        }
        let managers = (0..<8).map { _ in Renewed.manager(server, session) }
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<64 {
                group.addTask { try await managers[index % 8].request(Renewed.shop()).string() }
            }
            for try await text in group { #expect(text == "tea") }
        }
        #expect(renewals.withLock { $0 } == 1)
    }
}
