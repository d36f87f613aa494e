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
    private let random: Lock<SeededGenerator>
    /// Those under way; `nil` when the server is gone.
    private let exchanges = Lock<[ObjectIdentifier: Exchange]?>([:])

    init(router: Router, clock: any Clock<Duration>, conditions: NetworkConditions) {
        self.router = router
        self.conditions = conditions
        time = ServerTime(clock)
        random = Lock(SeededGenerator(seed: conditions.seed))
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

    /// Takes a request in; what there is to tell at once comes back, the rest is posted.
    func begin(_ exchange: Exchange) -> [Exchange.Event] {
        let request = exchange.request
        let isOpen = exchanges.withLock { exchanges in
            exchanges?[ObjectIdentifier(exchange)] = exchange
            return exchanges != nil
        }
        guard isOpen, let url = request.url else { return [.failure(Self.gone(request))] }
        let hold = time.hold()
        exchange.hold(hold)
        let arrival = time.now
        let arrive = { @Sendable [self] (body: Data) in
            answer(
                ReceivedRequest(
                    method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url,
                    headers: HTTPHeaders(of: request), body: body, time: arrival),
                on: exchange)
        }
        guard request.httpBody == nil, let stream = request.httpBodyStream else {
            return arrive(request.httpBody ?? Data())
        }
        BodyReader.read(stream) { exchange.post(arrive($0)) }
        return []
    }

    /// The exchange is over, for whatever reason.
    func end(_ exchange: Exchange) {
        time.release(exchange.finish())
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
    func decide(_ request: ReceivedRequest, keeping limit: Int = .max) -> Router.Decision {
        let decision = router.decide(request)
        log.append(decision.request, keeping: limit)
        return decision
    }

    private func answer(_ request: ReceivedRequest, on exchange: Exchange) -> [Exchange.Event] {
        let decision = decide(request)
        let player = Player(exchange: exchange, request: decision.request, time: time)
        switch decision.outcome {
        case .failure(let error):
            return [.failure(error)]
        case .reply(let reply):
            let plan = plan(reply, to: request.method)
            if plan.isImmediate { return player.events(of: plan) }
            exchange.drive { await player.play(plan) }
        case .handler(let handler):
            exchange.drive {
                do {
                    await player.play(self.plan(try await handler(decision.request), to: request.method))
                } catch {
                    exchange.post([.failure(error)])
                }
            }
        }
        return []
    }

    func plan(_ reply: Reply, to method: HTTPMethod) -> ReplyPlan {
        random.withLock { ReplyPlan(reply, to: method, conditions, &$0) }
    }
}

extension HTTPHeaders {
    /// Sorted by name: URLSession keeps them without an order.
    fileprivate init(of request: URLRequest) {
        self.init()
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            add(Name(name), value)
        }
    }
}
