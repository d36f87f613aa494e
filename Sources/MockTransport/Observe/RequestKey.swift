import Foundation

/// The parts of a request that identify its recorded exchange, with masked secrets.
struct RequestKey: Sendable {
    enum Body: Equatable {
        case any
        case none
        case json(JSONLiteral)
        case bytes(Data)
    }

    let method: HTTPMethod
    /// The URL, or its path and query if the host is ignored.
    let url: String
    let body: Body
    /// The parts of the URL. Each is compared for itself, so that an error message names the one that differs.
    private var parts: [String: String]
    private let headers: [HTTPHeaders.Name: String]

    /// Creates the key of a request, with scheme and host in lowercase, and without the default port and percent-encoded
    /// characters that need no encoding. Returns `nil` for requests that are not HTTP.
    init?(_ request: HAR.Request, _ matching: HAR.Matching, _ masking: HAR.Masking) {
        let masked = masking.masked(request).request
        guard var url = URLComponents(url: masked.url, resolvingAgainstBaseURL: true),
            let scheme = url.scheme?.lowercased(), let host = url.percentEncodedHost?.lowercased(),
            let port = Origin.ports[scheme]
        else { return nil }
        url.scheme = scheme
        url.percentEncodedHost = host
        if url.port == port { url.port = nil }
        let path = url.percentEncodedPath.isEmpty ? "/" : Self.unreservedDecoded(url.percentEncodedPath)
        url.percentEncodedPath = path
        url.fragment = nil
        url.percentEncodedQuery = url.percentEncodedQuery.flatMap {
            matching.normalized(query: Self.unreservedDecoded($0))
        }
        parts = ["path": path, "query": url.percentEncodedQuery ?? ""]
        if matching.ignoresHost {
            self.url = path + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
        } else {
            guard let whole = url.string else { return nil }
            self.url = whole
            let user = [url.percentEncodedUser, url.percentEncodedPassword].compactMap(\.self)
            parts["scheme"] = scheme
            parts["host"] = (user.isEmpty ? "" : user.joined(separator: ":") + "@") + host
            parts["port"] = url.port.map { "\($0)" } ?? ""
        }
        method = masked.method
        body =
            matching.ignoresBody || request.isBodyMissing
            // Bodies that cannot be searched for secrets are compared as they are.
            ? .any : Self.body(masked.isBodyMissing ? request.body : masked.body, masked.headers, matching)
        headers = matching.headers.reduce(into: [:]) { $0[$1] = masked.headers[$1] ?? "" }
    }

    var target: String { "\(method) \(url)" + headers.map { "\n\($0.key): \($0.value)" }.sorted().joined() }

    /// Returns percent-encoded text in which `%7E` is `~`, as of all characters that need no encoding (RFC 3986, section 2.3).
    private static func unreservedDecoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return text.replacing(/%([0-9A-Fa-f]{2})/) { match in
            let byte = UInt8(match.1, radix: 16) ?? 0
            let isUnreserved = byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
            return isUnreserved ? String(Unicode.Scalar(byte)) : match.0.uppercased()
        }
    }

    private static func body(_ data: Data, _ headers: HTTPHeaders, _ matching: HAR.Matching) -> Body {
        guard !data.isEmpty else { return .none }
        // URLSession names the type of a form for a body without one.
        let isForm = data.first.map { !"{[".utf8.contains($0) } ?? false
        let type = headers[.contentType].map(MediaType.init(rawValue:))
        if type?.essence.hasPrefix("multipart/") == true { return .any }
        if type?.essence == MediaType.form.essence, isForm, let form = String(validating: data, as: UTF8.self)
        {
            return .bytes(Data(matching.normalized(form: form).utf8))
        }
        return (try? JSONLiteral(parsing: data)).map { .json(matching.normalized(json: $0)) }
            ?? .bytes(data)
    }

    func matcher(_ keys: RequestKeys) -> RequestMatcher {
        // Recordings take precedence over patterns, recorded hosts over others, and keys without masked parts over others.
        let specificity = (url.contains(Redaction.mask) ? 90 : 100) - (keys.matching.ignoresHost ? 20 : 0)
        var first = Criterion.equal("method", method.rawValue, specificity: specificity) {
            $0.method.rawValue
        }
        // Otherwise, the path that is compared may be another one.
        if !keys.masking.changesRequests {
            let segments = PathPattern.decodedSegments(of: parts["path"] ?? "")
            first.pathPrefix = Array(segments.prefix { !$0.contains(Redaction.mask) })
        }
        var conditions = [first]
        for field in ["scheme", "host", "port", "path", "query"] {
            guard let part = parts[field] else { continue }
            conditions.append(Self.condition(field, part, field == "path" ? specificity : 0, keys))
        }
        for (name, value) in headers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            conditions.append(
                .equal("header \(name)", "\"\(value)\"", specificity: specificity) {
                    "\"\(keys.key(of: $0)?.headers[name] ?? "")\""
                })
        }
        if body != .any {
            conditions.append(
                Criterion(field: "body", expected: "the recorded body", specificity: specificity) {
                    [body] request in
                    body.matches(keys.key(of: request)?.body ?? .none)
                        ? .match() : .mismatch(found: "a different body of \(request.body.count) bytes")
                })
        }
        for index in conditions.indices { conditions[index].isMasked = true }
        return RequestMatcher("recorded \(method) \(url)", conditions)
    }

    /// Returns the condition that a part of the URL is the recorded one, in which a mask matches any text.
    private static func condition(
        _ field: String, _ expected: String, _ specificity: Int, _ keys: RequestKeys
    ) -> Criterion {
        Criterion(
            field: field, expected: expected.isEmpty ? "none" : expected, specificity: specificity
        ) { request in
            let found = keys.key(of: request)?.parts[field] ?? ""
            guard !Glob.matches(found, expected, wildcard: Redaction.mask) else { return .match() }
            return .mismatch(
                found: found.isEmpty ? "none" : found,
                hint: EditDistance.hint(expected: expected, found: found))
        }
    }
}

/// The keys of requests by the rules of an archive, of which the last ones are computed once for all of its routes.
///
/// A few keys are sufficient: each request is compared with all routes at once, and few threads compare at a time.
final class RequestKeys: Sendable {
    private static let limit = 8

    let matching: HAR.Matching
    let masking: HAR.Masking
    private let last = LockedState<[(identity: ReceivedRequest.Identity, key: RequestKey?)]>([])

    init(_ matching: HAR.Matching, _ masking: HAR.Masking) {
        (self.matching, self.masking) = (matching, masking)
    }

    func key(of request: HAR.Request) -> RequestKey? { RequestKey(request, matching, masking) }

    func key(of request: ReceivedRequest) -> RequestKey? {
        let identity = request.identity
        if let known = last.withLock({ $0.last { $0.identity === identity } }) { return known.key }
        let key = key(of: HAR.Request(request))
        last.withLock { $0 = $0.suffix(Self.limit - 1) + [(identity, key)] }
        return key
    }
}

extension RequestKey.Body {
    /// Returns `true` if another body equals this recorded one, in which a mask matches any text.
    fileprivate func matches(_ other: Self) -> Bool {
        switch (self, other) {
        case (.json(let recorded), .json(let actual)):
            JSONDifference.first(recorded, actual) { recorded, actual in
                guard case (.string(let recorded), .string(let actual)) = (recorded.node, actual.node) else {
                    return recorded == actual
                }
                return Glob.matches(actual, recorded, wildcard: Redaction.mask)
            } == nil
        case (.bytes(let recorded), .bytes(let actual)):
            Glob.matches(actual, recorded, wildcard: Redaction.mask.utf8)
        default: self == other
        }
    }
}
