/// Decides which route answers a request, and with which of its replies.
final class Router: Sendable {
    enum Outcome: Sendable {
        case reply(Reply, at: Place)
        case handler(@Sendable (ReceivedRequest) async throws -> Reply)
        case failure(MockServerError)
    }

    /// Which reply of which route.
    struct Place: Hashable, Sendable {
        let route: Int
        let reply: Int
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
    private let names: [String]
    /// The most specific first, then the earliest.
    private let ranking: [(route: Int, conditions: [Condition])]
    private let state: LockedState<State>

    init(_ routes: [Route]) {
        self.routes = routes
        names = routes.map(\.description)
        let weights = routes.map(\.weight)
        ranking = routes.indices
            .sorted { (weights[$1], $0) < (weights[$0], $1) }
            .map { ($0, routes[$0].conditions) }
        state = LockedState(State(uses: Array(repeating: 0, count: routes.count)))
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
        request.route = names[index]
        let use = state.withLock { state -> Int in
            state.uses[index] += 1
            state.order.append(index)
            return state.uses[index]
        }
        return Decision(request: request, outcome: answer(to: request, from: index, use: use))
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

    /// What the route says to its request number `use`.
    private func answer(to request: ReceivedRequest, from index: Int, use: Int) -> Outcome {
        let route = routes[index]
        switch route.answers {
        case .handler(let handler): return .handler(handler)
        case .replies(let replies):
            let isLastForAll = replies.count == 1 || replies.last?.isRepeated == true
            let number = isLastForAll ? min(use, replies.count) : use
            guard replies.indices.contains(number - 1) else {
                return .failure(
                    MockServerError(
                        .exhausted,
                        """
                        \(request) asks \(route) at \(route.location) for reply \(use) of \(replies.count). \
                        Add a reply, or let the last one answer all further requests with .repeats().
                        """))
            }
            return .reply(replies[number - 1], at: Place(route: index, reply: number - 1))
        }
    }
}
