/// The routes of a server and the history of their calls.
final class Router: Sendable {
    enum Outcome: Sendable {
        case reply(Reply, at: ReplyIndex)
        case handler(@Sendable (ReceivedRequest) async throws -> Reply)
        case failure(MockServerError)
    }

    /// The position of a reply in the routes.
    struct ReplyIndex: Hashable, Sendable {
        let route: Int
        let reply: Int
    }

    struct History {
        /// The number of calls of each route.
        var callCounts: [Int]
        /// The routes called, in order.
        var callOrder: [Int] = []
        /// The errors of the requests that matched no route.
        var unmatched: [MockServerError] = []
    }

    /// The maximum number of unmatched requests to report: a server on a socket may receive any number.
    private static let maxUnmatched = 1_000

    let routes: [Route]
    /// The most specific route first, then the earliest.
    private let ranking: [(route: Int, matcher: RequestMatcher)]
    private let state: LockedState<History>

    init(_ routes: [Route]) {
        self.routes = routes
        let specificities = routes.map(\.specificity)
        ranking = routes.indices
            .sorted { (specificities[$1], $0) < (specificities[$0], $1) }
            .map { ($0, RequestMatcher(routes[$0].description, routes[$0].conditions)) }
        state = LockedState(History(callCounts: Array(repeating: 0, count: routes.count)))
    }

    var history: History { state.withLock { $0 } }

    /// Returns the reply to a request, and the request with its route and captures.
    func route(_ request: ReceivedRequest) -> (request: ReceivedRequest, outcome: Outcome) {
        var request = request
        for (index, matcher) in ranking {
            guard case .match(let captures) = matcher.match(request) else { continue }
            request.captures = captures
            request.route = matcher.description
            let call = state.withLock { state -> Int in
                state.callCounts[index] += 1
                state.callOrder.append(index)
                return state.callCounts[index]
            }
            return (request, reply(to: request, from: index, call: call))
        }
        let nearest = NearMiss.nearest(to: request, among: routes)
        let error = MockServerError(.unmatched(request, routes: routes.count, nearest: nearest))
        state.withLock { if $0.unmatched.count < Self.maxUnmatched { $0.unmatched.append(error) } }
        return (request, .failure(error))
    }

    private func reply(to request: ReceivedRequest, from index: Int, call: Int) -> Outcome {
        let route = routes[index]
        switch route.replies {
        case .handler(let handler): return .handler(handler)
        case .sequence(let replies):
            let isLastRepeated = replies.count == 1 || replies.last?.isRepeated == true
            let number = isLastRepeated ? min(call, replies.count) : call
            guard replies.indices.contains(number - 1) else {
                return .failure(
                    MockServerError(
                        .exhausted(
                            request, route: route.description, location: route.location, call: call,
                            replies: replies.count)))
            }
            return .reply(replies[number - 1], at: ReplyIndex(route: index, reply: number - 1))
        }
    }
}
