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
    /// - Throws: The error of writing the file, whose directory must exist, and which must be a regular file if it exists.
    public func write(to file: URL, times: Times = .stable, masking: Masking = .standard) throws {
        try FileReplacement.write(data(times: times, masking: masking), to: file)
    }

    /// Returns the archive as JSON text with masked secrets.
    public func data(times: Times = .stable, masking: Masking = .standard) throws -> Data {
        Self.data(try masked(masking).entries.map { try EntryText($0, times) }, times, recordedOn)
    }

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
            let written = times == .stable ? entry.withoutTimes : entry
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            json = try encoder.encode(written.json(times))
        }
    }

    static func data(_ entries: [EntryText], _ times: Times, _ recordedOn: String?) -> Data {
        let day = recordedOn.map { "\"_recordedOn\": \(JSONLiteral.quoted($0)), " } ?? ""
        var text = Data(capacity: entries.reduce(1_000) { $0 + $1.json.count + 10 })
        text += Data(
            """
            {"log": {"version": "1.2", "creator": {"name": "MockTransport", "version": "1"}, \(day)"entries": [

            """.utf8)
        // The sort is stable.
        let sorted =
            times == .recorded ? entries : entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (position, entry) in sorted.enumerated() {
            if position > 0 { text += ",\n".utf8 }
            text += entry.json
        }
        return text + "\n]}}\n".utf8
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

// MARK: The JSON of an entry

extension HAR.Entry {
    fileprivate func json(_ times: HAR.Times) -> JSONLiteral {
        let wait = HARTime.rounded(response.wait)
        let receive = response.chunkTimes.last ?? .zero
        return [
            "startedDateTime": .string(HARTime.text(start)), "time": .milliseconds(wait + receive),
            "request": request.json, "response": response.json(times), "cache": [:],
            "timings": ["send": 0, "wait": .milliseconds(wait), "receive": .milliseconds(receive)],
        ]
    }
}

extension HAR.Request {
    /// The request without its cookies, whose values are secret. The headers contain their names.
    fileprivate var json: JSONLiteral {
        let (text, encoding) = body.archived
        // HAR 1.2 has no binary request bodies.
        let content = JSONLiteral.object([
            ("mimeType", .string(headers[.contentType] ?? MediaType.octetStream.rawValue)),
            ("text", .string(text)), ("_encoding", .text(encoding)),
        ])
        return .object([
            ("method", .string(method.rawValue)), ("url", .string(url.absoluteString)),
            ("httpVersion", "HTTP/1.1"), ("cookies", []), ("headers", headers.json),
            ("queryString", .list(QueryItems(of: url).map { ($0.name, $0.value ?? "") })),
            ("headersSize", -1),
            // A size without a body is read as a body that was not recorded.
            ("bodySize", .value(isBodyMissing ? 1 : body.count)),
            ("postData", body.isEmpty ? .none : .some(content)),
            ("comment", .text(isBodyMissing ? "The body is not in this archive. Any body matches." : nil)),
        ])
    }
}

extension HAR.Response {
    fileprivate func json(_ times: HAR.Times) -> JSONLiteral {
        let body = body
        let (text, encoding) = body.archived
        // There was a response, but its body was not recorded.
        let isIncomplete = status != 0 && failure?.isIncompleteRecording == true
        let chunks = zip(chunkTimes, chunks).map { time, chunk -> JSONLiteral in
            ["time": .milliseconds(time), "size": .value(chunk.data.count)]
        }
        let content = JSONLiteral.object([
            ("size", .value(isIncomplete ? -1 : body.count)),
            ("mimeType", .string(headers[.contentType] ?? "x-unknown")),
            ("text", .text(body.isEmpty ? nil : text)), ("encoding", .text(encoding)),
            ("_chunks", times == .recorded && chunks.count > 1 ? .some(JSONLiteral(.array(chunks))) : .none),
            ("comment", .text(isIncomplete ? failure?.text : nil)),
        ])
        return .object([
            ("status", .value(status.rawValue)), ("statusText", .string(status.reasonPhrase)),
            ("httpVersion", "HTTP/1.1"), ("cookies", []), ("headers", headers.json), ("content", content),
            ("redirectURL", .string(status.isRedirect ? headers[.location] ?? "" : "")),
            ("headersSize", -1), ("bodySize", .value(headers[.contentEncoding] == nil ? body.count : -1)),
            ("_error", .text(isIncomplete ? nil : failure?.text)),
            ("_errorCode", failure?.code.map { .value($0) }),
        ])
    }

    fileprivate var chunkTimes: [Duration] {
        var last = Duration.zero
        return chunks.map { chunk in
            last = max(last, HARTime.rounded(chunk.time))
            return last
        }
    }
}

extension Data {
    /// The text of a body, in base64 unless it is valid UTF-8, and the name of the encoding.
    fileprivate var archived: (text: String, encoding: String?) {
        if !contains(byte: 0), let text = String(validating: self, as: UTF8.self) { return (text, nil) }
        return (base64EncodedString(), "base64")
    }
}

extension HTTPHeaders {
    /// The fields with valid names, without control characters: others could not be read again.
    fileprivate var json: JSONLiteral {
        .list(
            filter { $0.name.rawValue.isToken }.map { field in
                let scalars = field.value.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }
                let isValid = field.value.isFieldValue
                let value = isValid ? field.value : String(String.UnicodeScalarView(scalars))
                return (field.name.rawValue, value)
            })
    }
}

extension JSONLiteral {
    fileprivate static func string(_ text: String) -> Self { Self(.string(text)) }

    fileprivate static func text(_ text: String?) -> Self? { text.map { .string($0) } }

    fileprivate static func milliseconds(_ duration: Duration) -> Self {
        Self(.number(HARTime.milliseconds(duration)))
    }

    /// Returns an object with the members that have a value.
    static func object(_ members: [(String, Self?)]) -> Self {
        Self(.object(members.compactMap { name, value in value.map { (name, $0) } }))
    }

    /// Returns the list of names and values in which an archive has header fields and query items.
    static func list(_ items: [(name: String, value: String)]) -> Self {
        Self(.array(items.map { ["name": .string($0.name), "value": .string($0.value)] }))
    }
}
