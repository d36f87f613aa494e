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
    let url: String
    let body: Body

    /// Returns `nil` for requests that are not HTTP.
    init?(_ request: HAR.Request, matchingBodies: Bool) {
        guard let url = Self.normalized(request.url) else { return nil }
        method = request.method
        self.url = url
        body = matchingBodies ? Self.body(request.body, request.headers) : .any
    }

    /// Returns the URL with scheme and host in lowercase, and without the default port.
    private static func normalized(_ url: URL) -> String? {
        var scrubber = SecretScrubber()
        guard var parts = URLComponents(url: scrubber.masked(url), resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), let host = parts.percentEncodedHost,
            let port = ["http": 80, "https": 443][scheme]
        else { return nil }
        parts.scheme = scheme
        parts.percentEncodedHost = host.lowercased()
        if parts.port == port { parts.port = nil }
        if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
        parts.fragment = nil
        return parts.string
    }

    private static func body(_ data: Data, _ headers: HTTPHeaders) -> Body {
        guard !data.isEmpty else { return .none }
        let type = headers[.contentType].map(MediaType.init(rawValue:))
        if type?.essence.hasPrefix("multipart/") == true { return .any }
        var scrubber = SecretScrubber()
        let masked = scrubber.masked(data, type)
        return (try? JSONLiteral(parsing: masked)).map { .json($0) } ?? .bytes(masked)
    }

    func matcher(_ cache: RequestKeyCache) -> RequestMatcher {
        let (method, url, body) = (method, url, body)
        // Recordings take precedence over patterns, and keys without masked parts over others.
        let specificity = url.contains(Redaction.mask) ? 90 : 100
        var conditions = [
            Criterion.equal("method", method.rawValue, specificity: specificity) { $0.method.rawValue }
        ]
        conditions += RecordedURL(url).conditions(specificity) { cache.key(of: $0)?.url ?? "" }
        if body != .any {
            conditions.append(
                Criterion(field: "body", expected: "the recorded body", specificity: specificity) { request in
                    body.matches(cache.key(of: request)?.body ?? .none)
                        ? .match() : .mismatch(found: "a different body of \(request.body.count) bytes")
                })
        }
        return RequestMatcher("recorded \(method) \(url)", conditions)
    }
}

/// The key of the last request, computed once for all routes of an archive.
final class RequestKeyCache: Sendable {
    private let matchingBodies: Bool
    private let last = LockedState<(request: HAR.Request, key: RequestKey?)?>(nil)

    init(matchingBodies: Bool) { self.matchingBodies = matchingBodies }

    func key(of request: ReceivedRequest) -> RequestKey? {
        let request = HAR.Request(request)
        if let last = last.withLock({ $0 }), last.request == request { return last.key }
        let key = RequestKey(request, matchingBodies: matchingBodies)
        last.withLock { $0 = (request, key) }
        return key
    }
}

// MARK: Matching, in which a mask in the recording matches any text

extension RequestKey.Body {
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
