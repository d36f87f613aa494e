/// The display width of text in terminal columns.
enum DisplayWidth {
    /// The width of `text`, which has no control characters.
    static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The width of UTF-8 text, which has no control characters.
    @inline(__always) static func of(_ text: UnsafeRawBufferPointer) -> Int {
        text.containsNonASCII ? widthOfScalars(in: text) : text.count
    }

    private static func widthOfScalars(in text: UnsafeRawBufferPointer) -> Int {
        var width = 0
        var index = 0
        // The start of the common scalars before `index`.
        var start = 0
        while index < text.count {
            if text[index] < 0x80 {
                width += 1
                index += 1
            } else if let scalar = letter(at: index, of: text) {
                width += scalar.width
                index += scalar.length
            } else {
                // The last common scalar can form a character with this one.
                var first = index
                if first > start {
                    repeat { first -= 1 } while first > start && text[first] & 0xC0 == 0x80
                    width -= text[first] < 0x80 ? 1 : letter(at: first, of: text)?.width ?? 0
                }
                while index < text.count, continuesCharacter(text[index]) { index += 1 }
                let characters = UnsafeRawBufferPointer(rebasing: text[first..<index])
                width += of(String(decoding: characters, as: UTF8.self))
                start = index
            }
        }
        return width
    }

    /// Returns `true` for a byte that can belong to the characters after an uncommon scalar: one of another scalar, or a digit, `#`
    /// or `*`, with which a keycap begins.
    private static func continuesCharacter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || 0x30...0x39 ~= byte || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "*")
    }

    /// Returns the width and the length in bytes of a common scalar whose width does not depend on those after it, unless one
    /// of these is not common: most Latin, Greek and Cyrillic letters and punctuation, kana, Chinese characters, Korean
    /// syllables and emoji. Returns `nil` for all others.
    @inline(__always) private static func letter(
        at index: Int, of text: UnsafeRawBufferPointer
    ) -> (width: Int, length: Int)? {
        let byte = text[index]
        let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard index + length <= text.count else { return nil }
        var value = UInt32(byte & (0xFF >> (length + 1)))
        for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
        switch value {
        case ..<0x300, 0x388..<0x482, 0x2010..<0x2028: return (1, length)
        case 0x3001..<0x3003, 0x3008..<0x3012, 0x3041..<0x3097, 0x30A1..<0x30FF, 0x4E00..<0xA000,
            0xAC00..<0xD7A4, 0x1F300..<0x1F321, 0x1F32D..<0x1F336, 0x1F337..<0x1F37D, 0x1F37E..<0x1F394,
            0x1F3A0..<0x1F3CB, 0x1F400..<0x1F43F, 0x1F442..<0x1F4FD, 0x1F600..<0x1F650, 0x1F680..<0x1F6C6:
            return (2, length)
        default: return nil
        }
    }

    /// Returns the start of `text` with a mark at its end if it is wider than `limit`.
    static func cut(_ text: String, to limit: Int) -> String {
        guard of(text) > limit else { return text }
        var width = 0
        // The mark has a width of 1.
        let start = text.prefix { character in
            width += self.width(of: character)
            return width < limit
        }
        return limit > 0 ? "\(start)…" : ""
    }

    private static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if let first = scalars.first, isPicture(first, scalars) { return 2 }
        return scalars.reduce(0) { $0 + width(of: $1) }
    }

    /// `true` if a terminal displays one picture: an emoji, one selected by a variation selector, or a flag of two
    /// letters (Unicode TR 51).
    private static func isPicture(_ first: Unicode.Scalar, _ all: Character.UnicodeScalarView) -> Bool {
        if regionalLetters.contains(first.value) { return all.count > 1 }
        return first.properties.isEmojiPresentation || first.properties.isEmoji && all.contains("\u{FE0F}")
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Medial and final Hangul letters combine with the initial one.
        if 0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value { return 0 }
        return wide.contains { $0.contains(value) } ? 2 : 1
    }

    private static let regionalLetters: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

    /// Ranges of wide and full-width characters (Unicode TR 11) without emoji, including unassigned ones.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x16FFF, 0x17000...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}
