import Foundation

/// Makes bytes of the steps of one reply.
struct ResponseEncoder {
    /// What happens to the connection when the bytes are out.
    enum Ending: Equatable { case keep, close, reset }

    private let method: HTTPMethod
    private let isOld: Bool
    private var keepsAlive: Bool
    private var framing = ReplyPlan.Head.Framing.none
    private var isChunked = false
    private var isGzip = false
    private var sent = 0
    private(set) var hasHead = false

    init(to head: RequestHead, mayKeep: Bool) {
        method = head.method
        isOld = head.isOld
        keepsAlive = head.keepsAlive && mayKeep
    }

    /// What `step` is on the wire; with an ending, the reply is over.
    ///
    /// - Parameter rest: The steps behind it: what a gzip body will measure must be told in the head.
    mutating func encode(
        _ step: ReplyPlan.Step, before rest: ArraySlice<ReplyPlan.Step> = []
    ) -> (bytes: Data, ending: Ending?) {
        switch step {
        case .head(let head): return (encode(head, before: rest), nil)
        case .chunk(let data): return (encode(data), nil)
        case .end: return (end(), endsWhole && keepsAlive ? .keep : .close)
        case .broken(let kind): return encode(kind)
        case .failure, .stall, .wait, .chunks, .passthrough: return (Data(), .close)
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
        if head.status.isBare || method == .head { framing = .none }
        if head.status.isBare { isChunked = false }
        // A 205 has no body but, unlike a 204, must say so (RFC 9110, section 15.3.6).
        if head.status == 205 { headers[.contentLength] = "0" }
        if isGzip, let count = Self.gzipCount(of: rest) {
            headers[.contentLength] = "\(count)"
            framing = .length(count)
        }
        if isChunked { headers[.contentLength] = nil }
        if isOld, isChunked {
            // No chunks in HTTP/1.0: the end of the connection is the end of the body.
            headers[.transferEncoding] = nil
            isChunked = false
            framing = .none
            keepsAlive = false
        }
        if case .length(let count) = framing, let told = headers[.contentLength], told != "\(count)" {
            keepsAlive = false
        }
        if headers["Connection"]?.lowercased() == "close" { keepsAlive = false }
        var text = "HTTP/1.1 \(head.status.rawValue) \(head.status.reasonPhrase)\r\n"
        for (name, value) in headers {
            text += name.rawValue
            text += ": "
            // A line end inside a value would be the end of the field.
            text += value.utf8.contains { $0 == 13 || $0 == 10 } ? Self.oneLine(value) : value
            text += "\r\n"
        }
        if headers["Connection"] == nil {
            if !keepsAlive {
                text += "Connection: close\r\n"
            } else if isOld {
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

    /// Whether the client can see that the body is complete.
    private var endsWhole: Bool {
        if isGzip || isChunked { return true }
        if case .length(let count) = framing { return sent == count }
        return true
    }

    // MARK: What breaks

    private func encode(_ kind: ReplyPlan.Break) -> (bytes: Data, ending: Ending?) {
        switch kind {
        case .refused, .hostNotFound, .tlsFailure, .reset: (Data(), .reset)
        case .empty, .closed: (Data(), .close)
        case .malformedHead: (Data("GARBAGE\r\n\r\n".utf8), .close)
        case .malformedChunk: (Data("ZZ\r\n".utf8), .close)
        case .badGzip: (Data(repeating: UInt8(ascii: "x"), count: badGzipCount), .close)
        }
    }

    private var badGzipCount: Int {
        if case .length(let count) = framing { count } else { Self.leastBadGzip }
    }

    // MARK: Gzip

    /// As many bytes as it takes to see that they are none.
    private static let leastBadGzip = 10
    private static let gzipHeader = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    /// The greatest block that is stored as it is (RFC 1951, section 3.2.4).
    private static let block = 0xFFFF

    /// Blocks as they are; none says that it is the last, so that the whole is cut wherever it ends.
    private static func stored(_ data: Data) -> Data {
        var result = Data()
        var rest = data
        while !rest.isEmpty {
            let part = rest.prefix(block)
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

    /// How many bytes a gzip body made of these steps has; `nil` where that cannot be known.
    private static func gzipCount(of rest: ArraySlice<ReplyPlan.Step>) -> Int? {
        var count = 0
        for step in rest {
            switch step {
            case .chunk(let data):
                count += (count == 0 ? gzipHeader.count : 0) + data.count
                count += (data.count + block - 1) / block * 5
            case .broken(.badGzip): return max(count, leastBadGzip)
            case .chunks, .passthrough: return nil
            case .head, .wait, .stall, .end, .broken, .failure: continue
            }
        }
        return count
    }
}

extension HTTPStatus {
    /// Whether the first empty line ends the response, whatever its fields say (RFC 9112, section 6.3).
    fileprivate var isBare: Bool { rawValue < 200 || self == 204 || self == 304 }
}
