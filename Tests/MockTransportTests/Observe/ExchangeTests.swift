import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import Testing

@testable import MockTransport

/// Named routes, exchanges and the access log.
@Suite struct ExchangeTests {
    private let clock = VirtualClock()
    private let server: MockServer

    init() {
        server = MockServer(clock: clock) {
            Route(.post, "/login") { Reply.text("in").delay(.milliseconds(80)) }.named("login")
            Route(.get, "/items") { Reply.text("teas") }
            Route("/refused") { Reply.fault(.refused) }
            Route("/stall") { Reply.fault(.stall(.afterHead)) }
            Route("/once") {
                Reply.status(204)
                Reply.status(204)
            }
        }
    }

    private func run() async throws {
        _ = try await server.text("http://shop.example/login?token=abc", method: "POST")
        _ = try await server.text("http://shop.example/items")
        _ = try? await server.text("http://shop.example/refused")
        _ = try? await server.text("http://shop.example/missing")
        for _ in 0..<3 { _ = try? await server.text("http://shop.example/once") }
    }

    @Test func `the access log has a line for each request`() async throws {
        try await run()
        let refused = ReplyPlan.ConnectionFailure.refused.error(
            for: URL(literal: "http://shop.example/refused"))
        #expect(
            server.accessLog == """
                [0.000s]  POST http://shop.example/login?token=***  200  2 bytes  0.080s  "login"
                [0.080s]  GET http://shop.example/items  200  4 bytes  0.000s  Route(.get, "/items")
                [0.080s]  GET http://shop.example/refused  0.000s  failed: \(refused.localizedDescription)  \
                Route("/refused")
                [0.080s]  GET http://shop.example/missing  0.000s  no route
                [0.080s]  GET http://shop.example/once  204  0 bytes  0.000s  Route("/once")
                [0.080s]  GET http://shop.example/once  204  0 bytes  0.000s  Route("/once")
                [0.080s]  GET http://shop.example/once  0.000s  rejected: GET http://shop.example/once is request 3 \
                for Route("/once") at ExchangeTests.swift:19, which has 2 replies. Add a reply, or add .repeats() to \
                the last one so that it answers all further requests.  Route("/once")

                """)
    }

    @Test func `requests are found by the name of their route, and their completion is an event`()
        async throws
    {
        let completions = server.completions
        try await run()
        #expect(server.requests(to: "login").map(\.query["token"]) == ["abc"])
        #expect(server.requests(to: "logout").isEmpty)
        #expect(server.requests.first?.route == #"Route(.post, "/login").named("login")"#)
        #expect(server.exchanges.map(\.status) == [200, 200, nil, nil, 204, 204, nil])
        let completed: [HTTPStatus?] = await completions.prefix(7).reduce(into: []) { $0.append($1.status) }
        #expect(completed == [200, 200, nil, nil, 204, 204, nil])
    }

    @Test func `the events end with the server`() async throws {
        var server: MockServer? = MockServer { Route(.any) { Reply.text("tea") } }
        let completions = try #require(server?.completions)
        _ = try await server?.text("http://shop.example/")
        server = nil
        var count = 0
        for await _ in completions { count += 1 }
        #expect(count == 1)
    }

    @Test func `the access log masks secrets in the conditions of routes`() async throws {
        let server = MockServer {
            Route(.post, "/login", .body(json: ["password": "hunter2"])) { Reply.text("ok") }
        }
        _ = try await server.text(
            "http://shop.example/login", method: "POST", body: #"{"password": "hunter2"}"#)
        #expect(server.accessLog.contains("Route(.post"))
        #expect(!server.accessLog.contains("hunter2"), "\(server.accessLog)")
    }

    @Test func `a cancelled request is an event`() async throws {
        let stepped = VirtualClock(.stepped)
        let server = MockServer(clock: stepped) { Route(.any) { Reply.fault(.stall(.afterHead)) } }
        let completions = server.completions
        let recorder = Recorder()
        let session = server.session(recorder)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: URL(literal: "http://shop.example/stall"))
        async let transcript = recorder.run(task)
        _ = try await server.requests(count: 1)
        #expect(server.accessLog.contains("pending"))
        task.cancel()
        #expect(await transcript.error != nil)
        for await exchange in completions {
            guard case .cancelled = exchange.outcome else {
                Issue.record("\(exchange)")
                break
            }
            #expect(exchange.description.contains("cancelled"))
            break
        }
    }

    @Test func `a handler that ignores its cancellation does not complete the exchange`() async {
        let gate = AsyncStream<Void>.makeStream()
        let tasks = LockedState<[Task<Void, Never>]>([])
        var work = DeliveryWork()
        work.startTask = { work in
            let task = Task { await work() }
            tasks.withLock { $0.append(task) }
            return task
        }
        work.runHandler = { $0() }
        let route = Route(.any) { _ in
            // Not cancelled with the task of the handler.
            await Task.detached { for await _ in gate.stream { break } }.value
            return .text("late")
        }
        let core = ServerCore(
            router: Router([route]), clock: ContinuousClock(), conditions: .none, work: work)
        let url = URL(literal: "http://shop.example/")
        let delivery = ReplyDelivery(URLRequest(url: url), on: core.clock, hold: nil, work: work) { _ in }
        _ = core.start(ReceivedRequest(method: .get, url: url), .data(Data())) { delivery }
        core.end(delivery)
        gate.continuation.yield()
        for task in tasks.withLock({ $0 }) { await task.value }
        #expect(core.log.exchanges.map(\.summary.isCancelled) == [true])
        #expect(core.log.exchanges.map(\.summary.status) == [nil])
    }

    @Test(arguments: ["/stall", "/delay", "/handler"])
    func `a timeout in the process is a failure, not a cancellation`(path: String) async throws {
        let clock = clock
        let server = MockServer(clock: clock) {
            Route("/stall") { Reply.fault(.stall(.afterHead)) }
            Route("/delay") { Reply.text("late").delay(.seconds(100)) }
            Route("/handler") { _ in
                try await clock.sleep(for: .seconds(100))
                return .text("late")
            }
        }
        let completions = server.completions
        _ = try? await server.text("http://shop.example\(path)")
        for await exchange in completions {
            guard case .failed(let error) = exchange.outcome else {
                Issue.record("\(exchange)")
                break
            }
            #expect((error as? URLError)?.code == .timedOut)
            #expect(exchange.duration == .seconds(60))
            break
        }
    }

    @Test func `a socket has the same log`() async throws {
        let loopback = try await server.listen()
        for path in ["items", "missing"] { _ = try await loopback.reply(to: path) }
        #expect(
            server.accessLog == """
                [0.000s]  GET \(loopback.url)/items  200  4 bytes  0.000s  Route(.get, "/items")
                [0.000s]  GET \(loopback.url)/missing  0.000s  no route

                """)
        await loopback.close()
    }

    @Test func `the cache policy of a request is visible`() async throws {
        var request = URLRequest(url: URL(literal: "http://shop.example/items"))
        request.cachePolicy = .reloadIgnoringLocalCacheData
        _ = try await server.text(request)
        #expect(server.requests.first?.cachePolicy == .reloadIgnoringLocalCacheData)
    }
}

extension MockServer.Exchange {
    fileprivate var isCancelled: Bool { if case .cancelled = outcome { true } else { false } }
}
