import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a mock server does; lives as long as the server, or as long as a request that it answers.
final class ServerCore: Sendable {
    let router: Router
    let log = RequestLog()
    let time: ServerTime
    private let conditions: NetworkConditions
    private let random: LockedState<SeededGenerator>
    private let told = ToldReplies()
    /// Those under way; `nil` when the server is gone.
    private let exchanges = LockedState<[ObjectIdentifier: Exchange]?>([:])

    init(router: Router, clock: any Clock<Duration>, conditions: NetworkConditions) {
        self.router = router
        self.conditions = conditions
        time = ServerTime(clock)
        random = LockedState(SeededGenerator(seed: conditions.seed))
    }

    /// The error of a request whose session outlived its server.
    static func gone(_ request: URLRequest) -> MockServerError {
        let target = request.url.map { Redaction.url($0) } ?? "no URL"
        return MockServerError(
            .serverGone,
            """
            \(request.httpMethod ?? "GET") \(target): the mock server of this session is gone. \
            Keep the MockServer as long as its sessions run: a configuration does not keep it.
            """)
    }

    /// What a request meets first.
    enum Opening {
        /// All that there is to tell; what is held must be released when it is told.
        case events([Exchange.Event], hold: VirtualClock.Hold?)
        /// What there is to tell will be posted.
        case exchange(Exchange)
    }

    /// Takes a request in.
    func open(_ request: URLRequest, of task: URLSessionTask, at type: URLProtocol.Type) -> Opening {
        guard let url = request.url else { return .events([.failure(Self.gone(request))], hold: nil) }
        let hold = time.hold(for: Errands.take(url, type))
        let arrival = time.now
        let received = { @Sendable (body: Data) in
            ReceivedRequest(
                method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url,
                headers: HTTPHeaders(request.allHTTPHeaderFields ?? [:]), body: body, time: arrival)
        }
        let body = request.httpBody
        let stream = body == nil ? request.httpBodyStream : nil
        let answer = stream == nil ? answer(received(body ?? Data())) : nil
        // Most end here: a reply that does not wait needs nobody who looks after it.
        if case .events(let events) = answer { return .events(events, hold: hold) }
        let exchange = Exchange(task: task, request: request, hold: hold)
        let isOpen = exchanges.withLock { exchanges in
            exchanges?[ObjectIdentifier(exchange)] = exchange
            return exchanges != nil
        }
        guard isOpen else { return .events([.failure(Self.gone(request))], hold: hold) }
        if let answer { give(answer, to: exchange) }
        if let stream { BodyReader.read(stream) { [self] in give(self.answer(received($0)), to: exchange) } }
        return .exchange(exchange)
    }

    /// The exchange is over, for whatever reason.
    func end(_ exchange: Exchange) {
        exchange.finish()
        time.release(exchange.hold)
        // The exchange must not be released under the lock.
        _ = exchanges.withLock { $0?.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Ends what is under way with an error that says why, and takes nothing more.
    func close() {
        let open = exchanges.withLock { exchanges in
            defer { exchanges = nil }
            return exchanges ?? [:]
        }
        for exchange in open.values {
            exchange.post([.failure(Self.gone(exchange.request))], insteadOfOthers: true)
        }
    }

    /// Notes a request and decides what answers it.
    ///
    /// - Parameter limit: How many requests are kept: the latest.
    func decide(
        _ request: ReceivedRequest, keeping limit: Int = .max
    ) -> (take: Take, outcome: Router.Outcome) {
        let decision = router.decide(request)
        let take = Take(decision.request, budget: log.budget)
        log.append(take, keeping: limit)
        return (take, decision.outcome)
    }

    private enum Answer {
        case events([Exchange.Event])
        case work(@Sendable (Exchange) async -> Void)
    }

    private func answer(_ request: ReceivedRequest) -> Answer {
        let (take, outcome) = decide(request)
        let request = take.request
        switch outcome {
        case .failure(let error):
            return .events([.failure(error)])
        case .reply(let reply, let place):
            if let events = told.recall(place, to: request) {
                take.note(reply)
                return .events(events)
            }
            let plan = plan(reply, to: request.method)
            guard plan.isImmediate else { return .work { [time] in await $0.play(plan, take, time) } }
            take.note(plan, at: request.time)
            let events = plan.events(for: request.url)
            if reply.isAlwaysTheSame(under: conditions) { told.keep(events, of: plan, place, to: request) }
            return .events(events)
        case .handler(let handler):
            return .work { [self] exchange in
                do {
                    let plan = plan(try await handler(request), to: request.method)
                    await exchange.play(plan, take, time)
                } catch {
                    take.note(.failure(error), at: time.now)
                    exchange.post([.failure(error)])
                }
            }
        }
    }

    private func give(_ answer: Answer, to exchange: Exchange) {
        switch answer {
        case .events(let events): exchange.post(events)
        case .work(let work): exchange.drive { await work(exchange) }
        }
    }

    func plan(_ reply: Reply, to method: HTTPMethod) -> ReplyPlan {
        random.withLock { ReplyPlan(reply, to: method, conditions, &$0) }
    }
}
