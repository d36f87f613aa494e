/// Says of a request that no route matched which routes came nearest, and field by field why they did not.
enum NearMiss {
    private struct Miss {
        let route: Route
        let rank: Int
        /// What the route asks for and the request has not.
        var differences: [(condition: Condition, difference: Condition.Difference)] = []
        var hints: Int { differences.count { $0.difference.hint != nil } }
    }

    static func error(for request: ReceivedRequest, routes: [Route]) -> MockServerError {
        var text = "\(request) "
        switch routes.count {
        case 0: text += "matches nothing: the mock server has no route."
        case 1: text += "does not match the one route of the mock server:"
        default: text += "matches none of the \(routes.count) routes of the mock server; nearest first:"
        }
        for miss in nearest(to: request, routes: routes).prefix(3) {
            text += "\n  \(miss.route) at \(miss.route.location)"
            for (condition, difference) in miss.differences {
                text += "\n    \(condition.field): expected \(condition.expected), found \(difference.found)"
                if let hint = difference.hint { text += " (\(hint))" }
            }
        }
        text +=
            "\nNothing was sent to the network. Add a route for it, or one that replies with Reply.passthrough."
        return MockServerError(.unmatched, text)
    }

    /// Fewest differences first; of these, those that are nearly right; then the earliest.
    private static func nearest(to request: ReceivedRequest, routes: [Route]) -> [Miss] {
        let misses = routes.enumerated().map { rank, route in
            var miss = Miss(route: route, rank: rank)
            for condition in route.conditions {
                if case .mismatch(let difference) = condition.test(request) {
                    miss.differences.append((condition, difference()))
                }
            }
            return miss
        }
        return misses.sorted { left, right in
            (left.differences.count, -left.hints, left.rank) < (
                right.differences.count, -right.hints, right.rank
            )
        }
    }
}
