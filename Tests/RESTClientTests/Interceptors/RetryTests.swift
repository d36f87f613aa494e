import Foundation
import MockTransport
import RESTClientTestingSupport
@testable import RESTClient
import Testing

/// Retries through a manager, a mock and a virtual clock.
@Suite struct RetryTests {
    private static let doubling = RetryPolicy.Backoff.exponential(initialDelay: .seconds(1), random: { 1 })

    private let clock = VirtualClock(.stepped)
    private let events = EventLog()

    private func manager(_ server: MockServer, _ interceptors: any RequestInterceptor...) -> SessionManager {
        SessionManager(
            configuration: server.configuration, interceptors: interceptors, monitor: events.monitor,
            clock: clock)
    }

    private static let tooMany = "429 Too Many Requests; waiting"

    private static let unavailable = [
        "503 Service Unavailable; waiting 1 s, attempt 2", "502 Bad Gateway; waiting 2 s, attempt 3",
    ]

    private static let stated = [
        Reply.json(["ok": false, "error": "ratelimited", "retry_after": 30]),
        .json(["message": "You have exceeded a secondary rate limit."], status: 403),
    ]

    private static let rateLimits = [
        "200 OK with a rate limit; waiting 30 s (retry_after), attempt 2",
        "403 Forbidden with a rate limit; waiting 2 s, attempt 3",
    ]

    @Test(
        arguments: [
            ([.error(.networkConnectionLost)], [1], ["the connection was reset; waiting 1 s, attempt 2"]),
            ([.stream(broken)], [1], ["the response ended early; waiting 1 s, attempt 2"]),
            ([.status(503), .status(502)], [1, 2], unavailable), (stated, [30, 2], rateLimits),
            ([.status(429).header(.retryAfter, "30")], [30], ["\(tooMany) 30 s (Retry-After), attempt 2"]),
            (
                [.json(["error": "Too many requests: retry after 7"], status: 429)], [7],
                ["\(tooMany) 7 s (message), attempt 2"]
            ),
        ] as [([Reply], [Int], [String])])
    func `a failed attempt is repeated after its wait, with an event that states the reason`(
        failures: [Reply], waits: [Int], lines: [String]
    ) async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/items") {
                failures
                Reply.text("tea")
            }
        }
        let request = try manager(server, .retry(backoff: Self.doubling)).request(shop())
        let answer = Task { try await request.response() }
        var times = [Duration.zero]
        for wait in waits {
            #expect(try await clock.advance() == .seconds(wait))
            times.append(clock.now.offset)
        }
        let response = try await answer.value
        #expect(response.body == Data("tea".utf8))
        #expect(response.attempts.map(\.start) == times)
        #expect(server.requests.map(\.time) == times)
        #expect(events.lines.filter { $0.contains("waiting") } == lines.map { "\($0) of 3" })
    }

    @Test(
        arguments: [
            (.error(URLError(.cannotConnectToHost)), .connection(.refused)), (.status(503), .status(503)),
        ] as [(Reply, RESTClientError.Kind)])
    func `three failures throw an error with three attempts`(
        reply: Reply, kind: RESTClientError.Kind
    ) async throws {
        let server = MockServer(clock: clock) { Route(.get, "/items") { reply.repeats() } }
        let request = try manager(server, .retry(backoff: Self.doubling)).request(shop())
        let answer = Task { try await request.response() }
        #expect(try await clock.advance() == .seconds(1))
        #expect(try await clock.advance() == .seconds(2))
        let error = try await failure { try await answer.value }
        #expect(error.kind == kind)
        #expect(error.attempts.count == 3)
        #expect(server.requests.count == 3)
    }

    /// The rest of the body arrives after a time that no clock advances.
    @Test func `the start of a small success is not held back until its end`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/items") {
                Reply.json(["items": ["limit"]]).dribble(chunks: 2, over: .seconds(20))
            }
        }
        let request = try manager(server, .retry()).request(shop())
        let stream = Task {
            var chunks = try await request.stream().body.makeAsyncIterator()
            return try await chunks.next()
        }
        try await clock.advance()
        let first = try #require(try await stream.value)
        #expect(!first.isEmpty && first.count < 19)
    }

    @Test func `idempotencyKeyed adds the same key to all attempts of a request`() async throws {
        let server = MockServer(clock: clock) { Route(.any) { Reply.status(503) } }
        let policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.seconds(1)), methods: .idempotencyKeyed)
        let manager = manager(server, .retry(policy))
        for method in [HTTPMethod.post, .post, .get] {
            let request = try manager.request(shop(), method: method)
            let answer = Task { try await request.response() }
            try await clock.advance()
            await #expect(throws: RESTClientError.self) { try await answer.value }
        }
        let keys = server.requests.map { $0.headers[.idempotencyKey] }
        #expect(keys.count == 6)
        #expect(keys[0] == keys[1] && keys[2] == keys[3] && keys[0] != keys[2])
        #expect(keys[0].flatMap { UUID(uuidString: $0) } != nil)
        #expect(keys[4] == nil && keys[5] == nil)
    }

    @Test(
        arguments: [(403, [429], true), (403, [503], false), (429, [429], true)]
            as [(HTTPStatus, Set<HTTPStatus>, Bool)])
    func `an exhausted rate limit is waited for until its reset, with an event`(
        status: HTTPStatus, statuses: Set<HTTPStatus>, isRetried: Bool
    ) async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/items") {
                Reply.status(status).header("X-RateLimit-Remaining", "0").header(
                    "X-RateLimit-Reset", "784111837"
                )
                .header(.date, "Sun, 06 Nov 1994 08:49:37 GMT")
                Reply.text("tea")
            }
        }
        let request = try manager(server, .retry(RetryPolicy(statuses: statuses))).request(shop())
        let answer = Task { try await request.string() }
        guard isRetried else {
            let error = try await failure { try await answer.value }
            #expect(error.kind == .status(403) && error.attempts.count == 1)
            return #expect(error.retryAfter == .seconds(60))
        }
        #expect(try await clock.advance() == .seconds(60))
        #expect(try await answer.value == "tea")
        #expect(
            events.lines.contains("\(status); waiting 60 s (X-RateLimit-Reset), attempt 2 of 3"),
            "\(events.lines)")
    }

    @Test func `a decoding failure is not retried`() async throws {
        let asked = LockedState(0)
        let backoff = RetryPolicy.Backoff { _ in
            asked.withLock { $0 += 1 }
            return .seconds(1)
        }
        let server = MockServer(clock: clock) {
            Route(.get, "/items") {
                Reply.status(503)
                Reply.text("GARBAGE")
            }
        }
        let request = try manager(server, .retry(backoff: backoff)).request(shop())
        let answer = Task { try await request.decode([String].self) }
        try await clock.advance()
        let error = try await failure { try await answer.value }
        #expect(error.kind == .notJSON(found: "GARBAGE"))
        #expect(asked.withLock { $0 } == 1)
        #expect(server.requests.count == 2)
        #expect(error.attempts.count == 2)
    }

    @Test func `a validation failure is not retried`() async throws {
        let server = MockServer { Route(.get, "/items") { Reply.text("tea") } }
        let request = try manager(server, .retry()).request(shop()).validation(
            Validation { throw RESTClientError(.connection(.reset), $0.request) })
        await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(server.requests.count == 1)
    }

    @Test
    func `an adapter after the retry policy runs for each attempt, one before it runs once`() async throws {
        let server = MockServer(clock: clock) { Route(.get, "/items") { Reply.status(503) } }
        let (inside, outside) = (LockedState(0), LockedState(0))
        let manager = manager(
            server, .adapt { _ in outside.withLock { $0 += 1 } }, .retry(backoff: .constant(.seconds(1))),
            .adapt { request in
                request.setValue("\(inside.next())", forHTTPHeaderField: "X-Attempt")
            })
        let request = manager.request(try shop())
        let answer = Task { try await request.response() }
        try await clock.advance()
        try await clock.advance()
        await #expect(throws: RESTClientError.self) { try await answer.value }
        #expect(server.requests.map { $0.headers["X-Attempt"] } == ["1", "2", "3"])
        #expect(outside.withLock { $0 } == 1)
    }

    private static let broken = AsyncThrowingStream<Data, any Error> { source in
        source.yield(Data("te".utf8))
        source.finish(throwing: URLError(.networkConnectionLost))
    }

    @Test
    func `a streamed response with a retryable status is retried before its body is read`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/items") {
                Reply.data(Data(count: 1 << 20), status: 503)
                Reply.text("tea")
            }
        }
        let request = try manager(server, .retry(backoff: Self.doubling)).request(shop())
        let answer = Task {
            var text = Data()
            for try await chunk in try await request.stream().body { text += chunk }
            return text
        }
        #expect(try await clock.advance() == .seconds(1))
        #expect(try await answer.value == Data("tea".utf8))
    }

    @Test func `each attempt follows the redirects again`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/items") { Reply.redirect(to: "/moved") }
            Route(.get, "/moved") {
                Reply.status(503)
                Reply.text("tea")
            }
        }
        let request = try manager(server, .retry(backoff: Self.doubling)).request(shop())
        let answer = Task { try await request.response() }
        try await clock.advance()
        let response = try await answer.value
        #expect(server.requests.map { $0.url.path() } == ["/items", "/moved", "/items", "/moved"])
        #expect(response.redirects.count == 1)
        #expect(response.attempts.count == 2)
    }

    @Test func `a request that matches no route of a mock is not retried`() async throws {
        let server = MockServer { Route(.get, "/other") { Reply.status(200) } }
        let request = try manager(server, .retry()).request(shop())
        let error = try await failure { try await request.response() }
        #expect(error.attempts.count == 1)
    }
}

extension RetryTests {
    // MARK: Limits

    @Test(.hangLimit, arguments: [false, true])
    func `a wait for the whole remaining total timeout is not started`(isError: Bool) async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/items") {
                isError
                    ? Reply.error(URLError(.cannotConnectToHost))
                    : Reply.text("busy", status: 503).header(.retryAfter, "10")
            }
        }
        let policy = RetryPolicy(backoff: .constant(.seconds(10)))
        let request = try manager(server, .retry(policy)).request(shop()).timeout(.seconds(10))
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        // The error is the failure itself, not the timeout.
        #expect(error?.kind == (isError ? .connection(.refused) : .status(503)))
        #expect(error?.response?.body == (isError ? nil : Data("busy".utf8)))
        #expect(error?.attempts.count == 1)
        let cause = isError ? "the connection was refused" : "503 Service Unavailable"
        let wait = isError ? "10 s" : "10 s (Retry-After)"
        #expect(
            events.lines.contains(
                "\(cause); not retried: waiting \(wait) would exceed the total timeout (10 s left)"))
    }

    @Test func `the maximum elapsed time includes all waits`() async throws {
        let server = MockServer(clock: clock) { Route(.get, "/items") { Reply.status(503).repeats() } }
        let policy = RetryPolicy(maxAttempts: 9, backoff: .constant(.seconds(3)), maxElapsedTime: .seconds(6))
        let request = try manager(server, .retry(policy)).request(shop())
        let answer = Task { try await request.response() }
        for _ in 0..<2 { #expect(try await clock.advance() == .seconds(3)) }
        let error = try await failure { try await answer.value }
        #expect(error.attempts.map(\.start) == [.zero, .seconds(3), .seconds(6)])
        #expect(
            events.lines.contains(
                "503 Service Unavailable; not retried: waiting 3 s would exceed the time for retries (6 s)"))
    }

    @Test func `a Retry-After above the maximum returns the response at once`() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.status(503).header(.retryAfter, "1000000000") }
        }
        let request = try manager(server, .retry()).request(shop())
        #expect(try await failure { try await request.response() }.kind == .status(503))
        #expect(server.requests.count == 1)
        #expect(
            events.lines.contains(
                "503 Service Unavailable; not retried: Retry-After of 1,000,000,000 s exceeds the maximum of 600 s"
            ))
    }

    @Test func `an exhausted budget returns the outcome without a retry`() async throws {
        let server = MockServer(clock: clock) { Route(.get, "/items") { Reply.status(503) } }
        let policy = RetryPolicy(
            backoff: .constant(.seconds(1)), budget: RetryBudget(capacity: 1, tokensPerRequest: 0))
        let manager = manager(server, .retry(policy))
        for expected in [2, 1] {
            let request = try manager.request(shop())
            let answer = Task { try await request.response() }
            if expected == 2 { try await clock.advance() }
            let error = try await failure { try await answer.value }
            #expect(error.attempts.count == expected)
            let note =
                (expected == 2 ? "after 2 attempts in 1 s; " : "")
                + "not retried: the retry budget is exhausted"
            #expect(error.message == "HTTP 503 Service Unavailable: GET http://shop.example/items (\(note))")
        }
        #expect(events.lines.filter { $0.hasSuffix("not retried: the retry budget is exhausted") }.count == 2)
    }

    @Test func `a retry that exceeds the total timeout withdraws no token`() async throws {
        let server = MockServer { Route(.get, "/items") { Reply.status(503).header(.retryAfter, "30") } }
        let budget = RetryBudget(capacity: 1, tokensPerRequest: 0)
        let request = try manager(server, .retry(RetryPolicy(budget: budget))).request(shop()).timeout(
            .seconds(10))
        await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(budget.withdraw())
    }

    // MARK: Cancellation

    @Test func `cancellation during the backoff ends the call at once`() async throws {
        let server = MockServer(clock: clock) { Route(.get, "/items") { Reply.status(503) } }
        let request = try manager(server, .retry(backoff: .constant(.seconds(3600)))).request(shop())
        let call = Task { try await request.response() }
        await events.next { $0.contains("waiting 3,600 s") }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(server.requests.count == 1)
        #expect(clock.now.offset == .zero)
    }

    @Test func `a request cancelled during an attempt is not retried`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/items") { Reply.text("late").delay(.seconds(9)) }
        }
        let request = try manager(server, .retry(maxAttempts: 9, backoff: .constant(.zero))).request(shop())
        let call = Task { try await request.response() }
        _ = try await server.requests(count: 1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(server.requests.count == 1)
    }
}
