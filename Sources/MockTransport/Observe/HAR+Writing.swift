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
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            json = try encoder.encode(HARFile.Entry(written, times))
        }
    }

    /// Returns an archive with the given entries.
    static func data(_ entries: [EntryText], _ times: Times, _ recordedOn: String?) -> Data {
        let day = recordedOn.map { "\"_recordedOn\": \(JSONLiteral.quoted($0)), " } ?? ""
        var text = Data(capacity: entries.reduce(1_000) { $0 + $1.json.count + 10 })
        text += Data(
            """
            {"log": {"version": "1.2", "creator": {"name": "MockTransport", "version": "1"}, \(day)"entries": [

            """.utf8)
        let order =
            times == .recorded
            ? Array(entries.indices)
            : entries.indices.sorted { left, right in
                let (first, second) = (entries[left].key, entries[right].key)
                return first == second ? left < right : first.lexicographicallyPrecedes(second)
            }
        for (position, index) in order.enumerated() {
            if position > 0 { text += Data(",\n".utf8) }
            text += entries[index].json
        }
        text += Data("\n]}}\n".utf8)
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

extension HARFile.Entry {
    fileprivate init(_ entry: HAR.Entry, _ times: HAR.Times) {
        let wait = HARTime.rounded(entry.response.wait)
        let receive = entry.response.chunkTimes.last ?? .zero
        self.init(
            startedDateTime: HARTime.text(entry.start), time: HARTime.milliseconds(wait + receive),
            request: HARFile.Request(entry.request),
            response: Checked(HARFile.Response(entry.response, times)),
            timings: HARFile.Timings(
                send: 0, wait: HARTime.milliseconds(wait), receive: HARTime.milliseconds(receive)))
    }
}

extension HARFile.Request {
    fileprivate init(_ request: HAR.Request) {
        let headers = request.headers
        var content = HARFile.Content(mimeType: headers[.contentType] ?? MediaType.octetStream.rawValue)
        content.customEncoding = content.setText(to: request.body)
        self.init(
            method: request.method.rawValue, url: request.url.absoluteString,
            headers: headers.pairs,
            queryString: QueryItems(of: request.url).map {
                HARFile.Pair(name: $0.name, value: $0.value ?? "")
            },
            // A size without a body is read as a body that was not recorded.
            bodySize: request.isBodyMissing ? 1 : request.body.count,
            postData: request.body.isEmpty ? nil : content,
            comment: request.isBodyMissing ? "The body is not in this archive. Any body matches." : nil)
    }
}

extension HARFile.Response {
    fileprivate init(_ response: HAR.Response, _ times: HAR.Times) {
        let (headers, body, failure) = (response.headers, response.body, response.failure)
        // There was a response, but its body was not recorded.
        let isIncomplete = response.status != 0 && failure?.isIncompleteRecording == true
        var content = HARFile.Content(
            size: isIncomplete ? -1 : body.count, mimeType: headers[.contentType] ?? "x-unknown",
            comment: isIncomplete ? failure?.text : nil)
        if !body.isEmpty { content.encoding = content.setText(to: body) }
        if times == .recorded, response.chunks.count > 1 {
            content.chunks = zip(response.chunkTimes, response.chunks).map { time, chunk in
                HARFile.Chunk(time: HARTime.milliseconds(time), size: chunk.data.count)
            }
        }
        self.init(
            status: Double(response.status.rawValue), statusText: response.status.reasonPhrase,
            headers: headers.pairs, content: Checked(content),
            redirectURL: response.status.isRedirect ? headers[.location] ?? "" : "",
            bodySize: headers[.contentEncoding] == nil ? body.count : -1,
            error: isIncomplete ? nil : failure?.text, errorCode: failure?.code)
    }
}

extension HARFile.Content {
    /// Sets the text of a body, in base64 unless it is valid UTF-8. Returns the name of the encoding.
    fileprivate mutating func setText(to body: Data) -> String? {
        let plain = body.containsZero ? nil : String(validating: body, as: UTF8.self)
        text = plain ?? body.base64EncodedString()
        return plain == nil ? "base64" : nil
    }
}

extension HAR.Response {
    /// The arrival times of the chunks, in ascending order.
    fileprivate var chunkTimes: [Duration] {
        var last = Duration.zero
        return chunks.map { chunk in
            last = max(last, HARTime.rounded(chunk.time))
            return last
        }
    }
}

extension HTTPHeaders {
    /// The fields with valid names, without control characters: others could not be read again.
    fileprivate var pairs: Checked<[Checked<HARFile.Pair>]> {
        let fields = filter { $0.name.rawValue.isToken }
        return Checked(
            fields.map { Checked(HARFile.Pair(name: $0.name.rawValue, value: $0.value.withoutControls)) })
    }
}

extension String {
    fileprivate var withoutControls: String {
        guard !utf8.allSatisfy(\.isFieldByte) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}
