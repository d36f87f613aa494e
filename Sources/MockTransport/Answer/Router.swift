/// The routes of a server, which can change while it runs, and the history of their calls.
final class Router: Sendable {
    enum Outcome: Sendable {
        /// A reply. The index is `nil` if the reply is sent a limited number of times.
        case reply(Reply, at: ReplyIndex?)
        case handler(@Sendable (ReceivedRequest) async throws -> Reply, of: Route)
        case failure(MockServerError)
    }

    struct ReplyIndex: Hashable, Sendable {
        let route: Int
        let reply: Int
        /// `true` for a request that asks for the reply without its body.
        let isHead: Bool
    }

    final class Entry: Sendable {
        /// The position of the route in the order of all routes that were ever added.
        let id: Int
        /// The number of the call that added the route. 0 for the routes with which the server was created.
        let batch: Int
        /// The number of requests that the router had answered when the route was added.
        let firstCall: Int
        let route: Route
        let matcher: RequestMatcher
        /// The decoded segments with which the paths that the route matches begin.
        fileprivate let pathPrefix: [String]
        private let specificity: Int

        init(_ route: Route, id: Int, batch: Int, firstCall: Int) {
            (self.id, self.batch, self.firstCall, self.route) = (id, batch, firstCall, route)
            let conditions = route.conditions
            matcher = RequestMatcher(route.description, conditions)
            pathPrefix = conditions.map(\.pathPrefix).max { $0.count < $1.count } ?? []
            specificity = route.specificity
        }

        func precedes(_ other: Entry) -> Bool {
            guard route.rank == other.route.rank else { return route.rank > other.route.rank }
            if route.rank == .enqueued { return id < other.id }
            return (specificity, batch, other.id) > (other.specificity, other.batch, id)
        }
    }

    struct Usage: Sendable {
        let entry: Entry
        fileprivate(set) var callCount = 0
        fileprivate(set) var isRemoved = false
        /// `true` if other routes replace the route, which then may remain unused.
        fileprivate(set) var isReplaced = false

        var route: Route { entry.route }
        var expectedCalls: ExpectedCalls { (isReplaced ? route.optional() : route).expectedCalls }
    }

    fileprivate struct State {
        /// The routes in use, and removed ones that did not meet their expectations.
        var usages: [Int: Usage] = [:]
        var ranking: [Entry] = []
        /// The positions of the routes in `ranking`, by the segments with which their paths begin.
        var positions: [[String]: [Int]] = [:]
        var nextID = 0
        var nextBatch = 0
        /// The state into which `Route.then` has brought the server, or `nil` for none.
        var name: String?
        var callCount = 0
        /// The last route called, except for enqueued replies.
        var lastCalled: Int?
        /// The first call of a route that is written above the one called before it.
        var violation: (earlier: Int, later: Int)?
        var failures: [MockServerError] = []
        /// The error of every request, if a route has conditions that no request can meet.
        var invalidRoute: MockServerError?
    }

    /// The maximum number of failed requests to report: a server on a socket may receive any number.
    private static let maxFailures = 1_000

    private let initialRoutes: [Route]
    let masking: HAR.Masking
    private let state: LockedState<State>

    init(_ routes: [Route], masking: HAR.Masking = .standard) {
        (initialRoutes, self.masking) = (routes, masking)
        state = LockedState(State(routes))
    }

    // MARK: Changing the routes

    /// Adds routes, and returns the number of their batch.
    @discardableResult func add(_ routes: [Route]) -> Int { state.withLock { $0.add(routes) } }

    /// Removes the routes for which `condition` is true, and adds others.
    ///
    /// A removed route keeps its expectations, unless other routes replace it.
    func remove(replacingWith routes: [Route]? = nil, where condition: @Sendable (Entry) -> Bool) {
        state.withLock { state in
            for entry in state.ranking where condition(entry) {
                state.markRemoved(entry.id, isReplaced: routes != nil)
            }
            // Also orders the routes.
            state.add(routes ?? [])
        }
    }

    func reset() {
        state.withLock { state in
            let (nextID, nextBatch) = (state.nextID, state.nextBatch)
            state = State(initialRoutes)
            // Not used again, so that a batch that was added before cannot remove a later one.
            (state.nextID, state.nextBatch) = (nextID, nextBatch)
        }
    }

    // MARK: Reports

    /// The routes in the order in which they were added, including removed ones that did not meet their expectations.
    var usages: [Usage] { state.withLock { $0.usages.values.sorted { $0.entry.id < $1.entry.id } } }

    var failures: [MockServerError] { state.withLock { $0.failures } }

    var invalidRoute: MockServerError? { state.withLock { $0.invalidRoute } }

    var orderViolation: (earlier: Route, later: Route)? {
        state.withLock { state in
            guard let (earlier, later) = state.violation, let first = state.usages[earlier],
                let second = state.usages[later]
            else { return nil }
            return (first.route, second.route)
        }
    }

    // MARK: Routing

    func route(_ request: ReceivedRequest) -> (request: ReceivedRequest, outcome: Outcome) {
        var request = request
        let path = request.path
        let (candidates, invalidRoute) = state.withLock { ($0.candidates(for: path), $0.invalidRoute) }
        if let invalidRoute { return (request, .failure(invalidRoute)) }
        for entry in candidates {
            guard case .match(let captures) = entry.matcher.match(request), let call = claim(entry) else {
                continue
            }
            request.captures = captures
            request.route = entry.matcher.description
            request.routeName = entry.route.name
            request.call = (route: entry.id, number: call.total)
            return (request, reply(to: request, from: entry, call: call.number))
        }
        let error = unmatched(request)
        add(error)
        return (request, .failure(error))
    }

    func add(_ failure: MockServerError) {
        state.withLock { if $0.failures.count < Self.maxFailures { $0.failures.append(failure) } }
    }

    private func unmatched(_ request: ReceivedRequest) -> MockServerError {
        let active = usages.filter { !$0.isRemoved && $0.route.rank != .enqueued }
        let state = state.withLock { $0.name }
        let nearest = NearMiss.nearest(to: request, among: active, in: state, masking)
        return MockServerError(.unmatched(request, routes: active.count, nearest: nearest), masking)
    }

    /// Returns the number of a call of a route and that of all calls, or `nil` if the route was removed, has had all of its
    /// calls, or answers in another state.
    private func claim(_ entry: Entry) -> (number: Int, total: Int)? {
        let (id, route) = (entry.id, entry.route)
        return state.withLock { state in
            guard let usage = state.usages[id], !usage.isRemoved, usage.callCount < route.limit,
                route.requiredState == nil || route.requiredState == state.name
            else { return nil }
            if route.rank != .enqueued {
                if let last = state.lastCalled, id < last, state.violation == nil {
                    state.violation = (earlier: last, later: id)
                }
                state.lastCalled = id
            }
            state.name = route.nextState ?? state.name
            let call = usage.callCount + 1
            state.usages[id]?.callCount = call
            state.callCount += 1
            // An enqueued reply is not needed again.
            if route.rank == .enqueued, call == route.limit { state.markRemoved(id) }
            return (call, state.callCount)
        }
    }

    private func reply(to request: ReceivedRequest, from entry: Entry, call: Int) -> Outcome {
        switch entry.route.replies {
        case .handler(let handler): return .handler(handler, of: entry.route)
        case .sequence(let replies):
            let isLastRepeated = replies.count == 1 || replies.last?.isRepeated == true
            let number = isLastRepeated ? min(call, replies.count) : call
            guard replies.indices.contains(number - 1) else {
                let error: MockServerError.Kind =
                    entry.route.recording != nil
                    ? .exhaustedRecording(request, call: call, exchanges: replies.count)
                    : .exhausted(
                        request, route: entry.route.description, location: entry.route.location, call: call,
                        replies: replies.count)
                return .failure(MockServerError(error, masking))
            }
            let index = ReplyIndex(
                route: entry.id, reply: number - 1, isHead: request.method == .head)
            return .reply(replies[number - 1], at: entry.route.limit == .max ? index : nil)
        }
    }
}

extension Router.State {
    fileprivate init(_ routes: [Route]) { add(routes) }

    @discardableResult fileprivate mutating func add(_ routes: [Route]) -> Int {
        for route in routes {
            usages[nextID] = Router.Usage(
                entry: Router.Entry(route, id: nextID, batch: nextBatch, firstCall: callCount))
            nextID += 1
        }
        nextBatch += 1
        rank()
        return nextBatch - 1
    }

    /// Removes a route from the reports, but not from `ranking`.
    fileprivate mutating func markRemoved(_ id: Int, isReplaced: Bool = false) {
        usages[id]?.isRemoved = true
        usages[id]?.isReplaced = isReplaced
        // Kept only for reports.
        if usages[id]?.callCountIssue == nil { usages[id] = nil }
    }

    private mutating func rank() {
        ranking = usages.values.filter { !$0.isRemoved }.map(\.entry).sorted { $0.precedes($1) }
        positions = Dictionary(grouping: ranking.indices) { ranking[$0].pathPrefix }
        let invalid = ranking.filter { $0.route.problem != nil }.min { $0.id < $1.id }?.route
        invalidRoute = invalid.flatMap { route in
            route.problem.map {
                MockServerError(
                    .invalidRoute(route: route.description, location: route.location, problem: $0))
            }
        }
    }

    /// Returns the routes whose paths begin as `path`, in the order in which they are tried. A server can have hundreds of
    /// routes, and most of them do not match a request. A few are tested faster than looked up.
    fileprivate func candidates(for path: String) -> [Router.Entry] {
        guard ranking.count > 8 else { return ranking }
        let segments = PathPattern.decodedSegments(of: path)
        let found = (0...segments.count).compactMap { positions[Array(segments.prefix($0))] }
        return (found.count > 1 ? found.joined().sorted() : found.first ?? []).map { ranking[$0] }
    }
}

extension Router.Usage {
    /// The difference between the expected and the actual number of calls, or `nil` if there is none.
    var callCountIssue: String? {
        if case .sequence(let replies) = route.replies, replies.count > 1, callCount > replies.count,
            replies.last?.isRepeated == false
        {
            return "\(route) was called \(ExpectedCalls.times(callCount)) and has \(replies.count) replies"
        }
        guard !expectedCalls.range.contains(callCount) else { return nil }
        let actual = callCount == 0 ? "not called" : "called \(ExpectedCalls.times(callCount))"
        return "\(route) was \(actual), expected \(expectedCalls)"
    }
}
