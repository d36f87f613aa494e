import Foundation
import MockTransport
import RESTClientTestingSupport
import RESTClient
import Testing

/// The limiter through managers, with a mock and a virtual clock.
@Suite struct RequestLimiterTests {
    /// The requests that a server has received and not answered.
    private final class Load: Sendable {
        let counts = LockedState((now: 0, most: 0))
        let gate = Gate()

        var running: Int { counts.withLock { $0.now } }
        var most: Int { counts.withLock { $0.most } }

        /// A server that answers when the gate is open.
        func server(_ clock: VirtualClock = VirtualClock()) -> MockServer {
            MockServer(clock: clock) {
                Route(.any) { _ in
                    self.counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    await self.gate.pass()
                    self.counts.withLock { $0.now -= 1 }
                    return .text("tea")
                }.optional()
            }
        }

        func awaitRunning(_ count: Int) async { while running != count { await Task.yield() } }
    }

    private static let url = "http://shop.example/items"

    @Test func `64 requests through two managers are sent eight at a time`() async throws {
        let load = Load()
        let (server, limiter) = (load.server(), RequestLimiter(concurrent: 8))
        let managers = [server.manager(limiter), server.manager(limiter)]
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<64 {
                group.addTask { try await managers[number % 2].request(Self.url).string() }
            }
            await load.awaitRunning(8)
            // Further requests would begin now.
            for _ in 0..<100 { await Task.yield() }
            load.gate.open()
            for try await text in group { #expect(text == "tea") }
        }
        #expect(load.most == 8)
        #expect(server.requests.count == 64)
    }

    @Test func `requests are sent in the order in which they came`() async throws {
        let (load, events) = (Load(), EventLog())
        let server = load.server()
        let manager = server.manager(.limiting(concurrent: 1), monitor: events.monitor)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try await manager.request("\(Self.url)/\(number)").response() }
                if number == 0 {
                    await load.awaitRunning(1)
                } else {
                    await events.next(count: number) { $0 == "waiting for the request in progress to end" }
                }
            }
            load.gate.open()
            try await group.waitForAll()
        }
        #expect(server.requests.map(\.url.lastPathComponent) == (0..<8).map { "\($0)" })
        #expect(load.most == 1)
    }

    @Test(arguments: 0..<4)
    func `requests that are cancelled while they wait or run keep no place`(seed: Int) async throws {
        let load = Load()
        let limiter = RequestLimiter(concurrent: 8, perSecond: 1000)
        let manager = load.server().manager(limiter)
        let tasks = (0..<64).map { _ in Task { try await manager.request(Self.url).response() } }
        if seed > 1 { await load.awaitRunning(8) }
        if seed == 7 { load.gate.open() }
        for (number, task) in tasks.enumerated() where (number + seed) % 3 > 0 { task.cancel() }
        for (number, task) in tasks.enumerated() where (number + seed) % 3 > 0 { _ = await task.result }
        load.gate.open()
        for (number, task) in tasks.enumerated() where (number + seed) % 3 == 0 { _ = try await task.value }
        // All places are free again. (The server can still work on cancelled requests.)
        let next = Load()
        let other = next.server().manager(limiter)
        let all = (0..<8).map { _ in Task { try await other.request(Self.url).response() } }
        await next.awaitRunning(8)
        next.gate.open()
        for task in all { _ = try await task.value }
    }

    @Test(arguments: [
        (10.0, 25, Duration.seconds(2)), (0.5, 4, .seconds(6)), (-1, 25, .zero), (.nan, 25, .zero),
    ])
    func `no second has more requests than the rate`(
        rate: Double, count: Int, duration: Duration
    ) async throws {
        let clock = VirtualClock()
        let times = LockedState<[Duration]>([])
        let server = MockServer(clock: clock) {
            Route(.any) { _ in
                times.withLock { $0.append(clock.now.offset) }
                return .text("tea")
            }
        }
        let manager = server.manager(.limiting(perSecond: rate), clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await manager.request(Self.url).response() } }
            try await group.waitForAll()
        }
        let sent = times.withLock { $0.sorted() }
        #expect(sent.count == count)
        #expect(sent.last == duration)
        guard rate > 1 else { return }
        for (first, next) in zip(sent, sent.dropFirst(Int(rate))) { #expect(next - first >= .seconds(1)) }
    }

    @Test(arguments: [
        (["RateLimit-Remaining": "0", "RateLimit-Reset": "7"], 7),
        (["X-RateLimit-Remaining": "-1", "X-RateLimit-Reset-After": "30"], 30),
        (["RateLimit": #""day";r=900;t=80000, "minute";r=0;t=20"#], 20),
        (["RateLimit-Remaining": "0", "RateLimit-Reset": "601"], 0),
        (["RateLimit-Remaining": "x", "RateLimit-Reset": "nan"], 0),
        (["RateLimit-Remaining": "1e300", "RateLimit-Reset": "9"], 0), (["RateLimit-Reset": "9"], 0),
    ])
    func `after an exhausted limit, the next request waits for its reset`(
        fields: [String: String], seconds: Int
    ) async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any) {
                fields.reduce(Reply.text("tea")) { $0.header(HTTPHeaders.Name($1.key), $1.value) }.repeats()
            }
        }
        let manager = server.manager(.limiting(), clock: clock)
        for number in 0..<3 {
            try await manager.request(Self.url).response()
            #expect(clock.now.offset == .seconds(number * seconds))
        }
    }

    @Test func `a server does not have to refuse a request that exceeds its limit`() async throws {
        let clock = VirtualClock()
        let refusals = LockedState(0)
        let window = LockedState((end: Duration.zero, left: 0))
        let server = MockServer(clock: clock) {
            Route(.any) { _ in
                let now = clock.now.offset
                let (end, left) = window.withLock { window in
                    if now >= window.end { window = (now + .seconds(60), 5) }
                    window.left -= 1
                    return window
                }
                if left < 0 { refusals.withLock { $0 += 1 } }
                return .status(left < 0 ? 429 : 200).header("X-RateLimit-Remaining", "\(max(left, 0))")
                    .header("X-RateLimit-Reset-After", "\((end - now) / .seconds(1))")
            }
        }
        let manager = server.manager(.limiting(concurrent: 4), clock: clock)
        // The first response says how many requests are left.
        try await manager.request(Self.url).response()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<14 { group.addTask { try await manager.request(Self.url).response() } }
            try await group.waitForAll()
        }
        #expect(refusals.withLock { $0 } == 0)
        // If the server counts requests in another order than they were sent, the last ones wait for another reset.
        #expect(clock.now.offset >= .seconds(120))
    }

    @Test func `requests that a server counts in another order do not exceed its limit`() async throws {
        let clock = VirtualClock()
        let received = LockedState(0)
        let server = MockServer(clock: clock) {
            Route(.any) { _ in
                // The first request is counted before four others, and the fifth before the three sent with it.
                let number = received.next()
                let left = [4, 0, 1, 2, 3][(number - 1) % 5]
                return Reply.text("tea").header("X-RateLimit-Remaining", "\(left)")
                    .header("X-RateLimit-Reset-After", "60").delay(.seconds(number < 6 ? 6 - number : 0))
            }
        }
        let manager = server.manager(.limiting(concurrent: 4), clock: clock)
        try await manager.request(Self.url).response()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await manager.request(Self.url).response() } }
            try await group.waitForAll()
        }
        #expect(clock.now.offset >= .seconds(60))
    }

    @Test func `all requests to an origin wait for its Retry-After, with a reason`() async throws {
        let (clock, events) = (VirtualClock(.stepped), EventLog())
        let server = MockServer(clock: clock) {
            Route(.get, "http://shop.example/items") {
                Reply.status(429).header(.retryAfter, "30")
                Reply.text("tea").repeats()
            }
            Route(.get, "http://other.example") { Reply.text("milk") }
        }
        let manager = server.manager(
            .retry(), .limiting(concurrent: 2), monitor: events.monitor, clock: clock)
        let first = Task { try await manager.request(Self.url).string() }
        await events.next { $0.contains("waiting 30 s (Retry-After), attempt 2") }
        #expect(try await manager.request("http://other.example").string() == "milk")
        let second = Task { try await manager.request(Self.url).string() }
        await events.next { $0 == "waiting for the reset of the rate limit in 30 s (Retry-After)" }
        #expect(try await clock.advance() == .seconds(30))
        #expect(try await first.value == "tea")
        #expect(try await second.value == "tea")
    }

    @Test(
        arguments: [
            ([.retryAfter: "30"], 503, 30),
            (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "30"], 200, 30),
            (["X-RateLimit-Remaining": "1", "X-RateLimit-Reset-After": "30"], 200, 0),
        ] as [(HTTPHeaders, HTTPStatus, Int)])
    func `after a redirect, the limit is that of the origin that has answered`(
        fields: HTTPHeaders, status: HTTPStatus, seconds: Int
    ) async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.get, "http://shop.example/items") {
                Reply.redirect(to: "http://other.example/")
                Reply.text("tea")
            }
            Route(.get, "http://other.example/") {
                fields.reduce(Reply.text("milk", status: status)) { $0.header($1.name, $1.value) }
                Reply.text("milk")
            }
        }
        let manager = server.manager(.limiting(), clock: clock)
        _ = try? await manager.request(Self.url).response()
        #expect(try await manager.request(Self.url).string() == "tea")
        #expect(clock.now.offset == .zero)
        #expect(try await manager.request("http://other.example/").string() == "milk")
        #expect(clock.now.offset == .seconds(seconds))
    }

    @Test func `a total timeout includes the wait, and says so`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("tea").repeats() } }
        let manager = server.manager(.limiting(perSecond: 0.1), clock: clock)
        try await manager.request(Self.url).response()
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Self.url).timeout(.seconds(5)).response()
        }
        #expect(error?.kind == .timedOut(.total))
        #expect(error?.message.contains("while waiting for the rate of one request in 10 s") == true)
        #expect(clock.now.offset == .zero)
        #expect(server.requests.count == 1)
    }

    @Test func `a request that needs another request does not wait for itself`() async throws {
        let server = MockServer {
            Route(.post, "/login") { Reply.json(["token": "t0ken"]) }
            Route(.get, "/items", .header("Authorization", "Bearer t0ken")) { Reply.text("tea").repeats() }
        }
        let authenticator = Authenticator { _, manager in
            struct Login: Decodable { var token: String }
            let login = manager.request("login", method: .post)
            return .bearer(try await login.decode(Login.self).token)
        }
        let manager = SessionManager(
            baseURL: "http://shop.example", configuration: server.configuration,
            interceptors: [.limiting(concurrent: 1), authenticator])
        async let other = manager.request("items").string()
        #expect(try await manager.request("items").string() == "tea")
        #expect(try await other == "tea")
    }

    @Test(arguments: [10, 4 << 20])
    func `a stream that nobody reads does not stop other requests`(bytes: Int) async throws {
        let server = MockServer {
            Route(.get, "/large") { Reply.data(Data(count: bytes)) }
            Route(.get, "/items") { Reply.text("tea") }
        }
        let manager = server.manager(.limiting(concurrent: 1))
        let stream = try await manager.request("http://shop.example/large").stream()
        #expect(try await manager.request(Self.url).string() == "tea")
        var count = 0
        for try await chunk in stream.body { count += chunk.count }
        #expect(count == bytes)
    }
}
