// The unchecked memory reads of the JSON parser. Each of them follows a check `index <= byteCount - width` in the same
// function, for a width that includes the read.

/// The structural bytes of JSON.
@usableFromInline package enum Byte {
    @inlinable package static var quote: UInt8 { UInt8(ascii: "\"") }
    @inlinable package static var backslash: UInt8 { UInt8(ascii: "\\") }
    @inlinable package static var comma: UInt8 { UInt8(ascii: ",") }
    @inlinable package static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable package static var openBracket: UInt8 { UInt8(ascii: "[") }
    @inlinable package static var closeBracket: UInt8 { UInt8(ascii: "]") }
    @inlinable package static var openBrace: UInt8 { UInt8(ascii: "{") }
    @inlinable package static var closeBrace: UInt8 { UInt8(ascii: "}") }

    /// Returns `true` for a space, tab, line feed or carriage return (RFC 8259, section 2).
    @inlinable @inline(__always) package static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    @inlinable @inline(__always) package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Returns `true` if `byte` after a backslash is a complete escape: one of `"\/bfnrt`.
    @inline(__always) static func isSimpleEscape(_ byte: UInt8) -> Bool {
        // One bit for each byte from 0x20 and from 0x60. A jump table would be predicted badly.
        let bits: UInt64 =
            byte < 0x60 ? 1 &<< 2 | 1 &<< 15 | 1 &<< 60 : 1 &<< 2 | 1 &<< 6 | 1 &<< 14 | 1 &<< 18 | 1 &<< 20
        return byte >= 0x20 && byte < 0x80 && bits &>> UInt64((byte &- 0x20) & 0x3F) & 1 == 1
    }

    /// Returns the character that `byte` after a backslash means, if that is a complete escape.
    @inline(__always) static func meaning(ofEscape byte: UInt8) -> UInt8 {
        // A control character has four bits, at the place of half its letter.
        let controls: UInt64 = 0x8 &<< 4 | 0xC &<< 12 | 0xA &<< 28 | 0xD &<< 36 | 0x9 &<< 40
        return byte < 0x60 ? byte : UInt8(truncatingIfNeeded: controls &>> UInt64((byte & 0x1E) &<< 1)) & 0xF
    }
}

/// The four digits of an escape such as `\u00e9`, one in each byte, the first in the lowest. They are computed at once.
struct HexDigits {
    private let bytes: UInt32

    @inline(__always) init(_ bytes: UInt32) { self.bytes = bytes }

    @inline(__always) var areValid: Bool {
        // No sum carries into the next byte, because ASCII is less than 0x80. The highest bit tells whether a byte is in range.
        let isDigit = (bytes &+ 0x5050_5050) & ~(bytes &+ 0x4646_4646)
        let letters = bytes | 0x2020_2020
        let isLetter = (letters &+ 0x1F1F_1F1F) & ~(letters &+ 0x1919_1919)
        return bytes & 0x8080_8080 == 0 && (isDigit | isLetter) & 0x8080_8080 == 0x8080_8080
    }

    /// The number. Without meaning if the digits are not valid.
    @inline(__always) var value: UInt32 {
        // Letters have bit 6.
        let values = (bytes & 0x0F0F_0F0F) &+ 9 &* (bytes &>> 6 & 0x0101_0101)
        let pairs = values &<< 4 | values &>> 8
        return (pairs & 0xFF) &<< 8 | pairs &>> 16 & 0xFF
    }
}

extension RawSpan {
    /// Returns the byte at `index`, with a bounds check.
    @inlinable @inline(__always) package func byte(at index: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    /// Returns the byte at `index`, which was checked before.
    @inlinable @inline(__always) package func uncheckedByte(at index: Int) -> UInt8 {
        unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
    }

    /// Returns eight bytes as a little-endian number, with a bounds check.
    @inlinable @inline(__always) package func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Returns the up to eight bytes of `range` as a little-endian number, with a bounds check.
    @inlinable @inline(__always) package func shortWord(_ range: Range<Int>) -> UInt64 {
        let count = range.count
        // Two loads that overlap have the same bits where they do.
        if count >= 4 {
            let low = unsafeLoadUnaligned(fromByteOffset: range.lowerBound, as: UInt32.self)
            let high = unsafeLoadUnaligned(fromByteOffset: range.upperBound &- 4, as: UInt32.self)
            return UInt64(UInt32(littleEndian: low))
                | UInt64(UInt32(littleEndian: high)) &<< UInt64(8 &* (count &- 4))
        }
        var word: UInt64 = 0
        for index in range.reversed() { word = word &<< 8 | UInt64(byte(at: index)) }
        return word
    }

    /// `true` if all bytes are ASCII.
    package var isASCII: Bool {
        guard byteCount > 8 else { return shortWord(0..<byteCount) & 0x8080_8080_8080_8080 == 0 }
        var bits = word(at: byteCount &- 8)
        var index = 0
        while index < byteCount &- 8 {
            bits |= word(at: index)
            index &+= 8
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Returns the end of the plain text that starts at `start`: the first quote, backslash, control character
    /// (including DEL) or non-ASCII byte, or the end of the span.
    @inlinable @inline(__always) package func endOfPlainText(from start: Int) -> Int {
        // Vector operands on both sides: with a scalar operand, the compiler generates a loop over the lanes.
        let controls = SIMD16<Int8>(repeating: 0x20)
        let quotes = SIMD16<Int8>(repeating: 0x22)
        let backslashes = SIMD16<Int8>(repeating: 0x5C)
        let deletes = SIMD16<Int8>(repeating: 0x7F)
        var index = start
        while index <= byteCount &- 16 {
            let bytes = unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<Int8>.self)
            // Signed bytes, so that non-ASCII bytes compare as less than a control character.
            let ends = (bytes .< controls .| bytes .== deletes) .| (bytes .== quotes .| bytes .== backslashes)
            if let end = Self.firstIndex(ends) { return index &+ end }
            index &+= 16
        }
        while index < byteCount {
            let byte = unsafeLoad(fromUncheckedByteOffset: index, as: Int8.self)
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F { break }
            index &+= 1
        }
        return index
    }

    /// Returns the end of the text that starts at `start`: plain text, DEL and well-formed UTF-8.
    ///
    /// A non-ASCII byte at the end does not start a well-formed sequence, or its sequence continues after the last
    /// byte. The bytes before `start` must be well-formed, too.
    ///
    /// - Returns: The end, and `true` if no character is unsafe to display; `false` also if that was not determined.
    package func endOfText(from start: Int) -> (end: Int, isDisplayable: Bool) {
        var index = start
        var suspects = SIMDMask<SIMD16<Int8>>(repeating: false)
        // The three bytes before a block tell which continuation bytes it must have.
        while index >= 3, index <= byteCount &- 16 {
            let block = textBlock(at: index)
            suspects .|= block.suspects
            if block.stop < block.error {
                return (index &+ block.stop, Self.firstIndex(suspects) == nil)
            }
            guard block.error == 16 else { break }
            index &+= 16
        }
        return (endOfTextByBytes(from: index > start ? startOfSequence(at: index) : start), false)
    }

    /// Returns the offsets of the first byte of a block that is not text, and of the first ill-formed one; 16 if there is
    /// none. A byte that ends a sequence too early is both. `suspects` are the bytes that can belong to an unsafe character.
    ///
    /// Unicode, table 3-7.
    @inline(__always) private func textBlock(
        at index: Int
    ) -> (stop: Int, error: Int, suspects: SIMDMask<SIMD16<Int8>>) {
        typealias Block = SIMD16<Int8>
        let block = unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: Block.self)
        let previous = unsafeLoadUnaligned(fromUncheckedByteOffset: index &- 1, as: Block.self)
        let second = unsafeLoadUnaligned(fromUncheckedByteOffset: index &- 2, as: Block.self)
        let third = unsafeLoadUnaligned(fromUncheckedByteOffset: index &- 3, as: Block.self)
        // Bytes are compared as signed numbers: 0x80 is the least, and 0xFF is -1.
        let zero = Block(repeating: 0)
        let isContinuation = block .< Block(repeating: -0x40)
        let isExpected =
            ((previous .< zero) .& (previous .> Block(repeating: -0x41)))
            .| ((second .< zero) .& (second .> Block(repeating: -0x21)))
            .| ((third .< zero) .& (third .> Block(repeating: -0x11)))
        let isInvalidLead =
            ((block .< zero) .& (block .> Block(repeating: -0x0C)))
            .| (block .== Block(repeating: -0x40)) .| (block .== Block(repeating: -0x3F))
        let isOverlong =
            ((previous .== Block(repeating: -0x20)) .& (block .< Block(repeating: -0x60)))
            .| ((previous .== Block(repeating: -0x10)) .& (block .< Block(repeating: -0x70)))
        let isTooLarge =
            ((previous .== Block(repeating: -0x13)) .& (block .> Block(repeating: -0x61)))
            .| ((previous .== Block(repeating: -0x0C)) .& (block .> Block(repeating: -0x71)))
        let isError = (isContinuation .^ isExpected) .| isInvalidLead .| isOverlong .| isTooLarge
        let isStop =
            ((block .< Block(repeating: 0x20)) .& (block .> Block(repeating: -1)))
            .| (block .== Block(repeating: 0x22)) .| (block .== Block(repeating: 0x5C))
        return (
            Self.firstIndex(isStop) ?? 16, Self.firstIndex(isError) ?? 16,
            TerminalEscaping.suspects(block, previous, second)
        )
    }

    /// Returns the index of the first lane that is set, or `nil` if there is none.
    @inlinable @inline(__always) static func firstIndex(_ mask: SIMDMask<SIMD16<Int8>>) -> Int? {
        let halves = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        let low = UInt64(littleEndian: halves[0])
        let high = UInt64(littleEndian: halves[1])
        guard low | high != 0 else { return nil }
        // Branch-free, because the lengths of strings are not predictable.
        let isLow = low != 0
        return (isLow ? 0 : 8) &+ (isLow ? low : high).trailingZeroBitCount &>> 3
    }

    /// Returns the index of the first byte of the sequence that continues at `index`, or `index` if none does.
    private func startOfSequence(at index: Int) -> Int {
        var start = index
        while start > 0, index &- start < 3, byte(at: start &- 1) & 0xC0 == 0x80 { start &-= 1 }
        return start > 0 && byte(at: start &- 1) >= 0xC0 ? start &- 1 : index
    }

    private func endOfTextByBytes(from start: Int) -> Int {
        var index = endOfPlainText(from: start)
        while index < byteCount, byte(at: index) >= 0x7F {
            let end = byte(at: index) == 0x7F ? index &+ 1 : endOfSequences(from: index)
            if end == index { return index }
            index = endOfPlainText(from: end)
        }
        return index
    }

    /// Returns the end of the well-formed multi-byte UTF-8 sequences that start at `start`. Used for few bytes.
    private func endOfSequences(from start: Int) -> Int {
        var index = start
        while index < byteCount, let sequence = UTF8Sequence(startingWith: byte(at: index)) {
            let end = index &+ sequence.length
            guard end <= byteCount, sequence.second.contains(byte(at: index &+ 1)) else { break }
            guard (index &+ 2..<end).allSatisfy({ byte(at: $0) & 0xC0 == 0x80 }) else { break }
            index = end
        }
        return index
    }

    /// Returns the length of the escape at `index`, where a backslash is, and its character, or `nil` if it is invalid or
    /// continues after the last byte. A pair of surrogates is one escape.
    ///
    /// - Parameter isValid: `true` if the digits are known to be valid.
    @inline(__always) func escape(at index: Int, isValid: Bool = false) -> (length: Int, scalar: UInt32)? {
        guard index &+ 1 < byteCount else { return nil }
        let letter = uncheckedByte(at: index &+ 1)
        guard letter == UInt8(ascii: "u") else {
            return Byte.isSimpleEscape(letter) ? (2, UInt32(Byte.meaning(ofEscape: letter))) : nil
        }
        guard let unit = codeUnit(at: index &+ 2, isValid) else { return nil }
        guard unit & 0xF800 == 0xD800 else { return (6, unit) }
        guard unit < 0xDC00, index &+ 8 <= byteCount, uncheckedByte(at: index &+ 6) == Byte.backslash,
            uncheckedByte(at: index &+ 7) == UInt8(ascii: "u"), let low = codeUnit(at: index &+ 8, isValid),
            low & 0xFC00 == 0xDC00
        else { return nil }
        return (12, 0x10000 &+ (unit &- 0xD800) &<< 10 &+ (low &- 0xDC00))
    }

    /// Returns the number of four hexadecimal digits, or `nil`.
    @inline(__always) private func codeUnit(at index: Int, _ isValid: Bool) -> UInt32? {
        guard index <= byteCount &- 4 else { return nil }
        let digits = HexDigits(
            UInt32(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)))
        return isValid || digits.areValid ? digits.value : nil
    }

    /// Returns the end of the whitespace that starts at `start`.
    @inlinable @inline(__always) package func endOfWhitespace(from start: Int) -> Int {
        var index = start
        while index < byteCount, Byte.isWhitespace(uncheckedByte(at: index)) { index &+= 1 }
        return index
    }

    /// Returns the end of the digits that start at `start`.
    @inlinable @inline(__always) package func endOfDigits(from start: Int) -> Int {
        var index = start
        while index < byteCount, Byte.isDigit(uncheckedByte(at: index)) { index &+= 1 }
        return index
    }

    /// Returns `true` if the bytes are equal to those of `other`.
    package func equals(_ other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        for index in 0..<byteCount where byte(at: index) != other.byte(at: index) { return false }
        return true
    }
}

/// The properties of a UTF-8 sequence that follow from its first byte (Unicode, table 3-7).
struct UTF8Sequence {
    let length: Int
    /// The allowed values of the second byte. The range excludes overlong forms, surrogates and values above U+10FFFF.
    let second: ClosedRange<UInt8>

    @inline(__always) init?(startingWith byte: UInt8) {
        switch byte {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Appends the bytes of `span`.
    package mutating func append(_ span: RawSpan) { span.withUnsafeBytes { append(contentsOf: $0) } }
}
