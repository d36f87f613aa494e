import Foundation

extension HAR {
    /// Routes that answer as it was recorded; none of them need be used.
    ///
    /// A request is answered by the exchanges of the same method, URL and body, in their order; one exchange answers
    /// every time, and one request more than several is an error. URLs and bodies compare with their secrets masked,
    /// JSON as JSON; the body of a multipart form does not count, because its boundary is another one each time.
    /// The body comes unpacked, as it is in the archive, and so without the `Content-Encoding` that it had.
    ///
    /// - Parameters:
    ///   - speed: 1 takes the recorded time, on the server's clock, 2 half of it; `nil`, as by default, takes none.
    ///   - matchingBodies: Whether the bodies of requests count.
    public func routes(
        speed: Double? = nil, matchingBodies: Bool = true, fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> [Route] {
        var groups: [Group] = []
        var places: [String: [Int]] = [:]
        for entry in entries {
            guard let question = Question(entry.request, matchingBodies: matchingBodies) else { continue }
            let key = "\(question.method) \(question.url)"
            let reply = Reply(entry.response, speed: speed)
            if let place = places[key]?.first(where: { groups[$0].question.body == question.body }) {
                groups[place].replies.append(reply)
            } else {
                places[key, default: []].append(groups.count)
                groups.append(Group(question: question, replies: [reply]))
            }
        }
        return groups.map { group in
            Route(fileID: fileID, file: file, line: line, column: column) { group.replies }
                .with([group.question.matcher]).optional()
        }
    }

    private struct Group {
        let question: Question
        var replies: [Reply]
    }
}

/// What of a request decides which exchanges answer it.
private struct Question {
    enum Body: Equatable {
        case any
        case none
        case json(JSONLiteral)
        case bytes(Data)
    }

    let method: HTTPMethod
    let url: String
    let body: Body

    init?(_ request: HAR.Request, matchingBodies: Bool) {
        guard let url = Self.url(request.url) else { return nil }
        method = request.method
        self.url = url
        body = matchingBodies ? Self.body(request.body, request.headers) : .any
    }

    /// Secrets masked, scheme and host in lower case, without the port that a scheme has anyway; nothing for what is
    /// not asked for over HTTP.
    private static func url(_ url: URL) -> String? {
        let masked = Redaction.masked(url) ?? url
        guard var parts = URLComponents(url: masked, resolvingAgainstBaseURL: true),
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
        guard let text = String(validating: data, as: UTF8.self) else { return .bytes(data) }
        if type?.essence == MediaType.form.rawValue { return .bytes(Data(Redaction.query(text).utf8)) }
        let masked = Data(Redaction.json(text).utf8)
        return (try? JSONLiteral(parsing: masked)).map { .json($0) } ?? .bytes(masked)
    }

    var matcher: RequestMatcher {
        let (method, url, body) = (method, url, body)
        // More than patterns weigh: who replays wants the recording.
        var conditions = [
            Condition(field: "method", expected: method.rawValue, weight: 100) { request in
                request.method == method ? .match() : .mismatch(found: request.method.rawValue)
            },
            Condition(field: "url", expected: url, weight: 100) { request in
                Self.url(request.url) == url ? .match() : .mismatch(found: Redaction.url(request.url))
            },
        ]
        if body != .any {
            conditions.append(
                Condition(field: "body", expected: "the recorded one", weight: 100) { request in
                    Self.body(request.body, request.headers) == body
                        ? .match() : .mismatch(found: "another of \(request.body.count) bytes")
                })
        }
        return RequestMatcher("recorded \(method) \(url)", conditions)
    }
}

extension Reply {
    fileprivate init(_ response: HAR.Response, speed: Double?) {
        let failure = response.failure.map { failure in
            URLError(
                failure.code.flatMap { URLError.Code(rawValue: $0) } ?? .unknown,
                userInfo: [NSLocalizedDescriptionKey: failure.text])
        }
        let pace = speed.flatMap { $0 > 0 ? 1 / $0 : nil } ?? 0
        guard response.status != 0 else {
            self = Reply.error(failure ?? URLError(.unknown)).delay(response.wait * pace)
            return
        }
        let body = response.body
        self.init(
            .playback(
                Playback(
                    chunks: pace > 0
                        ? response.chunks.map { HAR.Chunk(time: $0.time * pace, data: $0.data) }
                        : body.isEmpty ? [] : [HAR.Chunk(data: body)],
                    failure: failure)),
            status: response.status)
        for (name, value) in response.headers where Self.isKept(name, value, body, failure) {
            self = header(name, value)
        }
        self = delay(response.wait * pace)
    }

    /// Whether a recorded field still says what is so.
    private static func isKept(
        _ name: HTTPHeaders.Name, _ value: String, _ body: Data, _ failure: URLError?
    ) -> Bool {
        switch name {
        case .transferEncoding: value.lowercased() == "chunked"
        case .contentLength: body.isEmpty || failure != nil || value == "\(body.count)"
        // A browser's archive has the body unpacked; only what is packed still says so itself.
        case .contentEncoding:
            body.isEmpty || value.lowercased() == "gzip" && body.starts(with: [0x1F, 0x8B])
        default: true
        }
    }

    /// A body as it was recorded.
    struct Playback: Sendable {
        /// Times are from the head.
        let chunks: [HAR.Chunk]
        /// What comes in place of the end.
        let failure: URLError?

        var body: Data { chunks.reduce(into: Data()) { $0 += $1.data } }

        /// Each chunk behind the wait for it.
        var steps: [ReplyPlan.Step] {
            var last = Duration.zero
            return chunks.flatMap { chunk -> [ReplyPlan.Step] in
                defer { last = chunk.time }
                return (chunk.time > last ? [.wait(chunk.time - last)] : []) + [.chunk(chunk.data)]
            }
        }
    }
}
