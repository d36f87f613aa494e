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

    /// Writes a valid JSON value to the start of a buffer as one line, without white space between tokens, and with unsafe
    /// characters as escapes. Returns the number of bytes.
    ///
    /// Keeps the order of keys, duplicates and the text of numbers. The buffer grows as needed; use it again for the next value.
    public static func write(json value: RawSpan, to buffer: inout [UInt8], style: TokenStyle? = nil) -> Int {
        var room = (style == nil ? 1 : 4) * value.byteCount + 64
        while true {
            if buffer.count < room { buffer = [UInt8](repeating: 0, count: room) }
            let count = buffer.withUnsafeMutableBytes { target -> Int? in
                var writer = JSONLineWriter(target, style)
                var reader = ValueReader(ofWholeValueWithDepth: .max)
                _ = try? reader.read(value, from: 0, &writer)
                writer.copy(to: value.byteCount, of: value)
                return writer.hasRoom ? writer.count : nil
            }
            if let count { return count }
            room = 2 * buffer.count
        }
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
    private var line: TextBuffer
    /// `false` if the line does not fit.
    private(set) var hasRoom = true
    private let style: TerminalEscaping.TokenStyle?
    /// The start of the bytes that have been read but not added.
    private var start = 0

    init(_ target: UnsafeMutableRawBufferPointer, _ style: TerminalEscaping.TokenStyle?) {
        (line, self.style) = (TextBuffer(target), style)
    }

    var count: Int { line.count }
    var isFinished: Bool { !hasRoom }

    /// Adds the bytes up to `end`.
    @inline(__always) mutating func copy(to end: Int, of bytes: RawSpan) {
        hasRoom = hasRoom && end &- start <= line.room
        if hasRoom { line.append(start..<end, of: bytes) }
        start = end
    }

    private mutating func add(_ text: String) {
        hasRoom = hasRoom && text.utf8.count <= line.room
        if hasRoom { for byte in text.utf8 { line.append(UInt32(byte)) } }
    }

    @inline(__always) mutating func skipSpace(_ space: Range<Int>, of bytes: RawSpan) {
        copy(to: space.lowerBound, of: bytes)
        start = space.upperBound
    }

    @inline(__always)
    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
        if style != nil || kind != .ascii { write(key, of: bytes, style?.key) }
    }

    @inline(__always) mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {
        guard style != nil || kind != .ascii else { return }
        write(scalar, of: bytes, first == Byte.quote ? style?.string : style?.scalar)
    }

    /// Adds a token that has a color, or can have unsafe characters.
    private mutating func write(_ token: Range<Int>, of bytes: RawSpan, _ color: String?) {
        if let color {
            copy(to: token.lowerBound, of: bytes)
            add(color)
        }
        bytes.extracting(0..<token.upperBound).withUnsafeBytes { text in
            var index = token.lowerBound
            while let unsafe = TerminalEscaping.firstUnsafe(in: text, from: index) {
                copy(to: unsafe.index, of: bytes)
                add(TerminalEscaping.escape(unsafe.scalar))
                index = unsafe.index + UTF8.width(unsafe.scalar)
                start = index
            }
        }
        guard let style, color != nil else { return }
        copy(to: token.upperBound, of: bytes)
        add(style.end)
    }
}
