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
            return found.hasSameItems(as: form)
                ? nil : .mismatch(found: TerminalEscaping.escaped("\(found)", limit: 200))
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

/// The first difference between two JSON values.
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

    /// Returns the first difference, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - path: The JSON path of the values.
    ///   - isPartial: A Boolean value that indicates whether `found` may have more members and elements.
    ///   - isEqual: Compares two values of which at least one is neither an object nor an array.
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
            return Self(found: "\(TerminalEscaping.escaped("\(found)", limit: 200)) at \(path)")
        }
    }
}
