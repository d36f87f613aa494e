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

    /// Matches any request.
    public static let any = Self(".any", [])

    /// Matches requests with this method.
    public static func method(_ method: HTTPMethod) -> Self {
        let name = method.rawValue.lowercased()
        let isKnown = ["get", "head", "post", "put", "patch", "delete", "options"].contains(name)
        let condition = Criterion(field: "method", expected: method.rawValue, specificity: 1) { request in
            request.method == method ? .match() : .mismatch(found: request.method.rawValue)
        }
        return Self(isKnown ? ".\(name)" : ".method(\"\(method)\")", [condition])
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
    public static func scheme(_ scheme: String) -> Self {
        Self(".scheme(\"\(scheme)\")", [URLPattern.condition(scheme: scheme)])
    }

    /// Matches requests to this host, on any port, with any path. `"*.example.com"` matches every subdomain.
    public static func host(_ host: String) -> Self {
        Self(".host(\"\(host)\")", [URLPattern.condition(host: host)])
    }

    /// Matches requests to this port. A URL without a port has the default port of its scheme.
    public static func port(_ port: Int) -> Self {
        Self(".port(\(port))", [URLPattern.condition(port: port)])
    }

    /// Matches requests whose query contains this item; without a value, any item of this name.
    public static func query(_ name: String, _ value: String? = nil) -> Self {
        let shown = Redaction.isSecret(name) ? value.map { _ in Redaction.mask } : value
        return Self(".query(\(Self.arguments(name, shown)))", [.query(name, value)])
    }

    /// Matches requests whose query has exactly these items. The order of different names is ignored.
    public static func query(_ all: QueryItems) -> Self {
        let condition = Criterion(
            field: "query", expected: Criterion.shown(all), specificity: 4 * all.count + 4
        ) {
            let found = $0.query
            return found.hasSameItems(as: all) ? .match() : .mismatch(found: Criterion.shown(found))
        }
        return Self(".query(\(all))", [condition])
    }

    /// Matches requests with this header field; without a value, with any value. One of several values is sufficient.
    public static func header(_ name: HTTPHeaders.Name, _ value: String? = nil) -> Self {
        let masked = value.map { Redaction.value($0, of: name) }
        let condition = Criterion(
            field: "header \(name)", expected: masked.map { "\"\($0)\"" } ?? "any value",
            specificity: value == nil ? 3 : 4
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
        return Self(".header(\(Self.arguments(name.rawValue, masked)))", [condition])
    }

    /// Matches requests with this cookie; without a value, with any value.
    public static func cookie(_ name: String, _ value: String? = nil) -> Self {
        let condition = Criterion(
            field: "cookie \(name)", expected: value == nil ? "any value" : "the value of the route",
            specificity: value == nil ? 3 : 4
        ) { request in
            let cookies = request.cookies
            guard let found = cookies.last(where: { $0.name == name }) else {
                return .mismatch(found: "nothing", hint: .near(name, among: cookies.map(\.name)))
            }
            return value == nil || found.value == value ? .match() : .mismatch(found: "a different value")
        }
        return Self(".cookie(\(Self.arguments(name, value.map { _ in Redaction.mask })))", [condition])
    }

    /// Matches requests for which `test` returns `true`. Error messages refer to it as `name`.
    ///
    /// The closure runs on the queue that all sessions share, so it must not block.
    public static func satisfies(
        _ name: String, _ test: @escaping @Sendable (ReceivedRequest) -> Bool
    ) -> Self {
        let condition = Criterion(field: "condition", expected: name, specificity: 4) {
            test($0) ? .match() : .mismatch(found: "a request for which it is false")
        }
        return Self(".satisfies(\"\(name)\")", [condition])
    }

    /// Matches requests that meet at least one of the matchers.
    public static func anyOf(_ matchers: RequestMatcher...) -> Self {
        let description = matchers.map(\.description).joined(separator: ", ")
        let specificity = matchers.map { $0.conditions.reduce(0) { $0 + $1.specificity } }.min() ?? 0
        let condition = Criterion(field: "any of", expected: description, specificity: specificity) {
            request in
            for matcher in matchers {
                if case .match(let captures) = matcher.match(request) {
                    return .match(captures: captures)
                }
            }
            return .mismatch(found: "a request that matches none")
        }
        return Self(".anyOf(\(description))", [condition])
    }

    /// Matches requests that do not meet `matcher`: `!.query("page")`.
    public static prefix func ! (matcher: Self) -> Self {
        let condition = Criterion(field: "not", expected: "not \(matcher)", specificity: 1) { request in
            matcher ~= request ? .mismatch(found: "a request that matches it") : .match()
        }
        return Self("!\(matcher)", [condition])
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

    fileprivate static func shown(_ query: QueryItems) -> String { query.isEmpty ? "no item" : "\(query)" }
}

extension QueryItems {
    /// Returns `true` if both have the same items, regardless of the order of different names.
    func hasSameItems(as other: Self) -> Bool { grouped == other.grouped }

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
