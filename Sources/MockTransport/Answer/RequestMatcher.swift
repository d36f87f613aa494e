import Foundation

/// A matcher of requests, consisting of conditions. A string literal is a URL pattern: `"/items/:id"`, `"/files/**"`,
/// `"http://notNil/"`.
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// The condition as written in code.
    public let description: String
    let conditions: [Criterion]
    /// The URL pattern of the conditions, to which `Routes(under:)` can add a prefix.
    let pattern: URLPattern?
    /// The reason why no request can meet the conditions, or `nil`.
    let problem: String?

    init(_ description: String, _ conditions: [Criterion], problem: String? = nil) {
        (self.description, self.conditions, self.problem, pattern) = (description, conditions, problem, nil)
    }

    init(_ pattern: URLPattern) {
        description = "\"\(Redaction.text(ofURL: pattern.text))\""
        (conditions, problem, self.pattern) = (pattern.conditions, pattern.problem, pattern)
    }

    init(
        _ description: String, field: String, expected: String, specificity: Int = 4, problem: String? = nil,
        test: @escaping @Sendable (ReceivedRequest) -> Criterion.MatchResult
    ) {
        let criterion = Criterion(field: field, expected: expected, specificity: specificity, test: test)
        self.init(description, [criterion], problem: problem)
    }

    /// Matches any request.
    public static let any = Self(".any", [])

    /// Matches requests with this method.
    public static func method(_ method: HTTPMethod) -> Self {
        let name = method.rawValue
        return Self(
            namedMethods.contains(name.uppercased()) ? ".\(name.lowercased())" : ".method(\"\(method)\")",
            [.equal("method", name) { $0.method.rawValue }])
    }

    /// The methods with a static member.
    static let namedMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

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
    /// Creates a URL pattern; see ``url(_:)-(String)``.
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
        ) -> Self { .mismatch { (found(), hint()) } }
    }

    /// The part of the request: `method`, `path`, `query page`.
    let field: String
    let expected: String
    /// The specificity of the condition. The route with the highest sum is used.
    let specificity: Int
    /// The decoded segments with which the paths that meet the condition begin.
    var pathPrefix: [String] = []
    /// `true` if the condition masks the values of the request that it compares and shows.
    var isMasked = false
    let test: @Sendable (ReceivedRequest) -> MatchResult
}

extension RequestMatcher {
    /// Matches requests with this scheme: `.scheme("https")`.
    public static func scheme(_ scheme: String) -> Self { Self(".scheme(\"\(scheme)\")", [.scheme(scheme)]) }

    /// Matches requests to this host, on any port, with any path. `"*.example.com"` matches every subdomain.
    public static func host(_ host: String) -> Self {
        Self(".host(\"\(host)\")", [.host(host)], problem: Hostname.problem(of: host))
    }

    /// Matches requests to this port. A URL without a port has the default port of its scheme.
    public static func port(_ port: Int) -> Self { Self(".port(\(port))", [.port(port)]) }

    /// Matches requests whose query contains an item of this name, with any value or none.
    public static func query(_ name: String) -> Self { Self(".query(\"\(name)\")", [.query(name, .any)]) }

    /// Matches requests whose query contains this item: `.query("page", "2")`. If `value` is `nil`, the query must not
    /// contain an item of this name: `.query("page", nil)`.
    public static func query(_ name: String, _ value: String?) -> Self {
        let shown = Redaction.isSecret(name) ? value.map { _ in Redaction.mask } : value
        return Self(
            ".query(\(arguments(name, shown)))", [.query(name, value.map { .text($0) } ?? .absent("item"))])
    }

    /// Matches requests whose query contains this item: `.query("page", 2)`.
    public static func query(_ name: String, _ value: some LosslessStringConvertible) -> Self {
        query(name, String(value) as String?)
    }

    /// Matches requests whose query has exactly these items. The order of different names is ignored.
    public static func query(_ all: QueryItems) -> Self {
        Self(".query(\(all))", field: "query", expected: all.shown, specificity: 4 * all.count + 4) {
            let found = $0.query
            return found.hasSameItems(as: all) ? .match() : .mismatch(found: found.shown)
        }
    }

    /// Matches requests with this header field, with any value.
    public static func header(_ name: HTTPHeaders.Name) -> Self {
        Self(".header(\"\(name)\")", [.header(name, .any)])
    }

    /// Matches requests with this header field: `.header("Accept", "application/json")`. If `value` is `nil`, the request
    /// must not have the field.
    ///
    /// One of several values is sufficient, in fields of their own or separated by commas.
    public static func header(_ name: HTTPHeaders.Name, _ value: String?) -> Self {
        let shown = value.map { Redaction.value($0, of: name) }
        return Self(
            ".header(\(arguments(name.rawValue, shown)))",
            [.header(name, value.map { .element($0) } ?? .absent("field"))])
    }

    /// Matches requests with this cookie, with any value.
    public static func cookie(_ name: String) -> Self {
        Self(".cookie(\"\(name)\")", [.cookie(name, .any)])
    }

    /// Matches requests with this cookie: `.cookie("theme", "dark")`. If `value` is `nil`, the request must not have the
    /// cookie.
    public static func cookie(_ name: String, _ value: String?) -> Self {
        Self(
            ".cookie(\(arguments(name, value.map { _ in Redaction.mask })))",
            [.cookie(name, value.map { .text($0) } ?? .absent("cookie"))])
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
            ".anyOf(\(description))", field: "any of", expected: description, specificity: specificity,
            problem: matchers.lazy.compactMap(\.problem).first
        ) { request in
            for matcher in matchers {
                if case .match(let captures) = matcher.match(request) { return .match(captures: captures) }
            }
            return .mismatch(found: "a request that matches none")
        }
    }

    /// Matches requests that do not meet `matcher`: `!.query("page")`.
    public static prefix func ! (matcher: Self) -> Self {
        Self(
            "!\(matcher)", field: "not", expected: "not \(matcher)", specificity: 1, problem: matcher.problem
        ) { request in
            matcher ~= request ? .mismatch(found: "a request that matches it") : .match()
        }
    }

    /// Returns `true` if `request` meets `matcher`, for use in `switch`: `case .get: …`.
    public static func ~= (matcher: Self, request: ReceivedRequest) -> Bool {
        if case .match = matcher.match(request) { true } else { false }
    }

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
        "\"\(name)\", \(value.map { "\"\($0)\"" } ?? "nil")"
    }
}

extension Criterion {
    static func equal(
        _ field: String, _ expected: String, specificity: Int = 1,
        _ found: @escaping @Sendable (ReceivedRequest) -> String
    ) -> Self {
        Self(field: field, expected: expected, specificity: specificity) { request in
            let found = found(request)
            return found == expected ? .match() : .mismatch(found: found)
        }
    }

    enum ItemValue: Sendable {
        case any
        /// No item, with the word for one.
        case absent(String)
        /// `flag`, in contrast to `flag=`.
        case none
        case text(String)
        /// Text in which `*` stands for any text.
        case glob(String)
        /// Text that is the whole value or an element of a list.
        case element(String)

        /// - Parameter show: Returns a value for error messages.
        func expected(_ show: (String) -> String) -> String {
            switch self {
            case .any: "any value"
            case .absent(let noun): "no \(noun)"
            case .none: "no value"
            case .text(let text), .glob(let text), .element(let text): show(text)
            }
        }

        var specificity: Int {
            switch self {
            case .absent, .any, .glob: 3
            case .none, .text, .element: 4
            }
        }

        /// Returns `true` if the values of the items with a name, of which there may be none, are as expected.
        func matches(_ values: [String?]) -> Bool {
            switch self {
            case .any: !values.isEmpty
            case .absent: values.isEmpty
            case .none: values.contains { $0 == nil }
            case .text(let text): values.contains(text)
            case .glob(let glob):
                values.contains { $0.map { Glob.matches($0, glob, wildcard: "*") } ?? false }
            case .element(let text):
                !values.isEmpty && values.compactMap(\.self).joined(separator: ", ") == text
                    || values.contains { $0 == text || $0?.listElements.contains(text) == true }
            }
        }
    }

    /// A query item. The value is not shown if the name is that of a secret.
    static func query(_ name: String, _ value: ItemValue) -> Self {
        item("query", name, value, in: { $0.query.filter { $0.name == name }.map(\.value) }) {
            $0.query.map(\.name)
        } show: {
            Redaction.isSecret(name) ? Redaction.mask : "\"\($0)\""
        }
    }

    static func header(_ name: HTTPHeaders.Name, _ value: ItemValue) -> Self {
        item("header", name.rawValue, value, in: { $0.headers[all: name] }) {
            $0.headers.map(\.name.rawValue)
        } show: {
            "\"\(Redaction.value($0, of: name))\""
        }
    }

    /// A cookie, whose value is not shown. The last one of several counts.
    static func cookie(_ name: String, _ value: ItemValue) -> Self {
        item(
            "cookie", name, value, value.expected { _ in "the value of the route" },
            in: { $0.cookies.filter { $0.name == name }.suffix(1).map(\.value) }
        ) {
            $0.cookies.map(\.name)
        } show: { _ in
            "a different value"
        }
    }

    /// A criterion for a named item, of which a request can have several. The names of all items are for a hint.
    private static func item(
        _ kind: String, _ name: String, _ value: ItemValue, _ expected: String? = nil,
        in values: @escaping @Sendable (ReceivedRequest) -> [String?],
        names: @escaping @Sendable (ReceivedRequest) -> [String],
        show: @escaping @Sendable (String) -> String
    ) -> Self {
        Self(
            field: "\(kind) \(name)", expected: expected ?? value.expected(show),
            specificity: value.specificity
        ) { request in
            let found = values(request)
            if value.matches(found) { return .match() }
            if found.isEmpty { return .mismatch(found: "nothing", hint: .near(name, among: names(request))) }
            return .mismatch(found: found.map { $0.map(show) ?? "no value" }.joined(separator: ", "))
        }
    }
}

extension String {
    /// The elements of a header field that is a list (RFC 9110, section 5.6.1). A comma in quotes does not separate.
    fileprivate var listElements: [String] {
        var elements = [""]
        var isQuoted = false
        var isEscaped = false
        for character in self {
            if character == ",", !isQuoted {
                elements.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            elements[elements.count - 1].append(character)
        }
        return elements.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension QueryItems {
    func hasSameItems(as other: Self) -> Bool { grouped == other.grouped }

    fileprivate var shown: String { isEmpty ? "no item" : "\(self)" }

    private var grouped: [String: [String?]] {
        Dictionary(map { ($0.name, [$0.value]) }, uniquingKeysWith: +)
    }
}

extension String? {
    /// Returns a hint if one of `others` is similar to `name`.
    static func near(_ name: String, among others: [String]) -> String? {
        others.lazy.compactMap { other in
            EditDistance.hint(expected: name, found: other).map { "\"\(other)\" is \($0)" }
        }.first
    }
}
