import Foundation

/// The parts of a request that identify its recorded exchange, with masked secrets.
struct RequestKey: Sendable {
    enum Body: Equatable {
        case any
        case none
        case json(JSONLiteral)
        case bytes(Data)
    }

    /// The rules for the parts of a request.
    struct Rules: Sendable {
        var matching = HAR.Matching.exact
        var masking = HAR.Masking.standard
    }

    let method: HTTPMethod
    let parts: RecordedURL
    let body: Body
    private let headers: [HTTPHeaders.Name: String]
    private let hasHost: Bool

    /// Returns `nil` for requests that are not HTTP.
    init?(_ request: HAR.Request, _ rules: Rules) {
        let masked = rules.masking.masked(request)
        let matching = rules.matching
        guard let parts = RecordedURL(masked.url, matching) else { return nil }
        method = masked.method
        self.parts = parts
        hasHost = !matching.ignoresHost
        body =
            matching.ignoresBody || request.isBodyMissing
            // Bodies that cannot be searched for secrets are compared as they are.
            ? .any : Self.body(masked.isBodyMissing ? request.body : masked.body, masked.headers, matching)
        headers = matching.headers.reduce(into: [:]) { $0[$1] = masked.headers[$1] ?? "" }
    }

    var url: String { parts.text }

    /// The method, the URL and the compared header fields.
    var target: String {
        "\(method) \(url)"
            + headers.map { "\n\($0.key): \($0.value)" }.sorted().joined()
    }

    private static func body(_ data: Data, _ headers: HTTPHeaders, _ matching: HAR.Matching) -> Body {
        guard !data.isEmpty else { return .none }
        let type = headers[.contentType].map(MediaType.init(rawValue:))
        if type?.essence.hasPrefix("multipart/") == true { return .any }
        if type?.essence == MediaType.form.essence, let form = String(validating: data, as: UTF8.self) {
            return .bytes(Data(matching.normalized(form: form).utf8))
        }
        return (try? JSONLiteral(parsing: data)).map { .json(matching.normalized(json: $0)) }
            ?? .bytes(data)
    }

    func matcher(_ cache: RequestKeyCache) -> RequestMatcher {
        let (method, url, body) = (method, url, body)
        // Recordings take precedence over patterns, recorded hosts over others, and keys without masked parts over others.
        let specificity = (url.contains(Redaction.mask) ? 90 : 100) - (hasHost ? 0 : 20)
        var conditions = [
            Criterion.equal("method", method.rawValue, specificity: specificity) { $0.method.rawValue }
        ]
        conditions += parts.conditions(specificity) { cache.key(of: $0)?.parts }
        if cache.comparesPaths {
            let segments = PathPattern.decodedSegments(of: parts.path)
            conditions[0].pathPrefix = Array(segments.prefix { !$0.contains(Redaction.mask) })
        }
        for (name, value) in headers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            conditions.append(
                Criterion(field: "header \(name)", expected: "\"\(value)\"", specificity: specificity) {
                    let found = cache.key(of: $0)?.headers[name] ?? ""
                    return found == value ? .match() : .mismatch(found: "\"\(found)\"")
                })
        }
        if body != .any {
            conditions.append(
                Criterion(field: "body", expected: "the recorded body", specificity: specificity) { request in
                    body.matches(cache.key(of: request)?.body ?? .none)
                        ? .match() : .mismatch(found: "a different body of \(request.body.count) bytes")
                })
        }
        for index in conditions.indices { conditions[index].isMasked = true }
        return RequestMatcher("recorded \(method) \(url)", conditions)
    }
}

/// The keys of the last requests, computed once for all routes of an archive.
///
/// A few keys are sufficient: each request is compared with all routes at once, and few threads compare at a time.
final class RequestKeyCache: Sendable {
    private static let limit = 8

    private let rules: RequestKey.Rules
    private let last = LockedState<[(identity: ReceivedRequest.Identity, key: RequestKey?)]>([])

    init(_ rules: RequestKey.Rules) { self.rules = rules }

    /// `true` if the path of a request is compared as it is, except for secrets.
    var comparesPaths: Bool { !rules.masking.changesRequests }

    func key(of request: ReceivedRequest) -> RequestKey? {
        let identity = request.identity
        if let known = last.withLock({ $0.last { $0.identity === identity } }) { return known.key }
        let key = RequestKey(HAR.Request(request), rules)
        last.withLock { $0 = $0.suffix(Self.limit - 1) + [(identity, key)] }
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
