import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct EventTests {
    @Test func `a monitor receives all events in order`() async throws {
        let lines = LockedState<[String]>([])
        let server = MockServer {
            Route(.get, "/items") { Reply.redirect(to: "/there") }
            Route(.get, "/there") { Reply.text("tea") }
        }
        let manager = server.manager(
            monitor: EventMonitor { event in lines.withLock { $0.append("\(event)") } })
        _ = try await manager.request(shop()).response()
        #expect(
            lines.withLock { $0 } == [
                "GET http://shop.example/items", "attempt 1", "302 Found", "0 bytes",
                "302 Found, redirected to http://shop.example/there", "200 OK", "3 bytes",
                "finished with 200 OK",
            ])
    }

    @Test func `an event after the end of a request is not delivered`() async throws {
        let (log, contexts) = (EventLog(), LockedState<RequestContext?>(nil))
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let keep = NotingInterceptor { context in contexts.withLock { $0 = context } }
        _ = try await server.manager(keep, monitor: log.monitor).request(shop()).response()
        contexts.withLock { $0 }?.note("late")
        #expect(log.lines.last == "finished with 200 OK")
    }

    @Test func `an event that is reported while another is delivered follows it`() async throws {
        let (lines, contexts) = (LockedState<[String]>([]), LockedState<RequestContext?>(nil))
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let monitor = EventMonitor { event in
            if "\(event)" == "first" { contexts.withLock { $0 }?.note("second") }
            lines.withLock { $0.append("\(event)") }
        }
        let note = NotingInterceptor { context in
            contexts.withLock { $0 = context }
            context.note("first")
        }
        _ = try await server.manager(note, monitor: monitor).request(shop()).response()
        #expect(lines.withLock { $0.dropFirst().prefix(2) } == ["first", "second"])
    }

    @Test func `attempts at the same time have different numbers`() async throws {
        let numbers = LockedState<[Int]>([])
        let server = MockServer { Route(.any) { Reply.text("tea").repeats() } }
        let monitor = EventMonitor { event in
            if case .attempt(let number) = event.kind { numbers.withLock { $0.append(number) } }
        }
        let manager = server.manager(CrowdedInterceptor(count: 20), monitor: monitor)
        let response = try await manager.request(shop()).response()
        #expect(numbers.withLock { $0.sorted() } == Array(1...20))
        #expect(response.attempts.count == 20)
    }

    @Test func `an event sequence drops the oldest events for a slow consumer`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let manager = server.manager()
        let last = manager.events(buffer: 1)
        let all = manager.events()
        _ = try await manager.request(shop()).response()
        var iterator = last.makeAsyncIterator()
        let event = await iterator.next()
        #expect(event.map { "\($0)" } == "finished with 200 OK")
        var seen = 0
        for await event in all {
            seen += 1
            if case .finished = event.kind { break }
        }
        #expect(seen == 5)
    }

    @Test func `an event sequence ends when its manager is released`() async throws {
        var manager: SessionManager? = SessionManager(configuration: MockServer {}.configuration)
        let events = try #require(manager).events()
        manager = nil
        for await _ in events {}
    }

    @Test func `failures and cancellations are events`() async throws {
        let kinds = LockedState<[String]>([])
        let server = MockServer(clock: VirtualClock(.stepped)) {
            Route(.any) { Reply.text("late").delay(.seconds(9)) }
        }
        let monitor = EventMonitor { event in
            if case .finished(.failure(let error)) = event.kind {
                kinds.withLock { $0.append("\(type(of: error))") }
            }
        }
        let request = server.manager(monitor: monitor).request(try shop())
        let call = Task { try await request.response() }
        _ = try await server.requests(count: 1)
        call.cancel()
        _ = await call.result
        #expect(kinds.withLock { $0 } == ["CancellationError"])
    }

    @Test func `the description of an event is one line without control characters`() async throws {
        struct Hostile: Error, CustomStringConvertible { let description = "\u{1B}[2J\nnext\u{202E}" }
        let lines = LockedState<[String]>([])
        let server = MockServer { Route(.any) { Reply.text("\u{1B}[2J\nsaid", status: 403) } }
        let monitor = EventMonitor { event in lines.withLock { $0.append("\(event)") } }
        let manager = server.manager(monitor: monitor)
        _ = try? await manager.request(shop()).response()
        _ = try? await manager.request(shop()).interceptors(.adapt { _ in throw Hostile() }).response()
        let seen = lines.withLock { $0 }
        #expect(seen.filter { $0.hasPrefix("failed: ") }.count == 2)
        for line in seen { #expect(!line.unicodeScalars.contains(where: TerminalEscaping.isUnsafe)) }
    }

    /// A monitor is called synchronously at every step of a request.
    @Test(arguments: ["created", "attempt", "redirect", "head", "received", "waiting", "finished"])
    func `cancelAll from a monitor ends a request exactly once`(moment: String) async throws {
        let managers = LockedState<SessionManager?>(nil)
        let ends = LockedState(0)
        let server = MockServer {
            Route(.get, "/items") { Reply.redirect(to: "/there") }
            Route(.get, "/there") {
                Reply.status(503)
                Reply.text(String(repeating: "tea", count: 100_000)).repeats()
            }
        }
        let monitor = EventMonitor { event in
            if "\(event.kind)".hasPrefix(moment) { managers.withLock { $0 }?.cancelAll() }
            if case .finished = event.kind { ends.withLock { $0 += 1 } }
        }
        let manager = server.manager(.retry(backoff: .constant(.zero)), monitor: monitor)
        managers.withLock { $0 = manager }
        let request = manager.request(try shop())
        let file = FileManager.default.temporaryDirectory.appending(path: "restclient-tests-\(UUID())")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await request.response() }, { for try await _ in try await request.stream().body {} },
            { _ = try await request.stream() }, { _ = try await request.download(to: file) },
        ]
        for call in calls {
            do { try await call() } catch { #expect(error is CancellationError, "\(error)") }
        }
        await manager.shutdown()
        #expect(ends.withLock { $0 } == calls.count)
        managers.withLock { $0 = nil }
        try? FileManager.default.removeItem(at: file)
    }

    @Test func `the last event of a request has its method, URL, status, sizes, timings and attempt`()
        async throws
    {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.put, "/items") {
                Reply.status(503).delay(.seconds(2))
                Reply.text("tea").delay(.seconds(3))
            }
        }
        let events = LockedState<[SessionEvent]>([])
        let request = server.manager(
            .retry(backoff: .constant(.seconds(4))),
            monitor: EventMonitor { event in events.withLock { $0.append(event) } }, clock: clock
        ).request(try shop("/items?api_key=s3cr3t"), method: .put, body: .data(Data(count: 10)))
        let attempts = try await request.response().attempts
        #expect(attempts.map(\.start) == [.zero, .seconds(6)])
        #expect(attempts.map(\.firstByte) == [.seconds(2), .seconds(3)])
        #expect(attempts.map(\.duration) == [.seconds(2), .seconds(3)])
        let all = events.withLock { $0 }
        let first = try #require(all.first)
        #expect(first.attempt == 0)
        #expect(first.attemptTime == nil)
        let last = try #require(all.last)
        #expect(last.method == .put)
        #expect(last.url?.absoluteString.contains("s3cr3t") == false)
        #expect(last.url?.path() == "/items")
        #expect(last.attempt == 2)
        #expect(last.status == 200)
        #expect(last.sent == 10)
        #expect(last.received == 3)
        #expect(last.firstByte == .seconds(3))
        #expect(last.attemptTime == .seconds(3))
        #expect(last.time == .seconds(9))
    }

    @Test func `the last event of a stream has the number of received bytes`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea and milk") } }
        let last = LockedState<SessionEvent?>(nil)
        let manager = server.manager(monitor: EventMonitor { event in last.withLock { $0 = event } })
        for try await _ in try await manager.request(shop()).stream().body {}
        #expect(last.withLock { $0?.received } == 12)
        #expect(last.withLock { $0?.status } == 200)
    }
}

/// Calls a closure with the context of a request.
private struct NotingInterceptor: RequestInterceptor {
    let note: @Sendable (RequestContext) -> Void

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        note(context)
        return try await next(request)
    }
}

/// Sends several attempts at the same time, each of which begins before another one has ended.
private struct CrowdedInterceptor: RequestInterceptor {
    let count: Int

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await next(request) } }
            guard let response = try await group.next() else { throw CancellationError() }
            try await group.waitForAll()
            return response
        }
    }
}
