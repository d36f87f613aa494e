/// A matcher of requests, consisting of conditions. A string literal is a URL pattern: `"/items/:id"`, `"/files/**"`,
/// `"http://notNil/"`.
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// The condition as written in code.
    public let description: String
    /// The conditions that must all be met.
    let conditions: [Criterion]
    /// The URL pattern of the conditions, to which `Routes(under:)` can add a prefix.
    let pattern: URLPattern?

    init(_ description: String, _ conditions: [Criterion]) {
        self.description = description
        self.conditions = conditions
        pattern = nil
    }

    init(_ pattern: URLPattern) {
        description = "\"\(Redaction.text(ofURL: pattern.text))\""
        conditions = pattern.conditions
        self.pattern = pattern
    }

    /// Creates a matcher with one criterion.
    init(
        _ description: String, field: String, expected: String, specificity: Int = 4,
        test: @escaping @Sendable (ReceivedRequest) -> Criterion.MatchResult
    ) {
        let criterion = Criterion(field: field, expected: expected, specificity: specificity, test: test)
        self.init(description, [criterion])
    }

    /// Matches any request.
    public static let any = Self(".any", [])

    /// Matches requests with this method.
    public static func method(_ method: HTTPMethod) -> Self {
        let name = method.rawValue.lowercased()
        let isKnown = ["get", "head", "post", "put", "patch", "delete", "options"].contains(name)
        return Self(
            isKnown ? ".\(name)" : ".method(\"\(method)\")",
            [.equal("method", method.rawValue) { $0.method.rawValue }])
    }

    /// Matches GET requests.
    public static let get = method(.get)
    /// Matches HEAD requests.
    public static let head = method(.head)
    /// Matches POST requests.
    public static let post = method(.post)
    /// Matches PUT requests.
    public static let put = method(.put)
    /// Matches PATCH requests.
    public static let patch = method(.patch)
    /// Matches DELETE requests.
    public static let delete = method(.delete)
    /// Matches OPTIONS requests.
    public static let options = method(.options)
}

extension RequestMatcher: ExpressibleByStringInterpolation {
    /// Creates a URL pattern; see ``url(_:)``.
    public init(stringLiteral value: String) { self = .url(value) }
}

/// One criterion of a matcher: a testable property of a request, with its description for error messages.
struct Criterion: Sendable {
    enum MatchResult: Sendable {
        case match(captures: [String: String] = [:])
        /// The actual value and an optional hint, evaluated only for error messages: most requests are tested against
        /// many routes that do not match.
        case mismatch(@Sendable () -> (found: String, hint: String?))

        static func mismatch(
            found: @autoclosure @escaping @Sendable () -> String,
            hint: @autoclosure @escaping @Sendable () -> String? = nil
        ) -> Self {
            .mismatch { (found(), hint()) }
        }
    }

    /// The part of the request: `method`, `path`, `query page`.
    let field: String
    /// The expected value, as text.
    let expected: String
    /// The specificity of the condition. The route with the highest sum is used.
    let specificity: Int
    let test: @Sendable (ReceivedRequest) -> MatchResult
}

extension RequestMatcher {
    /// Matches requests with this scheme: `.scheme("https")`.
    public static func scheme(_ scheme: String) -> Self { Self(".scheme(\"\(scheme)\")", [.scheme(scheme)]) }

    /// Matches requests to this host, on any port, with any path. `"*.example.com"` matches every subdomain.
    public static func host(_ host: String) -> Self { Self(".host(\"\(host)\")", [.host(host)]) }

    /// Matches requests to this port. A URL without a port has the default port of its scheme.
    public static func port(_ port: Int) -> Self { Self(".port(\(port))", [.port(port)]) }

    /// Matches requests whose query contains this item; without a value, any item of this name.
    public static func query(_ name: String, _ value: String? = nil) -> Self {
        let shown = Redaction.isSecret(name) ? value.map { _ in Redaction.mask } : value
        return Self(".query(\(Self.arguments(name, shown)))", [.query(name, value)])
    }

    /// Matches requests whose query has exactly these items. The order of different names is ignored.
    public static func query(_ all: QueryItems) -> Self {
        Self(".query(\(all))", field: "query", expected: all.shown, specificity: 4 * all.count + 4) {
            let found = $0.query
            return found.hasSameItems(as: all) ? .match() : .mismatch(found: found.shown)
        }
    }

    /// Matches requests with this header field; without a value, with any value. One of several values is sufficient.
    public static func header(_ name: HTTPHeaders.Name, _ value: String? = nil) -> Self {
        let masked = value.map { Redaction.value($0, of: name) }
        return Self(
            ".header(\(Self.arguments(name.rawValue, masked)))", field: "header \(name)",
            expected: masked.map { "\"\($0)\"" } ?? "any value", specificity: value == nil ? 3 : 4
        ) { request in
            let found = request.headers[all: name]
            if found.isEmpty {
                return .mismatch(
                    found: "nothing", hint: .near(name.rawValue, among: request.headers.map(\.name.rawValue)))
            }
            guard let value, request.headers[name] != value, !found.contains(value) else { return .match() }
            return .mismatch(
                found: found.map { "\"\(Redaction.value($0, of: name))\"" }.joined(separator: ", "))
        }
    }

    /// Matches requests with this cookie; without a value, with any value.
    public static func cookie(_ name: String, _ value: String? = nil) -> Self {
        Self(
            ".cookie(\(arguments(name, value.map { _ in Redaction.mask })))", field: "cookie \(name)",
            expected: value == nil ? "any value" : "the value of the route", specificity: value == nil ? 3 : 4
        ) { request in
            let cookies = request.cookies
            guard let found = cookies.last(where: { $0.name == name }) else {
                return .mismatch(found: "nothing", hint: .near(name, among: cookies.map(\.name)))
            }
            return value == nil || found.value == value ? .match() : .mismatch(found: "a different value")
        }
    }

    /// Matches requests for which `test` returns `true`. Error messages refer to it as `name`.
    ///
    /// The closure runs on the queue that all sessions share, so it must not block.
    public static func satisfies(
        _ name: String, _ test: @escaping @Sendable (ReceivedRequest) -> Bool
    ) -> Self {
        Self(".satisfies(\"\(name)\")", field: "condition", expected: name) {
            test($0) ? .match() : .mismatch(found: "a request for which it is false")
        }
    }

    /// Matches requests that meet at least one of the matchers.
    public static func anyOf(_ matchers: RequestMatcher...) -> Self { anyOf(matchers) }

    /// Matches requests that at least one of the given matchers matches.
    public static func anyOf(_ matchers: [RequestMatcher]) -> Self {
        let description = matchers.map(\.description).joined(separator: ", ")
        let specificity = matchers.map { $0.conditions.reduce(0) { $0 + $1.specificity } }.min() ?? 0
        return Self(
            ".anyOf(\(description))", field: "any of", expected: description, specificity: specificity
        ) { request in
            for matcher in matchers {
                if case .match(let captures) = matcher.match(request) { return .match(captures: captures) }
            }
            return .mismatch(found: "a request that matches none")
        }
    }

    /// Matches requests that do not meet `matcher`: `!.query("page")`.
    public static prefix func ! (matcher: Self) -> Self {
        Self("!\(matcher)", field: "not", expected: "not \(matcher)", specificity: 1) { request in
            matcher ~= request ? .mismatch(found: "a request that matches it") : .match()
        }
    }

    /// Returns `true` if `request` meets `matcher`, for use in `switch`: `case .get: …`.
    public static func ~= (matcher: Self, request: ReceivedRequest) -> Bool {
        if case .match = matcher.match(request) { true } else { false }
    }

    /// Tests all conditions and returns their captures.
    func match(_ request: ReceivedRequest) -> Criterion.MatchResult {
        var captures: [String: String] = [:]
        for condition in conditions {
            switch condition.test(request) {
            case .match(let more): if !more.isEmpty { captures.merge(more) { $1 } }
            case .mismatch(let mismatch): return .mismatch(mismatch)
            }
        }
        return .match(captures: captures)
    }

    private static func arguments(_ name: String, _ value: String?) -> String {
        value.map { "\"\(name)\", \"\($0)\"" } ?? "\"\(name)\""
    }
}

extension Criterion {
    /// A criterion that a property of the request, which `found` returns, has the expected value.
    static func equal(
        _ field: String, _ expected: String, specificity: Int = 1,
        _ found: @escaping @Sendable (ReceivedRequest) -> String
    ) -> Self {
        Self(field: field, expected: expected, specificity: specificity) { request in
            let found = found(request)
            return found == expected ? .match() : .mismatch(found: found)
        }
    }

    /// A query item. The value is not shown if the name is that of a secret.
    static func query(_ name: String, _ value: String?) -> Criterion {
        let shown = { @Sendable (value: String) in Redaction.isSecret(name) ? Redaction.mask : "\"\(value)\""
        }
        return Criterion(
            field: "query \(name)", expected: value.map(shown) ?? "any value",
            specificity: value == nil ? 3 : 4
        ) { request in
            let found = request.query[all: name]
            if found.isEmpty {
                return .mismatch(found: "nothing", hint: .near(name, among: request.query.map(\.name)))
            }
            guard let value, !found.contains(value) else { return .match() }
            return .mismatch(found: found.map(shown).joined(separator: ", "))
        }
    }
}

extension QueryItems {
    /// Returns `true` if both have the same items, regardless of the order of different names.
    func hasSameItems(as other: Self) -> Bool { grouped == other.grouped }

    /// The items for error messages.
    fileprivate var shown: String { isEmpty ? "no item" : "\(self)" }

    private var grouped: [String: [String]] {
        Dictionary(map { ($0.name, [$0.value ?? ""]) }, uniquingKeysWith: +)
    }
}

extension String? {
    /// Returns a hint if one of `others` is similar to `name`.
    static func near(_ name: String, among others: [String]) -> String? {
        for other in others {
            if let hint = EditDistance.hint(expected: name, found: other) { return "\"\(other)\" is \(hint)" }
        }
        return nil
    }
}
