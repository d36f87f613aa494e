extension RawSpan {
    /// The kind of the text if the bytes are a valid JSON string with its quotes, otherwise `nil`.
    package var kindOfString: TextKind? {
        var traits = ElementTraits.plain
        guard byteCount > 1, byte(at: 0) == Byte.quote, let text = string(at: 0, &traits),
            text.end == byteCount
        else { return nil }
        return text.kind
    }

    /// Returns the text of a valid JSON string with its quotes.
    package func text(ofString kind: TextKind) -> String {
        if kind == .escaped { return String(decoding: unescapedString, as: UTF8.self) }
        return extracting(1..<byteCount - 1).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The text of a valid JSON string with its quotes, as UTF-8.
    package var unescapedString: [UInt8] {
        extracting(1..<byteCount - 1).withUnsafeBytes { text in
            [UInt8](unsafeUninitializedCapacity: text.count + JSONText.unescapingSlack) { target, count in
                count = JSONText.unescape(text, into: UnsafeMutableRawBufferPointer(target))
            }
        }
    }
}

/// Conversion between text and JSON.
package enum JSONText {
    /// The number of bytes that `unescape(_:into:)` needs in addition to those of the text, because it writes whole blocks.
    package static var unescapingSlack: Int { 16 }

    /// Writes the characters of a valid JSON string without its quotes to `target`, and returns their size in bytes of UTF-8.
    ///
    /// No character is larger than its escape.
    package static func unescape(
        _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        var index = 0
        var length = 0
        while index < text.count {
            copyUntilEscape(of: text, from: &index, to: target, &length)
            // Escapes often follow each other.
            while index < text.count, text[index] == Byte.backslash {
                copyEscape(of: text, from: &index, to: target, &length)
            }
        }
        return length
    }

    @inline(__always) private static func copyUntilEscape(
        of text: UnsafeRawBufferPointer, from index: inout Int,
        to target: UnsafeMutableRawBufferPointer, _ length: inout Int
    ) {
        let backslashes = SIMD16<UInt8>(repeating: Byte.backslash)
        while index <= text.count - 16 {
            let block = text.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            target.storeBytes(of: block, toByteOffset: length, as: SIMD16<UInt8>.self)
            let end = RawSpan.firstIndex(block .== backslashes)
            index += end ?? 16
            length += end ?? 16
            if end != nil { return }
        }
        while index < text.count, text[index] != Byte.backslash {
            target[length] = text[index]
            index += 1
            length += 1
        }
    }

    /// Copies a valid escape. Checking it again takes a tenth of the time of a file with many escapes.
    @inline(__always) private static func copyEscape(
        of text: UnsafeRawBufferPointer, from index: inout Int,
        to target: UnsafeMutableRawBufferPointer, _ length: inout Int
    ) {
        let letter = text[index + 1]
        guard letter == UInt8(ascii: "u") else {
            target[length] = Byte.meaning(ofEscape: letter)
            index += 2
            length += 1
            return
        }
        var value = codeUnit(in: text, at: index + 2)
        index += 6
        if value & 0xFC00 == 0xD800 {
            value = 0x10000 + (value - 0xD800) << 10 + (codeUnit(in: text, at: index + 2) & 0x3FF)
            index += 6
        }
        func set(_ offset: Int, _ mark: UInt32, _ shift: UInt32, _ mask: UInt32 = 0x3F) {
            target[length + offset] = UInt8(truncatingIfNeeded: mark | value &>> shift & mask)
        }
        if value < 0x80 {
            set(0, 0, 0, 0x7F)
            length += 1
        } else if value < 0x800 {
            set(0, 0xC0, 6)
            set(1, 0x80, 0)
            length += 2
        } else if value < 0x10000 {
            set(0, 0xE0, 12)
            set(1, 0x80, 6)
            set(2, 0x80, 0)
            length += 3
        } else {
            set(0, 0xF0, 18)
            set(1, 0x80, 12)
            set(2, 0x80, 6)
            set(3, 0x80, 0)
            length += 4
        }
    }

    /// Returns the number of four valid hexadecimal digits.
    @inline(__always) private static func codeUnit(in text: UnsafeRawBufferPointer, at start: Int) -> UInt32 {
        HexDigits(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: start, as: UInt32.self))).value
    }
}
