import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

@Suite struct LifetimeTests {
    private static let stalled = Reply.text("late").delay(.seconds(3600))

    enum Ending: CaseIterable { case task, cancelAll, timeout }

    @Test(arguments: Ending.allCases)
    func `an interceptor that ignores cancellation does not delay the caller`(ending: Ending) async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let gate = Gate()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let manager = server.manager(
            .intercept { request, _, next in
                begin.finish()
                await gate.pass()
                return try await next(request)
            }, clock: clock)
        let request = try manager.request(shop()).timeout(.seconds(7))
        let call = Task { try await request.response() }
        for await _ in begun {}
        switch ending {
        case .task: call.cancel()
        case .cancelAll: manager.cancelAll()
        case .timeout: try await clock.passTime(.seconds(7))
        }
        let error = await #expect(throws: (any Error).self) { try await call.value }
        if ending == .timeout {
            #expect((error as? RESTClientError)?.kind == .timedOut(.total))
        } else {
            #expect(error is CancellationError)
        }
        gate.open()
        await manager.shutdown()
        #expect(server.requests.isEmpty)
    }

    enum Reaction: CaseIterable { case throwsSameError, throwsAnotherError, neverReturns }

    @Test(arguments: Reaction.allCases)
    func `a total timeout in the body is the error of the request, whatever an interceptor does then`(
        reaction: Reaction
    ) async throws {
        struct OtherError: Error {}
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) { Reply.text("tea").fault(.stall(.inBody(after: 2))) }
        }
        let (gate, received) = (Gate(), Gate())
        let manager = server.manager(
            .intercept { request, _, next in
                do { return try await next(request) } catch {
                    if reaction == .throwsAnotherError { throw OtherError() }
                    if reaction == .neverReturns { await gate.pass() }
                    throw error
                }
            }, clock: clock)
        let request = try manager.request(shop()).timeout(.seconds(7)).progress {
            if $0.received == 2 { received.open() }
        }
        let call = Task { try await request.response() }
        await received.pass()
        try await clock.advance(by: .seconds(7))
        let error = try await failure { try await call.value }
        #expect(error.kind == .timedOut(.total))
        #expect(error.response?.body == Data("te".utf8))
        #expect(error.attempts.map(\.duration) == [.seconds(7)])
        gate.open()
    }

    @Test func `a request cancelled before its start is not sent`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let request = try server.manager().request(shop())
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let call = Task {
            for await _ in gate {}
            return try await request.response()
        }
        call.cancel()
        open.finish()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(server.requests.isEmpty)
    }

    @Test func `a cancelled completion handler is called once with CancellationError`() async throws {
        let server = MockServer(clock: VirtualClock(.stepped)) { Route(.any) { Self.stalled } }
        let request = try server.manager().request(shop())
        let (results, source) = AsyncStream.makeStream(of: Result<DataResponse, any Error>.self)
        let task = request.response { source.yield($0) }
        _ = try await server.requests(count: 1)
        task.cancel()
        await task.value
        source.finish()
        var count = 0
        for await result in results {
            count += 1
            #expect(throws: CancellationError.self) { try result.get() }
        }
        #expect(count == 1)
    }

    @Test func `cancelAll cancels every request in progress, and no later one`() async throws {
        let server = MockServer(clock: VirtualClock(.stepped)) {
            Route(.get, "/items") { Self.stalled }
            Route(.get, "/now") { Reply.text("ok") }
        }
        let manager = server.manager()
        let request = manager.request(try shop())
        let calls = (0..<20).map { _ in Task { try await request.response() } }
        _ = try await server.requests(count: 20)
        manager.cancelAll()
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(
            try await manager.request(shop().deletingLastPathComponent().appending(path: "now")).string()
                == "ok")
    }

    /// Returns a manager whose interceptor passes the rest of its chain to `save` and does not call it.
    private static func manager(
        _ server: MockServer, save: @escaping @Sendable (Next, URLRequest) -> Void
    ) -> SessionManager {
        server.manager(
            .intercept { request, _, next in
                save(next, request)
                return Response(to: request, status: 204, body: .data(Data()))
            })
    }

    @Test func `a saved Next sends nothing after a shutdown`() async throws {
        let server = MockServer { Route(.any) { Reply.text("ok") } }
        let saved = LockedState<(Next, URLRequest)?>(nil)
        let manager = Self.manager(server) { next, request in saved.withLock { $0 = (next, request) } }
        _ = try await manager.request(shop()).response()
        let (next, request) = try #require(saved.withLock { $0 })
        #expect(try await next(request).status == 200)
        await manager.shutdown()
        #expect(try await failure { try await next(request) }.kind == .shutDown)
        #expect(server.requests.count == 1)
    }

    @Test func `cancelAll cancels an attempt that outlives its request`() async throws {
        let server = MockServer(clock: VirtualClock(.stepped)) { Route(.any) { Self.stalled } }
        let late = LockedState<Task<Response<ResponseBody>, any Error>?>(nil)
        let manager = Self.manager(server) { next, request in
            late.withLock { $0 = Task.detached { try await next(request) } }
        }
        _ = try await manager.request(shop()).response()
        _ = try await server.requests(count: 1)
        manager.cancelAll()
        let attempt = try #require(late.withLock { $0 })
        await #expect(throws: CancellationError.self) { try await attempt.value }
    }

    @Test(arguments: [true, false])
    func `the stream of a saved Next is cancelled by cancelAll, and a shutdown waits for it`(
        isCancelled: Bool
    ) async throws {
        let body = AsyncStream.makeStream(of: Data.self)
        let server = MockServer { Route(.any) { Reply.stream(body.stream) } }
        let saved = LockedState<(Next, URLRequest)?>(nil)
        let manager = Self.manager(server) { next, request in saved.withLock { $0 = (next, request) } }
        _ = try await manager.request(shop()).stream()
        let (next, request) = try #require(saved.withLock { $0 })
        body.continuation.yield(Data("tea".utf8))
        guard case .stream(let stream) = try await next(request).body else {
            Issue.record("the body is not streamed")
            return
        }
        if isCancelled {
            manager.cancelAll()
            await #expect(throws: CancellationError.self) { for try await _ in stream {} }
        } else {
            let hasEnded = LockedState(false)
            let shutdown = Task {
                await manager.shutdown()
                #expect(hasEnded.withLock { $0 })
            }
            while await (try? manager.request(shop()).response()) != nil {}
            hasEnded.withLock { $0 = true }
            body.continuation.finish()
            for try await _ in stream {}
            await shutdown.value
        }
    }

    /// An interceptor that waits in its own task, in another one, or for another operation, and reports the begin.
    private static func waiting(_ place: Int, _ begin: AsyncStream<Void>.Continuation) -> ClosureInterceptor {
        .intercept { request, context, next in
            let wait = { @Sendable in try await context.wait(.seconds(3600), because: "a test") }
            switch place {
            case 0: try await wait()
            case 1: try await Task { try await wait() }.value
            default:
                begin.finish()
                try await Task.sleep(for: .seconds(3600))
            }
            return try await next(request)
        }
    }

    @Test(.hangLimit, arguments: 0...2)
    func `cancelAll cancels a wait of an interceptor, in its task or in a child task`(place: Int) async throws
    {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let (waiting, source) = AsyncStream.makeStream(of: Void.self)
        let manager = server.manager(
            Self.waiting(place, source),
            monitor: EventMonitor { if case .waiting = $0.kind { source.finish() } })
        let request = manager.request(try shop())
        let call = Task { try await request.response() }
        for await _ in waiting {}
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `shutdown waits for requests in progress and rejects new ones`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("tea").delay(.seconds(5)) } }
        let manager = server.manager()
        let request = manager.request(try shop())
        let call = Task { try await request.string() }
        _ = try await server.requests(count: 1)

        async let shutdown: Void = manager.shutdown()
        try await clock.advance()
        await shutdown
        #expect(try await call.value == "tea")

        #expect(try await failure { try await request.response() }.kind == .shutDown)
    }

    @Test func `requests end normally after their manager was released`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("tea").delay(.seconds(5)) } }
        weak var dropped: SessionManager?
        let call: Task<String, any Error>
        do {
            let manager = server.manager()
            dropped = manager
            let request = manager.request(try shop())
            call = Task { try await request.string() }
        }
        try await clock.advance()
        #expect(try await call.value == "tea")
        #expect(dropped == nil)
    }

    @Test func `cancelAll cancels the encoding of a body`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = server.manager()
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let (opened, opening) = AsyncStream.makeStream(of: Void.self)
        let request = manager.request(
            try shop(), method: .post,
            body: .stream(length: 10) {
                opening.finish()
                return chunks
            })
        let call = Task { try await request.response() }
        for await _ in opened {}
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
        await manager.shutdown()
        #expect(server.requests.isEmpty)
        source.finish()
    }

    @Test func `cancelAll ends a complete stream that was not read`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let manager = server.manager()
        let stream = try await manager.request(shop()).stream().body
        manager.cancelAll()
        await manager.shutdown()
        await #expect(throws: CancellationError.self) { for try await _ in stream {} }
    }

    @Test func `shutdown from inside a request does not wait for that request`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let (managers, source) = AsyncStream.makeStream(of: SessionManager.self)
        let manager = server.manager(
            .intercept { request, _, next in
                for await manager in managers {
                    await manager.shutdown()
                    break
                }
                return try await next(request)
            })
        source.yield(manager)
        let request = manager.request(try shop())
        #expect(try await request.string() == "tea")
        #expect(try await failure { try await request.string() }.kind == .shutDown)
    }

    @Test func `shutdown of another manager from inside a request waits for its requests`() async throws {
        let clock = VirtualClock(.stepped)
        let slow = MockServer(clock: clock) { Route(.any) { Reply.text("slow").delay(.seconds(5)) } }
        let other = slow.manager()
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let manager = server.manager(
            .intercept { request, _, next in
                await other.shutdown()
                return try await next(request)
            })
        let slowRequest = other.request(try shop())
        let slowCall = Task { try await slowRequest.string() }
        _ = try await slow.requests(count: 1)
        let request = manager.request(try shop())
        let call = Task { try await request.string() }
        try await clock.advance()
        #expect(try await call.value == "tea")
        #expect(try await slowCall.value == "slow")
    }
}
