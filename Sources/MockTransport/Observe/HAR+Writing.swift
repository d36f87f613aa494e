public import Foundation

extension HAR {
    /// The times in a written archive.
    public enum Times: Sendable {
        /// No times, so that recording again gives the same bytes. Every exchange starts in 1970 and takes no time,
        /// `Date` headers are removed, and exchanges are sorted by URL, method and body (stable).
        case stable
        /// The recorded times, for `routes(speed:)` and for browsers.
        case recorded
    }

    /// Writes the archive with masked secrets, and replaces an existing file or the target of a symbolic link.
    ///
    /// A file that is replaced keeps its mode; a new one has the mode 0600, so that only its owner can read it.
    ///
    /// - Parameters:
    ///   - file: The file. Its directory must exist.
    ///   - times: The times to include. None by default.
    ///   - masking: The values to mask in addition to secrets.
    /// - Throws: The error of writing the file, which must be a regular file if it exists.
    public func write(to file: URL, times: Times = .stable, masking: Masking = .standard) throws {
        try FileReplacement.write(data(times: times, masking: masking), to: file)
    }

    /// Returns the archive as JSON text with masked secrets.
    public func data(times: Times = .stable, masking: Masking = .standard) throws -> Data {
        Self.data(try masked(masking).entries.map { try EntryText($0, times) }, times, recordedOn)
    }

    /// The text of an entry in an archive.
    struct EntryText {
        /// The URL, the method and the body, by which the entries of an archive without times are sorted.
        fileprivate let key: [String]
        fileprivate let json: Data

        /// - Parameter entry: An entry with masked secrets.
        init(_ entry: Entry, _ times: Times) throws {
            let request = entry.request
            key =
                [request.url.absoluteString, request.method.rawValue]
                + [String(decoding: request.body, as: UTF8.self)]
            let written = if case .stable = times { entry.withoutTimes } else { entry }
            json = Data(try written.literal(times).indented(by: "      ").utf8)
        }
    }

    /// Returns an archive with the given entries.
    static func data(_ entries: [EntryText], _ times: Times, _ recordedOn: String?) -> Data {
        let day = recordedOn.map { "\n    \"_recordedOn\": \(JSONLiteral.quoted($0))," } ?? ""
        var text = Data(capacity: entries.reduce(1_000) { $0 + $1.json.count + 10 })
        text += Data(
            """
            {
              "log": {
                "version": "1.2",
                "creator": {
                  "name": "MockTransport",
                  "version": "1"
                },\(day)
                "entries": [
            """.utf8)
        let order =
            times == .recorded
            ? Array(entries.indices)
            : entries.indices.sorted { left, right in
                let (first, second) = (entries[left].key, entries[right].key)
                return first == second ? left < right : first.lexicographicallyPrecedes(second)
            }
        for (position, index) in order.enumerated() {
            text += Data((position == 0 ? "\n      " : ",\n      ").utf8)
            text += entries[index].json
        }
        text += Data("\(entries.isEmpty ? "" : "\n    ")]\n  }\n}\n".utf8)
        return text
    }
}

extension HAR.Entry {
    /// The entry without the data that changes with each recording.
    fileprivate var withoutTimes: Self {
        var entry = self
        entry.start = Date(timeIntervalSince1970: 0)
        entry.response.wait = .zero
        entry.response.headers[.date] = nil
        let body = response.body
        entry.response.chunks = body.isEmpty ? [] : [HAR.Chunk(data: body)]
        return entry
    }
}

extension HAR.Entry {
    fileprivate func literal(_ times: HAR.Times) -> JSONLiteral {
        let wait = HARTime.rounded(response.wait)
        let receive = response.chunkTimes.last ?? .zero
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
        .object([
            ("method", .string(method.rawValue)),
            ("url", .string(url.absoluteString)),
            ("httpVersion", "HTTP/1.1"),
            ("cookies", .array(HARCookie.cookies(headers))),
            ("headers", headers.literal),
            ("queryString", .array(QueryItems(of: url).map { .pair($0.name, $0.value ?? "") })),
            ("headersSize", -1),
            // A size without a body is read as a body that was not recorded.
            ("bodySize", .integer(isBodyMissing ? 1 : body.count)),
            ("postData", body.isEmpty ? nil : .object(postData)),
            ("comment", isBodyMissing ? "The body is not in this archive. Any body matches." : nil),
        ])
    }

    private var postData: [JSONLiteral.Member] {
        [("mimeType", .string(headers[.contentType] ?? MediaType.octetStream.rawValue))]
            + JSONLiteral.text(of: body, encodingKey: "_encoding")
    }
}

extension HAR.Response {
    /// `true` if there was a response, but its body was not recorded.
    private var isIncomplete: Bool { status != 0 && failure?.isIncompleteRecording == true }

    /// The arrival times of the chunks, in ascending order.
    fileprivate var chunkTimes: [Duration] {
        var last = Duration.zero
        return chunks.map { chunk in
            last = max(last, HARTime.rounded(chunk.time))
            return last
        }
    }

    fileprivate func literal(_ times: HAR.Times) -> JSONLiteral {
        let body = body
        return .object([
            ("status", .integer(status.rawValue)),
            ("statusText", .string(status.reasonPhrase)),
            ("httpVersion", "HTTP/1.1"),
            ("cookies", .array(HARCookie.setCookies(headers))),
            ("headers", headers.literal),
            ("content", .object(content(body, times))),
            ("redirectURL", .string(status.isRedirect ? headers[.location] ?? "" : "")),
            ("headersSize", -1),
            ("bodySize", headers[.contentEncoding] == nil ? .integer(body.count) : -1),
            ("_error", isIncomplete ? nil : failure.map { .string($0.text) }),
            ("_errorCode", failure?.code.map { .integer($0) }),
        ])
    }

    private func content(_ body: Data, _ times: HAR.Times) -> [JSONLiteral.Member] {
        let pieces = zip(chunkTimes, chunks).map { time, chunk -> JSONLiteral in
            ["time": HARTime.milliseconds(time), "size": .integer(chunk.data.count)]
        }
        var content: [JSONLiteral.Member] = [
            ("size", .integer(isIncomplete ? -1 : body.count)),
            ("mimeType", .string(headers[.contentType] ?? "x-unknown")),
            ("comment", isIncomplete ? failure.map { .string($0.text) } : nil),
        ]
        if !body.isEmpty { content += JSONLiteral.text(of: body, encodingKey: "encoding") }
        if times == .recorded, pieces.count > 1 { content.append(("_chunks", .array(pieces))) }
        return content
    }
}

extension HTTPHeaders {
    /// The fields with valid names, without control characters: others could not be read again.
    fileprivate var literal: JSONLiteral {
        let fields = filter { $0.name.rawValue.isToken }
        return .array(fields.map { .pair($0.name.rawValue, $0.value.withoutControls) })
    }
}

extension String {
    fileprivate var withoutControls: String {
        guard !utf8.allSatisfy(\.isFieldByte) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}

extension JSONLiteral {
    static func string(_ text: String) -> Self { Self(.string(text)) }
    fileprivate static func integer(_ number: Int) -> Self { Self(.integer(number)) }
    fileprivate static func array(_ elements: [Self]) -> Self { Self(.array(elements)) }
    /// A member of an object, which is omitted without a value.
    fileprivate typealias Member = (key: String, value: JSONLiteral?)
    fileprivate static func object(_ members: [Member]) -> Self {
        Self(.object(members.compactMap { key, value in value.map { (key, $0) } }))
    }
    /// The members for a body: its text if it is valid UTF-8, otherwise base64 and its encoding.
    fileprivate static func text(of body: Data, encodingKey: String) -> [Member] {
        let text = body.containsZero ? nil : String(validating: body, as: UTF8.self)
        return [
            ("text", .string(text ?? body.base64EncodedString())),
            (encodingKey, text == nil ? "base64" : nil),
        ]
    }
    fileprivate static func pair(_ name: String, _ value: String) -> Self {
        ["name": .string(name), "value": .string(value)]
    }
}

/// The cookies of a message, with masked values.
enum HARCookie {
    static func cookies(_ headers: HTTPHeaders) -> [JSONLiteral] {
        headers[all: .cookie].flatMap { $0.split(separator: ";") }.compactMap { literal($0, []) }
    }

    static func setCookies(_ headers: HTTPHeaders) -> [JSONLiteral] {
        headers[all: .setCookie].compactMap { field in
            let parts = field.split(separator: ";")
            return parts.first.flatMap { literal($0, parts.dropFirst()) }
        }
    }

    private static func literal(_ pair: Substring, _ attributes: ArraySlice<Substring>) -> JSONLiteral? {
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        // The last attribute of a name is used (RFC 6265, section 5.3).
        let values = attributes.reduce(into: [String: String]()) { values, attribute in
            let parts = attribute.split(separator: "=", maxSplits: 1)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if let name = parts.first?.lowercased() { values[name] = parts.dropFirst().first ?? "" }
        }
        return .object([
            ("name", .string(pair[..<equals].trimmingCharacters(in: .whitespaces))),
            ("value", .string(Redaction.mask)),
            ("path", values["path"].map { .string($0) }),
            ("domain", values["domain"].map { .string($0) }),
            ("httpOnly", values["httponly"].map { _ in true }),
            ("secure", values["secure"].map { _ in true }),
        ])
    }
}

extension JSONLiteral {
    /// Returns JSON text with a line for each member and element, for readable diffs.
    fileprivate func indented(by indent: String = "") throws -> String {
        let inner = indent + "  "
        switch node {
        case .object(let members) where !members.isEmpty:
            let lines = try members.map {
                try "\(inner)\(Self.quoted($0.key)): \($0.value.indented(by: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where !elements.isEmpty:
            let lines = try elements.map { try inner + $0.indented(by: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        // A body: the encoder of Foundation is faster in a debug build.
        case .string(let text) where text.utf8.count > 1_000:
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return String(decoding: try encoder.encode(text), as: UTF8.self)
        default: return String(decoding: try encoded(), as: UTF8.self)
        }
    }
}
