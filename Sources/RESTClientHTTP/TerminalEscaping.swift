/// Text from elsewhere made safe to show: nothing in it drives a terminal or reorders a line.
package enum TerminalEscaping {
    /// Whether a scalar may drive a terminal or reorder what is around it: C0, DEL, C1, the line and
    /// paragraph separators, and the bidirectional controls (Unicode TR 9, section 2).
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// `text` with what is unsafe written as JSON escapes, cut behind `limit` characters.
    package static func escaped(_ text: some StringProtocol, limit: Int = .max) -> String {
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
    package static func quoted(_ text: some StringProtocol, limit: Int = 200) -> String {
        "\"\(escaped(text, limit: limit))\""
    }

    /// `scalar` as a JSON escape; the unsafe ones all lie in the basic plane.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let hex = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        }
    }
}
