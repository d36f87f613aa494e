public import Foundation

extension HAR {
    /// Reads an archive from a file, and bodies from the files beside it to which the archive refers.
    ///
    /// An invalid entry does not affect the others; see ``problems``.
    ///
    /// - Parameter readsFiles: `false` to read only the archive, because it comes from someone else, and bodies are sent to
    ///   other programs. A response whose body is in another file is incomplete. Defaults to `true`.
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
    ///   - data: The text.
    ///   - directory: The directory of the files that contain bodies, as written by Playwright (`_file`).
    /// - Throws: ``HARError`` if it is not an archive.
    public init(parsing data: Data, filesIn directory: URL? = nil) throws {
        if data.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            throw HARError(path: "", problem: "is a ZIP file: unpack it, and read the .har file inside")
        }
        let log = try HARNode(parsing: data)["log"]
        var reader = HARReader(filesIn: directory)
        var entries: [Entry] = []
        for node in try log["entries"].elements {
            if let entry = reader.entry(node) { entries.append(entry) }
        }
        // Other programs do not always sort entries by time. The sort is stable.
        let order = entries.indices.sorted { (entries[$0].start, $0) < (entries[$1].start, $1) }
        self.init(order.map { entries[$0] })
        problems = reader.problems
        recordedOn = log.text("_recordedOn")
    }
}

/// Reads the entries of an archive.
///
/// Programs differ in what they write. An invalid value affects only what depends on it: a header field, a response, or
/// an entry. Times and members whose names begin with an underscore are ignored if they are not as expected.
private struct HARReader {
    private(set) var problems: [HARError] = []
    private let directory: URL?
    /// The start of the previous entry, for entries without a valid date.
    private var lastStart = Date(timeIntervalSince1970: 0)

    init(filesIn directory: URL?) { self.directory = directory }

    private mutating func add(_ problem: any Error) -> String {
        let problem = problem as? HARError ?? HARError(path: "", problem: "\(problem)")
        problems.append(problem)
        return "\(problem.path) \(problem.problem)"
    }

    /// Returns an entry, or `nil` if its request is invalid.
    mutating func entry(_ node: HARNode) -> HAR.Entry? {
        do {
            let request = try request(node["request"])
            lastStart = node.text("startedDateTime").flatMap { HARTime.date($0) } ?? lastStart
            return HAR.Entry(start: lastStart, request: request, response: response(of: node, to: request))
        } catch {
            _ = add(error)
            return nil
        }
    }

    private mutating func request(_ node: HARNode) throws -> HAR.Request {
        let method = try node["method"]
        guard try method.string.isToken else { throw method.is("not a valid HTTP method") }
        let text = try node["url"]
        guard let url = URL(string: try text.string), url.scheme != nil else {
            throw text.is("not a valid URL")
        }
        var request = HAR.Request(
            method: HTTPMethod(rawValue: try method.string), url: url, headers: headers(of: node))
        if let body = try body(ofRequest: node) {
            request.body = body
        } else {
            request.isBodyMissing = true
        }
        return request
    }

    /// Returns the body of a request, or `nil` if the archive does not contain it.
    private func body(ofRequest node: HARNode) throws -> Data? {
        let data = try? node.optional("postData")
        // HAR 1.2 has no binary request bodies.
        if let body = try data?.body(encodedBy: "_encoding", "encoding"), !body.isEmpty { return body }
        if let name = data?.text("_file") { return attachment(name) }
        let params = (try? data?.optional("params")?.elements) ?? []
        if !params.isEmpty {
            let type = data?.text("mimeType").map { MediaType(rawValue: $0).essence }
            // The boundary and the files of a multipart body are not part of the archive.
            guard type.map({ $0 == MediaType.form.essence }) ?? true else { return nil }
            var items: QueryItems = [:]
            for item in params { items.add(try item["name"].string, item.text("value") ?? "") }
            return Data(items.percentEncoded.utf8)
        }
        return (node.size("bodySize") ?? 0) > 0 ? nil : Data()
    }

    private mutating func response(of entry: HARNode, to request: HAR.Request) -> HAR.Response {
        do {
            guard let node = try entry.optional("response") else {
                return .failed("no response was recorded", in: nil)
            }
            var response = try head(of: node)
            let timings = try? entry.optional("timings")
            response.wait = timings?.time("wait") ?? .zero
            let time = timings?.time("receive") ?? .zero
            do { try addBody(of: node, to: &response, after: time, request.method) } catch {
                response.failure = .incomplete(add(error))
            }
            return response
        } catch {
            var response = HAR.Response(status: 0)
            response.failure = .incomplete(add(error))
            return response
        }
    }

    private mutating func head(of node: HARNode) throws -> HAR.Response {
        let number = try node["status"]
        let code = try number.integer
        // Programs write 0 or -1 for a request without a response.
        guard code <= 0 || (100...999).contains(code) else { throw number.is("not a valid status") }
        guard code > 0 else { return .failed("no response was recorded", in: node) }
        var response = HAR.Response(status: HTTPStatus(rawValue: code), headers: headers(of: node))
        if let target = node.text("redirectURL"), response.headers[.location] == nil,
            response.status.isRedirect
        {
            response.headers[.location] = target
        }
        if let text = node.failureText { response.failure = .init(code: node.size("_errorCode"), text: text) }
        return response
    }

    /// Adds the body to `response`, or a failure if the archive does not contain it.
    private func addBody(
        of node: HARNode, to response: inout HAR.Response, after time: Duration, _ method: HTTPMethod
    ) throws {
        guard response.status != 0 else { return }
        let content = try? node.optional("content")
        let text = try content?.body(encodedBy: "encoding")
        let file = text?.isEmpty == false ? nil : content?.text("_file").flatMap { attachment($0) }
        if response.headers[.contentType] == nil, let type = content?.text("mimeType"), type != "x-unknown",
            type.utf8.allSatisfy(\.isFieldByte)
        {
            response.headers[.contentType] = type
        }
        if let body = file ?? text, !body.isEmpty || file != nil {
            if response.failure == nil, method != .head, !response.status.hasNoBody,
                let size = Self.cutSize(of: body, node, content, response.headers)
            {
                response.failure = .incomplete(
                    """
                    the archive has only \(body.count)\(size > body.count ? " of \(size)" : "") bytes of the body, which was \
                    cut when it was recorded. Record it again without a limit for bodies or, if the body is complete, \
                    correct the size and the comment of its content in the archive
                    """)
                return
            }
            let pieces = try? content?.optional("_chunks")
            response.chunks =
                pieces.flatMap { Self.chunks(of: body, $0) }
                ?? (body.isEmpty ? [] : [HAR.Chunk(time: time, data: body)])
        } else if response.failure == nil, method != .head, !response.status.hasNoBody,
            !response.status.isRedirect,
            Self.announcesBody(node, content, response.headers, hasText: text != nil)
        {
            let file = content?.text("_file").map { name in
                let name = TerminalEscaping.quoted(name)
                return directory == nil
                    ? "the body is in the file \(name), which was not read"
                    : "the file \(name) with the body is missing"
            }
            response.failure = .incomplete(file ?? content?.text("comment") ?? "the body was not recorded")
        }
    }

    /// Returns the size of a body that is not complete in the archive, or `nil` if it is complete.
    ///
    /// Programs count the bytes of the body before or after it was decompressed and converted to UTF-8, or the characters of
    /// its text in base64. A body is complete if it is as large in any of these forms.
    private static func cutSize(
        of body: Data, _ node: HARNode, _ content: HARNode?, _ headers: HTTPHeaders
    ) -> Int? {
        var size = content?.size("size") ?? 0
        if content?.text("comment")?.lowercased().contains("truncated") == true { return max(size, 0) }
        let text = content?.text("text")
        // mitmproxy writes the compressed size, and the difference.
        if let saved = content?.size("compression"), saved < 0 {
            size = size.addingReportingOverflow(saved).partialValue
        }
        var found = max(body.count, text?.utf8.count ?? 0)
        let charset =
            MediaType(rawValue: content?.text("mimeType") ?? headers[.contentType] ?? "").charset ?? ""
        // A character has up to eight bytes if it changes the character set, as in ISO-2022-JP.
        if !BodyText.isTransparent(charset) { found *= 8 }
        // A byte order mark is not part of the text.
        guard size > found, size != found + 3 || text == nil else { return nil }
        let lengths = [node.size("bodySize"), headers[.contentLength].flatMap { Int($0) }]
        // Compression makes a short body longer.
        if headers[.contentEncoding] != nil, lengths.contains(size), size <= found + 64 { return nil }
        return size
    }

    /// Returns `true` if a response had a body, according to its sizes. The archive has none, or an empty one.
    private static func announcesBody(
        _ node: HARNode, _ content: HARNode?, _ headers: HTTPHeaders, hasText: Bool
    ) -> Bool {
        let size = content?.size("size")
        let length = headers[.contentLength].flatMap { Int($0) }
        let isAnnounced = (size ?? 0) > 0 || (length ?? 0) > 0
        // An empty body has a length if it is encoded.
        if hasText { return isAnnounced && headers[.contentEncoding] == nil }
        if isAnnounced || (node.size("bodySize") ?? 0) > 0 { return true }
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
    private static func chunks(of body: Data, _ node: HARNode) -> [HAR.Chunk]? {
        var chunks: [HAR.Chunk] = []
        var rest = body
        var last = Duration.zero
        for piece in (try? node.elements) ?? [] {
            let time = piece.time("time")
            guard let count = piece.size("size"), count > 0, count <= rest.count, time >= last else {
                return nil
            }
            chunks.append(HAR.Chunk(time: time, data: Data(rest.prefix(count))))
            rest = rest.dropFirst(count)
            last = time
        }
        return rest.isEmpty ? chunks : nil
    }

    /// Returns the valid header fields, without HTTP/2 pseudo-headers.
    private mutating func headers(of node: HARNode) -> HTTPHeaders {
        var headers = HTTPHeaders()
        do {
            for field in try node.optional("headers")?.elements ?? [] {
                do { try Self.add(field, to: &headers) } catch { _ = add(error) }
            }
        } catch { _ = add(error) }
        return headers
    }

    private static func add(_ field: HARNode, to headers: inout HTTPHeaders) throws {
        let name = try field["name"]
        let text = try name.string
        if text.hasPrefix(":") { return }
        guard text.isToken else { throw name.is("not a valid header name") }
        let value = try field["value"]
        // Some browsers join header fields of the same name with line breaks.
        let lines = try value.string.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines {
            guard line.utf8.allSatisfy(\.isFieldByte) else {
                throw value.is("not a valid header value: it contains control characters")
            }
        }
        for line in lines { headers.add(HTTPHeaders.Name(text), String(line)) }
    }
}

extension HAR.Response {
    /// A request without a response, which failed for the reason that `node` gives.
    fileprivate static func failed(_ reason: String, in node: HARNode?) -> Self {
        let text = node?.failureText ?? node?.text("comment") ?? reason
        return HAR.Response(status: 0, failure: HAR.Failure(code: node?.size("_errorCode"), text: text))
    }
}

extension HARNode {
    /// The reason for which a request failed, under the names that programs use.
    fileprivate var failureText: String? {
        ["_error", "_failureText", "_errorMessage"].lazy.compactMap { text($0) }.first
    }

    /// Returns the member `key` if it is a text that is not empty.
    fileprivate func text(_ key: String) -> String? {
        guard let text = try? optional(key)?.string, !text.isEmpty else { return nil }
        return text
    }

    /// Returns the member `key` if it is a whole number.
    fileprivate func size(_ key: String) -> Int? { try? optional(key)?.integer }

    /// Returns the member `key` if it is a time, otherwise zero.
    fileprivate func time(_ key: String) -> Duration { (try? optional(key)?.milliseconds) ?? .zero }
}
