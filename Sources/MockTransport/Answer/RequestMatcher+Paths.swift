import Foundation

extension RequestMatcher {
    /// Matches requests whose percent-decoded path contains a match of a regular expression, which may be the whole
    /// path with `^` and `$`. The request has the named groups as captures.
    ///
    /// ```swift
    /// Route(.get, .path(matching: /^\/items\/(?<id>[0-9]+)$/)) { request in .text(request["id"] ?? "") }
    /// ```
    public static func path<Output>(matching regex: sending Regex<Output>) -> Self {
        path(
            ".path(matching: /…/)", expected: "a match of a regular expression", specificity: 3,
            captures: SharedRegex(regex).captures)
    }

    /// Matches requests whose percent-decoded path contains a match of a regular expression given as text:
    /// `.path(matching: "^/items/[0-9]+$")`.
    ///
    /// If the expression is invalid, every request to the server fails with an error that names it.
    public static func path(matching pattern: String) -> Self {
        let description = ".path(matching: \"\(pattern)\")"
        do {
            let regex = SharedRegex(try Regex(pattern))
            return path(
                description, expected: "a match of /\(pattern)/", specificity: 3, captures: regex.captures)
        } catch {
            return Self(description, [], problem: "\"\(pattern)\" is not a regular expression: \(error)")
        }
    }

    /// Matches requests whose percent-decoded path contains `text`.
    public static func path(containing text: String) -> Self {
        path(".path(containing: \"\(text)\")", expected: "a path that contains \"\(text)\"", specificity: 2) {
            $0.contains(text) ? [:] : nil
        }
    }

    /// - Parameter captures: Returns the captures of a path, or `nil` if it does not match.
    private static func path(
        _ description: String, expected: String, specificity: Int,
        captures: @escaping @Sendable (String) -> [String: String]?
    ) -> Self {
        Self(description, field: "path", expected: expected, specificity: specificity) { request in
            let path = request.url.path(percentEncoded: false)
            return captures(path.isEmpty ? "/" : path).map { .match(captures: $0) }
                ?? .mismatch(found: request.path.isEmpty ? "/" : Redaction.text(ofURL: request.path))
        }
    }
}

/// A regular expression with which the requests of several threads are compared.
struct SharedRegex: Sendable {
    private let regex: LockedState<Regex<AnyRegexOutput>>

    init<Output>(_ regex: sending Regex<Output>) { self.regex = LockedState(Regex<AnyRegexOutput>(regex)) }

    /// Returns the named groups of the first match in a text, or `nil` if there is none.
    func captures(in text: String) -> [String: String]? {
        regex.withLock { regex in
            (try? regex.firstMatch(in: text)).map { match in
                match.output.reduce(into: [:]) { captures, group in
                    if let name = group.name { captures[name] = group.substring.map(String.init) }
                }
            }
        }
    }
}

// MARK: Authentication

extension RequestMatcher {
    /// Matches requests with this user and password (RFC 7617).
    public static func basicAuth(_ user: String, _ password: String) -> Self {
        authorization(
            "Basic", ".basicAuth(\"\(user)\", \"\(Redaction.mask)\")",
            expected: "user \"\(user)\" with the password of the route"
        ) { credentials in
            Data(base64Encoded: credentials).map { $0 == Data("\(user):\(password)".utf8) } ?? false
        }
    }

    /// Matches requests with this bearer token, or with any one if `token` is `nil` (RFC 6750).
    public static func bearerToken(_ token: String? = nil) -> Self {
        guard let token else {
            return authorization("Bearer", ".bearerToken()", expected: "a bearer token") { !$0.isEmpty }
        }
        return authorization(
            "Bearer", ".bearerToken(\"\(Redaction.mask)\")", expected: "the bearer token of the route"
        ) { $0 == token }
    }

    private static func authorization(
        _ scheme: String, _ description: String, expected: String,
        isMatch: @escaping @Sendable (String) -> Bool
    ) -> Self {
        Self(description, field: "header Authorization", expected: expected) { request in
            guard let value = request.headers[.authorization] else { return .mismatch(found: "nothing") }
            let parts = value.split(separator: " ", maxSplits: 1)
            // A value without a scheme may be a secret.
            guard parts.count == 2 else { return .mismatch(found: "a value without a scheme") }
            guard parts[0].lowercased() == scheme.lowercased() else {
                return .mismatch(found: "the scheme \(parts[0])")
            }
            return isMatch(parts[1].trimmingCharacters(in: .whitespaces))
                ? .match() : .mismatch(found: "different credentials")
        }
    }
}
