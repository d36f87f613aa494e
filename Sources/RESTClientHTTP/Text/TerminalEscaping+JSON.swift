// JSON for display.
extension TerminalEscaping {
    /// Texts around the tokens of JSON, such as the codes of colors.
    public struct TokenStyle: Sendable {
        /// The text before a key, a string, and any other value.
        public let key, string, scalar: String
        /// The text after each of them.
        public let end: String

        /// Creates a style from its texts.
        public init(key: String, string: String, scalar: String, end: String) {
            (self.key, self.string, self.scalar, self.end) = (key, string, scalar, end)
        }
    }

    /// Adds a valid JSON value to a line, without white space between tokens, and with unsafe characters as escapes.
    ///
    /// Keeps the order of keys, duplicates and the text of numbers.
    public static func append(json value: RawSpan, to line: inout [UInt8], style: TokenStyle? = nil) {
        line.reserveCapacity(line.count + value.byteCount)
        var writer = JSONLineWriter(line: line, style: style)
        // The only reference, so that the bytes are not copied.
        line = []
        var reader = ValueReader(ofWholeValueWithDepth: .max)
        _ = try? reader.read(value, from: 0, &writer)
        writer.copy(to: value.byteCount, of: value)
        line = writer.line
    }

    /// Adds valid UTF-8 text to a line as a JSON string with unsafe characters as escapes.
    public static func append(quoting text: UnsafeRawBufferPointer, to line: inout [UInt8]) {
        append(quoting: text, to: &line) { unsafeScalar(at: $0, in: text) }
    }

    /// Adds valid UTF-8 text as a JSON string.
    ///
    /// - Parameter escaped: Returns the character at an index if it is written as an escape.
    static func append(
        quoting text: UnsafeRawBufferPointer, to line: inout [UInt8],
        escaping escaped: (Int) -> Unicode.Scalar?
    ) {
        line.append(Byte.quote)
        // The start of the bytes that have been read but not added.
        var start = 0
        var index = 0
        while true {
            index = text.bytes.endOfPlainText(from: index)
            guard index < text.count else { break }
            if text[index] == Byte.quote || text[index] == Byte.backslash {
                line += text[start..<index]
                line.append(Byte.backslash)
                start = index
                index += 1
            } else if let scalar = escaped(index) {
                line += text[start..<index]
                line += escape(scalar).utf8
                index += UTF8.width(scalar)
                start = index
            } else {
                index += 1
            }
        }
        line += text[start...]
        line.append(Byte.quote)
    }
}

/// Writes the tokens of a value one after another.
private struct JSONLineWriter: TokenVisitor {
    var line: [UInt8]
    let style: TerminalEscaping.TokenStyle?
    /// The start of the bytes that have been read but not added.
    private var start = 0

    init(line: [UInt8], style: TerminalEscaping.TokenStyle?) { (self.line, self.style) = (line, style) }

    /// Adds the bytes up to `end`.
    mutating func copy(to end: Int, of bytes: RawSpan) {
        line.append(bytes.extracting(start..<end))
        start = end
    }

    mutating func skipSpace(_ space: Range<Int>, of bytes: RawSpan) {
        copy(to: space.lowerBound, of: bytes)
        start = space.upperBound
    }

    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
        write(key, kind, of: bytes, style?.key)
    }

    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) { write(scalar, kind, of: bytes, first == Byte.quote ? style?.string : style?.scalar) }

    private mutating func write(_ token: Range<Int>, _ kind: TextKind, of bytes: RawSpan, _ color: String?) {
        if let color {
            copy(to: token.lowerBound, of: bytes)
            line += color.utf8
        }
        if kind != .ascii {
            bytes.extracting(0..<token.upperBound).withUnsafeBytes { text in
                var index = token.lowerBound
                while let unsafe = TerminalEscaping.firstUnsafe(in: text, from: index) {
                    copy(to: unsafe.index, of: bytes)
                    line += TerminalEscaping.escape(unsafe.scalar).utf8
                    index = unsafe.index + UTF8.width(unsafe.scalar)
                    start = index
                }
            }
        }
        if let style, color != nil {
            copy(to: token.upperBound, of: bytes)
            line += style.end.utf8
        }
    }
}
