extension RequestMatcher {
    /// Requests of this scheme: `.scheme("https")`.
    public static func scheme(_ scheme: String) -> Self {
        Self(".scheme(\"\(scheme)\")", [URLPattern.condition(scheme: scheme)])
    }

    /// Requests to this host, on any port, with any path. `"*.example.com"` stands for every host below.
    public static func host(_ host: String) -> Self {
        Self(".host(\"\(host)\")", [URLPattern.condition(host: host)])
    }

    /// Requests to this port; a URL that names none has that of its scheme.
    public static func port(_ port: Int) -> Self {
        Self(".port(\(port))", [URLPattern.condition(port: port)])
    }

    /// Requests whose query has this item, beside any others; without a value, any item of this name.
    public static func query(_ name: String, _ value: String? = nil) -> Self {
        let shown = Redaction.isSecret(name) ? value.map { _ in Redaction.mask } : value
        return Self(".query(\(Self.arguments(name, shown)))", [.query(name, value)])
    }

    /// Requests whose query has exactly these items; the order of different names does not count.
    public static func query(_ all: QueryItems) -> Self {
        let condition = Condition(field: "query", expected: Condition.shown(all), weight: 4 * all.count + 4) {
            let found = $0.query
            return found.hasSameItems(as: all) ? .match() : .mismatch(found: Condition.shown(found))
        }
        return Self(".query(\(all))", [condition])
    }

    /// Requests with this header field; without a value, with any value. One of several values is enough.
    public static func header(_ name: HTTPHeaders.Name, _ value: String? = nil) -> Self {
        let masked = value.map { Redaction.value($0, of: name) }
        let condition = Condition(
            field: "header \(name)", expected: masked.map { "\"\($0)\"" } ?? "any value",
            weight: value == nil ? 3 : 4
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

    /// Requests that carry this cookie; without a value, with any value.
    public static func cookie(_ name: String, _ value: String? = nil) -> Self {
        let condition = Condition(
            field: "cookie \(name)", expected: value == nil ? "any value" : "the value of the route",
            weight: value == nil ? 3 : 4
        ) { request in
            let cookies = request.cookies
            guard let found = cookies.last(where: { $0.name == name }) else {
                return .mismatch(found: "nothing", hint: .near(name, among: cookies.map(\.name)))
            }
            return value == nil || found.value == value ? .match() : .mismatch(found: "another")
        }
        return Self(".cookie(\(Self.arguments(name, value.map { _ in Redaction.mask })))", [condition])
    }

    /// Requests for which `test` says so; `name` is how failures call it. It runs on the queue that all sessions
    /// share, so it must not wait.
    public static func satisfies(
        _ name: String, _ test: @escaping @Sendable (ReceivedRequest) -> Bool
    ) -> Self {
        let condition = Condition(field: "condition", expected: name, weight: 4) {
            test($0) ? .match() : .mismatch(found: "that it does not hold")
        }
        return Self(".satisfies(\"\(name)\")", [condition])
    }

    /// Requests that meet at least one of these.
    public static func anyOf(_ matchers: RequestMatcher...) -> Self {
        let description = matchers.map(\.description).joined(separator: ", ")
        let weight = matchers.map { $0.conditions.reduce(0) { $0 + $1.weight } }.min() ?? 0
        let condition = Condition(field: "any of", expected: description, weight: weight) { request in
            for matcher in matchers {
                if case .match(let captures) = matcher.verdict(on: request) {
                    return .match(captures: captures)
                }
            }
            return .mismatch(found: "none of them")
        }
        return Self(".anyOf(\(description))", [condition])
    }

    /// Requests that do not meet `matcher`: `!.query("page")`.
    public static prefix func ! (matcher: Self) -> Self {
        let condition = Condition(field: "not", expected: "anything but \(matcher)", weight: 1) { request in
            if case .match = matcher.verdict(on: request) { .mismatch(found: "just that") } else { .match() }
        }
        return Self("!\(matcher)", [condition])
    }

    /// Whether `request` meets `matcher`, for `switch` and for handlers: `case .get: …`.
    public static func ~= (matcher: Self, request: ReceivedRequest) -> Bool {
        if case .match = matcher.verdict(on: request) { true } else { false }
    }

    /// Whether all conditions hold, and what they captured.
    func verdict(on request: ReceivedRequest) -> Condition.Verdict {
        var captures: [String: String] = [:]
        for condition in conditions {
            switch condition.test(request) {
            case .match(let more): captures.merge(more) { $1 }
            case .mismatch(let difference): return .mismatch(difference)
            }
        }
        return .match(captures: captures)
    }

    private static func arguments(_ name: String, _ value: String?) -> String {
        value.map { "\"\(name)\", \"\($0)\"" } ?? "\"\(name)\""
    }
}

extension Condition {
    /// An item of the query; the value of a secret-looking name is not shown.
    static func query(_ name: String, _ value: String?) -> Condition {
        let shown = { @Sendable (value: String) in Redaction.isSecret(name) ? Redaction.mask : "\"\(value)\""
        }
        return Condition(
            field: "query \(name)", expected: value.map(shown) ?? "any value", weight: value == nil ? 3 : 4
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
    /// Whether both have the same items, the order of different names aside.
    func hasSameItems(as other: Self) -> Bool { grouped == other.grouped }

    private var grouped: [String: [String]] {
        Dictionary(map { ($0.name, [$0.value ?? ""]) }, uniquingKeysWith: +)
    }
}

extension String? {
    /// Says which of `others` looks like a slip of `name`.
    static func near(_ name: String, among others: [String]) -> String? {
        for other in others {
            if let hint = EditDistance.hint(expected: name, found: other) { return "\"\(other)\" is \(hint)" }
        }
        return nil
    }
}
