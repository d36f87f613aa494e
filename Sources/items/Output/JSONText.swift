import Foundation

/// The text of valid JSON strings.
enum JSONText {
    /// The number of bytes that `unescape(_:into:)` needs in addition to those of the text.
    static let slack = 16

    private typealias Block = SIMD16<UInt8>

    static func hasEscapes(_ text: UnsafeRawBufferPointer) -> Bool {
        text.baseAddress.flatMap { memchr($0, 0x5C, text.count) } != nil
    }

    /// Writes the characters of a JSON string, given without its quotes, to `target`, and returns their number in UTF-8.
    ///
    /// No escape is shorter than its character. Whole blocks are written, so `target` must have `slack` more bytes than
    /// `text`.
    static func unescape(_ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
        var index = 0
        var length = 0
        while index < text.count {
            copyUntilEscape(of: text, from: &index, to: target, &length)
            // Escapes often follow each other.
            while index < text.count, text[index] == UInt8(ascii: "\\") {
                copyEscape(of: text, from: &index, to: target, &length)
            }
        }
        return length
    }

    @inline(__always) private static func copyUntilEscape(
        of text: UnsafeRawBufferPointer, from index: inout Int,
        to target: UnsafeMutableRawBufferPointer, _ length: inout Int
    ) {
        let backslashes = Block(repeating: UInt8(ascii: "\\"))
        while index <= text.count - Block.scalarCount {
            let block = text.loadUnaligned(fromByteOffset: index, as: Block.self)
            target.storeBytes(of: block, toByteOffset: length, as: Block.self)
            let halves = unsafeBitCast(block .== backslashes, to: SIMD2<UInt64>.self)
            let low = UInt64(littleEndian: halves[0])
            let high = UInt64(littleEndian: halves[1])
            let isLow = low != 0
            let count = (isLow ? 0 : 8) + (isLow ? low : high).trailingZeroBitCount >> 3
            index += count
            length += count
            if count < Block.scalarCount { return }
        }
        while index < text.count, text[index] != UInt8(ascii: "\\") {
            target[length] = text[index]
            index += 1
            length += 1
        }
    }

    @inline(__always) private static func copyEscape(
        of text: UnsafeRawBufferPointer, from index: inout Int,
        to target: UnsafeMutableRawBufferPointer, _ length: inout Int
    ) {
        let letter = text[index + 1]
        guard letter == UInt8(ascii: "u") else {
            target[length] = meaning(of: letter)
            index += 2
            length += 1
            return
        }
        var value = codeUnit(of: text, at: index + 2)
        index += 6
        if value & 0xFC00 == 0xD800 {
            value = 0x10000 + (value - 0xD800) << 10 + (codeUnit(of: text, at: index + 2) & 0x3FF)
            index += 6
        }
        if value < 0x80 {
            target[length] = UInt8(truncatingIfNeeded: value)
            length += 1
            return
        }
        let count = value < 0x800 ? 2 : value < 0x10000 ? 3 : 4
        for position in (1..<count).reversed() {
            target[length + position] = 0x80 | UInt8(truncatingIfNeeded: value) & 0x3F
            value >>= 6
        }
        // The first byte begins with as many ones as there are bytes.
        target[length] = UInt8(truncatingIfNeeded: 0xF00 >> count) | UInt8(truncatingIfNeeded: value)
        length += count
    }

    @inline(__always) private static func meaning(of letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Returns the number of four hexadecimal digits, which are valid.
    @inline(__always) private static func codeUnit(of text: UnsafeRawBufferPointer, at start: Int) -> UInt32 {
        var unit: UInt32 = 0
        for index in start..<start + 4 {
            let digit = UInt32(text[index])
            // Letters have bit 6.
            unit = unit << 4 | (digit & 0xF) + 9 * (digit >> 6)
        }
        return unit
    }
}
