public import Foundation

/// What the server answers.
///
/// ```swift
/// Reply.json(["items": ["tea"]]).header("ETag", "\"7\"").delay(.seconds(2))
/// ```
public struct Reply: Sendable {
    /// Hands each chunk on as it comes.
    typealias Source = @Sendable (_ emit: (Data) async throws -> Void) async throws -> Void

    enum Content: Sendable {
        case data(Data)
        case file(URL)
        case stream(Source)
        /// This very error in place of a response.
        case error(any Error)
        /// The real server's answer, recorded on a cassette.
        case passthrough(Cassette?)
        case playback(Playback)
    }

    struct Dribble: Sendable {
        let chunks: Int
        let duration: Duration
    }

    package private(set) var status: HTTPStatus
    private(set) var headers: HTTPHeaders
    private(set) var content: Content
    private(set) var delay: Delay?
    private(set) var dribble: Dribble?
    package private(set) var fault: Fault?
    /// In place of the server's.
    private(set) var conditions: NetworkConditions?
    private(set) var isRepeated = false

    init(_ content: Content, type: MediaType? = nil, status: HTTPStatus = 200) {
        self.content = content
        self.status = status
        headers = [:]
        if let type { headers[.contentType] = type.rawValue }
    }

    // MARK: Contents

    /// A value as JSON, its members sorted by key.
    public static func json(_ value: some Encodable, status: HTTPStatus = 200) -> Self {
        encoded(status) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(value)
        }
    }

    /// JSON written in place, its members in the order written.
    public static func json(_ literal: JSONLiteral, status: HTTPStatus = 200) -> Self {
        encoded(status) { try literal.encoded() }
    }

    /// Text in UTF-8.
    public static func text(_ text: String, as type: MediaType = .text, status: HTTPStatus = 200) -> Self {
        Self(.data(Data(text.utf8)), type: type, status: status)
    }

    /// Bytes.
    public static func data(_ data: Data, as type: MediaType = .octetStream, status: HTTPStatus = 200) -> Self
    {
        Self(.data(data), type: type, status: status)
    }

    /// The contents of a file, read when the reply is sent; its extension tells the type unless `type` does.
    public static func file(_ file: URL, as type: MediaType? = nil, status: HTTPStatus = 200) -> Self {
        Self(.file(file), type: type ?? MediaType(fileExtension: file.pathExtension), status: status)
    }

    /// The contents of a file among the resources of `bundle`: `Reply.resource("items.json", in: .module)`.
    public static func resource(_ name: String, in bundle: Bundle, status: HTTPStatus = 200) -> Self {
        guard let file = bundle.url(forResource: name, withExtension: nil) else {
            return unusable("there is no resource \"\(name)\" in \(bundle.bundleURL.lastPathComponent)")
        }
        return .file(file, status: status)
    }

    /// Chunks as they come, for server-sent events and for bodies that take their time.
    ///
    /// The error that ends the sequence is the error of the client. A sequence that gives its elements only once
    /// answers one request: to answer more, make it in a handler.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, as type: MediaType = .octetStream, status: HTTPStatus = 200
    ) -> Self where Chunks.Element == Data {
        let source: Source = { emit in
            for try await chunk in chunks { try await emit(chunk) }
        }
        return Self(.stream(source), type: type, status: status)
    }

    /// A status and no body.
    public static func status(_ status: HTTPStatus) -> Self { Self(.data(Data()), status: status) }

    /// A redirect.
    ///
    /// In the process it arrives as the plain 3xx that it is: URLSession follows only what comes over a socket.
    public static func redirect(to location: String, status: HTTPStatus = 302) -> Self {
        Self.status(status).header(.location, location)
    }

    /// This very error at the client, in place of a response.
    public static func error(_ error: any Error) -> Self { Self(.error(error)) }

    /// A fault, on a reply of 64 bytes of text.
    public static func fault(_ fault: Fault) -> Self {
        text(String(repeating: "0123456789abcde\n", count: 4)).fault(fault)
    }

    /// The real server's answer: the only way to the network.
    public static var passthrough: Self { Self(.passthrough(nil)) }

    // MARK: Changes

    /// Adds a header field, beside any of the same name; a `Content-Type` replaces the reply's own.
    public func header(_ name: HTTPHeaders.Name, _ value: String) -> Self {
        changed { reply in
            if name == .contentType { reply.headers[name] = value } else { reply.headers.add(name, value) }
        }
    }

    /// Waits so long, on the server's clock, before the head.
    public func delay(_ duration: Duration) -> Self { delay(.fixed(duration)) }

    /// Waits before the head: `.delay(.uniform(.zero ... .seconds(2)))`.
    public func delay(_ delay: Delay) -> Self { changed { $0.delay = delay } }

    /// Sends the body in so many pieces of about the same size, the last of them after `duration`.
    public func dribble(chunks: Int, over duration: Duration) -> Self {
        changed { $0.dribble = Dribble(chunks: max(chunks, 1), duration: duration) }
    }

    /// Breaks.
    public func fault(_ fault: Fault) -> Self { changed { $0.fault = fault } }

    /// Goes over such a network in place of the server's.
    public func conditions(_ conditions: NetworkConditions) -> Self { changed { $0.conditions = conditions } }

    /// As the last of several replies: answers all further requests, too.
    public func repeats() -> Self { changed { $0.isRepeated = true } }

    // MARK: Machinery

    /// Whether it is told whole, at once, and without a draw, on a network of `general` conditions.
    func isAlwaysTheSame(under general: NetworkConditions) -> Bool {
        guard case .data = content else { return false }
        return delay == nil && dribble == nil && (conditions ?? general).isPerfect
    }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    private static func encoded(_ status: HTTPStatus, _ encode: () throws -> Data) -> Self {
        do {
            return Self(.data(try encode()), type: .json, status: status)
        } catch {
            return unusable("the value of Reply.json cannot be encoded: \(error)")
        }
    }

    static func unusable(_ reason: String) -> Self { .error(MockServerError(.unusableReply, reason)) }
}

extension MediaType {
    fileprivate init?(fileExtension: String) {
        guard let type = Self.types[fileExtension.lowercased()] else { return nil }
        self = type
    }

    private static let types: [String: MediaType] = [
        "json": .json, "txt": .text, "html": .html, "htm": .html, "csv": "text/csv; charset=utf-8",
        "xml": "application/xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "svg": "image/svg+xml", "pdf": "application/pdf", "zip": "application/zip",
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    ]
}
