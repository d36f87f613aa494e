public import Foundation

extension HAR {
    /// Reads an archive from a file, and bodies from the files beside it to which the archive refers.
    ///
    /// An invalid entry does not affect the others; see ``problems``.
    ///
    /// - Parameters:
    ///   - file: The archive.
    ///   - readsFiles: `false` to read only the archive, because it comes from someone else, and bodies are sent to other
    ///     programs. A response whose body is in another file is incomplete. Defaults to `true`.
    /// - Throws: ``HARError`` if the file is not an archive, or the error of reading it.
    public init(contentsOf file: URL, readsFiles: Bool = true) throws {
        do {
            let directory = readsFiles ? file.deletingLastPathComponent() : nil
            try self.init(parsing: Data(contentsOf: file), filesIn: directory)
            for index in problems.indices { problems[index].file = file.lastPathComponent }
        } catch var error as HARError {
            error.file = file.lastPathComponent
            throw error
        }
    }

    /// Parses an archive from JSON text.
    ///
    /// An invalid entry does not affect the others; see ``problems``.
    ///
    /// - Parameters:
    ///   - data: The text of the archive.
    ///   - directory: The directory of the files that contain bodies, as written by Playwright (`_file`).
    /// - Throws: ``HARError`` if it is not an archive.
    public init(parsing data: Data, filesIn directory: URL? = nil) throws {
        if data.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            throw HARError(path: "", problem: "is a ZIP file: unpack it, and read the .har file inside")
        }
        let log: HARFile.Log
        do { log = try JSONDecoder().decode(HARFile.self, from: data).log } catch { throw HARError(error) }
        var reader = HARReader(filesIn: directory)
        let entries = log.entries.enumerated().compactMap { reader.entry($1, at: "log.entries[\($0)]") }
        // Other programs do not always sort entries by time. The sort is stable.
        let order = entries.indices.sorted { (entries[$0].start, $0) < (entries[$1].start, $1) }
        self.init(order.map { entries[$0] })
        problems = reader.problems
        recordedOn = log.recordedOn
    }
}

private struct HARReader {
    private(set) var problems: [HARError] = []
    private let directory: URL?
    /// The start of the previous entry, for entries without a valid date.
    private var lastStart = Date(timeIntervalSince1970: 0)

    init(filesIn directory: URL?) { self.directory = directory }

    @discardableResult private mutating func add(_ problem: HARError) -> String {
        problems.append(problem)
        return "\(problem.path) \(problem.problem)"
    }

    /// Returns a value, or `nil` if it is missing or, which is added to the problems, invalid.
    private mutating func valid<Value>(_ value: Checked<Value>?) -> Value? {
        do throws(HARError) { return try value?.result.get() } catch {
            add(error)
            return nil
        }
    }

    /// Returns an entry, or `nil` if its request is invalid.
    mutating func entry(_ file: Checked<HARFile.Entry>, at path: String) -> HAR.Entry? {
        do throws(HARError) {
            let entry = try file.result.get()
            let request = try request(entry.request, at: "\(path).request")
            lastStart = entry.startedDateTime.flatMap { HARTime.date($0) } ?? lastStart
            let response = response(of: entry, to: request, at: "\(path).response")
            return HAR.Entry(start: lastStart, request: request, response: response)
        } catch {
            add(error)
            return nil
        }
    }

    private mutating func request(
        _ file: HARFile.Request, at path: String
    ) throws(HARError) -> HAR.Request {
        guard file.method.isToken else {
            throw HARError(path: "\(path).method", problem: "is not a valid HTTP method")
        }
        guard let url = URL(string: file.url), url.scheme != nil else {
            throw HARError(path: "\(path).url", problem: "is not a valid URL")
        }
        let headers = headers(file.headers, at: "\(path).headers")
        let body = try body(of: file, at: "\(path).postData")
        var request = HAR.Request(
            method: HTTPMethod(rawValue: file.method), url: url, headers: headers, body: body ?? Data())
        request.isBodyMissing = body == nil
        return request
    }

    /// Returns the body of a request, or `nil` if the archive does not contain it.
    private func body(of request: HARFile.Request, at path: String) throws(HARError) -> Data? {
        let data = request.postData
        if let body = try data?.body(at: path), !body.isEmpty { return body }
        if let name = data?.file { return attachment(name) }
        if let params = data?.params, !params.isEmpty {
            let type = data?.mimeType.map { MediaType(rawValue: $0).essence }
            // The boundary and the files of a multipart body are not part of the archive.
            guard type == nil || type == MediaType.form.essence else { return nil }
            var items: QueryItems = [:]
            for item in params { items.add(item.name, item.value ?? "") }
            return Data(items.percentEncoded.utf8)
        }
        return (request.bodySize ?? 0) > 0 ? nil : Data()
    }

    private mutating func response(
        of entry: HARFile.Entry, to request: HAR.Request, at path: String
    ) -> HAR.Response {
        var response = HAR.Response(status: 0, failure: HAR.Failure(text: "no response was recorded"))
        do throws(HARError) {
            guard let file = try entry.response?.result.get() else { return response }
            response = try head(of: file, at: path)
            response.wait = Self.time(entry.timings?.wait)
            let time = Self.time(entry.timings?.receive)
            try addBody(of: file, to: &response, after: time, request.method, at: "\(path).content")
        } catch { response.failure = .incomplete(add(error)) }
        return response
    }

    /// Returns a duration in milliseconds, or zero if it is unknown, which is written as -1, or longer than a year.
    private static func time(_ milliseconds: Double?) -> Duration {
        guard let milliseconds, milliseconds <= HARTime.maximum else { return .zero }
        return HARTime.duration(milliseconds: milliseconds)
    }

    private mutating func head(
        of file: HARFile.Response, at path: String
    ) throws(HARError) -> HAR.Response {
        guard let code = Int(exactly: file.status) else {
            throw HARError(path: "\(path).status", problem: "is not a whole number")
        }
        let failure = file.error ?? file.failureText ?? file.errorMessage
        guard code > 0 else {
            let text = failure ?? file.comment ?? "no response was recorded"
            return HAR.Response(status: 0, failure: HAR.Failure(code: file.errorCode, text: text))
        }
        guard (100...999).contains(code) else {
            throw HARError(path: "\(path).status", problem: "is not a valid status")
        }
        var response = HAR.Response(
            status: HTTPStatus(rawValue: code), headers: headers(file.headers, at: "\(path).headers"),
            failure: failure.map { HAR.Failure(code: file.errorCode, text: $0) })
        if response.headers[.location] == nil, response.status.isRedirect {
            response.headers[.location] = file.redirectURL
        }
        return response
    }

    /// Adds the body to `response`, or a failure if the archive does not contain it.
    private func addBody(
        of file: HARFile.Response, to response: inout HAR.Response, after time: Duration,
        _ method: HTTPMethod, at path: String
    ) throws(HARError) {
        guard response.status != 0 else { return }
        let content = try file.content?.result.get()
        let text = try content?.body(at: path)
        let attached = text?.isEmpty == false ? nil : content?.file.flatMap { attachment($0) }
        if response.headers[.contentType] == nil, let type = content?.mimeType, type != "x-unknown",
            type.isFieldValue
        {
            response.headers[.contentType] = type
        }
        let canHaveBody = response.failure == nil && method != .head && !response.status.hasNoBody
        if let body = attached ?? text, !body.isEmpty || attached != nil {
            if canHaveBody, let size = Self.cutSize(of: body, file, content, response.headers) {
                response.failure = .incomplete(
                    """
                    the archive has only \(body.count)\(size > body.count ? " of \(size)" : "") bytes of the body, which was \
                    cut when it was recorded. Record it again without a limit for bodies or, if the body is complete, \
                    correct the size and the comment of its content in the archive
                    """)
                return
            }
            response.chunks =
                content?.chunks.flatMap { Self.chunks(of: body, $0) }
                ?? (body.isEmpty ? [] : [HAR.Chunk(time: time, data: body)])
        } else if canHaveBody, !response.status.isRedirect,
            Self.announcesBody(file, content, response.headers, hasText: text != nil)
        {
            let missing = content?.file.map { name in
                let name = TerminalEscaping.quoted(name)
                return directory == nil
                    ? "the body is in the file \(name), which was not read"
                    : "the file \(name) with the body is missing"
            }
            response.failure = .incomplete(missing ?? content?.comment ?? "the body was not recorded")
        }
    }

    /// Returns the size of a body that is not complete in the archive, or `nil` if it is complete.
    ///
    /// Programs count the bytes of the body before or after it was decompressed and converted to UTF-8, or the characters of
    /// its text in base64. A body is complete if it is as large in any of these forms.
    private static func cutSize(
        of body: Data, _ file: HARFile.Response, _ content: HARFile.Content?, _ headers: HTTPHeaders
    ) -> Int? {
        var size = content?.size ?? 0
        if content?.comment?.lowercased().contains("truncated") == true { return max(size, 0) }
        let text = content?.text
        // mitmproxy writes the compressed size, and the difference.
        if let saved = content?.compression, saved < 0 {
            size = size.addingReportingOverflow(saved).partialValue
        }
        var found = max(body.count, text?.utf8.count ?? 0)
        let charset = MediaType(rawValue: content?.mimeType ?? headers[.contentType] ?? "").charset ?? ""
        // A character has up to eight bytes if it changes the character set, as in ISO-2022-JP.
        if !BodyText.isTransparent(charset) { found *= 8 }
        // A byte order mark is not part of the text.
        guard size > found, size != found + 3 || text == nil else { return nil }
        let lengths = [file.bodySize, headers[.contentLength].flatMap { Int($0) }]
        // Compression makes a short body longer.
        if headers[.contentEncoding] != nil, lengths.contains(size), size <= found + 64 { return nil }
        return size
    }

    /// Returns `true` if a response had a body, according to its sizes. The archive has none, or an empty one.
    private static func announcesBody(
        _ file: HARFile.Response, _ content: HARFile.Content?, _ headers: HTTPHeaders, hasText: Bool
    ) -> Bool {
        let size = content?.size
        let length = headers[.contentLength].flatMap { Int($0) }
        let isAnnounced = (size ?? 0) > 0 || (length ?? 0) > 0
        // An empty body has a length if it is encoded.
        if hasText { return isAnnounced && headers[.contentEncoding] == nil }
        if isAnnounced || (file.bodySize ?? 0) > 0 { return true }
        return size.map { $0 < 0 } == true && length != 0
    }

    /// Returns the contents of a file in the directory of the archive, or `nil` if it is elsewhere, hidden or not a regular
    /// file. An archive can come from anywhere, and its bodies are served.
    private func attachment(_ name: String) -> Data? {
        guard let directory = directory?.resolvingSymlinksInPath() else { return nil }
        let file = directory.appending(path: name).resolvingSymlinksInPath()
        let folders = directory.pathComponents
        let rest = file.pathComponents.dropFirst(folders.count)
        guard file.pathComponents.starts(with: folders), !rest.isEmpty,
            !rest.contains(where: { $0.hasPrefix(".") }),
            (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        else { return nil }
        return try? Data(contentsOf: file, options: .mappedIfSafe)
    }

    /// Splits a body, or returns `nil` if the sizes and times of the chunks are not valid.
    private static func chunks(of body: Data, _ pieces: [HARFile.Chunk]) -> [HAR.Chunk]? {
        var chunks: [HAR.Chunk] = []
        var rest = body
        var last = Duration.zero
        for piece in pieces {
            let time = time(piece.time)
            guard let count = piece.size, count > 0, count <= rest.count, time >= last else { return nil }
            chunks.append(HAR.Chunk(time: time, data: Data(rest.prefix(count))))
            rest = rest.dropFirst(count)
            last = time
        }
        return rest.isEmpty ? chunks : nil
    }

    /// Returns the valid header fields, without HTTP/2 pseudo-headers.
    private mutating func headers(
        _ fields: Checked<[Checked<HARFile.Pair>]>?, at path: String
    ) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (index, field) in (valid(fields) ?? []).enumerated() {
            guard let field = valid(field), !field.name.hasPrefix(":") else { continue }
            // Some browsers join header fields of the same name with line breaks.
            let lines = field.value?.split(separator: "\n", omittingEmptySubsequences: false)
            let path = "\(path)[\(index)]"
            if !field.name.isToken {
                add(HARError(path: "\(path).name", problem: "is not a valid header name"))
            } else if lines?.allSatisfy({ $0.utf8.allSatisfy(\.isFieldByte) }) == false {
                let problem = "is not a valid header value: it contains control characters"
                add(HARError(path: "\(path).value", problem: problem))
            } else if let lines {
                for line in lines { headers.add(HTTPHeaders.Name(field.name), String(line)) }
            } else {
                add(HARError(path: "\(path).value", problem: "is missing"))
            }
        }
        return headers
    }
}

extension HARFile.Content {
    /// Returns the body in the member `text`, or `nil` if there is none.
    fileprivate func body(at path: String) throws(HARError) -> Data? {
        guard let text else { return nil }
        let named = customEncoding ?? encoding
        // Polly.js has written binary bodies without the name of their encoding.
        let name = named?.lowercased() ?? (isBinary == true ? "hex" : "utf-8")
        let decode: (String) -> Data?
        switch name {
        case "utf-8", "utf8", "us-ascii", "ascii", "text", "plain", "identity", "none": return Data(text.utf8)
        case "base64", "base64url": decode = { Data(anyBase64: $0.filter { !$0.isWhitespace && $0 != "=" }) }
        case "hex": decode = Data.init(hex:)
        default:
            throw HARError(
                path: "\(path).\(customEncoding == nil ? "" : "_")encoding",
                problem: """
                    is \(TerminalEscaping.quoted(name)), which is not a known encoding: write the text in base64, or remove the \
                    name of the encoding if the text is the body itself
                    """)
        }
        // Polly.js writes the chunks of a compressed body as an array.
        let list = text.hasPrefix("[") ? try? JSONDecoder().decode([String].self, from: Data(text.utf8)) : nil
        let chunks = (list ?? [text]).map(decode)
        guard chunks.allSatisfy({ $0 != nil }) else {
            throw HARError(path: "\(path).text", problem: "is not \(name)")
        }
        return chunks.reduce(into: Data()) { $0 += $1 ?? Data() }
    }
}

extension Data {
    fileprivate init?(hex text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
