import Foundation

extension HAR {
    /// Routes that answer as it was recorded; none of them need be used.
    ///
    /// A request is answered by the exchanges of the same method, URL and body, in their order; one exchange answers
    /// every time, and one request more than several is an error. URLs and bodies compare with their secrets masked,
    /// and `***` in the archive is any text; JSON compares as JSON; the body of a multipart form does not count,
    /// because its boundary is another one each time.
    /// The body comes unpacked, as it is in the archive, and so without the `Content-Encoding` that it had.
    ///
    /// - `speed`: 1 takes the recorded time, on the server's clock, 2 half of it; `nil`, as by default, takes none.
    ///   No wait is longer than a year.
    /// - `matchingBodies`: Whether the bodies of requests count.
    public func routes(
        speed: Double? = nil, matchingBodies: Bool = true, fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> [Route] {
        let asked = Asked(matchingBodies: matchingBodies)
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
                .with([group.question.matcher(asked)]).optional()
        }
    }

    private struct Group {
        let question: Question
        var replies: [Reply]
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
        let wait = HARTime.scaled(response.wait, by: pace)
        guard response.status != 0 else {
            self = Reply.error(failure ?? URLError(.unknown)).delay(wait)
            return
        }
        let body = response.body
        let chunks =
            pace > 0
            ? response.chunks.map { HAR.Chunk(time: HARTime.scaled($0.time, by: pace), data: $0.data) }
            : body.isEmpty ? [] : [HAR.Chunk(data: body)]
        self.init(.playback(Playback(chunks: chunks, failure: failure)), status: response.status)
        for (name, value) in response.headers where Self.isKept(name, value, body, failure) {
            self = header(name, value)
        }
        self = delay(wait)
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
                defer { last = max(last, chunk.time) }
                return (chunk.time > last ? [.wait(chunk.time - last)] : []) + [.chunk(chunk.data)]
            }
        }
    }
}
