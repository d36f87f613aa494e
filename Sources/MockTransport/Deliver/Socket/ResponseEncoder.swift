import Foundation

/// An encoder that converts the steps of a reply to the bytes of an HTTP/1.1 response.
struct ResponseEncoder {
    /// The action after the bytes were sent.
    enum ConnectionAction: Equatable { case keepAlive, close, reset }

    /// The properties of a request, except for its method, on which the bytes of a reply depend.
    struct Variant: Hashable {
        fileprivate let isHTTP10: Bool
        fileprivate let keepsAlive: Bool
    }

    /// The variant of the request, before the first step was encoded.
    let variant: Variant
    let method: HTTPMethod
    private var keepsAlive: Bool
    /// The announced length of the body, if it ends there.
    private var length: Int?
    private var isChunked = false
    private var isGzip = false
    private var sent = 0
    private(set) var hasHead = false

    init(to head: RequestHead) {
        method = head.method
        keepsAlive = head.keepsAlive
        variant = Variant(isHTTP10: head.isHTTP10, keepsAlive: keepsAlive)
    }

    private var isHTTP10: Bool { variant.isHTTP10 }

    /// Returns the bytes of a whole plan without failures, and the action after them.
    func encoded(_ plan: ReplyPlan) -> EncodedReply {
        var encoder = self
        var reply = EncodedReply()
        for step in plan.steps where reply.action == nil {
            let (bytes, action) = encoder.encode(step)
            reply.bytes.append(bytes)
            reply.action = action
        }
        reply.isChunked = encoder.isChunked
        return reply
    }

    /// Returns the bytes of `step`, and the action if it is the last step.
    mutating func encode(_ step: ReplyPlan.Step) -> (bytes: Data, action: ConnectionAction?) {
        switch step {
        case .head(let head): return (encode(head), nil)
        case .chunk(let data): return (encode(data), nil)
        case .end:
            let isComplete = isChunked || length == nil || length == sent
            let end = isChunked && method != .head ? "0\r\n\r\n" : ""
            return (Data(end.utf8), isComplete && keepsAlive ? .keepAlive : .close)
        case .connectionFailure(let kind): return encode(kind)
        case .failure, .stall, .wait, .work, .stream, .passthrough: return (Data(), .close)
        }
    }

    // MARK: Heads

    private mutating func encode(_ head: ReplyPlan.Head) -> Data {
        // RFC 9112, section 6.3. A 205 has no body but, unlike a 204, needs a Content-Length (RFC 9110, section 15.3.6).
        let endsAfterHead = head.status.hasNoBody && head.status != 205
        var headers = head.headers
        hasHead = true
        length = endsAfterHead || method == .head ? nil : head.length
        isGzip = head.isGzip
        let announcesChunks = headers[.transferEncoding]?.lowercased() == "chunked"
        isChunked = !endsAfterHead && (head.length == nil || announcesChunks)
        if head.status.rawValue < 200 { keepsAlive = false }
        if head.status == 205 { headers[.contentLength] = "0" }
        if isChunked { headers[.contentLength] = nil }
        if isHTTP10, isChunked {
            // HTTP/1.0 has no chunked coding: the end of the connection ends the body.
            headers[.transferEncoding] = nil
            isChunked = false
            length = nil
            keepsAlive = false
        }
        if let length, let value = headers[.contentLength], value != "\(length)" { keepsAlive = false }
        if headers["Connection"]?.lowercased() == "close" { keepsAlive = false }
        if headers["Connection"] == nil, isHTTP10 || !keepsAlive {
            headers["Connection"] = keepsAlive ? "keep-alive" : "close"
        }
        return Self.text(head.status, headers)
    }

    private static func text(_ status: HTTPStatus, _ headers: HTTPHeaders) -> Data {
        var text = "HTTP/1.1 \(status.rawValue) \(status.reasonPhrase)\r\n"
        for (name, value) in headers {
            text += name.rawValue
            text += ": "
            // A line break in a value would end the field.
            text += value.utf8.contains { $0 == 13 || $0 == 10 } ? oneLine(value) : value
            text += "\r\n"
        }
        text += "\r\n"
        return Data(text.utf8)
    }

    private static func oneLine(_ value: String) -> String { String(value.map { $0.isNewline ? " " : $0 }) }

    // MARK: Bodies

    private mutating func encode(_ data: Data) -> Data {
        guard !data.isEmpty else { return Data() }
        sent += data.count
        guard isGzip else { return chunk(data) }
        return chunk((sent == data.count ? Self.gzipHeader : Data()) + Self.stored(data))
    }

    private func chunk(_ data: Data) -> Data {
        guard isChunked else { return data }
        return Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    // MARK: Failures

    private mutating func encode(
        _ kind: ReplyPlan.ConnectionFailure
    ) -> (bytes: Data, action: ConnectionAction?) {
        switch kind {
        case .refused, .hostNotFound, .tlsFailure, .reset: (Data(), .reset)
        case .empty, .closed: (Data(), .close)
        case .malformedHead: (Data("GARBAGE\r\n\r\n".utf8), .close)
        case .malformedChunk: (Data("ZZ\r\n".utf8), .close)
        case .invalidGzip: (chunk(Data("not gzip data".utf8)), .close)
        case .truncatedGzip: encode(.end)
        }
    }

    // MARK: Gzip

    private static let gzipHeader = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    /// The maximum size of a stored block (RFC 1951, section 3.2.4).
    private static let maxBlockSize = 0xFFFF

    /// Returns uncompressed gzip blocks. None is marked as the last, so the body is truncated wherever it ends.
    private static func stored(_ data: Data) -> Data {
        var result = Data()
        var rest = data
        while !rest.isEmpty {
            let part = rest.prefix(maxBlockSize)
            rest = rest.dropFirst(part.count)
            let count = UInt16(part.count)
            result += [0] + [count, ~count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            result += part
        }
        return result
    }
}

/// The bytes of a reply, and the action after they were sent.
struct EncodedReply {
    var bytes = WriteBuffer()
    var action: ResponseEncoder.ConnectionAction?
    var isChunked = false

    /// `false` for a large copy of a body. Without chunks, the bytes are those of the reply itself.
    var isWorthKeeping: Bool { !isChunked || bytes.count <= 1 << 20 }
}
