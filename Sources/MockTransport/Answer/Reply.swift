public import Foundation

/// A response of a mock server: a status, headers and a body, with optional delays and faults.
///
/// ```swift
/// Reply.json(["items": ["tea"]]).header("ETag", "\"7\"").delay(.seconds(2))
/// ```
public struct Reply: Sendable, Modifiable {
    /// A function that passes each chunk of a body to `emit`.
    typealias ChunkSource = @Sendable (_ emit: (Data) async throws -> Void) async throws -> Void

    enum Body: Sendable {
        case data(Data)
        case stream(ChunkSource)
        /// Chunks, with times counted from the head, and the error that ended them, or `nil` if they are complete.
        case recorded([HAR.Chunk], failure: URLError?)
    }

    enum Content: Sendable {
        case body(Body)
        case file(URL)
        /// An error instead of a response.
        case error(any Error)
        /// The response of the real server, which is recorded if there is a recorder.
        case passthrough(ExchangeRecorder?)
    }

    /// The status of the response.
    public private(set) var status: HTTPStatus
    private(set) var headers: HTTPHeaders
    private(set) var content: Content
    private(set) var delay: Delay?
    private(set) var dribble: (chunks: Int, duration: Duration)?
    /// The fault that replaces or ends the response, or `nil` for a complete response.
    public private(set) var fault: Fault?
    /// The conditions that replace those of the server.
    private(set) var conditions: NetworkConditions?
    private(set) var isRepeated = false
    private var isConditional = false
    private(set) var work: (@Sendable () async -> Void)?
    /// Returns the reply to a request instead of this one, or `nil` for this one.
    private var adaptation: (@Sendable (ReceivedRequest) -> Reply?)?

    init(_ content: Content, type: MediaType? = nil, status: HTTPStatus = 200) {
        (self.content, self.status) = (content, status)
        headers = [:]
        if let type { headers[.contentType] = type.rawValue }
    }

    // MARK: Contents

    /// A value encoded as JSON. The keys are sorted, unless an encoder is given.
    public static func json(
        _ value: some Encodable, using encoder: JSONEncoder? = nil, status: HTTPStatus = 200
    ) -> Self {
        encoded(status) {
            if let encoder { return try encoder.encode(value) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(value)
        }
    }

    /// A JSON literal, with its members in the order written.
    public static func json(_ literal: JSONLiteral, status: HTTPStatus = 200) -> Self {
        encoded(status) { try literal.encoded() }
    }

    /// Text in UTF-8.
    public static func text(_ text: String, as type: MediaType = .text, status: HTTPStatus = 200) -> Self {
        Self(.body(.data(Data(text.utf8))), type: type, status: status)
    }

    /// Bytes.
    public static func data(_ data: Data, as type: MediaType = .octetStream, status: HTTPStatus = 200) -> Self
    {
        Self(.body(.data(data)), type: type, status: status)
    }

    /// Unavailable: the members of the dictionary may not be JSON.
    @available(*, unavailable, message: "use a literal, Reply.json([\"id\": 7]), or an Encodable value")
    public static func json(_ dictionary: [String: Any], status: HTTPStatus = 200) -> Self { .status(status) }

    /// Bytes that are JSON already.
    public static func json(_ data: Data, status: HTTPStatus = 200) -> Self {
        .data(data, as: .json, status: status)
    }

    /// Unavailable: the file has no folder.
    @available(
        *, unavailable,
        message: "use Reply.resource(\"items.json\", in: .module), or pass the URL of the file"
    )
    public static func file(_ name: String, status: HTTPStatus = 200) -> Self { .status(status) }

    /// The contents of a file, read when the reply is sent. The file extension determines the type unless `type` is set.
    public static func file(_ file: URL, as type: MediaType? = nil, status: HTTPStatus = 200) -> Self {
        Self(.file(file), type: type ?? MediaType(ofFile: file), status: status)
    }

    /// The contents of a resource of `bundle`: `Reply.resource("items.json", in: .module)`.
    public static func resource(_ name: String, in bundle: Bundle, status: HTTPStatus = 200) -> Self {
        guard let file = bundle.url(forResource: name, withExtension: nil) else {
            return unusable(.missingResource(name, bundle: bundle.bundleURL))
        }
        return .file(file, status: status)
    }

    /// A body sent in chunks as the sequence produces them, such as server-sent events.
    ///
    /// If the sequence throws, the client receives its error. A sequence that can be iterated only once answers one
    /// request: to answer more, create it in a handler.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, as type: MediaType = .octetStream, status: HTTPStatus = 200
    ) -> Self where Chunks.Element == Data {
        let source: ChunkSource = { emit in
            for try await chunk in chunks { try await emit(chunk) }
        }
        return Self(.body(.stream(source)), type: type, status: status)
    }

    /// A status without a body.
    ///
    /// Without a socket, the client receives a 401 itself: no delegate is asked for a credential.
    public static func status(_ status: HTTPStatus) -> Self { Self(.body(.data(Data())), status: status) }

    /// A redirect.
    ///
    /// Without a socket, the client receives the 3xx response itself: URLSession follows redirects only over a socket.
    public static func redirect(to location: String, status: HTTPStatus = 302) -> Self {
        Self.status(status).header(.location, location)
    }

    /// A redirect to a URL.
    public static func redirect(to url: URL, status: HTTPStatus = 302) -> Self {
        redirect(to: url.absoluteString, status: status)
    }

    /// An error instead of a response. The client receives exactly this error.
    public static func error(_ error: any Error) -> Self { Self(.error(error)) }

    /// A `URLError` instead of a response: `Reply.error(.timedOut)`.
    public static func error(_ code: URLError.Code) -> Self { error(URLError(code)) }

    /// A reply of 64 bytes of text with a fault.
    public static func fault(_ fault: Fault) -> Self {
        text(String(repeating: "0123456789abcde\n", count: 4)).fault(fault)
    }

    /// The response of the real server. This is the only reply that sends requests to the network.
    public static var passthrough: Self { Self(.passthrough(nil)) }

    // MARK: Modifiers

    /// Replaces the body by a value encoded as JSON: `Reply.status(201).json(["id": 7])`.
    public func json(_ value: some Encodable) -> Self { body(of: .json(value)) }

    /// Replaces the body by a JSON literal.
    public func json(_ literal: JSONLiteral) -> Self { body(of: .json(literal)) }

    /// Adds a header field and keeps others of the same name. `Content-Type` replaces the type of the reply.
    public func header(_ name: HTTPHeaders.Name, _ value: String) -> Self {
        changed { reply in
            if name == .contentType { reply.headers[name] = value } else { reply.headers.add(name, value) }
        }
    }

    /// Delays the head by a duration on the server's clock.
    public func delay(_ duration: Duration) -> Self { delay(.fixed(duration)) }

    /// Delays the head: `.delay(.uniform(.zero ... .seconds(2)))`.
    public func delay(_ delay: Delay) -> Self { changed { $0.delay = delay } }

    /// Sends the body in `chunks` pieces of about the same size, spread over `duration`.
    public func dribble(chunks: Int, over duration: Duration) -> Self {
        changed { $0.dribble = (max(chunks, 1), duration) }
    }

    /// Fails the request with the given fault instead of completing the reply.
    public func fault(_ fault: Fault) -> Self { changed { $0.fault = fault } }

    /// Replaces the network conditions of the server for this reply.
    public func conditions(_ conditions: NetworkConditions) -> Self { changed { $0.conditions = conditions } }

    /// Answers conditional requests and requests for a part of the body, as file servers do (RFC 9110, sections 13 and 14).
    ///
    /// A request with the `ETag` or `Last-Modified` of the reply is answered with status 304, and a request with a `Range`
    /// by status 206 and that part, unless its `If-Range` has another value. A fault applies to the part.
    ///
    /// ```swift
    /// Reply.file(video).header(.eTag, "\"v1\"").conditional()
    /// ```
    public func conditional() -> Self { changed { $0.isConditional = true } }

    /// Answers all further requests, if this is the last of several replies.
    public func repeats() -> Self { changed { $0.isRepeated = true } }

    // MARK: Internals

    /// Returns `true` if the reply is immediate, complete and not random, on a server with the given conditions.
    func isCacheable(under serverConditions: NetworkConditions) -> Bool {
        guard case .body(.data) = content else { return false }
        return delay == nil && dribble == nil && !isConditional && adaptation == nil
            && (conditions ?? serverConditions).isPerfect
    }

    /// Replaces the reply for the requests for which `adaptation` returns another one.
    func adapted(_ adaptation: @escaping @Sendable (ReceivedRequest) -> Reply?) -> Self {
        changed { $0.adaptation = adaptation }
    }

    /// Runs `check` with each request before its reply.
    func checked(_ check: @escaping @Sendable (ReceivedRequest) async -> Void) -> Self {
        adapted { request in answering(request).changed { $0.work = { await check(request) } } }
    }

    private func body(of other: Self) -> Self {
        changed { ($0.content, $0.headers[.contentType]) = (other.content, other.headers[.contentType]) }
    }

    private static func encoded(_ status: HTTPStatus, _ encode: () throws -> Data) -> Self {
        do {
            let body = try encode()
            // JSON text, which would be sent as a string in quotes.
            if ["\"{", "\"["].contains(where: { body.starts(with: $0.utf8) }),
                let text = try? JSONLiteral(parsing: body).text,
                (try? JSONLiteral(parsing: Data(text.utf8))) != nil
            {
                return unusable(.textAsValue)
            }
            return Self(.body(.data(body)), type: .json, status: status)
        } catch {
            return unusable(.unencodableValue(function: "Reply.json", error))
        }
    }

    static func unusable(_ reason: MockServerError.UnusableReply) -> Self {
        .error(MockServerError(.unusableReply(reason)))
    }
}

// MARK: Conditional requests

extension Reply {
    /// Returns the reply to `request`: this one or, if it is conditional, a part of it or status 304 or 416.
    func answering(_ request: ReceivedRequest) -> Self {
        if let reply = adaptation?(request) { return reply }
        guard isConditional, status == 200, [.get, .head].contains(request.method) else { return self }
        if isCurrent(request.headers) { return with(304, Data()) }
        let validator = request.headers[.ifRange]
        guard request.method == .get, let body, let range = request.headers[.range],
            validator == nil || validator == headers[.eTag] || validator == headers[.lastModified]
        else { return header("Accept-Ranges", "bytes") }
        switch Self.bytes(range, of: body.count) {
        case nil: return header("Accept-Ranges", "bytes")
        case let bytes? where bytes.isEmpty:
            return with(416, Data()).header("Content-Range", "bytes */\(body.count)")
        case let bytes?:
            let part = body.dropFirst(bytes.lowerBound).prefix(bytes.count)
            return with(206, Data(part)).header(
                "Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(body.count)")
        }
    }

    private var body: Data? {
        switch content {
        case .body(.data(let data)): data
        case .file(let file) where file.isFileURL: try? Data(contentsOf: file, options: .mappedIfSafe)
        default: nil
        }
    }

    private func isCurrent(_ fields: HTTPHeaders) -> Bool {
        if let tags = fields[.ifNoneMatch] {
            guard let tag = headers[.eTag] else { return false }
            return tags.split(separator: ",").contains { Self.opaque($0) == Self.opaque(tag[...]) }
        }
        return headers[.lastModified].map { $0 == fields[.ifModifiedSince] } ?? false
    }

    /// Returns a tag without spaces and the mark of a weak one.
    private static func opaque(_ tag: Substring) -> Substring {
        let tag = tag.drop { $0 == " " }
        return tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }

    private func with(_ status: HTTPStatus, _ body: Data) -> Self {
        changed { ($0.status, $0.content) = (status, .body(.data(body))) }
    }

    /// Returns the bytes of a range such as `bytes=4-9`, `bytes=4-` or `bytes=-6`, which are empty if the body is too short, or
    /// `nil` for several ranges or another unit.
    private static func bytes(_ range: String, of count: Int) -> Range<Int>? {
        guard let ends = range.wholeMatch(of: /bytes=([0-9]*)-([0-9]*)/)?.output else { return nil }
        switch (Int(ends.1), Int(ends.2)) {
        case (nil, nil): return nil
        case (nil, let length?): return max(0, count - length)..<count
        case (let first?, let last):
            guard last.map({ $0 >= first }) ?? true else { return nil }
            return min(first, count)..<min(last.map { $0 < count ? $0 + 1 : count } ?? count, count)
        }
    }
}

/// A recorder of the exchanges that are passed through to the real server.
struct ExchangeRecorder: Sendable {
    var masking = HAR.Masking.standard
    /// Adds a completed exchange, before the client receives its end.
    let add: @Sendable (HAR.Entry) throws(MockServerError) -> Void
}
