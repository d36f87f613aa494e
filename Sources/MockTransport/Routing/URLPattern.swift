import Foundation

extension RequestMatcher {
    /// Requests whose URL looks like `pattern`: scheme, host, port, path and query items, each only if it is written.
    ///
    /// In the path `:id` stands for one segment and captures it, `:id<Int>` and `:id<UUID>` for one of that
    /// form, `*` for one segment or for a part of it, `**` for any number of segments. A host may start with
    /// `*.`; hosts compare without case. A pattern with a host and no path means the path `/`. The query may
    /// hold more items than the pattern names.
    public static func url(_ pattern: String) -> Self {
        if pattern == "**" { return .any }
        return Self(URLPattern(pattern))
    }
}

/// A URL pattern taken apart.
struct URLPattern: Sendable {
    /// The pattern as it is written.
    private(set) var text: String
    var scheme: String?
    var host: String?
    var port: Int?
    var path: String?
    var query = QueryItems()

    init(_ pattern: String) {
        text = pattern
        var rest = pattern[...]
        if let question = rest.firstIndex(of: "?") {
            query = QueryItems(percentEncoded: String(rest[rest.index(after: question)...]))
            rest = rest[..<question]
        }
        if let separator = rest.range(of: "://") {
            scheme = rest[..<separator.lowerBound].lowercased()
            rest = rest[separator.upperBound...]
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            let authority = rest[..<end]
            rest = rest[end...]
            if let colon = authority.lastIndex(of: ":"),
                let number = Int(authority[authority.index(after: colon)...])
            {
                port = number
                host = String(authority[..<colon])
            } else {
                host = String(authority)
            }
            path = rest.isEmpty ? "/" : String(rest)
        } else if !rest.isEmpty {
            path = rest.hasPrefix("/") ? String(rest) : "/\(rest)"
        }
    }

    /// This pattern below `prefix`, which lends it all that it does not say itself.
    func below(_ prefix: URLPattern) -> Self {
        var result = prefix
        let base = prefix.path.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
        result.path = base + (path ?? "/**")
        for item in query { result.query.add(item.name, item.value ?? "") }
        let place = prefix.text.hasSuffix("/") ? String(prefix.text.dropLast()) : prefix.text
        result.text = place + (path == nil ? "/**" : "") + text
        return result
    }

    var conditions: [Condition] {
        var conditions: [Condition] = []
        if let scheme, scheme != "*" { conditions.append(Self.condition(scheme: scheme)) }
        if let host { conditions.append(Self.condition(host: host)) }
        if let port { conditions.append(Self.condition(port: port)) }
        if let path { conditions.append(PathPattern(path).condition) }
        for item in query { conditions.append(.query(item.name, item.value)) }
        return conditions
    }

    static func condition(scheme: String) -> Condition {
        let scheme = scheme.lowercased()
        return Condition(field: "scheme", expected: scheme, weight: 1) { request in
            let found = request.url.scheme?.lowercased() ?? ""
            return found == scheme ? .match() : .mismatch(found: found)
        }
    }

    static func condition(port: Int) -> Condition {
        Condition(field: "port", expected: "\(port)", weight: 1) { request in
            let usual = request.url.scheme?.lowercased() == "https" ? 443 : 80
            let found = request.url.port ?? usual
            return found == port ? .match() : .mismatch(found: "\(found)")
        }
    }

    static func condition(host: String) -> Condition {
        let isExact = !host.contains("*")
        let pattern = host.lowercased()
        return Condition(field: "host", expected: host, weight: isExact ? 4 : host == "*" ? 0 : 2) {
            request in
            let found = request.url.host(percentEncoded: false) ?? ""
            let matches = isExact ? found.lowercased() == pattern : Glob.matches(found.lowercased(), pattern)
            return matches
                ? .match() : .mismatch(found: found, hint: EditDistance.hint(expected: host, found: found))
        }
    }
}
