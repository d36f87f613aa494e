import Foundation

struct RequestParser {
    struct Message: Equatable {
        let head: RequestHead
        let body: Data
    }

    private enum Phase {
        case head
        case body(RequestHead, remaining: Int)
        case chunkSize(RequestHead)
        case chunk(RequestHead, remaining: Int)
        case chunkEnd(RequestHead)
        case trailers(RequestHead, bytes: Int)
    }

    private let authority: String
    private let limits: LoopbackServer.Limits
    private var buffer: [UInt8] = []
    /// The index of the first unread byte.
    private var start = 0
    /// The index before which no line break was found.
    private var searched = 0
    private var body = Data()
    /// The last head and its bytes. The requests of a connection often have the same head.
    private var lastHead: (bytes: [UInt8], head: RequestHead)?
    private var phase = Phase.head
    private var expectsContinue = false

    init(authority: String, limits: LoopbackServer.Limits) {
        (self.authority, self.limits) = (authority, limits)
    }

    var buffered: Int { buffer.count - start }

    /// `true` between the head and the end of the body.
    private var isInBody: Bool { if case .head = phase { false } else { true } }

    /// Returns `true` once if the client waits for a 100 status before it sends its body.
    mutating func takeContinueExpectation() -> Bool {
        defer { expectsContinue = false }
        return expectsContinue && isInBody && body.isEmpty && buffered == 0
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start > 0, start == buffer.count || start > 64 << 10 {
            // Copies the rest, so that a large buffer is released.
            if buffer.capacity > 1 << 20 {
                buffer = Array(buffer[start...])
            } else {
                buffer.removeSubrange(..<start)
            }
            searched = max(searched - start, 0)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next request, or `nil` if it is incomplete.
    mutating func next() throws(HTTPError) -> Message? {
        while true {
            switch phase {
            case .head:
                guard let head = try readHead() else { return nil }
                expectsContinue = head.expectsContinue
                switch head.framing {
                case .length(0): return Message(head: head, body: Data())
                case .length(let count): phase = .body(head, remaining: count)
                case .chunked: phase = .chunkSize(head)
                }
            case .body(let head, let remaining):
                let left = remaining - moveToBody(remaining)
                phase = .body(head, remaining: left)
                guard left == 0 else { return nil }
                return finish(head)
            case .chunkSize(let head):
                guard let size = try readChunkSize() else { return nil }
                phase = size == 0 ? .trailers(head, bytes: 0) : .chunk(head, remaining: size)
            case .chunk(let head, let remaining):
                let left = remaining - moveToBody(remaining)
                phase = left == 0 ? .chunkEnd(head) : .chunk(head, remaining: left)
                guard left == 0 else { return nil }
            case .chunkEnd(let head):
                // A longer line is an error: the chunk is longer than its size.
                guard try readLine(limit: 2) != nil else { return nil }
                phase = .chunkSize(head)
            case .trailers(let head, let bytes):
                guard let line = try readLine(limit: limits.headBytes - bytes) else { return nil }
                guard line.isEmpty else {
                    _ = try RequestHead.field(line)
                    phase = .trailers(head, bytes: bytes + line.count + 2)
                    continue
                }
                return finish(head)
            }
        }
    }

    private mutating func finish(_ head: RequestHead) -> Message {
        defer {
            body = Data()
            phase = .head
        }
        return Message(head: head, body: body)
    }

    private mutating func moveToBody(_ count: Int) -> Int {
        let taken = min(count, buffered)
        body.append(contentsOf: buffer[start..<start + taken])
        start += taken
        return taken
    }

    /// Parses a head, or returns `nil` if its end has not arrived.
    private mutating func readHead() throws(HTTPError) -> RequestHead? {
        // Empty lines before a request are ignored (RFC 9112, section 2.2).
        while buffered >= 2, buffer[start] == 13, buffer[start + 1] == 10 { start += 2 }
        if let lastHead, buffer[start...].starts(with: lastHead.bytes) {
            start += lastHead.bytes.count
            return lastHead.head
        }
        while let end = try nextLineEnd() {
            // An empty line ends the head.
            guard end - 2 >= start, buffer[end - 2] == 10 else { continue }
            guard end + 1 - start <= limits.headBytes else { break }
            let bytes = Array(buffer[start...end])
            let head = try RequestHead(
                bytes.dropLast(2), authority: authority, bodyLimit: limits.bodyBytes)
            start = end + 1
            lastHead = (bytes, head)
            return head
        }
        guard buffered <= limits.headBytes else {
            let reason = "the request line and the header fields exceed \(limits.headBytes) bytes"
            throw HTTPError(status: 431, reason: reason)
        }
        return nil
    }

    /// Returns the index of the next LF, which must follow a CR.
    private mutating func nextLineEnd() throws(HTTPError) -> Int? {
        guard let found = buffer[max(searched, start)...].firstIndex(of: 10) else {
            searched = buffer.count
            return nil
        }
        searched = found + 1
        guard found > start, buffer[found - 1] == 13 else {
            throw .malformed("a line does not end in CRLF")
        }
        return found
    }

    /// Removes and returns the next line without its line break, or returns `nil` if it is incomplete.
    private mutating func readLine(limit: Int) throws(HTTPError) -> ArraySlice<UInt8>? {
        guard let end = try nextLineEnd() else {
            guard buffered <= limit else { throw .malformed("a line in the chunked body is too long") }
            return nil
        }
        guard end + 1 - start <= max(limit, 2) else {
            throw .malformed("a line in the chunked body is too long")
        }
        defer { start = end + 1 }
        return buffer[start..<end - 1]
    }

    private mutating func readChunkSize() throws(HTTPError) -> Int? {
        guard let line = try readLine(limit: 4_096) else { return nil }
        // Extensions after a semicolon are ignored.
        let digits = line.prefix { Character(UnicodeScalar($0)).isHexDigit }
        let rest = line[digits.endIndex...].drop { $0 == 32 || $0 == 9 }
        guard (1...16).contains(digits.count), rest.isEmpty || rest.first == 59,
            rest.allSatisfy(\.isFieldByte), let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .malformed("a chunk size is not a number") }
        guard size <= limits.bodyBytes - body.count else {
            throw HTTPError(status: 413, reason: "the body exceeds \(limits.bodyBytes) bytes")
        }
        return size
    }
}
