import Foundation

extension HAR {
    /// Returns routes that replay the recorded exchanges. All of them are optional.
    ///
    /// By default, a request is answered by the exchanges with the same method, URL and body, in their order. A single
    /// exchange answers every request; with several exchanges, further requests fail. URLs and bodies are compared with
    /// masked secrets, and `***` in the archive matches any text. JSON is compared as JSON. The body of a multipart form is
    /// ignored, because its boundary is random. Bodies are replayed decoded, as stored in the archive, and therefore without
    /// their `Content-Encoding`. A request whose response was not recorded completely fails.
    ///
    /// - `matching`: The rules by which a request equals a recorded one.
    /// - `masking`: The values to mask before requests are compared, in addition to secrets.
    /// - `speed`: The replay speed on the server's clock: 1 is the recorded time, 2 half of it. The default `nil`
    ///   replays without waiting. No wait is longer than a year.
    public func routes(
        matching: Matching = .exact, masking: Masking = .standard, speed: Double? = nil,
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) -> [Route] { routes(matching, masking, speed, nil, at: CodeLocation(fileID, file, line, column)) }

    /// - Parameter check: The comparison with the real servers, or `nil` for none.
    func routes(
        _ matching: Matching, _ masking: Masking, _ speed: Double?, _ check: RecordingCheck?,
        at location: CodeLocation
    ) -> [Route] {
        let keys = RequestKeys(matching, masking)
        let exactKeys = RequestKeys(matching.changed { $0.ignoresHost = false }, masking)
        let origins = matching.ignoresHost ? RecordedOrigins(entries) : nil
        var groups: [(key: RequestKey, exactKey: RequestKey, replies: [Reply])] = []
        var indices: [String: [Int]] = [:]
        for entry in entries {
            guard let key = keys.key(of: entry.request) else { continue }
            let exactKey = matching.ignoresHost ? exactKeys.key(of: entry.request) ?? key : key
            var reply = Reply(entry, speed: speed, masking, matching, origins)
            if let check { reply = reply.checked { await check.compare(entry, with: $0) } }
            if let index = indices[exactKey.target]?.first(where: { groups[$0].key.body == key.body }) {
                groups[index].replies.append(reply)
            } else {
                indices[exactKey.target, default: []].append(groups.count)
                groups.append((key, exactKey, [reply]))
            }
        }
        let hasSeveralHosts = (origins?.count ?? 0) > 1
        return groups.flatMap { group in
            var replies = group.replies
            if matching.ignoresCount, let last = replies.popLast() { replies.append(last.repeats()) }
            let recording = Route.Recording("\(group.key.method) \(group.key.url)", count: replies.count)
            let route = Route([], .sequence(replies), at: location).replaying(recording)
            // A request to a recorded host is answered by that host.
            return (hasSeveralHosts ? [route.with([group.exactKey.matcher(exactKeys)])] : [])
                + [route.with([group.key.matcher(keys)])]
        }
    }
}

extension Reply {
    fileprivate init(
        _ entry: HAR.Entry, speed: Double?, _ masking: HAR.Masking, _ matching: HAR.Matching,
        _ origins: RecordedOrigins?
    ) {
        let response = entry.response
        if let failure = response.failure, failure.isIncompleteRecording {
            let url = masking.masked(entry.request).request.url
            let request = "\(entry.request.method) \(Redaction.url(url))"
            self = .unusable(.incompleteRecording(request: request, reason: failure.text))
            return
        }
        let failure = response.failure.map { failure in
            URLError(failure.urlErrorCode, userInfo: [NSLocalizedDescriptionKey: failure.text])
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
        self.init(.body(.recorded(chunks, failure: failure)), status: response.status)
        for (name, value) in response.headers where Self.isValid(name, value, body, failure, entry) {
            self = header(name, value)
        }
        self = delay(wait)
        let (shared, own) = (entry, entry.withoutSharing())
        let echoed = matching.echoedValues(of: entry.request)
        guard origins != nil || own != shared || !echoed.isEmpty else { return }
        self = adapted { request in
            // A page of another origin than the recorded one must not be able to read the reply.
            let origin = request.headers["Origin"]
            let isOther = origin != nil && origin != entry.request.headers["Origin"]
            var changed = isOther ? own : shared
            if let origins { changed = origins.replaced(in: changed, by: request.url) }
            for (name, value) in matching.echoedValues(of: HAR.Request(request)) {
                guard let old = echoed[name], old != Redaction.mask, old != value else { continue }
                changed.changeResponse { $0.replacing(Data(old.utf8), with: Data(value.utf8)) }
            }
            return changed == entry ? nil : Reply(changed, speed: speed, masking, .exact, nil)
        }
    }

    /// Returns `true` if a recorded header field is still correct for the replayed body.
    private static func isValid(
        _ name: HTTPHeaders.Name, _ value: String, _ body: Data, _ failure: URLError?, _ entry: HAR.Entry
    ) -> Bool {
        switch name {
        case .transferEncoding: value.lowercased() == "chunked"
        case .contentLength:
            failure != nil || value == "\(body.count)" || entry.request.method == .head
                || entry.response.status.hasNoBody
        // Browsers store the decoded body. A body that is still encoded starts with the gzip signature.
        case .contentEncoding:
            body.isEmpty || value.lowercased() == "gzip" && body.starts(with: [0x1F, 0x8B])
        default: true
        }
    }
}

extension HAR.Entry {
    /// Returns the entry without the header fields that allow pages of other origins to read the response.
    fileprivate func withoutSharing() -> Self {
        var copy = self
        for name in Set(response.headers.map(\.name))
        where name.rawValue.lowercased().hasPrefix("access-control-") { copy.response.headers[name] = nil }
        return copy
    }

    fileprivate mutating func changeResponse(_ change: (Data) -> Data) {
        setBody(change(response.body))
        response.headers = response.headers.mapValues {
            String(decoding: change(Data($1.utf8)), as: UTF8.self)
        }
    }
}

extension HAR.Failure {
    /// The recorded code, or the one that has the same meaning as the message of a browser.
    fileprivate var urlErrorCode: URLError.Code {
        if let code = code.flatMap({ URLError.Code(rawValue: $0) }) { return code }
        return Self.browserErrors.first { text.contains($0.name) }?.code ?? .unknown
    }

    private static let browserErrors: [(name: String, code: URLError.Code)] = [
        ("ERR_NAME_NOT_RESOLVED", .cannotFindHost), ("NS_ERROR_UNKNOWN_HOST", .cannotFindHost),
        ("CONNECTION_REFUSED", .cannotConnectToHost), ("TIMED_OUT", .timedOut),
        ("NET_TIMEOUT", .timedOut), ("CONNECTION_RESET", .networkConnectionLost),
        ("CONNECTION_CLOSED", .networkConnectionLost), ("NS_ERROR_NET_RESET", .networkConnectionLost),
        ("NS_ERROR_NET_INTERRUPT", .networkConnectionLost),
        ("INTERNET_DISCONNECTED", .notConnectedToInternet), ("NS_ERROR_OFFLINE", .notConnectedToInternet),
        ("ERR_CERT_", .serverCertificateUntrusted), ("ERR_SSL_", .secureConnectionFailed),
    ]
}

/// The origins of an archive, such as `https://shop.example`.
struct RecordedOrigins: Sendable {
    private let origins: Set<String>

    var count: Int { origins.count }

    init(_ entries: [HAR.Entry]) { origins = Set(entries.compactMap { Origin($0.request.url)?.description }) }

    /// Returns the entry with the recorded origins in its response replaced by that of `url`.
    func replaced(in entry: HAR.Entry, by url: URL) -> HAR.Entry {
        guard let origin = Origin(url)?.description, !origins.contains(origin) else { return entry }
        var changed = entry
        changed.changeResponse { replaced(in: $0, by: origin) }
        return changed
    }

    /// Replaces the origins in one pass for each way to write a slash, whatever their number.
    private func replaced(in body: Data, by origin: String) -> Data {
        // In JSON, slashes can be escaped.
        ["/", "\\/"].reduce(body) { replaced(in: $0, by: origin, slash: $1) }
    }

    private func replaced(in body: Data, by origin: String, slash: String) -> Data {
        let mark = Data(":\(slash)\(slash)".utf8)
        var result = Data()
        var copied = body.startIndex
        var searched = body.startIndex
        while let separator = body[searched...].range(of: mark) {
            searched = separator.upperBound
            let scheme = body[copied..<separator.lowerBound].suffix(5)
            guard
                let name = ["https", "http"].first(where: {
                    scheme.suffix($0.utf8.count).elementsEqual($0.utf8)
                })
            else { continue }
            // The host may go on: `https://shop.example.org`.
            let host = body[searched...].prefix { $0.isASCIIAlphanumeric || ".-:@".utf8.contains($0) }
            searched = host.endIndex
            guard origins.contains("\(name)://\(String(decoding: host, as: UTF8.self))") else { continue }
            result += body[copied..<separator.lowerBound - name.utf8.count]
            result += origin.replacing("/", with: slash).utf8
            copied = host.endIndex
        }
        return copied == body.startIndex ? body : result + body[copied...]
    }
}
