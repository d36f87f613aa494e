import Foundation

/// The part of a mock server that receives requests and creates their replies. It is retained by the server and by
/// requests in progress.
final class ServerCore: Sendable {
    let router: Router
    let log: RequestLog
    let clock: ServerClock
    /// The clocks of the session managers that use the server.
    let clientClocks = LockedState<Set<ClientClock>>([])
    let work: DeliveryWork
    private let conditions: NetworkConditions
    private let random: LockedState<SeededGenerator>
    /// The replies that do not change between requests.
    private let replyCache = LockedState<[Router.ReplyIndex: PlannedReply]>([:])
    /// Returns the server, which session managers keep alive.
    let owner = LockedState<@Sendable () -> (any AnyObject & Sendable)?> { nil }
    /// The deliveries in progress, or `nil` after the server was deallocated.
    private let deliveries = LockedState<[ObjectIdentifier: ReplyDelivery]?>([:])

    init(
        router: Router, clock: any Clock<Duration>, conditions: NetworkConditions,
        work: DeliveryWork = DeliveryWork()
    ) {
        self.router = router
        log = RequestLog(router.masking)
        (self.conditions, self.work) = (conditions, work)
        self.clock = ServerClock(clock)
        random = LockedState(SeededGenerator(seed: conditions.seed))
    }

    var masking: HAR.Masking { router.masking }

    /// The error of a request whose session outlived its server.
    static func deallocatedError(
        _ request: URLRequest, _ masking: HAR.Masking = .standard
    ) -> MockServerError {
        MockServerError(.serverGone(method: request.httpMethod ?? "GET", url: request.url), masking)
    }

    // MARK: Requests from a URLProtocol

    /// Receives a request and its body. Returns the events of an immediate reply. Those of other replies are posted to a
    /// delivery, which is made only for them.
    func start(
        _ request: ReceivedRequest, _ body: RequestBody, _ makeDelivery: () -> ReplyDelivery
    ) -> [ReplyDelivery.Event]? {
        if case .data(let body) = body { return start(request, with: body, makeDelivery) }
        return deferred(makeDelivery()) { delivery in
            delivery.startTimer()
            // The client can wait on the clock before it sends the next part.
            delivery.hold?.suspend()
            body.read(for: delivery) { [self] in
                // The reply has its own timeout.
                guard !delivery.isFinished, delivery.timer?.pause() != false else { return }
                delivery.hold?.resume()
                if let events = start(request, with: $0, { delivery }) { delivery.post(events) }
            }
        }
    }

    /// Calls `start` for a delivery whose events are posted later. Returns a failure if the server was deallocated.
    private func deferred(
        _ delivery: ReplyDelivery, start: (ReplyDelivery) -> Void
    ) -> [ReplyDelivery.Event]? {
        let isOpen = deliveries.withLock { deliveries in
            deliveries?[ObjectIdentifier(delivery)] = delivery
            return deliveries != nil
        }
        guard isOpen else { return [.failure(Self.deallocatedError(delivery.request, masking))] }
        start(delivery)
        // The client can cancel while the body of its request is read.
        if delivery.isFinished { remove(delivery) }
        return nil
    }

    func end(_ delivery: ReplyDelivery) {
        delivery.finish()
        delivery.hold?.release()
        remove(delivery)
    }

    private func remove(_ delivery: ReplyDelivery) {
        // Returns the delivery so that it is not deallocated under the lock.
        _ = deliveries.withLock { $0?.removeValue(forKey: ObjectIdentifier(delivery)) }
    }

    /// Fails the deliveries in progress and all later requests.
    func close() {
        defer { log.completions.finish() }
        for delivery in (deliveries.withLock { $0.take() } ?? [:]).values {
            let error = Self.deallocatedError(delivery.request, masking)
            delivery.post([.failure(error)], replacingOthers: true)
        }
    }

    /// Removes routes and adds others. Replies in progress are completed.
    func removeRoutes(replacingWith routes: [Route]? = nil, where condition: @Sendable (Router.Entry) -> Bool)
    {
        router.remove(replacingWith: routes, where: condition)
        replyCache.withLock { $0 = [:] }
    }

    func reset() {
        router.reset()
        log.reset()
        replyCache.withLock { $0 = [:] }
    }

    // MARK: Replies

    func plan(_ reply: Reply, for method: HTTPMethod) -> ReplyPlan {
        random.withLock { ReplyPlan(reply, for: method, conditions, &$0) }
    }

    /// Returns the plan of a reply, which is used again unless it takes time or depends on the request.
    private func planned(
        _ reply: Reply, at index: Router.ReplyIndex?, for request: ReceivedRequest
    ) -> PlannedReply {
        if let index, let known = replyCache.withLock({ $0[index] }) { return known }
        let planned = PlannedReply(plan(reply.answering(request), for: request.method))
        if let index, planned.isImmediate, reply.isCacheable(under: conditions) {
            replyCache.withLock { $0[index] = planned }
        }
        return planned
    }

    enum Answer {
        case reply(PlannedReply)
        /// A function that calls the handler of a route, and `fail` if the handler stops a virtual clock.
        case handler(Handler)

        typealias Handler =
            @Sendable (_ fail: @escaping @Sendable (MockServerError) async -> Void) async throws -> ReplyPlan
    }

    /// Returns the answer to a request, and its exchange, in which a reply that is not immediate remains to be recorded.
    func answer(
        _ received: ReceivedRequest, keeping limit: Int = .max
    ) -> (exchange: RecordedExchange, answer: Answer) {
        let (request, outcome) = router.route(received)
        let exchange = log.append(request, keeping: limit)
        let planned: PlannedReply
        switch outcome {
        case .failure(let error): planned = PlannedReply(ReplyPlan(failure: error))
        case .reply(let reply, let index): planned = self.planned(reply, at: index, for: request)
        case .handler(let handler, let route):
            let makePlan: Answer.Handler = { [self] fail in
                let reply = try await reply(of: handler, route, to: request, fail)
                return plan(reply.answering(request), for: request.method)
            }
            return (exchange, .handler(makePlan))
        }
        if planned.isImmediate { exchange.record(planned.plan.steps, at: request.time) }
        return (exchange, .reply(planned))
    }

    private func start(
        _ request: ReceivedRequest, with body: Data, _ makeDelivery: () -> ReplyDelivery
    ) -> [ReplyDelivery.Event]? {
        var received = request
        received.body = body
        let (exchange, answer) = answer(received)
        switch answer {
        case .reply(let reply) where reply.isImmediate: return reply.events(for: received.url)
        case .reply(let reply):
            return deferred(makeDelivery()) { delivery in
                watch(reply.plan, delivery, exchange)
                delivery.play(exchange) { reply.plan }
            }
        case .handler(let makePlan):
            return deferred(makeDelivery()) { delivery in
                delivery.startTimer(exchange)
                // Weak, because the watch of the handler ends a little later than the delivery.
                delivery.play(exchange) { [self, weak delivery] in
                    let plan = try await makePlan { [weak delivery] in delivery?.fail($0, exchange) }
                    if let delivery { watch(plan, delivery, exchange) }
                    return plan
                }
            }
        }
    }

    /// Fails a delivery whose plan stalls after the limit of the client's clock if nothing has ended it: a virtual clock advances
    /// only for waits, and this one is not that of the server.
    private func watch(_ plan: ReplyPlan, _ delivery: ReplyDelivery, _ exchange: RecordedExchange) {
        guard plan.stalls else { return }
        let limits = clientClocks.withLock { clocks in
            clocks.map { if case .otherVirtual(let limit) = $0 { limit } else { nil as Duration? } }
        }
        guard let limit = limits.compactMap(\.self).max(), !limits.contains(nil) else { return }
        let task = Task { [self, weak delivery] in
            try await VirtualClock.waitForHang(longerThan: limit) { 0 }
            guard let delivery, !delivery.isFinished else { return }
            let error = MockServerError(.clockNotShared(exchange.request), masking)
            router.add(error)
            delivery.fail(error, exchange)
        }
        delivery.onFinish { task.cancel() }
    }

    /// Calls a handler outside the caller's actor. Calls `fail` if it stops a virtual clock, because it neither returns nor
    /// waits on the clock.
    @concurrent private func reply(
        of handler: @Sendable (ReceivedRequest) async throws -> Reply, _ route: Route,
        to request: ReceivedRequest, _ fail: @escaping @Sendable (MockServerError) async -> Void
    ) async throws -> Reply {
        guard let hold = VirtualClock.currentHold else { return try await handler(request) }
        let watch = Task { [self] in
            let limit = hold.clock.handlerLimit
            guard
                (try? await VirtualClock.waitForHang(longerThan: limit, progress: { hold.progress })) != nil
            else { return }
            let kind = MockServerError.Kind.clockStopped(
                request, route: route.description, location: route.location, limit: limit)
            let error = MockServerError(kind, masking)
            router.add(error)
            await fail(error)
        }
        defer { watch.cancel() }
        return try await handler(request)
    }
}
