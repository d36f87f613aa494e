import HTTPCore
import RESTClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A line is an item: a string as it is, any other value as compact JSON.
///
/// A string that would drive the terminal, break the line, or be taken for JSON because it starts with a quote is
/// printed as a JSON string, so that `wc -l` counts items and nothing a server sends is acted upon.
struct LineWriter: ItemWriter {
    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) {
        try item.withUnsafeBytes { (item) throws(OutputFailure) in
            guard item.count > 1, item[0] == Self.quote else {
                try output.append(json: item)
                return try output.append(UInt8(ascii: "\n"))
            }
            let inner = UnsafeRawBufferPointer(rebasing: item[1..<item.count - 1])
            if output.appendPlainLine(inner) { return }
            try output.append(string: inner, literal: item)
            try output.append(UInt8(ascii: "\n"))
        }
    }

    @inline(__always)
    mutating func write(plain item: RawSpan, to output: inout Output) throws(OutputFailure) {
        try item.withUnsafeBytes { (item) throws(OutputFailure) in
            try output.appendLine(UnsafeRawBufferPointer(rebasing: item[1..<item.count - 1]))
        }
    }

    mutating func end(_ output: inout Output) throws(OutputFailure) {}

    private static let quote = UInt8(ascii: "\"")
}

extension Output {
    /// Adds the string that `literal` writes as JSON, with `inner` between its quotes.
    fileprivate mutating func append(
        string inner: UnsafeRawBufferPointer, literal: UnsafeRawBufferPointer
    ) throws(OutputFailure) {
        let isEscaped = inner.baseAddress.map { memchr($0, 0x5C, inner.count) } != nil
        guard isEscaped else { return try append(text: inner) }
        // The scanner has seen to it that this is a string.
        guard let text = ListScanner.unescaped(literal.bytes) else { return try append(json: literal) }
        try text.span.bytes.withUnsafeBytes { (text) throws(OutputFailure) in try append(text: text) }
    }

    /// Adds text that is valid UTF-8: as it is, or as a JSON string.
    private mutating func append(text: UnsafeRawBufferPointer) throws(OutputFailure) {
        if text.first != UInt8(ascii: "\""), SafeText.firstUnsafe(in: text) == nil {
            try append(text)
        } else {
            try appendLiteral(of: text)
        }
    }

    private mutating func appendLiteral(of text: UnsafeRawBufferPointer) throws(OutputFailure) {
        try append(UInt8(ascii: "\""))
        var index = 0
        while index < text.count {
            if let scalar = SafeText.unsafeScalar(at: index, in: text) {
                try append(SafeText.escape(scalar))
                index += UTF8.width(scalar)
                continue
            }
            let byte = text[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { try append(UInt8(ascii: "\\")) }
            try append(byte)
            index += 1
        }
        try append(UInt8(ascii: "\""))
    }
}
