/// What a test said about its server's requests, held against those that came.
struct Verification: Sendable {
    let issues: [MockServerError.Issue]

    init(_ routes: [Route], _ past: Router.State, order: MockServer.Order, server: CodeLocation) {
        var issues: [MockServerError.Issue] = []
        for (route, uses) in zip(routes, past.uses) {
            if let message = Self.complaint(about: route, uses) {
                issues.append(.init(message: message, location: route.location))
            }
        }
        if order == .asWritten, let message = Self.complaint(about: past.order, routes) {
            issues.append(.init(message: message.text, location: message.route.location))
        }
        for (_, error) in past.unmatched {
            issues.append(.init(message: error.description, location: server))
        }
        self.issues = issues
    }

    var error: MockServerError? {
        guard !issues.isEmpty else { return nil }
        let title =
            issues.count == 1 ? "1 expectation was not met:" : "\(issues.count) expectations were not met:"
        let list = issues.map { "\n  " + "\($0)".replacing("\n", with: "\n    ") }.joined()
        return MockServerError(.verification, title + list, issues: issues)
    }

    private static func complaint(about route: Route, _ uses: Int) -> String? {
        if case .replies(let replies) = route.answers, replies.count > 1, uses > replies.count,
            replies.last?.isRepeated == false
        {
            return "\(route) was called \(times(uses)) and has \(replies.count) replies"
        }
        guard !route.expected.range.contains(uses) else { return nil }
        return
            "\(route) was \(uses == 0 ? "not called" : "called \(times(uses))"), expected \(route.expected)"
    }

    /// The first request that came before one whose route stands above its own.
    private static func complaint(about order: [Int], _ routes: [Route]) -> (text: String, route: Route)? {
        for (earlier, later) in zip(order, order.dropFirst()) where later < earlier {
            return (
                "\(routes[later]) was called after \(routes[earlier]), which is written below it",
                routes[later]
            )
        }
        return nil
    }

    static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

/// How often a route must be used.
struct Expectation: Sendable, CustomStringConvertible {
    let range: ClosedRange<Int>

    static let atLeastOnce = Self(range: 1...Int.max)

    var description: String {
        switch (range.lowerBound, range.upperBound) {
        case (0, 0): "no call"
        case (0, .max): "any number of calls"
        case (0, let most): "at most \(Verification.times(most))"
        case (let least, .max): "at least \(Verification.times(least))"
        case (let least, let most) where least == most: Verification.times(least)
        case (let least, let most): "\(least) to \(most) times"
        }
    }
}
