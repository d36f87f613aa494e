import Foundation

extension HAR {
    /// Returns routes that replay the recorded exchanges. All of them are optional.
    ///
    /// A request is answered by the exchanges with the same method, URL and body, in their order. A single exchange answers
    /// every request; with several exchanges, further requests fail. URLs and bodies are compared with masked secrets, and
    /// `***` in the archive matches any text. JSON is compared as JSON. The body of a multipart form is ignored, because
    /// its boundary is random. Bodies are replayed decoded, as stored in the archive, and therefore without their
    /// `Content-Encoding`.
    ///
    /// - `speed`: The replay speed on the server's clock: 1 is the recorded time, 2 half of it. The default `nil` replays
    ///   without waiting. No wait is longer than a year.
    /// - `matchingBodies`: A Boolean value that indicates whether the bodies of requests are compared.
    public func routes(
        speed: Double? = nil, matchingBodies: Bool = true, fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> [Route] {
        let cache = RequestKeyCache(matchingBodies: matchingBodies)
        var groups: [(key: RequestKey, replies: [Reply])] = []
        var indices: [String: [Int]] = [:]
        for entry in entries {
            guard let key = RequestKey(entry.request, matchingBodies: matchingBodies) else { continue }
            let target = "\(key.method) \(key.url)"
            let reply = Reply(entry.response, speed: speed)
            if let index = indices[target]?.first(where: { groups[$0].key.body == key.body }) {
                groups[index].replies.append(reply)
            } else {
                indices[target, default: []].append(groups.count)
                groups.append((key, [reply]))
            }
        }
        return groups.map { group in
            Route(fileID: fileID, file: file, line: line, column: column) { group.replies }
                .with([group.key.matcher(cache)]).optional()
        }
    }
}

extension Reply {
    fileprivate init(_ response: HAR.Response, speed: Double?) {
        let failure = response.failure.map { failure in
            URLError(
                failure.code.flatMap { URLError.Code(rawValue: $0) } ?? .unknown,
                userInfo: [NSLocalizedDescriptionKey: failure.text])
        }
        let scale = speed.flatMap { $0 > 0 ? 1 / $0 : nil } ?? 0
        let wait = HARTime.rounded(response.wait, scaledBy: scale)
        guard response.status != 0 else {
            self = Reply.error(failure ?? URLError(.unknown)).delay(wait)
            return
        }
        let body = response.body
        let chunks =
            scale > 0
            ? response.chunks.map {
                HAR.Chunk(time: HARTime.rounded($0.time, scaledBy: scale), data: $0.data)
            }
            : body.isEmpty ? [] : [HAR.Chunk(data: body)]
        self.init(.body(.recorded(RecordedBody(chunks: chunks, failure: failure))), status: response.status)
        for (name, value) in response.headers where Self.isValid(name, value, body, failure) {
            self = header(name, value)
        }
        self = delay(wait)
    }

    /// Returns `true` if a recorded header field is still correct for the replayed body.
    private static func isValid(
        _ name: HTTPHeaders.Name, _ value: String, _ body: Data, _ failure: URLError?
    ) -> Bool {
        switch name {
        case .transferEncoding: value.lowercased() == "chunked"
        case .contentLength: body.isEmpty || failure != nil || value == "\(body.count)"
        // Browsers store the decoded body. A body that is still encoded starts with the gzip signature.
        case .contentEncoding:
            body.isEmpty || value.lowercased() == "gzip" && body.starts(with: [0x1F, 0x8B])
        default: true
        }
    }
}

/// A recorded body.
struct RecordedBody: Sendable {
    /// The chunks, with times counted from the head.
    let chunks: [HAR.Chunk]
    /// The error that ended the body, or `nil` if it is complete.
    let failure: URLError?

    var data: Data { chunks.reduce(into: Data()) { $0 += $1.data } }

    /// The chunks, each after a wait until its time.
    var steps: [ReplyPlan.Step] {
        var last = Duration.zero
        return chunks.flatMap { chunk -> [ReplyPlan.Step] in
            defer { last = max(last, chunk.time) }
            return (chunk.time > last ? [.wait(chunk.time - last)] : []) + [.chunk(chunk.data)]
        }
    }
}
