/// The expectations of a server. They outlive the server so that they can be verified after the test.
package struct Expectations: Sendable {
    let router: Router
    let order: MockServer.Order
    let server: CodeLocation

    /// The expectations that were not met.
    package var issues: [MockServerError.Issue] {
        let history = router.history
        var issues: [MockServerError.Issue] = []
        for (route, calls) in zip(router.routes, history.callCounts) {
            if let message = Self.callCountIssue(of: route, calls) {
                issues.append(.init(message: message, location: route.location))
            }
        }
        if order == .asWritten, let issue = orderIssue(history.callOrder) { issues.append(issue) }
        return issues + history.unmatched.map { .init(message: $0.description, location: server) }
    }

    private static func callCountIssue(of route: Route, _ calls: Int) -> String? {
        if case .sequence(let replies) = route.replies, replies.count > 1, calls > replies.count,
            replies.last?.isRepeated == false
        {
            return "\(route) was called \(times(calls)) and has \(replies.count) replies"
        }
        guard !route.expectedCalls.range.contains(calls) else { return nil }
        let actual = calls == 0 ? "not called" : "called \(times(calls))"
        return "\(route) was \(actual), expected \(route.expectedCalls)"
    }

    /// The first request for a route that is declared above the route of the request before it.
    private func orderIssue(_ order: [Int]) -> MockServerError.Issue? {
        guard let (earlier, later) = zip(order, order.dropFirst()).first(where: { $1 < $0 }) else {
            return nil
        }
        let (route, previous) = (router.routes[later], router.routes[earlier])
        return .init(
            message: "\(route) was called after \(previous), which is written below it",
            location: route.location)
    }

    fileprivate static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

/// The servers created during a test, so that a test trait can verify them at its end.
package final class ServerRegistry: Sendable {
    /// The registry of the test that the current task belongs to.
    @TaskLocal package static var current: ServerRegistry?

    private let servers = LockedState<[Expectations]>([])

    package init() {}

    func add(_ server: Expectations) { servers.withLock { $0.append(server) } }

    /// The expectations of all servers that were not met.
    package var issues: [MockServerError.Issue] { servers.withLock { $0 }.flatMap(\.issues) }
}

/// The number of times that a route must be called.
struct ExpectedCalls: Sendable, CustomStringConvertible {
    let range: ClosedRange<Int>

    static let atLeastOnce = Self(range: 1...Int.max)

    var description: String {
        switch (range.lowerBound, range.upperBound) {
        case (0, 0): "no call"
        case (0, .max): "any number of calls"
        case (0, let most): "at most \(Expectations.times(most))"
        case (let least, .max): "at least \(Expectations.times(least))"
        case (let least, let most) where least == most: Expectations.times(least)
        case (let least, let most): "\(least) to \(most) times"
        }
    }
}
