import Foundation

/// The parts of the URL by which a recorded exchange is found, which are compared separately so that an error message names
/// the part that differs.
struct RecordedURL {
    let scheme: Substring
    let host: Substring
    let port: Substring
    let path: Substring
    let query: Substring

    /// - Parameter url: A normalized URL, or a path with a query.
    init(_ url: String) {
        var rest = url[...]
        var authority: Substring = ""
        if let separator = rest.firstRange(of: "://"), !rest.hasPrefix("/") {
            scheme = rest[..<separator.lowerBound]
            rest = rest[separator.upperBound...]
            authority = rest.prefix { $0 != "/" && $0 != "?" }
            rest = rest[authority.endIndex...]
        } else {
            scheme = ""
        }
        // The colons of an IPv6 address are in brackets.
        let colon = authority.lastIndex(of: ":").flatMap { authority[$0...].contains("]") ? nil : $0 }
        host = authority[..<(colon ?? authority.endIndex)]
        port = colon.map { authority[authority.index(after: $0)...] } ?? ""
        path = rest.prefix { $0 != "?" }
        query = rest[path.endIndex...].dropFirst()
    }

    /// Returns a condition for each part, in which a mask matches any text.
    ///
    /// - Parameter key: Returns the URL of a request in the same form.
    func conditions(
        _ specificity: Int, key: @escaping @Sendable (ReceivedRequest) -> RecordedURL?
    ) -> [Criterion] {
        func condition(
            _ field: String, _ part: @escaping @Sendable (RecordedURL) -> Substring, specificity: Int = 0
        ) -> Criterion {
            let expected = String(part(self))
            return Criterion(
                field: field, expected: expected.isEmpty ? "none" : expected, specificity: specificity
            ) { request in
                let found = key(request).map { String(part($0)) } ?? ""
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
