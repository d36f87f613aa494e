/// How many columns text takes on a terminal.
enum DisplayWidth {
    /// The columns of `text`, which has no control characters.
    static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if let first = scalars.first, isPicture(first, scalars) { return 2 }
        return scalars.reduce(0) { $0 + width(of: $1) }
    }

    /// Whether a terminal shows it as one picture: by itself, because a selector asks for it, or as a flag, which is two
    /// letters (Unicode TR 51).
    private static func isPicture(_ first: Unicode.Scalar, _ all: Character.UnicodeScalarView) -> Bool {
        if regionalLetters.contains(first.value) { return all.count > 1 }
        return first.properties.isEmojiPresentation
            || first.properties.isEmoji && all.contains("\u{FE0F}")
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Vowels and ends of Hangul syllables stand in the square of their beginning.
        if 0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value { return 0 }
        return wide.contains { $0.contains(value) } ? 2 : 1
    }

    private static let regionalLetters: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

    /// Where characters are wide or full width (Unicode TR 11), pictures left out; what is unassigned there will be, too.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x16FFF, 0x17000...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}
