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
    /// `true` if the route replays recorded exchanges.
    let isRecorded: Bool
    /// The conditions that failed.
    public let differences: [Difference]

    /// The route and a line for each difference, each after a line break.
    public var description: String {
        differences.reduce("\n  \(route) at \(location)") { text, difference in
            text + "\n    \(difference.field): expected \(difference.expected), found \(difference.found)"
                + (difference.hint.map { " (\($0))" } ?? "")
        }
    }
}
