public import Foundation

/// What the server answers.
///
/// ```swift
/// Reply.json(["items": ["tea"]]).header("ETag", "\"7\"").delay(.seconds(2))
/// ```
public struct Reply: Sendable {
    enum Content: Sendable {
        case data(Data)
        case file(URL)
        case stream(@Sendable (_ emit: (Data) async throws -> Void) async throws -> Void)
        /// This very error in place of a response.
        case error(any Error)
    }

    var status: HTTPStatus
    var headers: HTTPHeaders
    var content: Content
    var delay: Duration?
    var isRepeated = false

    init(_ content: Content, type: MediaType? = nil, status: HTTPStatus = 200) {
        self.content = content
        self.status = status
        headers = [:]
        if let type { headers[.contentType] = type.rawValue }
    }

    /// A value as JSON, its members sorted by key.
    public static func json(_ value: some Encodable, status: HTTPStatus = 200) -> Self {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Self(.data(try encoder.encode(value)), type: .json, status: status)
        } catch {
            return unusable("the value of Reply.json cannot be encoded: \(error)")
        }
    }

    /// JSON written in place, its members in the order written.
    public static func json(_ literal: JSONLiteral, status: HTTPStatus = 200) -> Self {
        do {
            return Self(.data(try literal.encoded()), type: .json, status: status)
        } catch {
            return unusable("the value of Reply.json cannot be encoded: \(error)")
        }
    }

    /// Text in UTF-8.
    public static func text(_ text: String, as type: MediaType = .text, status: HTTPStatus = 200) -> Self {
        Self(.data(Data(text.utf8)), type: type, status: status)
    }

    /// Bytes.
    public static func data(_ data: Data, as type: MediaType = .octets, status: HTTPStatus = 200) -> Self {
        Self(.data(data), type: type, status: status)
    }

    /// The contents of a file, read when the reply is sent.
    public static func file(_ file: URL, as type: MediaType? = nil, status: HTTPStatus = 200) -> Self {
        Self(.file(file), type: type ?? MediaType(fileExtension: file.pathExtension), status: status)
    }

    /// The contents of a file among the resources of `bundle`: `Reply.resource("items.json", in: .module)`.
    public static func resource(_ name: String, in bundle: Bundle, status: HTTPStatus = 200) -> Self {
        guard let file = bundle.url(forResource: name, withExtension: nil) else {
            return unusable("there is no resource \"\(name)\" in \(bundle.bundlePath)")
        }
        return .file(file, status: status)
    }

    /// Chunks as they come, for server-sent events and for bodies that take their time; an error ends the body with it.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, as type: MediaType = .octets, status: HTTPStatus = 200
    ) -> Self where Chunks.Element == Data {
        let content = Content.stream { emit in
            for try await chunk in chunks { try await emit(chunk) }
        }
        return Self(content, type: type, status: status)
    }

    /// A status and no body.
    public static func status(_ status: HTTPStatus) -> Self { Self(.data(Data()), status: status) }

    /// A redirect. In the process it arrives as the plain 3xx that it is: URLSession follows only what comes over a socket.
    public static func redirect(to location: String, status: HTTPStatus = 302) -> Self {
        Self.status(status).header(.location, location)
    }

    /// This very error at the client, in place of a response.
    public static func error(_ error: any Error) -> Self { Self(.error(error)) }

    /// Adds a header field, beside any of the same name; a `Content-Type` replaces the reply's own.
    public func header(_ name: HTTPHeaders.Name, _ value: String) -> Self {
        var copy = self
        if name == .contentType { copy.headers[name] = value } else { copy.headers.add(name, value) }
        return copy
    }

    /// Waits so long, on the server's clock, before the head.
    public func delay(_ duration: Duration) -> Self {
        var copy = self
        copy.delay = duration
        return copy
    }

    /// As the last of several replies: answers all further requests, too.
    public func repeats() -> Self {
        var copy = self
        copy.isRepeated = true
        return copy
    }

    static func unusable(_ reason: String) -> Self { .error(MockServerError(.unusableReply, reason)) }
}

extension MediaType {
    fileprivate init?(fileExtension: String) {
        let types: [String: MediaType] = [
            "json": .json, "txt": .text, "html": .html, "htm": .html, "csv": "text/csv; charset=utf-8",
            "xml": "application/xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
            "gif": "image/gif", "svg": "image/svg+xml", "pdf": "application/pdf", "zip": "application/zip",
            "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        ]
        guard let type = types[fileExtension.lowercased()] else { return nil }
        self = type
    }
}
