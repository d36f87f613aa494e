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

/// The path of a URL pattern, segment by segment.
struct PathPattern: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case capture(String, form: String?)
        case glob(String)
        case any
    }

    let text: String
    private let segments: [Segment]

    init(_ text: String) {
        self.text = text
        segments = Self.split(text).map { part in
            if part == "**" { return .any }
            if part.hasPrefix(":"), part.count > 1 {
                let name = part.dropFirst()
                if let open = name.firstIndex(of: "<"), name.hasSuffix(">") {
                    let form = name[name.index(after: open)...].dropLast()
                    return .capture(String(name[..<open]), form: String(form))
                }
                return .capture(String(name), form: nil)
            }
            if part.contains("*") { return .glob(part) }
            return .literal(part.removingPercentEncoding ?? part)
        }
    }

    /// `/a/b` is `a`, `b`; a slash at the end is an empty segment of its own; nothing at all is `/`.
    static func split(_ path: String) -> [String] {
        let path = path.hasPrefix("/") ? path.dropFirst() : path[...]
        return path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private var weight: Int {
        segments.reduce(0) { sum, segment in
            switch segment {
            case .literal: sum + 4
            case .capture(_, form: .some): sum + 3
            case .capture, .glob: sum + 2
            case .any: sum
            }
        }
    }

    var condition: Condition {
        Condition(field: "path", expected: text, weight: weight) { request in
            let found = request.url.path(percentEncoded: true)
            var captures: [String: String] = [:]
            let parts = Self.split(found).map { $0.removingPercentEncoding ?? $0 }
            guard matches(parts[...], segments[...], &captures) else {
                let shown = found.isEmpty ? "/" : found
                return .mismatch(found: shown, hint: EditDistance.hint(expected: text, found: shown))
            }
            return .match(captures: captures)
        }
    }

    private func matches(
        _ parts: ArraySlice<String>, _ segments: ArraySlice<Segment>, _ captures: inout [String: String]
    ) -> Bool {
        guard let segment = segments.first else { return parts.isEmpty }
        let rest = segments.dropFirst()
        if case .any = segment {
            if rest.isEmpty { return true }
            for start in parts.startIndex...parts.endIndex where matches(parts[start...], rest, &captures) {
                return true
            }
            return false
        }
        guard let part = parts.first else { return false }
        switch segment {
        case .literal(let literal):
            guard part == literal else { return false }
        case .capture(let name, let form):
            guard !part.isEmpty, Self.has(part, form: form) else { return false }
            captures[name] = part
        case .glob(let glob):
            guard !part.isEmpty, Glob.matches(part, glob) else { return false }
        case .any:
            return false
        }
        return matches(parts.dropFirst(), rest, &captures)
    }

    private static func has(_ part: String, form: String?) -> Bool {
        switch form?.lowercased() {
        case "int": Int(part) != nil
        case "uuid": UUID(uuidString: part) != nil
        default: true
        }
    }
}

/// `*` stands for anything, the empty text included.
enum Glob {
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
            return text == pattern
        }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let range = rest.range(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
