public import Foundation

extension RequestMatcher {
    /// Matches requests whose URL matches `pattern`. Scheme, host, port, path and query items are each optional.
    ///
    /// In the path, `:id` matches and captures one segment, `:id<Int>` and `:id<UUID>` only a segment of that type, `*`
    /// matches one segment or a part of it, and `**` any number of segments. A host may start with `*.`, and is
    /// compared case-insensitively, in Unicode or in ASCII form. A pattern with a host and no path means the path `/`.
    ///
    /// The query of the request may have more items than the pattern. `?page=*` matches any value, `?flag` an item
    /// without `=`, and `?flag=` an item with an empty value. Requests have no fragment, so that of a pattern is ignored.
    ///
    /// A pattern that can never match, such as one with a capture that is only a part of a segment (`"/file:n<Int>"`),
    /// makes all requests to its server fail with an error that names it.
    public static func url(_ pattern: String) -> Self {
        if pattern == "**" { return .any }
        return Self(URLPattern(pattern))
    }

    /// Matches requests to this URL, in which no character has a special meaning. The query of the request may have more
    /// items than that of the URL.
    ///
    /// ```swift
    /// Route(.get, .url(client.endpoint)) { Reply.json([]) }
    /// ```
    public static func url(_ url: URL) -> Self { Self(URLPattern(verbatim: url)) }
}

struct URLPattern: Sendable {
    /// The pattern as written in code.
    private(set) var text: String
    var scheme: String?
    var host: String?
    var port: Int?
    var path: String?
    var query: [(name: String, value: Criterion.ItemValue)] = []
    private var authorityProblem: String?

    init(_ pattern: String) {
        text = pattern
        // Requests have no fragment.
        var rest = pattern.prefix { $0 != "#" }
        if let question = rest.firstIndex(of: "?") {
            query = QueryItems(percentEncoded: String(rest[rest.index(after: question)...])).map { item in
                (item.name, item.value.map { $0.contains("*") ? .glob($0) : .text($0) } ?? .none)
            }
            rest = rest[..<question]
        }
        if let separator = rest.range(of: "://") {
            scheme = rest[..<separator.lowerBound].lowercased()
            rest = rest[separator.upperBound...]
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            parse(authority: rest[..<end])
            rest = rest[end...]
            path = rest.isEmpty ? "/" : String(rest)
        } else if !rest.isEmpty {
            path = rest.hasPrefix("/") ? String(rest) : "/\(rest)"
        }
    }

    init(verbatim url: URL) {
        text = url.absoluteString
        scheme = url.scheme?.lowercased()
        host = url.host(percentEncoded: false)
        port = url.port ?? Origin.ports[scheme ?? ""]
        // Percent-encoded characters have no special meaning in a pattern.
        let path = url.absoluteURL.path(percentEncoded: true)
            .replacing(":", with: "%3A").replacing("*", with: "%2A")
        self.path = path.isEmpty ? "/" : path
        query = QueryItems(of: url).map { ($0.name, $0.value.map { .text($0) } ?? .none) }
    }

    /// Sets the host and the port. A user and password are ignored: a request has them in a header field.
    private mutating func parse(authority: Substring) {
        let address =
            authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let bracket = address.hasPrefix("[") ? address.firstIndex(of: "]") : nil
        let end = bracket.map { address.index(after: $0) } ?? address.firstIndex(of: ":") ?? address.endIndex
        let host = String(address[..<end])
        let number = address[end...].dropFirst()
        self.host = host
        port = Int(number)
        if host.isEmpty {
            authorityProblem = "there is no host after \"://\""
        } else if !number.isEmpty, number != "*", !(1...65_535).contains(port ?? 0) {
            authorityProblem = "\"\(number)\" is not a port"
        }
    }

    /// The reason why no request can match the pattern, or `nil`.
    var problem: String? {
        if RequestMatcher.namedMethods.contains(text) {
            return "\"\(text)\" is a method, which is written .\(text.lowercased())"
        }
        return authorityProblem ?? host.flatMap(Hostname.problem) ?? path.flatMap { PathPattern($0).problem }
    }

    /// Returns this pattern appended to `prefix`, which supplies the missing components.
    func below(_ prefix: URLPattern) -> Self {
        var result = prefix
        let base = prefix.path.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
        result.path = base + (path ?? "/**")
        result.query += query
        result.authorityProblem = prefix.authorityProblem ?? authorityProblem
        let start = prefix.text.hasSuffix("/") ? String(prefix.text.dropLast()) : prefix.text
        result.text = start + (path == nil ? "/**" : "") + text
        return result
    }

    var conditions: [Criterion] {
        var conditions: [Criterion] = []
        if let scheme, scheme != "*" { conditions.append(.scheme(scheme)) }
        if let host { conditions.append(.host(host)) }
        if let port { conditions.append(.port(port)) }
        if let path { conditions.append(PathPattern(path).condition) }
        for item in query { conditions.append(.query(item.name, item.value)) }
        return conditions
    }
}

extension Criterion {
    static func scheme(_ scheme: String) -> Self {
        equal("scheme", scheme.lowercased()) { $0.url.scheme?.lowercased() ?? "" }
    }

    static func port(_ port: Int) -> Self { equal("port", "\(port)") { "\($0.url.usualPort)" } }

    static func host(_ host: String) -> Self {
        let isExact = !host.contains("*")
        let pattern = Hostname.normalized(host)
        return Self(field: "host", expected: host, specificity: isExact ? 4 : host == "*" ? 0 : 2) {
            request in
            let found = request.url.host(percentEncoded: false) ?? ""
            return Glob.matches(Hostname.normalized(found), pattern, wildcard: "*")
                ? .match() : .mismatch(found: found, hint: EditDistance.hint(expected: host, found: found))
        }
    }
}

struct PathPattern: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case capture(String, CaptureType)
        case glob(String)
        case any
    }

    private enum CaptureType: String { case string, int, uuid }

    let text: String
    private let segments: [Segment]
    private let isLiteral: Bool
    let problem: String?

    init(_ text: String) {
        self.text = text
        var problem: String?
        segments = Self.split(text).map { part in
            if part == "**" { return .any }
            if let (name, type) = Self.capture(part) {
                if !name.isEmpty, let type = CaptureType(rawValue: type) { return .capture(name, type) }
                problem =
                    name.isEmpty
                    ? "a capture is a whole segment of the path, and \"\(part)\" is more than a capture"
                    : "the type of the capture \"\(part)\" is not Int, UUID or String"
            }
            if part.hasPrefix("{"), let name = part.wholeMatch(of: /{([\w-]+)}/)?.1 {
                problem = "a capture is written \":\(name)\" instead of \"{\(name)}\""
            }
            if part.contains("*") { return .glob(String(part)) }
            return .literal(Self.decoded(part))
        }
        self.problem = problem
        isLiteral = segments.allSatisfy { if case .literal = $0 { true } else { false } }
    }

    /// Returns the name and the type of a captured segment, an empty name if only a part of the segment is one, or `nil` for
    /// other segments, such as `items:search`.
    private static func capture(_ part: Substring) -> (name: String, type: String)? {
        guard part.contains(":") else { return nil }
        let isWhole = part.hasPrefix(":") && part.count > 1
        // Without a regular expression for usual patterns: compiling one takes longer than all else for a route.
        if isWhole {
            let name = part.dropFirst().prefix(while: \.isNamePart)
            let rest = part[name.endIndex...]
            let type = rest.dropFirst().dropLast()
            if !name.isEmpty, rest.isEmpty { return (String(name), CaptureType.string.rawValue) }
            if !name.isEmpty, rest == "<\(type)>", type.allSatisfy({ $0.isNamePart && $0 != "-" }) {
                return (String(name), type.lowercased())
            }
        }
        return isWhole || part.contains("<") && part.contains(/:\w+<\w*>/) ? ("", "") : nil
    }

    var condition: Criterion {
        Criterion(field: "path", expected: text, specificity: specificity, pathPrefix: literalPrefix) {
            request in
            // Fast path: most routes have a literal path, and most requests have the same text as their path.
            if isLiteral, request.path == text { return .match() }
            guard let captures = captures(of: Self.split(request.path)) else {
                let shown = request.path.isEmpty ? "/" : Redaction.text(ofURL: request.path)
                return .mismatch(found: shown, hint: EditDistance.hint(expected: text, found: shown))
            }
            return .match(captures: captures)
        }
    }

    private var literalPrefix: [String] {
        let literals = segments.map { segment -> String? in
            if case .literal(let text) = segment { text } else { nil }
        }
        return literals.prefix { $0 != nil }.compactMap(\.self)
    }

    private var specificity: Int {
        segments.reduce(0) { sum, segment in
            switch segment {
            case .literal: sum + 4
            case .capture(_, .int), .capture(_, .uuid): sum + 3
            case .capture, .glob: sum + 2
            case .any: sum
            }
        }
    }

    /// Splits `/a/b` into `a` and `b`. A trailing slash gives an empty segment, and an empty path is the same as `/`.
    private static func split(_ path: String) -> [Substring] {
        let separator = UInt8(ascii: "/")
        return path.utf8.dropFirst(path.utf8.first == separator ? 1 : 0)
            .split(separator: separator, omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Returns the segments of a path without percent-encoded characters.
    static func decodedSegments(of path: String) -> [String] { split(path).map(decoded) }

    private static func decoded(_ part: Substring) -> String {
        part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding ?? String(part) : String(part)
    }

    /// Returns the captured segments, or `nil` if the path does not match.
    ///
    /// Backtracking to the last `**` is sufficient: anything an earlier one could match, a later one can match as well.
    /// The cost is therefore at most the length of the path times that of the pattern.
    private func captures(of parts: [Substring]) -> [String: String]? {
        var captures: [String: String] = [:]
        var segment = 0
        var part = 0
        /// The segment after the last `**`, and the part at which it is tried next.
        var retry: (segment: Int, part: Int)?
        while segment < segments.count || part < parts.count {
            if segment < segments.count, case .any = segments[segment] {
                segment += 1
                if segment == segments.count { return captures }
                retry = (segment, part + 1)
            } else if segment < segments.count, part < parts.count,
                Self.matches(Self.decoded(parts[part]), segments[segment], &captures)
            {
                segment += 1
                part += 1
            } else if let again = retry, again.part <= parts.count {
                (segment, part) = again
                retry?.part += 1
            } else {
                return nil
            }
        }
        return captures
    }

    private static func matches(
        _ part: String, _ segment: Segment, _ captures: inout [String: String]
    ) -> Bool {
        switch segment {
        case .literal(let literal): return part == literal
        case .capture(let name, let type):
            guard !part.isEmpty, isValid(part, type) else { return false }
            captures[name] = part
            return true
        case .glob(let glob): return !part.isEmpty && Glob.matches(part, glob, wildcard: "*")
        case .any: return true
        }
    }

    private static func isValid(_ part: String, _ type: CaptureType) -> Bool {
        switch type {
        case .string: true
        case .int: Int(part) != nil
        case .uuid: UUID(uuidString: part) != nil
        }
    }
}

extension Character {
    /// `true` if the name of a capture can contain the character.
    fileprivate var isNamePart: Bool { isLetter || isNumber || self == "_" || self == "-" }
}

enum Glob {
    /// Returns `true` if `text` is `pattern` with any text, including none, in place of each `wildcard`.
    static func matches<Text: BidirectionalCollection>(
        _ text: Text, _ pattern: Text, wildcard: some Collection<Text.Element>
    ) -> Bool where Text.Element: Equatable {
        let pieces = pattern.split(separator: wildcard, omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
            return text.elementsEqual(pattern)
        }
        guard text.starts(with: first) else { return false }
        var rest = text.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let range = rest.firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.reversed().starts(with: last.reversed())
    }
}

/// The host of a URL in a form that can be compared.
enum Hostname {
    /// Returns a host in lowercase and in ASCII: labels in Unicode are encoded (RFC 3492), brackets around an IPv6 address
    /// are removed.
    static func normalized(_ host: String) -> String {
        let text = host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host[...]
        guard text.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) else {
            return text.lowercased()
        }
        let labels = (text.removingPercentEncoding ?? String(text))
            .split(separator: ".", omittingEmptySubsequences: false)
        // A URL encodes the label of a host. A label can be a wildcard, which no host contains.
        return labels.map { label in
            URL(string: "http://\(label)/")?.host(percentEncoded: false) ?? String(label)
        }.joined(separator: ".").lowercased()
    }

    static func problem(of host: String) -> String? {
        if host.isEmpty { return "the host is empty" }
        if host.contains(where: { "/?# @".contains($0) }) {
            return "\"\(host)\" is not a host; use a URL pattern for other parts of the URL"
        }
        // An IPv6 address has at least two colons.
        if !host.hasPrefix("["), host.count(where: { $0 == ":" }) == 1 {
            return "\"\(host)\" is not a host; use .port(_:) for the port"
        }
        return nil
    }
}
