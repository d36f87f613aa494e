import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The behavior of a mock server. It lives as long as the server, or as long as a request that it answers.
final class ServerCore: Sendable {
    let router: Router
    let log = RequestLog()
    let clock: ServerClock
    private let conditions: NetworkConditions
    private let random: LockedState<SeededGenerator>
    /// Reusing the plan and the `HTTPURLResponse` saves up to 30 % of the processor time of an immediate reply.
    private let replyCache = LockedState<[Router.ReplyIndex: CachedReply]>([:])
    /// The deliveries in progress, or `nil` after the server was deallocated.
    private let deliveries = LockedState<[ObjectIdentifier: ReplyDelivery]?>([:])

    /// The plan of a reply that is always the same, and its events for one URL.
    private struct CachedReply {
        let url: URL
        let method: HTTPMethod
        let plan: ReplyPlan
        let events: [ReplyDelivery.Event]
    }

    init(router: Router, clock: any Clock<Duration>, conditions: NetworkConditions) {
        self.router = router
        self.conditions = conditions
        self.clock = ServerClock(clock)
        random = LockedState(SeededGenerator(seed: conditions.seed))
    }

    /// The error of a request whose session outlived its server.
    static func deallocatedError(_ request: URLRequest) -> MockServerError {
        MockServerError(.serverGone(method: request.httpMethod ?? "GET", url: request.url))
    }

    // MARK: Requests from a URLProtocol

    enum Start {
        /// All events of the reply. The hold must be released after they were delivered.
        case immediate([ReplyDelivery.Event], hold: ClockHold?)
        /// A delivery whose events will be posted later.
        case deferred(ReplyDelivery)
    }

    /// Receives a request and starts its reply.
    func start(_ request: URLRequest, of protocolClass: URLProtocol.Type, _ wakeUp: ProtocolWakeUp) -> Start {
        guard let url = request.url else {
            return .immediate([.failure(Self.deallocatedError(request))], hold: nil)
        }
        let hold = clock.hold(sender: PendingRequests.remove(url, protocolClass))
        let arrival = clock.now
        let received = { @Sendable (body: Data) in
            ReceivedRequest(
                method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url,
                headers: HTTPHeaders(request.allHTTPHeaderFields ?? [:]), body: body, time: arrival)
        }
        let body = request.httpBody
        let stream = body == nil ? request.httpBodyStream : nil
        let answer = stream == nil ? answer(received(body ?? Data())) : nil
        if case .immediate(let events) = answer { return .immediate(events, hold: hold) }
        let delivery = ReplyDelivery(request, wakeUp, hold: hold)
        let isOpen = deliveries.withLock { deliveries in
            deliveries?[ObjectIdentifier(delivery)] = delivery
            return deliveries != nil
        }
        guard isOpen else { return .immediate([.failure(Self.deallocatedError(request))], hold: hold) }
        if let answer { send(answer, to: delivery) }
        if let stream { BodyReader.read(stream) { [self] in send(self.answer(received($0)), to: delivery) } }
        return .deferred(delivery)
    }

    /// Ends a delivery that is complete or cancelled.
    func end(_ delivery: ReplyDelivery) {
        delivery.finish()
        clock.release(delivery.hold)
        // Returns the delivery so that it is not deallocated under the lock.
        _ = deliveries.withLock { $0?.removeValue(forKey: ObjectIdentifier(delivery)) }
    }

    /// Fails the deliveries in progress and all later requests.
    func close() {
        let open = deliveries.withLock { deliveries in
            defer { deliveries = nil }
            return deliveries ?? [:]
        }
        for delivery in open.values {
            delivery.post([.failure(Self.deallocatedError(delivery.request))], replacingOthers: true)
        }
    }

    // MARK: Replies

    /// Records a request and selects its reply.
    ///
    /// - Parameter limit: The number of requests to keep. Older ones are removed.
    func receive(
        _ request: ReceivedRequest, keeping limit: Int = .max
    ) -> (exchange: RecordedExchange, outcome: Router.Outcome) {
        let (request, outcome) = router.route(request)
        let exchange = RecordedExchange(request, budget: log.budget)
        log.append(exchange, keeping: limit)
        return (exchange, outcome)
    }

    func plan(_ reply: Reply, for method: HTTPMethod) -> ReplyPlan {
        random.withLock { ReplyPlan(reply, for: method, conditions, &$0) }
    }

    private enum Answer {
        case immediate([ReplyDelivery.Event])
        case deferred(@Sendable (ReplyDelivery) async -> Void)
    }

    private func answer(_ request: ReceivedRequest) -> Answer {
        let (exchange, outcome) = receive(request)
        let request = exchange.request
        switch outcome {
        case .failure(let error):
            return .immediate([.failure(error)])
        case .reply(let reply, let index):
            if let cached = replyCache.withLock({ $0[index] }), cached.method == request.method {
                exchange.record(reply)
                return .immediate(
                    cached.url == request.url ? cached.events : cached.plan.events(for: request.url))
            }
            let plan = plan(reply, for: request.method)
            guard plan.isImmediate else {
                return .deferred { [clock] in await $0.play(plan, exchange, clock) }
            }
            exchange.record(plan, at: request.time)
            let events = plan.events(for: request.url)
            if reply.isCacheable(under: conditions) {
                let cached = CachedReply(url: request.url, method: request.method, plan: plan, events: events)
                replyCache.withLock { $0[index] = cached }
            }
            return .immediate(events)
        case .handler(let handler):
            return .deferred { [self] delivery in
                do {
                    let plan = plan(try await handler(request), for: request.method)
                    await delivery.play(plan, exchange, clock)
                } catch {
                    exchange.record(.failure(error), at: clock.now)
                    delivery.post([.failure(error)])
                }
            }
        }
    }

    private func send(_ answer: Answer, to delivery: ReplyDelivery) {
        switch answer {
        case .immediate(let events): delivery.post(events)
        case .deferred(let work): delivery.run { await work(delivery) }
        }
    }
}

/// The requests received by a server, and the callers that wait for a number of them.
final class RequestLog: Sendable {
    private struct Waiter: Sendable {
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var exchanges: [RecordedExchange] = []
        /// The number of requests received, including those that were removed.
        var count = 0
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = LockedState(State())

    /// The number of body bytes that the recorded exchanges of a server may hold.
    let budget = RecordedExchange.Budget(64 << 20)

    var requests: [ReceivedRequest] { exchanges.map(\.request) }
    var exchanges: [RecordedExchange] { state.withLock { $0.exchanges } }

    func append(_ exchange: RecordedExchange, keeping limit: Int) {
        let ready = state.withLock { state -> [Waiter] in
            state.exchanges.append(exchange)
            state.count += 1
            // Removing the oldest moves all others, so it happens rarely.
            if state.exchanges.count / 2 >= max(limit, 1) {
                state.exchanges.removeFirst(state.exchanges.count - limit)
            }
            guard !state.waiters.isEmpty else { return [] }
            let ready = state.waiters.filter { $0.value.count <= state.count }
            for key in ready.keys { state.waiters[key] = nil }
            return Array(ready.values)
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    /// Returns `true` if `count` requests arrived within `limit` of real time.
    func wait(for count: Int, within limit: Duration) async -> Bool {
        let key = state.withLock { state -> Int in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        return await Timeout.wait(limit) { continuation in
            state.withLock { state -> Bool? in
                if state.count >= count || Task.isCancelled { return state.count >= count }
                state.waiters[key] = Waiter(count: count, continuation: continuation)
                return nil
            }
        } onTimeout: { [weak self] in
            self?.stopWaiting(key)
        }
    }

    private func stopWaiting(_ key: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
        waiter?.continuation.resume(returning: false)
    }
}

/// Reads body streams outside the work queue of URLSession, because a read can block until the client writes.
private enum BodyReader {
    // SAFETY: only the reader uses the stream.
    private struct Stream: @unchecked Sendable { let stream: InputStream }

    static func read(_ stream: InputStream, completion: @escaping @Sendable (Data) -> Void) {
        let stream = Stream(stream: stream)
        DispatchQueue.global().async {
            let stream = stream.stream
            stream.open()
            defer { stream.close() }
            var body = Data()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
                body.append(contentsOf: buffer[..<count])
            }
            completion(body)
        }
    }
}
