// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
/// Finds the end of a body in the chunked transfer coding (RFC 9112, section 7.1), which libcurl decodes without reporting it.
struct ChunkScanner {
    private enum Part { case size, data(rest: Int), dataEnd, trailer, complete, invalid }

    /// The number of bytes in the chunks so far.
    private var count: Int64 = 0
    private var part = Part.size
    /// The start of the current line.
    private var line: [UInt8] = []

    /// The number of digits of a size up to which libcurl accepts it.
    private static let maxDigits = 16

    /// The length of the body, or `nil` if its end was not found.
    var length: Int64? { if case .complete = part { count } else { nil } }

    mutating func scan(_ bytes: UnsafeRawBufferPointer) {
        var bytes = bytes[...]
        while let byte = bytes.first {
            if case .data(let rest) = part {
                let size = min(rest, bytes.count)
                bytes.removeFirst(size)
                count += Int64(size)
                part = size < rest ? .data(rest: rest - size) : .dataEnd
            } else {
                bytes.removeFirst()
                if byte == UInt8(ascii: "\n") {
                    endLine()
                } else if byte != UInt8(ascii: "\r"), line.count <= Self.maxDigits {
                    line.append(byte)
                }
            }
        }
    }

    private mutating func endLine() {
        switch part {
        case .size:
            let digits = line.prefix { Character(Unicode.Scalar($0)).isHexDigit }
            let size =
                digits.count > Self.maxDigits ? nil : Int(String(decoding: digits, as: UTF8.self), radix: 16)
            part = size.map { $0 > 0 ? .data(rest: $0) : .trailer } ?? .invalid
        case .dataEnd: part = line.isEmpty ? .size : .invalid
        case .trailer where line.isEmpty: part = .complete
        default: break
        }
        line = []
    }
}
#endif
