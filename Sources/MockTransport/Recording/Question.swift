import Foundation

/// What of a request decides which exchange answers it; secrets masked.
struct Question: Sendable {
    enum Body: Equatable {
        case any
        case none
        case json(JSONLiteral)
        case bytes(Data)
    }

    let method: HTTPMethod
    let url: String
    let body: Body

    /// Nothing for what is not asked for over HTTP.
    init?(_ request: HAR.Request, matchingBodies: Bool) {
        guard let url = Self.url(request.url) else { return nil }
        method = request.method
        self.url = url
        body = matchingBodies ? Self.body(request.body, request.headers) : .any
    }

    /// Scheme and host in lower case, without the port that a scheme has anyway.
    private static func url(_ url: URL) -> String? {
        var secrets = Secrets()
        guard var parts = URLComponents(url: secrets.masked(url), resolvingAgainstBaseURL: true),
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
        var secrets = Secrets()
        let masked = secrets.masked(data, type)
        return (try? JSONLiteral(parsing: masked)).map { .json($0) } ?? .bytes(masked)
    }

    func matcher(_ asked: Asked) -> RequestMatcher {
        let (method, url, body) = (method, url, body)
        // More than patterns weigh: who replays wants the recording, and the one that says most of the request.
        let weight = url.contains(Redaction.mask) ? 90 : 100
        var conditions = [
            Condition(field: "method", expected: method.rawValue, weight: weight) { request in
                request.method == method ? .match() : .mismatch(found: request.method.rawValue)
            },
            Condition(field: "url", expected: url, weight: weight) { request in
                url.admits(asked.question(of: request)?.url ?? "")
                    ? .match() : .mismatch(found: Redaction.url(request.url))
            },
        ]
        if body != .any {
            conditions.append(
                Condition(field: "body", expected: "the recorded one", weight: weight) { request in
                    body.admits(asked.question(of: request)?.body ?? .none)
                        ? .match() : .mismatch(found: "another of \(request.body.count) bytes")
                })
        }
        return RequestMatcher("recorded \(method) \(url)", conditions)
    }
}

/// The question of the request that is being matched, made once for all routes of an archive.
final class Asked: Sendable {
    private let matchingBodies: Bool
    private let last = LockedState<(request: HAR.Request, question: Question?)?>(nil)

    init(matchingBodies: Bool) { self.matchingBodies = matchingBodies }

    func question(of request: ReceivedRequest) -> Question? {
        let request = HAR.Request(
            method: request.method, url: request.url, headers: request.headers, body: request.body)
        if let last = last.withLock({ $0 }), last.request == request { return last.question }
        let question = Question(request, matchingBodies: matchingBodies)
        last.withLock { $0 = (request, question) }
        return question
    }
}

// MARK: What was masked may be anything

extension Question.Body {
    fileprivate func admits(_ other: Self) -> Bool {
        switch (self, other) {
        case (.json(let recorded), .json(let asked)): recorded.admits(asked)
        case (.bytes(let recorded), .bytes(let asked)): recorded.admits(asked)
        default: self == other
        }
    }
}

extension JSONLiteral {
    fileprivate func admits(_ other: Self) -> Bool {
        switch (node, other.node) {
        case (.string(let recorded), .string(let asked)):
            return recorded.admits(asked)
        case (.array(let recorded), .array(let asked)):
            return recorded.count == asked.count && zip(recorded, asked).allSatisfy { $0.admits($1) }
        case (.object(let recorded), .object(let asked)):
            let values = Dictionary(asked.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            return recorded.count == asked.count
                && recorded.allSatisfy { member in values[member.key].map { member.value.admits($0) } ?? false
                }
        default: return self == other
        }
    }
}

extension String {
    fileprivate func admits(_ other: String) -> Bool { self == other || Data(utf8).admits(Data(other.utf8)) }
}

extension Data {
    /// Whether `other` is this, with anything in place of each mask.
    fileprivate func admits(_ other: Data) -> Bool {
        let mask = Data(Redaction.mask.utf8)
        guard let first = range(of: mask) else { return self == other }
        guard other.starts(with: self[..<first.lowerBound]) else { return false }
        var rest = other.dropFirst(first.lowerBound - startIndex)
        var pattern = self[first.upperBound...]
        while let next = pattern.range(of: mask) {
            let part = pattern[..<next.lowerBound]
            pattern = pattern[next.upperBound...]
            guard !part.isEmpty else { continue }
            guard let place = rest.range(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return rest.count >= pattern.count && rest.suffix(pattern.count).elementsEqual(pattern)
    }
}
