/// Decides which route answers a request, and with which of its replies.
final class Router: Sendable {
    enum Outcome: Sendable {
        case reply(Reply)
        case handler(@Sendable (ReceivedRequest) async throws -> Reply)
        case failure(MockServerError)
    }

    struct Decision: Sendable {
        /// The request, knowing its route and what the route's pattern captured.
        let request: ReceivedRequest
        let outcome: Outcome
    }

    struct State {
        /// How often each route was used.
        var uses: [Int]
        /// The routes used, in order.
        var order: [Int] = []
        /// Requests that no route matched, and what was said to the client.
        var unmatched: [(request: ReceivedRequest, error: MockServerError)] = []
    }

    let routes: [Route]
    /// The most specific first, then the earliest.
    private let ranking: [(route: Int, conditions: [Condition])]
    private let state: Lock<State>

    init(_ routes: [Route]) {
        self.routes = routes
        let weights = routes.map(\.weight)
        ranking = routes.indices
            .sorted { (weights[$1], $0) < (weights[$0], $1) }
            .map { ($0, routes[$0].conditions) }
        state = Lock(State(uses: Array(repeating: 0, count: routes.count)))
    }

    /// What has happened so far.
    var past: State { state.withLock { $0 } }

    func decide(_ request: ReceivedRequest) -> Decision {
        var request = request
        guard let index = match(&request) else {
            let error = NearMiss.error(for: request, routes: routes)
            // So many say enough, and a server on a socket may meet any number.
            state.withLock { if $0.unmatched.count < 1_000 { $0.unmatched.append((request, error)) } }
            return Decision(request: request, outcome: .failure(error))
        }
        let route = routes[index]
        request.route = route.description
        let use = state.withLock { state -> Int in
            state.uses[index] += 1
            state.order.append(index)
            return state.uses[index]
        }
        return Decision(request: request, outcome: route.answer(to: request, use: use))
    }

    private func match(_ request: inout ReceivedRequest) -> Int? {
        candidates: for (route, conditions) in ranking {
            var captures: [String: String] = [:]
            for condition in conditions {
                guard case .match(let captured) = condition.test(request) else { continue candidates }
                if !captured.isEmpty { captures.merge(captured) { $1 } }
            }
            request.captures = captures
            return route
        }
        return nil
    }
}

extension Route {
    /// What is said to request number `use`.
    fileprivate func answer(to request: ReceivedRequest, use: Int) -> Router.Outcome {
        switch answers {
        case .handler(let handler): return .handler(handler)
        case .replies(let replies):
            if replies.count == 1 { return .reply(replies[0]) }
            if use <= replies.count { return .reply(replies[use - 1]) }
            if let last = replies.last, last.isRepeated { return .reply(last) }
            return .failure(
                MockServerError(
                    .exhausted,
                    """
                    \(request) asks \(self) at \(location) for reply \(use) of \(replies.count). \
                    Add a reply, or let the last one answer all further requests with .repeats().
                    """))
        }
    }
}
