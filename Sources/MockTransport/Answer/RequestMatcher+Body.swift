public import Foundation

extension RequestMatcher {
    /// Matches requests whose body is exactly these bytes.
    public static func body(_ data: Data) -> Self {
        body(".body(\(data.count) bytes)", expected: "\(data.count) bytes") { request in
            request.body == data
                ? nil : .mismatch(found: "\(request.body.count) bytes with different content")
        }
    }

    /// Matches requests whose body is exactly this text, in UTF-8.
    public static func body(text: String) -> Self {
        body(".body(text: \"\(text)\")", expected: TerminalEscaping.quoted(text)) { request in
            request.text == text ? nil : .mismatch(found: request.body.shown(request.headers))
        }
    }

    /// Matches requests whose body is a form with exactly these items. The order of different names is ignored.
    public static func body(form: QueryItems) -> Self {
        body(".body(form: \(form))", expected: "\(form)") { request in
            let found = request.form
            if found.hasSameItems(as: form) { return nil }
            let isForm = request.headers[.contentType]?.lowercased().contains("urlencoded") ?? true
            return .mismatch(
                found: isForm
                    ? TerminalEscaping.escaped("\(found)", limit: 200) : request.body.shown(request.headers))
        }
    }

    /// Matches requests whose body is this JSON. The order of members and the notation of numbers are ignored.
    public static func body(json: JSONLiteral) -> Self {
        body(".body(json: \(json))", expected: "\(json)") {
            JSONDifference.match(json, $0, isPartial: false)
        }
    }

    /// Matches requests whose body is this value, encoded as JSON.
    @_disfavoredOverload
    public static func body(json value: some Encodable) -> Self { body(json: .value(value)) }

    /// Matches requests whose body is JSON that contains `part`: objects may have more members, and arrays must contain
    /// each of the elements.
    public static func body(jsonContaining part: JSONLiteral) -> Self {
        body(".body(jsonContaining: \(part))", expected: "at least \(part)") {
            JSONDifference.match(part, $0, isPartial: true)
        }
    }

    /// Matches requests whose body, as text, contains a match of a regular expression. The request has the named groups as
    /// captures.
    public static func body<Output>(matching regex: sending Regex<Output>) -> Self {
        let pattern = SharedRegex(regex)
        return Self(
            ".body(matching: /…/)", field: "body", expected: "a match of a regular expression",
            specificity: 3
        ) { request in
            pattern.captures(in: request.text).map { .match(captures: $0) }
                ?? .mismatch(found: request.body.isEmpty ? "nothing" : request.body.shown(request.headers))
        }
    }

    /// Matches requests whose JSON body has this value at `path`: `.body(at: "items.0.name", "tea")`. In an array, a number
    /// stands for the element at this position, and `*` for any element.
    public static func body(at path: MemberPath, _ value: JSONLiteral) -> Self {
        body(at: path, ".body(at: \"\(path)\", \(value))", expected: "\(value)") { $0 == value ? [:] : nil }
    }

    /// Matches requests whose JSON body has a text or number at `path` that contains a match of a regular expression. The
    /// request has the named groups as captures.
    public static func body<Output>(at path: MemberPath, matching regex: sending Regex<Output>) -> Self {
        let pattern = SharedRegex(regex)
        return body(
            at: path, ".body(at: \"\(path)\", matching: /…/)", expected: "a match of a regular expression"
        ) { pattern.captures(in: $0.text) }
    }

    /// - Parameter captures: Returns the captures of a value, or `nil` if it does not match.
    private static func body(
        at path: MemberPath, _ description: String, expected: String,
        captures: @escaping @Sendable (JSONLiteral) -> [String: String]?
    ) -> Self {
        Self(description, field: "body at \(path)", expected: expected) { request in
            let values = (try? JSONLiteral(parsing: request.body))?.values(at: path.names[...]) ?? []
            if let found = values.lazy.compactMap(captures).first { return .match(captures: found) }
            let isSecret = path.names.contains(where: Redaction.isSecret)
            let shown = values.map {
                isSecret ? Redaction.mask : $0.shown
            }
            return .mismatch(found: shown.isEmpty ? "nothing" : shown.joined(separator: ", "))
        }
    }

    /// Matches GraphQL requests for this operation, with at least these variables:
    /// `.graphQL("Teas", variables: ["first": 3])`.
    ///
    /// Without an `operationName`, the name is that of the first operation in the `query`.
    public static func graphQL(_ operation: String, variables: JSONLiteral = [:]) -> Self {
        let name = Criterion.equal("GraphQL operation", operation, specificity: 4) { request in
            let body = try? JSONLiteral(parsing: request.body)
            if case .string(let name)? = body?["operationName"]?.node { return name }
            let words = /\b(?:query|mutation|subscription)\s+(\w+)/
            let query = body?["query"]?.text.replacing(/#[^\n\r]*/, with: "")
            return query?.firstMatch(of: words).map { String($0.1) } ?? "none"
        }
        let expected = Criterion(
            field: "GraphQL variables", expected: "at least \(variables)", specificity: 4
        ) { request in
            let found = (try? JSONLiteral(parsing: request.body))?["variables"] ?? [:]
            return JSONDifference.first(variables, found, at: "$.variables", isPartial: true)
                .map { .mismatch(found: $0.found, hint: $0.hint) } ?? .match()
        }
        let hasVariables = variables != [:]
        return Self(
            ".graphQL(\"\(operation)\"\(hasVariables ? ", variables: \(variables)" : ""))",
            [name] + (hasVariables ? [expected] : []))
    }

    /// Matches requests with a multipart body (RFC 7578) that has this part, with the given text and filename if any.
    public static func part(_ name: String, _ text: String? = nil, filename: String? = nil) -> Self {
        let wanted = [text.map { TerminalEscaping.quoted($0) }, filename.map { "filename \"\($0)\"" }]
            .compactMap(\.self)
        return Self(
            ".part(\"\(name)\"\(wanted.map { ", \($0)" }.joined()))", field: "part \(name)",
            expected: wanted.isEmpty ? "any" : wanted.joined(separator: ", ")
        ) { request in
            let parts = request.parts
            let named = parts.filter { $0.name == name }
            guard !named.isEmpty else {
                return .mismatch(found: "nothing", hint: .near(name, among: parts.map(\.name)))
            }
            let fits = named.contains { part in
                (text == nil || part.text == text) && (filename == nil || part.filename == filename)
            }
            if fits { return .match() }
            let found = named.map { part in
                (Redaction.isSecret(name) ? Redaction.mask : part.body.shown(part.headers))
                    + (part.filename.map { ", filename \"\($0)\"" } ?? "")
            }
            return .mismatch(found: found.joined(separator: "; "))
        }
    }

    private static func body(
        _ description: String, expected: String,
        mismatch: @escaping @Sendable (ReceivedRequest) -> Criterion.MatchResult?
    ) -> Self {
        Self(description, field: "body", expected: expected) { request in
            guard let mismatch = mismatch(request) else { return .match() }
            return request.body.isEmpty ? .mismatch(found: "nothing") : mismatch
        }
    }
}

extension Data {
    /// Returns a body as quoted text with its secrets masked.
    fileprivate func shown(_ headers: HTTPHeaders) -> String {
        var scrubber = SecretScrubber()
        return scrubber.masked(self, headers).map {
            TerminalEscaping.quoted(String(decoding: $0, as: UTF8.self))
        }
            ?? "\(count) bytes that cannot be searched for secrets"
    }
}

extension JSONLiteral {
    /// The JSON text with secrets masked, for messages.
    fileprivate var shown: String {
        var scrubber = SecretScrubber()
        let masked = scrubber.masked(Data("\(self)".utf8), [.contentType: "application/json"])
        return masked.map { TerminalEscaping.escaped(String(decoding: $0, as: UTF8.self), limit: 200) }
            ?? "a value that cannot be searched for secrets"
    }

    /// Returns the values at a path, in which names can be positions in arrays, or `*`.
    fileprivate func values(at names: ArraySlice<String>) -> [Self] {
        guard let name = names.first else { return [self] }
        let values: [Self] =
            switch node {
            case .object(let members): members.filter { $0.key == name }.map(\.value)
            case .array(let elements) where name == "*": elements
            case .array(let elements):
                Int(name).flatMap { elements.indices.contains($0) ? [elements[$0]] : nil } ?? []
            default: []
            }
        return values.flatMap { $0.values(at: names.dropFirst()) }
    }
}

struct JSONDifference {
    let found: String
    var hint: String?

    static func match(
        _ expected: JSONLiteral, _ request: ReceivedRequest, isPartial: Bool
    ) -> Criterion.MatchResult? {
        guard let found = try? JSONLiteral(parsing: request.body) else {
            return .mismatch(found: "invalid JSON: \(request.body.shown(request.headers))")
        }
        return first(expected, found, isPartial: isPartial).map { .mismatch(found: $0.found, hint: $0.hint) }
    }

    /// Returns the first difference, or `nil` if there is none. If `isPartial`, `found` may have more members and elements.
    ///
    /// - Parameter isEqual: Compares two values of which at least one is neither an object nor an array.
    static func first(
        _ expected: JSONLiteral, _ found: JSONLiteral, at path: String = "$", isPartial: Bool = false,
        isEqual: (JSONLiteral, JSONLiteral) -> Bool = { $0 == $1 }
    ) -> Self? {
        switch (expected.node, found.node) {
        case (.object(let wanted), .object(let members)):
            let actual = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            for (key, value) in wanted {
                guard let other = actual[key] else {
                    return Self(
                        found: "no member \(path).\(key)", hint: .near(key, among: actual.keys.sorted()))
                }
                let member = "\(path).\(key)"
                if let difference = first(value, other, at: member, isPartial: isPartial, isEqual: isEqual) {
                    return Redaction.isSecret(key)
                        ? Self(found: "a different value at \(member)") : difference
                }
            }
            guard !isPartial else { return nil }
            let additional = actual.keys.sorted().first { key in !wanted.contains { $0.key == key } }
            return additional.map { Self(found: "an additional member \(path).\($0)") }
        case (.array(let wanted), .array(let elements)) where isPartial:
            let missing = wanted.first { want in
                !elements.contains { first(want, $0, at: path, isPartial: true, isEqual: isEqual) == nil }
            }
            return missing.map { Self(found: "no element \($0) in \(path)") }
        case (.array(let wanted), .array(let elements)):
            guard wanted.count == elements.count else {
                return Self(found: "\(elements.count) elements at \(path)")
            }
            for (index, (want, element)) in zip(wanted, elements).enumerated() {
                let difference = first(want, element, at: "\(path)[\(index)]", isEqual: isEqual)
                if let difference { return difference }
            }
            return nil
        default:
            guard !isEqual(expected, found) else { return nil }
            return Self(found: "\(found.shown) at \(path)")
        }
    }
}
