import Foundation

/// The parts of the URL by which a recorded exchange is found, which are compared separately so that an error message names
/// the part that differs.
struct RecordedURL {
    /// The URL, or its path and query if the host is ignored.
    let text: String
    let path: String
    private let query: String
    private var scheme = ""
    private var host = ""
    private var port = ""

    /// Creates the parts of a URL without percent-encoded characters that need no encoding, with scheme and host in lowercase
    /// and without the default port. Returns `nil` if it is not one of HTTP.
    init?(_ url: URL, _ matching: HAR.Matching) {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), let host = parts.percentEncodedHost,
            let port = ["http": 80, "https": 443][scheme]
        else { return nil }
        parts.scheme = scheme
        parts.percentEncodedHost = host.lowercased()
        if parts.port == port { parts.port = nil }
        path = parts.percentEncodedPath.isEmpty ? "/" : Self.unreservedDecoded(parts.percentEncodedPath)
        parts.percentEncodedPath = path
        parts.fragment = nil
        parts.percentEncodedQuery = parts.percentEncodedQuery.flatMap {
            matching.normalized(query: Self.unreservedDecoded($0))
        }
        query = parts.percentEncodedQuery ?? ""
        guard !matching.ignoresHost else {
            text = path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
            return
        }
        guard let whole = parts.string else { return nil }
        text = whole
        let user = [parts.percentEncodedUser, parts.percentEncodedPassword].compactMap(\.self)
        self.scheme = scheme
        self.host = (user.isEmpty ? "" : user.joined(separator: ":") + "@") + host.lowercased()
        self.port = parts.port.map { "\($0)" } ?? ""
    }

    /// Returns percent-encoded text in which `%7E` is `~`, as of all characters that need no encoding (RFC 3986, section 2.3).
    private static func unreservedDecoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return text.replacing(/%([0-9A-Fa-f]{2})/) { match in
            let scalar = UInt8(match.1, radix: 16).map { Unicode.Scalar($0) } ?? "%"
            let isUnreserved =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar))
            return isUnreserved ? String(scalar) : match.0.uppercased()
        }
    }

    /// Returns a condition for each part, in which a mask matches any text.
    ///
    /// - Parameter key: Returns the URL of a request in the same form.
    func conditions(
        _ specificity: Int, key: @escaping @Sendable (ReceivedRequest) -> RecordedURL?
    ) -> [Criterion] {
        func condition(
            _ field: String, _ part: @escaping @Sendable (RecordedURL) -> String, specificity: Int = 0
        ) -> Criterion {
            let expected = part(self)
            return Criterion(
                field: field, expected: expected.isEmpty ? "none" : expected, specificity: specificity
            ) { request in
                let found = key(request).map(part) ?? ""
                guard !Glob.matches(found, expected, wildcard: Redaction.mask) else { return .match() }
                return .mismatch(
                    found: found.isEmpty ? "none" : found,
                    hint: EditDistance.hint(expected: expected, found: found))
            }
        }
        return [
            condition("scheme", \.scheme), condition("host", \.host), condition("port", \.port),
            condition("path", \.path, specificity: specificity), condition("query", \.query),
        ]
    }
}
