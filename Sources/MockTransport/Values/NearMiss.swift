/// A route that did not match a request, with the conditions that failed.
public struct NearMiss: Sendable, CustomStringConvertible {
    /// A condition of the route that the request does not meet.
    public struct Difference: Sendable {
        /// The part of the request, such as `method`, `path` or `query page`.
        public let field: String
        /// The expected value.
        public let expected: String
        /// The actual value.
        public let found: String
        /// A hint for likely typing errors, such as "one letter apart".
        public let hint: String?
    }

    /// The route as written in the test.
    public let route: String
    /// The location of the route.
    public let location: CodeLocation
    /// The conditions that failed.
    public let differences: [Difference]

    /// - Parameter masked: The request with custom values masked, or `nil` if there are none.
    init(_ usage: Router.Usage, _ request: ReceivedRequest, masked: ReceivedRequest?) {
        let route = usage.route
        self.route = route.description
        location = route.location
        let differences = route.conditions.compactMap { condition -> Difference? in
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
        let exhausted = Difference(
            field: "calls", expected: "at most \(ExpectedCalls.times(route.maxCalls))",
            found: "one more", hint: nil)
        // A route that matches was not used because it has had all of its calls.
        self.differences = differences.isEmpty ? [exhausted] : differences
    }

    /// The route and a line for each difference, each after a line break.
    public var description: String {
        differences.reduce("\n  \(route) at \(location)") { text, difference in
            text + "\n    \(difference.field): expected \(difference.expected), found \(difference.found)"
                + (difference.hint.map { " (\($0))" } ?? "")
        }
    }

    /// Returns the routes with the fewest differences, then those with the most hints, then the earliest.
    ///
    /// - Parameter masking: The values to mask, in addition to secrets.
    static func nearest(
        to request: ReceivedRequest, among usages: [Router.Usage], _ masking: HAR.Masking
    ) -> [NearMiss] {
        var masker = MessageMasker(masking)
        let masked = masking.isStandard ? nil : masker.masked(request)
        let misses = usages.map { NearMiss($0, request, masked: masked) }
        let ranks = misses.enumerated().map { index, miss in
            (miss.differences.count, -miss.differences.count { $0.hint != nil }, index)
        }
        return ranks.sorted(by: <).prefix(3).map { misses[$0.2] }
    }
}
