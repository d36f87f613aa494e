extension NearMiss {
    init(_ usage: Router.Usage, _ request: ReceivedRequest, in state: String?, masked: ReceivedRequest?) {
        let route = usage.route
        self.route = route.description
        location = route.location
        isRecorded = route.recording != nil
        var differences = route.conditions.compactMap { condition -> Difference? in
            guard case .mismatch(var mismatch) = condition.test(request) else { return nil }
            if let masked, !condition.isMasked {
                mismatch =
                    if case .mismatch(let shown) = condition.test(masked) { shown } else {
                        { (Redaction.mask, nil) }
                    }
            }
            let (found, hint) = mismatch()
            return Difference(field: condition.field, expected: condition.expected, found: found, hint: hint)
        }
        if let expected = route.requiredState, expected != state {
            let found = state.map { "\"\($0)\"" } ?? "none"
            differences.append(
                Difference(field: "state", expected: "\"\(expected)\"", found: found, hint: nil))
        }
        let exhausted = Difference(
            field: "calls", expected: "at most \(ExpectedCalls.times(route.maxCalls))",
            found: "one more", hint: nil)
        // A route that matches was not used because it has had all of its calls.
        self.differences = differences.isEmpty ? [exhausted] : differences
    }

    /// Returns the routes with the fewest differences, then those with the most hints, then the earliest. Another path, unless it
    /// resembles the one of the request, counts more than other differences.
    static func nearest(
        to request: ReceivedRequest, among usages: [Router.Usage], in state: String?, _ masking: HAR.Masking
    ) -> [NearMiss] {
        var masker = MessageMasker(masking)
        let masked = masking.isStandard ? nil : masker.masked(request)
        let misses = usages.map { NearMiss($0, request, in: state, masked: masked) }
        let ranks = misses.enumerated().map { index, miss in
            let isOther = miss.differences.contains { $0.field == "path" && $0.hint == nil }
            return (
                miss.differences.count + (isOther ? 2 : 0), -miss.differences.count { $0.hint != nil }, index
            )
        }
        return ranks.sorted(by: <).prefix(3).map { misses[$0.2] }
    }
}
