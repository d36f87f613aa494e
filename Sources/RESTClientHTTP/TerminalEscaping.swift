/// Text from elsewhere made safe to show: nothing in it drives a terminal or reorders a line.
public enum TerminalEscaping {
    /// Whether a scalar may drive a terminal or reorder what is around it: C0, DEL, C1, the line and
    /// paragraph separators, and the bidirectional controls (Unicode TR 9, section 2).
    public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// `text` with what is unsafe written as JSON escapes, cut behind `limit` characters.
    public static func escaped(_ text: some StringProtocol, limit: Int = .max) -> String {
        var result = ""
        for (index, character) in text.enumerated() {
            guard index < limit else { return result + "…" }
            for scalar in character.unicodeScalars {
                if isUnsafe(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    /// `text` escaped and cut, in double quotes.
    public static func quoted(_ text: some StringProtocol, limit: Int = 200) -> String {
        "\"\(escaped(text, limit: limit))\""
    }

    /// `scalar` as a JSON escape; the unsafe ones all lie in the basic plane.
    public static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let hex = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        }
    }

    /// Returns `text` as one word of a POSIX shell command, in single quotes unless it is plain.
    public static func shellQuoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./@".utf8.contains(byte)
            }
        }
        guard text.isEmpty || !isPlain else { return text }
        // By scalars: a shell also ends the quotation at a quote that a combining mark follows.
        return "'\(text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }
}
