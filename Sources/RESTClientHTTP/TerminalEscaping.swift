/// Escaping of untrusted text for display: terminal control characters, characters that reorder a line, and invisible
/// characters, which can hide text.
///
/// Characters that join or select a form are not escaped: the joiners of scripts such as Arabic and of emoji, and variation
/// selectors. Neither are the tags in the flags of England, Scotland and Wales.
public enum TerminalEscaping {
    /// Returns `true` for a scalar that can control a terminal, reorder the text around it, or hide text: C0, DEL, C1, the
    /// line and paragraph separators, the bidirectional controls (Unicode TR 9, section 2), spaces without width, the soft
    /// hyphen, invisible operators, Hangul fillers, annotation marks, and tags.
    public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0xAD, 0x115F, 0x1160, 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0x3164, 0xFEFF, 0xFFA0,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// Returns `text` with unsafe scalars as JSON escapes, cut after `limit` characters.
    public static func escaped(_ text: some StringProtocol, limit: Int = .max) -> String {
        var result = ""
        for (index, character) in text.enumerated() {
            guard index < limit else { return result + "…" }
            if flags.contains(character) {
                result.append(character)
                continue
            }
            for scalar in character.unicodeScalars {
                if isUnsafe(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    /// The flags of the regions whose tag sequences are recommended for interchange (Unicode TR 51): England, Scotland and
    /// Wales. Terminals show all other tag sequences as a black flag.
    private static let flags: Set<Character> = Set(
        ["gbeng", "gbsct", "gbwls"].map { name in
            var flag = "\u{1F3F4}"
            for letter in name.unicodeScalars {
                if let tag = Unicode.Scalar(0xE0000 + letter.value) { flag.unicodeScalars.append(tag) }
            }
            return Character(flag + "\u{E007F}")
        })

    /// The flags as UTF-8.
    private static let flagBytes = flags.map { Array(String($0).utf8) }

    /// Returns `text` escaped, cut and in double quotes.
    public static func quoted(_ text: some StringProtocol, limit: Int = 200) -> String {
        "\"\(escaped(text, limit: limit).replacing("\"", with: "\\\""))\""
    }

    /// Returns `text` as one word of a POSIX shell command, in single quotes unless it is plain.
    public static func shellQuoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./@".utf8.contains($0) }
        guard text.isEmpty || !isPlain else { return text }
        // By scalars: a shell also ends the quotation at a quote that a combining mark follows.
        return "'\(text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }

    /// Returns `scalar` as a JSON escape, or two of them if it is not in the basic plane.
    public static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            return UTF16.encode(scalar).map { units in
                units.map { unit in
                    let hex = String(unit, radix: 16)
                    return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                }.joined()
            } ?? ""
        }
    }
}

extension TerminalEscaping {
    /// Returns the first unsafe scalar of valid UTF-8 at or after `start`, and its index.
    public static func firstUnsafe(
        in text: UnsafeRawBufferPointer, from start: Int = 0
    ) -> (index: Int, scalar: Unicode.Scalar)? {
        var index = start
        // A block is read with the byte after it.
        while index < text.count - 16 {
            let position = index + firstSuspect(in: text, at: index)
            if position < index + 16 {
                if let scalar = unsafeScalar(at: position, in: text) { return (position, scalar) }
                index = position + 1
            } else {
                index = position
            }
        }
        // The last block overlaps the one before it.
        if index - start >= 16, firstSuspect(in: text, at: text.count - 17) == 16 { index = text.count - 1 }
        while index < text.count {
            if let scalar = unsafeScalar(at: index, in: text) { return (index, scalar) }
            index += 1
        }
        return nil
    }

    /// Returns the offset of the first byte of a block that can begin an unsafe scalar, or 16 if there is none.
    ///
    /// The few bytes that begin unsafe scalars are common in some languages, so the second bytes are compared, too.
    @inline(__always)
    private static func firstSuspect(in text: UnsafeRawBufferPointer, at index: Int) -> Int {
        typealias Block = SIMD16<UInt8>
        let first = text.loadUnaligned(fromByteOffset: index, as: Block.self)
        let second = text.loadUnaligned(fromByteOffset: index + 1, as: Block.self)
        let isControl = (first .< Block(repeating: 0x20)) .| (first .== Block(repeating: 0x7F))
        // U+0080 to U+00AD.
        let isLatin = (first .== Block(repeating: 0xC2)) .& (second .< Block(repeating: 0xAE))
        // U+0600 to U+061F.
        let isArabic = (first .== Block(repeating: 0xD8)) .& (second .< Block(repeating: 0xA0))
        // U+2000 to U+207F.
        let isPunctuation = (first .== Block(repeating: 0xE2)) .& (second .< Block(repeating: 0x82))
        // U+1140 to U+117F, U+3140 to U+317F, U+1800 to U+183F, U+FEC0 to U+FEFF, U+FF80 to U+FFFF, and U+E0000 to U+E0FFF.
        let isFiller =
            (second .== Block(repeating: 0x85))
            .& ((first .== Block(repeating: 0xE1)) .| (first .== Block(repeating: 0xE3)))
        let isMongolian = (first .== Block(repeating: 0xE1)) .& (second .== Block(repeating: 0xA0))
        let isMark =
            (first .== Block(repeating: 0xEF))
            .& ((second .== Block(repeating: 0xBB)) .| (second .> Block(repeating: 0xBD)))
        let isTag = (first .== Block(repeating: 0xF3)) .& (second .== Block(repeating: 0xA0))
        let suspects =
            ((isControl .| isLatin) .| (isArabic .| isPunctuation))
            .| ((isFiller .| isMongolian) .| (isMark .| isTag))
        let halves = unsafeBitCast(suspects, to: SIMD2<UInt64>.self)
        let low = UInt64(littleEndian: halves[0])
        let high = UInt64(littleEndian: halves[1])
        return low != 0 ? low.trailingZeroBitCount >> 3 : 8 + high.trailingZeroBitCount >> 3
    }

    /// Returns the scalar of valid UTF-8 that begins at `index` if it is unsafe. Returns `nil` inside a sequence.
    @inline(__always)
    public static func unsafeScalar(at index: Int, in text: UnsafeRawBufferPointer) -> Unicode.Scalar? {
        let byte = text[index]
        if byte &- 0x20 < 0x5F { return nil }
        let length: Int
        switch byte {
        case 0..<0x20, 0x7F: return Unicode.Scalar(byte)
        // The first bytes of all other unsafe scalars.
        case 0xC2, 0xD8: length = 2
        case 0xE1, 0xE2, 0xE3, 0xEF: length = 3
        case 0xF3: length = 4
        default: return nil
        }
        guard index + length <= text.count else { return nil }
        var value = UInt32(byte) & (0x7F >> UInt32(length))
        for next in index + 1..<index + length { value = value << 6 | UInt32(text[next] & 0x3F) }
        guard let scalar = Unicode.Scalar(value), isUnsafe(scalar) else { return nil }
        return length == 4 && isInFlag(at: index, of: text) ? nil : scalar
    }

    /// Returns `true` if the tag at `index` belongs to a flag.
    private static func isInFlag(at index: Int, of text: UnsafeRawBufferPointer) -> Bool {
        flagBytes.contains { flag in
            // The black flag and each of the tags have four bytes.
            stride(from: 4, to: flag.count, by: 4).contains { offset in
                let start = index - offset
                return start >= 0 && start + flag.count <= text.count
                    && text[start..<start + flag.count].elementsEqual(flag)
            }
        }
    }
}
