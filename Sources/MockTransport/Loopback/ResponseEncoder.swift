import Foundation

/// An encoder for the steps of a reply.
struct ResponseEncoder {
    /// The action after the bytes were sent.
    enum ConnectionAction: Equatable { case keepAlive, close, reset }

    private let method: HTTPMethod
    private let isHTTP10: Bool
    private var keepsAlive: Bool
    private var framing = ReplyPlan.Head.Framing.none
    private var isChunked = false
    private var isGzip = false
    private var sent = 0
    private(set) var hasHead = false

    init(to head: RequestHead, allowsKeepAlive: Bool) {
        method = head.method
        isHTTP10 = head.isHTTP10
        keepsAlive = head.keepsAlive && allowsKeepAlive
    }

    /// Returns the bytes of `step`, and the action if it is the last step.
    ///
    /// - Parameter rest: The following steps: the head must announce the length of a gzip body.
    mutating func encode(
        _ step: ReplyPlan.Step, before rest: ArraySlice<ReplyPlan.Step> = []
    ) -> (bytes: Data, action: ConnectionAction?) {
        switch step {
        case .head(let head): return (encode(head, before: rest), nil)
        case .chunk(let data): return (encode(data), nil)
        case .end: return (end(), isBodyComplete && keepsAlive ? .keepAlive : .close)
        case .connectionFailure(let kind): return encode(kind)
        case .failure, .stall, .wait, .stream, .passthrough: return (Data(), .close)
        }
    }

    // MARK: Heads

    private mutating func encode(_ head: ReplyPlan.Head, before rest: ArraySlice<ReplyPlan.Step>) -> Data {
        var headers = head.headers
        hasHead = true
        framing = head.framing
        isGzip = head.coding == .gzip
        if case .chunked = framing { isChunked = true }
        if headers[.transferEncoding]?.lowercased() == "chunked" { isChunked = true }
        if head.status.rawValue < 200 { keepsAlive = false }
        if head.status.endsAfterHead || method == .head { framing = .none }
        if head.status.endsAfterHead { isChunked = false }
        // A 205 has no body but, unlike a 204, needs a Content-Length (RFC 9110, section 15.3.6).
        if head.status == 205 { headers[.contentLength] = "0" }
        if isGzip, let count = Self.gzipCount(of: rest) {
            headers[.contentLength] = "\(count)"
            framing = .length(count)
        }
        if isChunked { headers[.contentLength] = nil }
        if isHTTP10, isChunked {
            // HTTP/1.0 has no chunked coding: the end of the connection ends the body.
            headers[.transferEncoding] = nil
            isChunked = false
            framing = .none
            keepsAlive = false
        }
        if case .length(let count) = framing, let value = headers[.contentLength], value != "\(count)" {
            keepsAlive = false
        }
        if headers["Connection"]?.lowercased() == "close" { keepsAlive = false }
        var text = "HTTP/1.1 \(head.status.rawValue) \(head.status.reasonPhrase)\r\n"
        for (name, value) in headers {
            text += name.rawValue
            text += ": "
            // A line break in a value would end the field.
            text += value.utf8.contains { $0 == 13 || $0 == 10 } ? Self.oneLine(value) : value
            text += "\r\n"
        }
        if headers["Connection"] == nil {
            if !keepsAlive {
                text += "Connection: close\r\n"
            } else if isHTTP10 {
                text += "Connection: keep-alive\r\n"
            }
        }
        text += "\r\n"
        return Data(text.utf8)
    }

    private static func oneLine(_ value: String) -> String { String(value.map { $0.isNewline ? " " : $0 }) }

    // MARK: Bodies

    private mutating func encode(_ data: Data) -> Data {
        guard !data.isEmpty else { return Data() }
        sent += data.count
        var data = data
        if isGzip {
            data = (sent == data.count ? Self.gzipHeader : Data()) + Self.stored(data)
        }
        guard isChunked else { return data }
        return Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    private func end() -> Data { isChunked && method != .head ? Data("0\r\n\r\n".utf8) : Data() }

    /// `true` if the client can tell that the body is complete.
    private var isBodyComplete: Bool {
        if isGzip || isChunked { return true }
        if case .length(let count) = framing { return sent == count }
        return true
    }

    // MARK: Failures

    private func encode(_ kind: ReplyPlan.ConnectionFailure) -> (bytes: Data, action: ConnectionAction?) {
        switch kind {
        case .refused, .hostNotFound, .tlsFailure, .reset: (Data(), .reset)
        case .empty, .closed: (Data(), .close)
        case .malformedHead: (Data("GARBAGE\r\n\r\n".utf8), .close)
        case .malformedChunk: (Data("ZZ\r\n".utf8), .close)
        case .invalidGzip: (Data(repeating: UInt8(ascii: "x"), count: invalidGzipCount), .close)
        }
    }

    private var invalidGzipCount: Int {
        if case .length(let count) = framing { count } else { Self.minInvalidGzipCount }
    }

    // MARK: Gzip

    /// The number of bytes that a decoder needs to detect invalid gzip.
    private static let minInvalidGzipCount = 10
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
            for number in [count, ~count] {
                result.append(contentsOf: [UInt8(number & 0xFF), UInt8(number >> 8)])
            }
            result.insert(0, at: result.count - 4)
            result.append(part)
        }
        return result
    }

    /// Returns the size of the gzip body for these steps, or `nil` if it is unknown.
    private static func gzipCount(of rest: ArraySlice<ReplyPlan.Step>) -> Int? {
        var count = 0
        for step in rest {
            switch step {
            case .chunk(let data):
                count += (count == 0 ? gzipHeader.count : 0) + data.count
                count += (data.count + maxBlockSize - 1) / maxBlockSize * 5
            case .connectionFailure(.invalidGzip): return max(count, minInvalidGzipCount)
            case .stream, .passthrough: return nil
            case .head, .wait, .stall, .end, .connectionFailure, .failure: continue
            }
        }
        return count
    }
}

extension HTTPStatus {
    /// `true` if the response ends after its head, regardless of its fields (RFC 9112, section 6.3).
    fileprivate var endsAfterHead: Bool { rawValue < 200 || self == 204 || self == 304 }
}
