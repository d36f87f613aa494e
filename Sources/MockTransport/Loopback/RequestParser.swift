import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Makes requests of bytes, which may come in any pieces.
struct RequestParser {
    struct Message: Equatable {
        let head: RequestHead
        let body: Data
    }

    private enum Phase {
        case head
        case body(RequestHead, missing: Int)
        case chunkSize(RequestHead)
        case chunk(RequestHead, missing: Int)
        case chunkEnd(RequestHead)
        case trailers(RequestHead, bytes: Int)
    }

    private let authority: String
    private let headLimit: Int
    private let bodyLimit: Int
    private var buffer: [UInt8] = []
    /// Before it all is read.
    private var start = 0
    /// Before it there is no end of a line.
    private var searched = 0
    private var lineStart = 0
    private var body = Data()
    private var phase = Phase.head
    private var mayAskToContinue = false

    init(authority: String, limits: LoopbackServer.Limits) {
        self.authority = authority
        headLimit = limits.headBytes
        bodyLimit = limits.bodyBytes
    }

    /// Bytes that are not read yet.
    var buffered: Int { buffer.count - start }

    /// Whether nothing of a request has come.
    var isIdle: Bool { if case .head = phase { buffered == 0 } else { false } }

    /// Whether the head is there and the body is not.
    var isInBody: Bool { if case .head = phase { false } else { true } }

    /// Whether the client waits to be told that it may send its body; says so once.
    mutating func takeContinue() -> Bool {
        defer { mayAskToContinue = false }
        return mayAskToContinue && isInBody && body.isEmpty && buffered == 0
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
            discard(start)
        } else if start > 64 << 10 {
            buffer.removeSubrange(..<start)
            discard(start)
        }
        buffer.append(contentsOf: bytes)
    }

    private mutating func discard(_ count: Int) {
        start -= count
        searched = max(searched - count, 0)
        lineStart = max(lineStart - count, 0)
    }

    /// The next request, if all of it is there.
    mutating func next() throws(Refusal) -> Message? {
        while true {
            switch phase {
            case .head:
                guard let head = try readHead() else { return nil }
                mayAskToContinue = head.expectsContinue
                switch head.framing {
                case .length(0): return Message(head: head, body: Data())
                case .length(let count): phase = .body(head, missing: count)
                case .chunked: phase = .chunkSize(head)
                }
            case .body(let head, let missing):
                let left = missing - take(missing)
                phase = .body(head, missing: left)
                guard left == 0 else { return nil }
                return finish(head)
            case .chunkSize(let head):
                guard let size = try readChunkSize() else { return nil }
                phase = size == 0 ? .trailers(head, bytes: 0) : .chunk(head, missing: size)
            case .chunk(let head, let missing):
                let left = missing - take(missing)
                phase = left == 0 ? .chunkEnd(head) : .chunk(head, missing: left)
                guard left == 0 else { return nil }
            case .chunkEnd(let head):
                guard let line = try readLine(limit: 2) else { return nil }
                guard line.isEmpty else { throw .malformed("a chunk is longer than its size") }
                phase = .chunkSize(head)
            case .trailers(let head, let bytes):
                guard let line = try readLine(limit: headLimit - bytes) else { return nil }
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
            beginLine()
        }
        return Message(head: head, body: body)
    }

    private mutating func beginLine() {
        searched = start
        lineStart = start
    }

    /// Moves up to `count` bytes into the body.
    private mutating func take(_ count: Int) -> Int {
        let taken = min(count, buffered)
        body.append(contentsOf: buffer[start..<start + taken])
        start += taken
        beginLine()
        return taken
    }

    /// Looks for the empty line that ends a head.
    private mutating func readHead() throws(Refusal) -> RequestHead? {
        // Empty lines before a request are leftovers of the one before (RFC 9112, section 2.2).
        while lineStart == start, buffered >= 2, buffer[start] == 13, buffer[start + 1] == 10 {
            start += 2
            beginLine()
        }
        while let end = try nextLineEnd() {
            defer { lineStart = end + 1 }
            guard end == lineStart + 1 else { continue }
            guard end + 1 - start <= headLimit else { break }
            let range = start..<lineStart
            let head = buffer.withUnsafeBytes { bytes -> Result<RequestHead, Refusal> in
                let lines = UnsafeRawBufferPointer(rebasing: bytes[range])
                do throws(Refusal) {
                    return .success(try RequestHead(lines, authority: authority, bodyLimit: bodyLimit))
                } catch {
                    return .failure(error)
                }
            }
            start = end + 1
            searched = start
            return try head.get()
        }
        guard buffered <= headLimit else {
            throw Refusal(status: 431, reason: "request line and fields may have \(headLimit) bytes")
        }
        return nil
    }

    /// The place of the next LF, which must stand behind a CR.
    private mutating func nextLineEnd() throws(Refusal) -> Int? {
        let from = max(searched, lineStart)
        let found = buffer.withUnsafeBytes { bytes -> Int? in
            guard from < bytes.count, let base = bytes.baseAddress,
                let place = memchr(base + from, 10, bytes.count - from)
            else { return nil }
            return UnsafeRawPointer(place) - base
        }
        guard let found else {
            searched = buffer.count
            return nil
        }
        searched = found + 1
        guard found > lineStart, buffer[found - 1] == 13 else {
            throw .malformed("a line does not end in CRLF")
        }
        return found
    }

    /// The next line without its end, if it is there.
    private mutating func readLine(limit: Int) throws(Refusal) -> ArraySlice<UInt8>? {
        guard let end = try nextLineEnd() else {
            guard buffered <= limit else { throw .malformed("a line of the body's framing is too long") }
            return nil
        }
        guard end + 1 - start <= max(limit, 2) else {
            throw .malformed("a line of the body's framing is too long")
        }
        let line = buffer[start..<end - 1]
        start = end + 1
        beginLine()
        return line
    }

    private mutating func readChunkSize() throws(Refusal) -> Int? {
        guard let line = try readLine(limit: 4_096) else { return nil }
        // What follows a semicolon are extensions, which nobody knows.
        let digits = line.prefix(while: \.isHexDigit)
        let rest = line[digits.endIndex...].drop { $0 == 32 || $0 == 9 }
        guard (1...16).contains(digits.count), rest.isEmpty || rest.first == 59,
            rest.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .malformed("the size of a chunk is not a number") }
        guard size <= bodyLimit - body.count else {
            throw Refusal(status: 413, reason: "a body may have \(bodyLimit) bytes")
        }
        return size
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case 48...57, 65...70, 97...102: true
        default: false
        }
    }
}
