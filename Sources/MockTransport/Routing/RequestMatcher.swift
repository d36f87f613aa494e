/// One condition of a route. A string is a URL pattern: `"/items/:id"`, `"/files/**"`, `"http://notNil/"`.
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// The condition as it is written in the test.
    public let description: String
    /// All of these must hold.
    let conditions: [Condition]
    /// The pattern behind the conditions, so that `Routes(under:)` can put another in front of it.
    let pattern: URLPattern?

    init(_ description: String, _ conditions: [Condition]) {
        self.description = description
        self.conditions = conditions
        pattern = nil
    }

    init(_ pattern: URLPattern) {
        description = "\"\(Redaction.text(ofURL: pattern.text))\""
        conditions = pattern.conditions
        self.pattern = pattern
    }

    /// Any request at all.
    public static let any = Self(".any", [])

    /// Requests of this method.
    public static func method(_ method: HTTPMethod) -> Self {
        let name = method.rawValue.lowercased()
        let isKnown = ["get", "head", "post", "put", "patch", "delete", "options"].contains(name)
        let condition = Condition(field: "method", expected: method.rawValue, weight: 1) { request in
            request.method == method ? .match() : .mismatch(found: request.method.rawValue)
        }
        return Self(isKnown ? ".\(name)" : ".method(\"\(method)\")", [condition])
    }

    /// GET requests.
    public static let get = method(.get)
    /// HEAD requests.
    public static let head = method(.head)
    /// POST requests.
    public static let post = method(.post)
    /// PUT requests.
    public static let put = method(.put)
    /// PATCH requests.
    public static let patch = method(.patch)
    /// DELETE requests.
    public static let delete = method(.delete)
    /// OPTIONS requests.
    public static let options = method(.options)
}

extension RequestMatcher: ExpressibleByStringInterpolation {
    /// A URL pattern; see ``url(_:)``.
    public init(stringLiteral value: String) { self = .url(value) }
}

/// One thing that a request must have, and how to say that it does not.
struct Condition: Sendable {
    /// What the request has instead of what is wanted.
    struct Difference: Sendable {
        let found: String
        let hint: String?
    }

    enum Verdict: Sendable {
        case match(captures: [String: String] = [:])
        /// A request meets many routes that are not its own: the text is made only if it is wanted.
        case mismatch(@Sendable () -> Difference)

        static func mismatch(
            found: @autoclosure @escaping @Sendable () -> String,
            hint: @autoclosure @escaping @Sendable () -> String? = nil
        ) -> Self {
            .mismatch { Difference(found: found(), hint: hint()) }
        }
    }

    /// What is looked at: `method`, `path`, `query page`.
    let field: String
    /// What is wanted there, as text.
    let expected: String
    /// How much it says about a request: the route whose conditions weigh most wins.
    let weight: Int
    let test: @Sendable (ReceivedRequest) -> Verdict
}
