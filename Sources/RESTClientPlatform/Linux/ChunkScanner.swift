// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
/// Finds the end of a body in the chunked transfer coding (RFC 9112, section 7.1), which libcurl decodes without reporting it.
struct ChunkScanner {
    private enum Line { case size, dataEnd, trailer }

    /// The length of the body, or `nil` if its end was not found.
    private(set) var length: Int64?
    private var count: Int64 = 0
    /// The number of bytes of the current chunk that follow.
    private var rest = 0
    /// The meaning of the current line, or `nil` after the end of the body and after an error.
    private var kind: Line? = .size
    /// The start of the current line.
    private var line: [UInt8] = []

    /// The number of digits of a size up to which libcurl accepts it.
    private static let maxDigits = 16

    mutating func scan(_ bytes: UnsafeRawBufferPointer) {
        var bytes = bytes[...]
        while kind != nil, let byte = bytes.first {
            let size = min(rest, bytes.count)
            bytes.removeFirst(max(size, 1))
            (count, rest) = (count + Int64(size), rest - size)
            if size > 0 { continue }
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if byte != UInt8(ascii: "\r"), line.count <= Self.maxDigits {
                line.append(byte)
            }
        }
    }

    private mutating func endLine() {
        let digits = String(decoding: line.prefix { Character(Unicode.Scalar($0)).isHexDigit }, as: UTF8.self)
        let size = digits.utf8.count > Self.maxDigits ? nil : Int(digits, radix: 16)
        switch kind {
        case .size: (rest, kind) = (size ?? 0, size.map { $0 > 0 ? .dataEnd : .trailer })
        case .dataEnd: kind = line.isEmpty ? .size : nil
        case .trailer where line.isEmpty: (length, kind) = (count, nil)
        default: break
        }
        line = []
    }
}
#endif
