extension ListScanner {
    /// The text of an element that is a JSON string, else `nil`.
    public static func string(_ element: RawSpan) -> String? {
        if let inner = plainText(in: element) { return text(element, at: inner) }
        return unescaped(element).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same for an element that `isPlain`, as a scanner says, is known to be a string without escapes.
    @inline(__always)
    static func string(_ element: RawSpan, isPlain: Bool) -> String? {
        isPlain ? text(element, at: 1..<element.byteCount - 1) : string(element)
    }

    private static func text(_ element: RawSpan, at range: Range<Int>) -> String {
        element.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Where the text of an element is that is a JSON string without escapes, else `nil`: well-formed UTF-8 without
    /// quotes, backslashes and control characters (of ASCII, DEL excepted), to be used as it is.
    package static func plainText(in element: RawSpan) -> Range<Int>? {
        let last = element.byteCount - 1
        guard last > 0, element.byte(at: 0) == Byte.quote, element.byte(at: last) == Byte.quote else {
            return nil
        }
        return element.endOfText(from: 1) == last ? 1..<last : nil
    }

    /// Whether the JSON string `key` means `name`, byte by byte (RFC 8259, section 8.3).
    package static func matches(_ key: RawSpan, _ name: [UInt8]) -> Bool {
        if let inner = plainText(in: key) {
            return inner.count == name.count && key.extracting(inner).equals(name.span.bytes)
        }
        // A byte of a name is at most six in an escape, and never less than one.
        return key.byteCount > name.count && unescaped(key) == name
    }

    /// The text of a JSON string as UTF-8, `nil` for anything else.
    package static func unescaped(_ element: RawSpan) -> [UInt8]? {
        var reader = ValueReader()
        reader.begin(maxDepth: 0)
        guard element.byteCount > 1, element.byte(at: 0) == Byte.quote,
            let end = try? reader.read(element, from: 0), end == element.byteCount
        else { return nil }

        // From here on the text is known to be a valid string.
        var text: [UInt8] = []
        text.reserveCapacity(end - 2)
        var index = 1
        var highSurrogate: UInt32 = 0
        while index < end - 1 {
            let plainEnd = element.endOfText(from: index)
            text.append(element.extracting(index..<plainEnd))
            index = plainEnd
            guard index < end - 1 else { break }
            let escape = element.byte(at: index + 1)
            index += 2
            guard escape == UInt8(ascii: "u") else {
                text.append(meaning(ofEscape: escape))
                continue
            }
            var unit: UInt32 = 0
            for position in index..<index + 4 {
                unit = unit << 4 | (Byte.hexDigit(element.byte(at: position)) ?? 0)
            }
            index += 4
            if 0xD800...0xDBFF ~= unit {
                highSurrogate = unit
            } else {
                let isLow = 0xDC00...0xDFFF ~= unit
                let value = isLow ? 0x10000 &+ (highSurrogate &- 0xD800) &<< 10 &+ (unit &- 0xDC00) : unit
                text.append(
                    contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}")
                        ?? UTF8.encodedReplacementCharacter)
            }
        }
        return text
    }

    private static func meaning(ofEscape escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }
}
