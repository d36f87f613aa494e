public import Foundation

extension HAR {
    /// Which times an archive is written with.
    public enum Times: Sendable {
        /// None, so that recording the same again gives the same bytes: every exchange begins in 1970 and takes no
        /// time, `Date` headers are left out, and exchanges are sorted by URL, method and body; those that are alike in
        /// these stay in their order.
        case stable
        /// As they were, for `routes(speed:)` and for those who look at them in a browser.
        case recorded
    }

    /// Writes the archive, secrets masked, in place of what was there.
    ///
    /// - Parameters:
    ///   - file: Where to; its folder must be there.
    ///   - times: Which times go along; none by default.
    /// - Throws: The error of writing it.
    public func write(to file: URL, times: Times = .stable) throws {
        try data(times: times).write(to: file, options: .atomic)
    }

    /// The archive as JSON text, secrets masked.
    public func data(times: Times = .stable) throws -> Data {
        var archive = masked()
        if case .stable = times { archive = archive.settled() }
        let log: JSONLiteral = [
            "version": "1.2",
            "creator": ["name": "MockTransport", "version": "1"],
            "entries": JSONLiteral(.array(archive.entries.map { $0.literal(times) })),
        ]
        return Data(try JSONLayout.text(of: ["log": log]).utf8)
    }

    /// Without what differs from one recording to the next.
    private func settled() -> HAR {
        let keys = entries.map { entry in
            [entry.request.url.absoluteString, entry.request.method.rawValue]
                + [String(decoding: entry.request.body, as: UTF8.self)]
        }
        let order = entries.indices.sorted { left, right in
            if keys[left] == keys[right] { return left < right }
            return keys[left].lexicographicallyPrecedes(keys[right])
        }
        return HAR(
            order.map { index in
                var entry = entries[index]
                entry.start = Date(timeIntervalSince1970: 0)
                entry.response.wait = .zero
                entry.response.headers[.date] = nil
                let body = entry.response.body
                entry.response.chunks = body.isEmpty ? [] : [Chunk(data: body)]
                return entry
            })
    }
}

extension HAR.Entry {
    fileprivate func literal(_ times: HAR.Times) -> JSONLiteral {
        let wait = HARTime.rounded(response.wait)
        let receive = response.moments.last ?? .zero
        return [
            "startedDateTime": .string(HARTime.text(start)),
            "time": HARTime.milliseconds(wait + receive),
            "request": request.literal,
            "response": response.literal(times),
            "cache": [:],
            "timings": [
                "send": 0, "wait": HARTime.milliseconds(wait),
                "receive": HARTime.milliseconds(receive),
            ],
        ]
    }
}

extension HAR.Request {
    fileprivate var literal: JSONLiteral {
        var members: [(key: String, value: JSONLiteral)] = [
            ("method", .string(method.rawValue)),
            ("url", .string(url.absoluteString)),
            ("httpVersion", "HTTP/1.1"),
            ("cookies", .array(HARCookie.sent(headers))),
            ("headers", headers.literal),
            ("queryString", .array(QueryItems(of: url).map { .pair($0.name, $0.value ?? "") })),
            ("headersSize", -1),
            ("bodySize", .integer(body.count)),
        ]
        if !body.isEmpty {
            let text = HARText(body)
            var post: [(key: String, value: JSONLiteral)] = [
                ("mimeType", .string(headers[.contentType] ?? MediaType.octetStream.rawValue)),
                ("text", .string(text.text)),
            ]
            if text.isBase64 { post.append(("_encoding", "base64")) }
            members.append(("postData", JSONLiteral(.object(post))))
        }
        return JSONLiteral(.object(members))
    }
}

extension HAR.Response {
    /// When the chunks came, none before the one before it.
    fileprivate var moments: [Duration] {
        var last = Duration.zero
        return chunks.map { chunk in
            last = max(last, HARTime.rounded(chunk.time))
            return last
        }
    }

    fileprivate func literal(_ times: HAR.Times) -> JSONLiteral {
        let body = body
        var content: [(key: String, value: JSONLiteral)] = [
            ("size", .integer(body.count)),
            ("mimeType", .string(headers[.contentType] ?? "x-unknown")),
        ]
        if !body.isEmpty {
            let text = HARText(body)
            content.append(("text", .string(text.text)))
            if text.isBase64 { content.append(("encoding", "base64")) }
            if case .recorded = times, chunks.count > 1 {
                let pieces = zip(moments, chunks).map { moment, chunk -> JSONLiteral in
                    ["time": HARTime.milliseconds(moment), "size": .integer(chunk.data.count)]
                }
                content.append(("_chunks", .array(pieces)))
            }
        }
        var members: [(key: String, value: JSONLiteral)] = [
            ("status", .integer(status.rawValue)),
            ("statusText", .string(status.reasonPhrase)),
            ("httpVersion", "HTTP/1.1"),
            ("cookies", .array(HARCookie.set(headers))),
            ("headers", headers.literal),
            ("content", JSONLiteral(.object(content))),
            ("redirectURL", .string(status.isRedirect ? headers[.location] ?? "" : "")),
            ("headersSize", -1),
            ("bodySize", headers[.contentEncoding] == nil ? .integer(body.count) : -1),
        ]
        if let failure {
            members.append(("_error", .string(failure.text)))
            if let code = failure.code { members.append(("_errorCode", .integer(code))) }
        }
        return JSONLiteral(.object(members))
    }
}

extension HTTPHeaders {
    /// What could not be read again, because no message on a socket can have it, is left out.
    fileprivate var literal: JSONLiteral {
        let fields = filter { !$0.name.rawValue.isEmpty && $0.name.rawValue.utf8.allSatisfy(\.isTokenByte) }
        return .array(fields.map { .pair($0.name.rawValue, $0.value.withoutControls) })
    }
}

extension String {
    fileprivate var withoutControls: String {
        guard utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}

/// Bytes as an archive writes them: as text where they are text, else in base64.
private struct HARText {
    let text: String
    let isBase64: Bool

    init(_ data: Data) {
        let plain = String(validating: data, as: UTF8.self)
        isBase64 = plain == nil || data.contains(0)
        text = isBase64 ? data.base64EncodedString() : plain ?? ""
    }
}

extension JSONLiteral {
    static func string(_ text: String) -> Self { Self(.string(text)) }
    fileprivate static func integer(_ number: Int) -> Self { Self(.integer(number)) }
    fileprivate static func array(_ elements: [Self]) -> Self { Self(.array(elements)) }
    fileprivate static func pair(_ name: String, _ value: String) -> Self {
        ["name": .string(name), "value": .string(value)]
    }
}
