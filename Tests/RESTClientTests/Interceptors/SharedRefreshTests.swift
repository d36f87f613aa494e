import Dispatch
import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// Many requests that share one refresh of a credential.
@Suite struct SharedRefreshTests {
    private typealias Shop = AuthenticatorTests

    private struct NoToken: Error {}

    /// A server that refuses the old token as soon as forty requests have it.
    private static func delayingServer() -> MockServer {
        let gate = Gate()
        let refused = LockedState(0)
        return MockServer {
            Route(.post, "/login") { Reply.text("new") }
            Route(.any) { request in
                if request.headers[.authorization] == "Bearer new" { return .text("tea") }
                let count = refused.next()
                if count == 40 { gate.open() }
                await gate.pass()
                return .status(401)
            }
        }
    }

    @Test(.hangLimit, arguments: [1, 8])
    func `forty refused requests of one or more managers cause one refresh`(count: Int) async throws {
        let server = Self.delayingServer()
        let (session, refreshes) = try Shop.session()
        let managers = (0..<count).map { _ in server.manager(session) }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<40 {
                group.addTask { try await managers[index % count].request(shop()).string() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "tea", count: 40))
        #expect(refreshes.withLock { $0.count } == 1)
        #expect(server.requests.count == 81)
    }

    @Test(.hangLimit)
    func `a failed refresh is an error of each of forty waiting requests`() async throws {
        let server = Self.delayingServer()
        let refreshes = LockedState(0)
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { _, manager in
            guard refreshes.next() == 1 else { return try await Shop.login(manager) }
            throw NoToken()
        }
        let manager = server.manager(.retry(), session)
        let errors = try await withThrowingTaskGroup(of: RESTClientError.self) { group in
            for _ in 0..<40 {
                group.addTask { try await failure { try await manager.request(shop()).string() } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count == 40)
        #expect(errors.allSatisfy { $0.underlying is NoToken && $0.kind == .authentication(.refreshFailed) })
        #expect(errors.allSatisfy { $0.message.contains("(NoToken)") })
        #expect(refreshes.withLock { $0 } == 1)

        // The next request starts a new refresh.
        #expect(try await manager.request(shop()).string() == "tea")
        #expect(refreshes.withLock { $0 } == 2)
    }

    /// A server that delays only the 401 of `/slow`, by a second.
    private static func slowServer(_ clock: VirtualClock) -> MockServer {
        MockServer(clock: clock) {
            Route(.post, "/login") { Reply.text("new") }
            Route(.any) { request in
                if request.headers[.authorization] == "Bearer new" { return .text("tea") }
                return request.url.path() == "/slow" ? Reply.status(401).delay(.seconds(1)) : .status(401)
            }
        }
    }

    @Test func `a request sent with an older credential is repeated without a refresh`() async throws {
        let clock = VirtualClock(.stepped)
        let server = Self.slowServer(clock)
        let (session, refreshes) = try Shop.session()
        let manager = server.manager(session)
        try await Self.expectTea(manager, server, clock)
        #expect(refreshes.withLock { $0.count } == 1)
        #expect(
            server.requests.map { $0.headers[.authorization] } == [
                "Bearer old", "Bearer old", nil, "Bearer new", "Bearer new",
            ])
    }

    @Test func `a late 401 after a failed refresh does not cause a second refresh`() async throws {
        let clock = VirtualClock(.stepped)
        let server = Self.slowServer(clock)
        let refreshes = LockedState(0)
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { _, _ in
            refreshes.withLock { $0 += 1 }
            throw NoToken()
        }
        let manager = server.manager(session)
        let slow = Task { try await manager.request(shop("/slow")).string() }
        _ = try await server.requests(count: 1)
        await #expect(throws: RESTClientError.self) { try await manager.request(shop()).string() }
        try await clock.advance()
        let error = try await failure { try await slow.value }
        #expect(error.underlying is NoToken)
        #expect(error.url?.path() == "/slow")
        #expect(refreshes.withLock { $0 } == 1)
    }

    @Test func `a newer credential that is also refused is refreshed once`() async throws {
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
        let refreshes = LockedState(0)
        let session = try Authenticator(for: shop(), credential: .bearer("0")) { _, _ in
            .bearer("\(refreshes.next())")
        }
        let manager = server.manager(session)
        try await Self.expectTea(manager, server, clock)
        #expect(refreshes.withLock { $0 } == 2)
    }

    /// Sends a slow request and then a fast one, and expects both to return "tea".
    private static func expectTea(
        _ manager: SessionManager, _ server: MockServer, _ clock: VirtualClock
    ) async throws {
        let slow = Task { try await manager.request(shop("/slow")).string() }
        _ = try await server.requests(count: 1)
        #expect(try await manager.request(shop()).string() == "tea")
        try await clock.advance()
        #expect(try await slow.value == "tea")
    }

    // MARK: Cancellation

    @Test
    func `a cancelled request ends at once while the refresh and other requests continue`() async throws {
        let server = Shop.server()
        let (gate, begun) = (Gate(), Gate())
        let (session, _) = try Shop.session {
            begun.open()
            await gate.pass()
            #expect(!Task.isCancelled)
        }
        let manager = server.manager(session)
        // The request that starts the refresh, which must not run in the task of the request.
        let first = Task { try await manager.request(shop()).string() }
        await begun.pass()
        let others = (0..<20).map { _ in Task { try await manager.request(shop()).string() } }
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
        // The requests that began during the refresh have waited for it.
        #expect(server.requests.count { $0.headers[.authorization] == "Bearer old" } == 1)
    }

    @Test func `the result of a refresh without waiting requests is used by the next request`() async throws {
        let server = Shop.server()
        let (gate, begun) = (Gate(), Gate())
        let (session, refreshes) = try Shop.session {
            begun.open()
            await gate.pass()
        }
        let manager = server.manager(session)
        let only = Task { try await manager.request(shop()).string() }
        await begun.pass()
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        gate.open()
        #expect(try await manager.request(shop()).string() == "tea")
        #expect(refreshes.withLock { $0.count } == 1)
    }

    @Test func `cancelAll ends waiting requests and the requests of the refresh`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.post, "/login") { Reply.text("new").delay(.seconds(3600)) }
            Route(.any) { Reply.status(401) }
        }
        let (session, _) = try Shop.session()
        let events = EventLog()
        let manager = server.manager(.retry(), session, monitor: events.monitor)
        let calls = (0..<10).map { _ in Task { try await manager.request(shop()).string() } }
        await events.next(count: 11) { $0.hasPrefix("GET") || $0.hasPrefix("POST") }
        manager.cancelAll()
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        await manager.shutdown()
    }

    @Test(.hangLimit)
    func `cancelAll ends a refresh wait in an interceptor's unstructured task`() async throws {
        let (gate, begun) = (Gate(), Gate())
        let session = try Authenticator(for: shop()) { _, _ in
            begun.open()
            await gate.pass()
            return .bearer("new")
        }
        let apart: some RequestInterceptor = .intercept { request, _, next in
            try await Task { try await next(request) }.value
        }
        let manager = Shop.server().manager(apart, session)
        let call = Task { try await manager.request(shop()).string() }
        await begun.pass()
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.open()
    }

    // MARK: Timeout

    /// Returns a manager whose refresh waits for its own end: it sends its request with this manager, outside of its task.
    private static func waitingForItself(
        _ server: MockServer, _ clock: VirtualClock, onQueue: Bool
    ) throws -> SessionManager {
        let outer = LockedState<SessionManager?>(nil)
        let session = try Authenticator(for: shop()) { _, _ in
            let manager = try #require(outer.withLock { $0 })
            let login = { @Sendable in try await Shop.login(manager) }
            guard onQueue else { return try await Task.detached(operation: login).value }
            return try await withCheckedThrowingContinuation { caller in
                DispatchQueue.global().async { Task { caller.resume(with: await Result(catching: login)) } }
            }
        }
        let manager = server.manager(.retry(), session, clock: clock)
        outer.withLock { $0 = manager }
        return manager
    }

    @Test(.hangLimit, arguments: [false, true])
    func `a refresh that waits for itself is an error of the waiting requests after its timeout`(
        onQueue: Bool
    ) async throws {
        let clock = VirtualClock(.stepped)
        let server = Shop.server(clock: clock)
        let manager = try Self.waitingForItself(server, clock, onQueue: onQueue)
        let request = try manager.request(shop())
        let calls = (0..<9).map { _ in Task { try await request.string() } }
        for call in calls {
            await clock.passTime(.seconds(30), until: call)
            let error = try await failure { try await call.value }
            #expect(
                error.description == """
                    the refresh of the credential took longer than 120 s: GET http://shop.example/items
                      hint: send the requests of the refresh with the manager that its closure receives, or increase the timeout of the Authenticator
                    """)
        }
        #expect(server.requests.isEmpty)
        await manager.shutdown()
    }

    @Test(.hangLimit, arguments: [false, true])
    func `a request that waits for a refresh ends with its own timeout, and names the refresh`(
        onQueue: Bool
    ) async throws {
        let clock = VirtualClock(.stepped)
        let server = Shop.server(clock: clock)
        let manager = try Self.waitingForItself(server, clock, onQueue: onQueue)
        let request = try manager.request(shop()).timeout(.seconds(5))
        let (call, other) = (Task { try await request.string() }, Task { try await request.string() })
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        await clock.passTime(.seconds(5), until: call)
        let error = await #expect(throws: RESTClientError.self) { try await call.value }
        #expect(error?.kind == .timedOut(.total))
        #expect(error?.message.hasSuffix("while waiting for the refresh of the credential)") == true)
    }

    @Test func `a cancelled refresh ends the waiting requests with CancellationError`() async throws {
        let server = Shop.server()
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { _, _ in
            throw CancellationError()
        }
        let request = try server.manager(session).request(shop())
        await #expect(throws: CancellationError.self) { try await request.string() }
    }

    @Test func `a failed request of the refresh is the underlying error`() async throws {
        let server = MockServer {
            Route(.post, "/login") { Reply.status(500) }
            Route(.any) { Reply.status(401) }
        }
        let (session, _) = try Shop.session()
        let request = try server.manager(session).request(shop())
        let error = await #expect(throws: RESTClientError.self) { try await request.string() }
        let cause = "HTTP 500 Internal Server Error: POST http://shop.example/login"
        #expect(error?.kind == .authentication(.refreshFailed))
        #expect(error?.message.contains("(\(cause))") == true)
        #expect((error?.underlying as? RESTClientError)?.kind == .status(500))
        #expect(error?.attempts.count == 1)
    }
}
