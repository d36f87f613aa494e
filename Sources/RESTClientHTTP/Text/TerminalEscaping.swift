/// Escaping of untrusted text for display: terminal control characters, characters that reorder a line, and invisible
/// characters, which can hide text.
///
/// Characters that join or select a form are not escaped: the joiners of scripts such as Arabic and of emoji, and variation
/// selectors. Neither are the tags in the flags of England, Scotland and Wales.
public enum TerminalEscaping {
    /// Returns `true` for a scalar that can control a terminal, reorder the text around it, or hide text: C0, DEL, C1, the
    /// line and paragraph separators, the bidirectional controls (Unicode TR 9, section 2), spaces without width, the soft
    /// hyphen, invisible operators, Hangul fillers, annotation marks, and tags.
    public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool { isUnsafe(codePoint: scalar.value) }

    /// Returns `true` for the number of an unsafe scalar.
    @inlinable @inline(__always)
    public static func isUnsafe(codePoint: UInt32) -> Bool {
        // Most letters, and printable ASCII.
        let isLetter =
            codePoint &- 0x20 < 0x5F || codePoint &- 0xAE < 0x56E || codePoint &- 0x2070 < 0x10F4
            || codePoint &- 0x3165 < 0xCD9A
        return !isLetter && isUnsafeSymbol(codePoint)
    }

    @usableFromInline static func isUnsafeSymbol(_ codePoint: UInt32) -> Bool {
        switch codePoint {
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
    private static let flags: Set<Character> = [
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
    ]

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
            return "\(scalar)".utf16.map { unit in
                let hex = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }.joined()
        }
    }
}

extension TerminalEscaping {
    /// Returns the first unsafe scalar of valid UTF-8 at or after `start`, and its index.
    public static func firstUnsafe(
        in text: UnsafeRawBufferPointer, from start: Int = 0
    ) -> (index: Int, scalar: Unicode.Scalar)? {
        typealias Block = SIMD16<Int8>
        var index = start
        while index < text.count {
            // A block is read with the two bytes before it.
            guard index >= start + 2, index <= text.count - 16 else {
                if let scalar = unsafeScalar(at: index, in: text) { return (index, scalar) }
                index += 1
                continue
            }
            let block = text.loadUnaligned(fromByteOffset: index, as: Block.self)
            let isControl = (block .< Block(repeating: 0x20)) .& (block .> Block(repeating: -1))
            let suspects = suspects(
                block, text.loadUnaligned(fromByteOffset: index - 1, as: Block.self),
                text.loadUnaligned(fromByteOffset: index - 2, as: Block.self))
            guard let offset = RawSpan.firstIndex(isControl .| suspects) else {
                // The last block overlaps the one before it.
                index = index < text.count - 16 ? min(index + 16, text.count - 16) : text.count
                continue
            }
            for position in max(start, index + offset - 2)...index + offset {
                if let scalar = unsafeScalar(at: position, in: text) { return (position, scalar) }
            }
            index += offset + 1
        }
        return nil
    }

    /// Returns the bytes of a block that can belong to an unsafe scalar other than a C0 control character: one byte of each
    /// such scalar, and few others.
    ///
    /// The bytes that begin unsafe scalars are common in some languages, so the bytes after them are compared, too. No byte is
    /// more than two bytes after the first one of its scalar.
    ///
    /// - Parameters:
    ///   - block: 16 bytes of well-formed UTF-8, as signed numbers: 0x80 is the least, and 0xFF is -1.
    ///   - previous: The bytes before each of them.
    ///   - second: The bytes before those.
    @inlinable @inline(__always)
    public static func suspects(
        _ block: SIMD16<Int8>, _ previous: SIMD16<Int8>, _ second: SIMD16<Int8>
    ) -> SIMDMask<SIMD16<Int8>> {
        typealias Block = SIMD16<Int8>
        func lanes(_ bytes: Block, equalTo byte: UInt8) -> SIMDMask<Block> {
            bytes .== Block(repeating: Int8(bitPattern: byte))
        }
        let isDelete = lanes(block, equalTo: 0x7F)
        // U+0080 to U+00AD.
        let isLatin =
            lanes(previous, equalTo: 0xC2) .& (block .< Block(repeating: Int8(bitPattern: 0xAE)))
        let isArabicMark = lanes(previous, equalTo: 0xD8) .& lanes(block, equalTo: 0x9C)
        // U+200B, U+200E, U+200F, U+2028 to U+203F, and U+2040 to U+207F.
        let isSpaceOrMark =
            lanes(block, equalTo: 0x8B) .| lanes(block | Block(repeating: 1), equalTo: 0x8F)
            .| (block .> Block(repeating: Int8(bitPattern: 0xA7)))
        let isPunctuation =
            (lanes(second, equalTo: 0xE2) .& lanes(previous, equalTo: 0x80) .& isSpaceOrMark)
            .| (lanes(previous, equalTo: 0xE2) .& lanes(block, equalTo: 0x81))
        // U+1140 to U+117F, and U+3140 to U+317F; U+1800 to U+183F; U+E0000 to U+E0FFF.
        let isE1 = lanes(previous, equalTo: 0xE1)
        let isFiller = lanes(block, equalTo: 0x85) .& (isE1 .| lanes(previous, equalTo: 0xE3))
        let isMongolianOrTag =
            lanes(block, equalTo: 0xA0) .& (isE1 .| lanes(previous, equalTo: 0xF3))
        // U+FEC0 to U+FEFF, and U+FF80 to U+FFFF.
        let isMark =
            lanes(previous, equalTo: 0xEF)
            .& (lanes(block, equalTo: 0xBB) .| (block .> Block(repeating: Int8(bitPattern: 0xBD))))
        return ((isDelete .| isLatin) .| (isArabicMark .| isPunctuation))
            .| ((isFiller .| isMongolianOrTag) .| isMark)
    }

    /// Returns the scalar of valid UTF-8 that begins at `index` if it is unsafe. Returns `nil` inside a sequence.
    @inline(__always) static func unsafeScalar(
        at index: Int, in text: UnsafeRawBufferPointer
    ) -> Unicode.Scalar? {
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
