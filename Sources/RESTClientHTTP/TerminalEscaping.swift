/// Escaping of untrusted text for display: terminal control characters and characters that reorder a line.
public enum TerminalEscaping {
    /// Returns `true` for a scalar that can control a terminal or reorder the text around it: C0, DEL, C1, the line and
    /// paragraph separators, and the bidirectional controls (Unicode TR 9, section 2).
    public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Returns `text` with unsafe scalars as JSON escapes, cut after `limit` characters.
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

    /// Returns `text` escaped, cut and in double quotes.
    public static func quoted(_ text: some StringProtocol, limit: Int = 200) -> String {
        "\"\(escaped(text, limit: limit))\""
    }

    /// Returns `text` as one word of a POSIX shell command, in single quotes unless it is plain.
    public static func shellQuoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./@".utf8.contains($0) }
        guard text.isEmpty || !isPlain else { return text }
        // By scalars: a shell also ends the quotation at a quote that a combining mark follows.
        return "'\(text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }

    /// Returns `scalar` as a JSON escape. All unsafe scalars are in the basic plane.
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
}

extension TerminalEscaping {
    /// Returns the first unsafe scalar of valid UTF-8 at or after `start`, and its index.
    public static func firstUnsafe(
        in text: UnsafeRawBufferPointer, from start: Int = 0
    ) -> (index: Int, scalar: Unicode.Scalar)? {
        let controls = SIMD16<UInt8>(repeating: 0x20)
        let delete = SIMD16<UInt8>(repeating: 0x7F)
        let leads = (
            SIMD16<UInt8>(repeating: 0xC2), SIMD16<UInt8>(repeating: 0xD8), SIMD16<UInt8>(repeating: 0xE2)
        )
        var index = start
        while index <= text.count - 16 {
            let bytes = text.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            let suspects =
                (bytes .< controls) .| (bytes .== delete) .| (bytes .== leads.0) .| (bytes .== leads.1)
                .| (bytes .== leads.2)
            if any(suspects) {
                for position in index..<index + 16 {
                    if let scalar = unsafeScalar(at: position, in: text) { return (position, scalar) }
                }
            }
            index += 16
        }
        while index < text.count {
            if let scalar = unsafeScalar(at: index, in: text) { return (index, scalar) }
            index += 1
        }
        return nil
    }

    /// Returns the scalar of valid UTF-8 that begins at `index` if it is unsafe. Returns `nil` inside a sequence.
    @inline(__always)
    public static func unsafeScalar(at index: Int, in text: UnsafeRawBufferPointer) -> Unicode.Scalar? {
        let byte = text[index]
        if byte &- 0x20 < 0x5F { return nil }
        let length: Int
        switch byte {
        case 0..<0x20, 0x7F: return Unicode.Scalar(byte)
        // All other unsafe scalars are U+0080 to U+009F, U+061C, or in U+2000 to U+2FFF.
        case 0xC2, 0xD8: length = 2
        case 0xE2: length = 3
        default: return nil
        }
        guard index + length <= text.count else { return nil }
        var value = UInt32(byte) & (length == 2 ? 0x1F : 0x0F)
        for next in index + 1..<index + length { value = value << 6 | UInt32(text[next] & 0x3F) }
        guard let scalar = Unicode.Scalar(value), isUnsafe(scalar) else { return nil }
        return scalar
    }
}
