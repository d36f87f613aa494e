import Foundation
import RESTClient

/// A destination for bytes: the output, or an array for text that has to be measured first.
protocol ByteSink: ~Copyable {
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OutputError)
    mutating func append(_ byte: UInt8) throws(OutputError)
    /// Calls `body` with room for at least `capacity` bytes, and adds as many of them as it returns.
    mutating func append(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) throws(OutputError)
}

extension Output: ByteSink {}

extension UnsafeRawBufferPointer {
    typealias Block = SIMD16<UInt8>

    @inline(__always) func containsByte(_ byte: UInt8) -> Bool {
        contains({ $0 .== Block(repeating: byte) }, word: { $0.marks(of: byte) }) { $0 == byte }
    }

    @inline(__always) var containsNonASCII: Bool {
        contains({ $0 .>= Block(repeating: 0x80) }, word: { $0 & .highBits }) { $0 >= 0x80 }
    }

    /// Returns `true` if a byte is a control character, `first` or `second`.
    @inline(__always) func containsControl(or first: UInt8, _ second: UInt8) -> Bool {
        contains {
            ($0 .< Block(repeating: 0x20)) .| ($0 .== Block(repeating: first))
                .| ($0 .== Block(repeating: second))
        } word: {
            $0.marks(below: 0x20) | $0.marks(of: first) | $0.marks(of: second)
        } byte: {
            $0 < 0x20 || $0 == first || $0 == second
        }
    }

    /// Returns `true` if a byte matches. Most texts are short, for which a call of `memchr` takes longer.
    @inline(__always) private func contains(
        _ block: (Block) -> SIMDMask<SIMD16<Int8>>, word: (UInt64) -> UInt64, byte: (UInt8) -> Bool
    ) -> Bool {
        // The first and the last bytes, which can overlap.
        if 8..<16 ~= count {
            let first = loadUnaligned(as: UInt64.self)
            let last = loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return word(first) | word(last) != 0
        }
        if 4..<8 ~= count {
            let first = UInt64(loadUnaligned(as: UInt32.self))
            let last = UInt64(loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return word(first | last << 32) != 0
        }
        guard count >= 16 else { return contains(where: byte) }
        var index = 0
        while true {
            let found = block(loadUnaligned(fromByteOffset: index, as: Block.self))
            // `any` is a loop over the lanes.
            let halves = unsafeBitCast(found, to: SIMD2<UInt64>.self)
            if halves[0] | halves[1] != 0 { return true }
            guard index < count - 16 else { return false }
            // The last block overlaps the one before it.
            index = Swift.min(index + 16, count - 16)
        }
    }
}

extension UInt64 {
    fileprivate static var highBits: UInt64 { 0x8080_8080_8080_8080 }
    private static var lowBits: UInt64 { 0x0101_0101_0101_0101 }

    /// The high bit of the lowest byte that is below `limit`, at most 0x80, and of some bytes above it; 0 if there is none.
    @inline(__always) fileprivate func marks(below limit: UInt8) -> UInt64 {
        (self &- Self.lowBits &* UInt64(limit)) & ~self & Self.highBits
    }

    /// The high bit of the lowest byte that is equal to `byte`, and of some bytes above it; 0 if there is none.
    @inline(__always) fileprivate func marks(of byte: UInt8) -> UInt64 {
        (self ^ Self.lowBits &* UInt64(byte)).marks(below: 1)
    }
}

extension [UInt8]: ByteSink {
    mutating func append(_ bytes: UnsafeRawBufferPointer) { append(contentsOf: bytes) }

    mutating func append(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { target in
            let length = body(target)
            append(contentsOf: target[..<length])
        }
    }

    /// Replaces the text, whose characters have `traits`, with its form for display.
    mutating func display(_ traits: ElementTraits = []) {
        guard withUnsafeBytes({ TextForm.displayed.quotes($0, traits) }) else { return }
        var line: [UInt8] = []
        withUnsafeBytes { TerminalEscaping.append(quoting: $0, to: &line) }
        self = line
    }

    /// Replaces the bytes with the text of a cell: a string without quotes, `nullValue` for null, any other
    /// value as compact JSON, or several values separated by commas.
    mutating func set(
        textOf value: RawSpan, of column: RowReader.Column, _ traits: ElementTraits, nullValue: [UInt8]
    ) throws(OutputError) {
        removeAll(keepingCapacity: true)
        guard column.isJoined else { return try append(textOf: value, traits, nullValue) }
        for (index, range) in column.path.ranges(inList: value).enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            try append(textOf: value.extracting(range), traits, nullValue)
        }
    }

    private mutating func append(
        textOf value: RawSpan, _ traits: ElementTraits, _ nullValue: [UInt8]
    ) throws(OutputError) {
        if value.isNull { append(contentsOf: nullValue) } else { try append(value: value, .exact, traits) }
    }

    /// Calls `body` with the bytes. Unlike `withUnsafeBytes`, it has typed errors.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(OutputError) -> Result
    ) throws(OutputError) -> Result { try ArraySlice(self).span.bytes.withUnsafeBytes(body) }

    static let null = Array("null".utf8)
}

/// The form in which the text of a JSON string is printed.
enum TextForm {
    /// The text. Text that contains control characters, line breaks or other characters that are unsafe to display, or
    /// starts with a quote, is printed as a JSON string. So `wc -l` counts items, and text from a server cannot control
    /// the terminal.
    case displayed
    /// The text.
    case exact

    /// Returns `true` if valid UTF-8 text, whose characters have `traits`, is printed as a JSON string.
    func quotes(_ text: UnsafeRawBufferPointer, _ traits: ElementTraits) -> Bool {
        guard self == .displayed else { return false }
        return text.first == UInt8(ascii: "\"")
            || !traits.contains(.isDisplayable) && TerminalEscaping.firstUnsafe(in: text) != nil
    }
}

extension RawSpan {
    var isNull: Bool { withUnsafeBytes { $0.first == UInt8(ascii: "n") } }

    var memberNames: [String] {
        var names: [String] = []
        ListScanner.forEachMember(of: self) { key, _ in
            names.append(ListScanner.string(extracting(key)) ?? "")
        }
        return names
    }

    /// The bytes, or none if they are too many to be kept for a hint.
    var sample: [UInt8] { byteCount <= 64 << 10 ? withUnsafeBytes { Array($0) } : [] }

    @inline(__always) var isString: Bool { withUnsafeBytes { $0.first == UInt8(ascii: "\"") } }

    var isNumber: Bool {
        withUnsafeBytes { $0.first.map { $0 == UInt8(ascii: "-") || 0x30...0x39 ~= $0 } ?? false }
    }

    var isContainer: Bool {
        withUnsafeBytes { $0.first == UInt8(ascii: "[") || $0.first == UInt8(ascii: "{") }
    }

    /// The part of a valid JSON value, whose characters have `traits`, that is the text of a cell. `nil` for null, and if the text
    /// is not a part of the value, as that of a string with escapes.
    @inline(__always) func cell(_ traits: ElementTraits) -> Range<Int>? {
        withUnsafeBytes { bytes in
            switch bytes.first {
            case UInt8(ascii: "n"): return nil
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                return traits.isSuperset(of: [.isCompact, .isDisplayable]) ? 0..<bytes.count : nil
            case UInt8(ascii: "\""):
                let text = 1..<bytes.count - 1
                let isPlain =
                    traits.contains(.hasNoEscapes)
                    || !UnsafeRawBufferPointer(rebasing: bytes[text]).containsByte(UInt8(ascii: "\\"))
                return isPlain ? text : nil
            default: return 0..<bytes.count
            }
        }
    }
}

// Any value that is not a string is printed as compact JSON.
extension ByteSink where Self: ~Copyable {
    mutating func append(_ bytes: RawSpan) throws(OutputError) {
        try bytes.withUnsafeBytes { (bytes) throws(OutputError) in try append(bytes) }
    }

    mutating func append(_ bytes: [UInt8]) throws(OutputError) { try append(ArraySlice(bytes).span.bytes) }

    /// Adds a valid JSON value.
    mutating func append(
        value: RawSpan, _ form: TextForm = .displayed, _ traits: ElementTraits = []
    ) throws(OutputError) {
        guard value.isString else { return try append(json: value, traits) }
        guard traits.contains(.hasNoEscapes) else { return try append(unescaping: value, traits, form) }
        try value.extracting(1..<value.byteCount - 1).withUnsafeBytes { (text) throws(OutputError) in
            if form.quotes(text, traits) { try append(quoting: text) } else { try append(text) }
        }
    }

    /// Adds the text of a valid JSON string.
    private mutating func append(
        unescaping string: RawSpan, _ traits: ElementTraits, _ form: TextForm
    ) throws(OutputError) {
        var quoted: [UInt8]?
        try append(capacity: string.byteCount + ListScanner.unescapingSlack) { target in
            let length = ListScanner.unescape(string, into: target)
            let result = UnsafeRawBufferPointer(rebasing: target[..<length])
            guard form.quotes(result, traits) else { return length }
            quoted = Array(result)
            return 0
        }
        try quoted?.withBytes { (text) throws(OutputError) in try append(quoting: text) }
    }

    /// Adds a valid JSON value on one line.
    mutating func append(json value: RawSpan, _ traits: ElementTraits) throws(OutputError) {
        var line: [UInt8] = []
        try append(json: value, traits, using: &line)
    }

    /// Adds a valid JSON value on one line, without white space between tokens and with unsafe characters
    /// escaped. Keeps the order of keys, duplicates and the text of numbers. `line` is a buffer, to be used
    /// again for the next value.
    mutating func append(
        json value: RawSpan, _ traits: ElementTraits, style: TerminalEscaping.TokenStyle? = nil,
        using line: inout [UInt8]
    ) throws(OutputError) {
        let isLine =
            style == nil && traits.contains(.isCompact)
            && (traits.contains(.isDisplayable)
                || value.withUnsafeBytes { TerminalEscaping.firstUnsafe(in: $0) } == nil)
        if isLine { return try append(value) }
        let count = TerminalEscaping.write(json: value, to: &line, style: style)
        try append(ArraySlice(line).span.bytes.extracting(0..<count))
    }

    /// Adds valid UTF-8 text as a JSON string with unsafe characters escaped.
    mutating func append(quoting text: UnsafeRawBufferPointer) throws(OutputError) {
        var line: [UInt8] = []
        TerminalEscaping.append(quoting: text, to: &line)
        try append(line)
    }
}
