// The bytes of an element.
extension ListScanner {
    /// Returns the text of an element that is a JSON string, or `nil` for any other element.
    public static func string(_ element: RawSpan) -> String? {
        if let inner = plainText(in: element) { return text(element, at: inner) }
        return utf8(of: element).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the text of an element that is a JSON string, or `nil` for any other element.
    @inline(__always) static func string(_ element: RawSpan, _ traits: ElementTraits) -> String? {
        guard traits.contains(.plain) else { return string(element) }
        return element.byte(at: 0) == Byte.quote ? text(element, at: 1..<element.byteCount - 1) : nil
    }

    private static func text(_ element: RawSpan, at range: Range<Int>) -> String {
        element.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the range of the text of a JSON string without escapes, or `nil` for any other element.
    ///
    /// The text is well-formed UTF-8 without quotes, backslashes and ASCII control characters except DEL.
    static func plainText(in element: RawSpan) -> Range<Int>? {
        let last = element.byteCount - 1
        guard last > 0, element.byte(at: 0) == Byte.quote, element.byte(at: last) == Byte.quote else {
            return nil
        }
        return element.endOfText(from: 1).end == last ? 1..<last : nil
    }

    /// Returns `true` if the JSON string `key` is equal to `name`, byte by byte (RFC 8259, section 8.3).
    public static func key(_ key: RawSpan, equals name: [UInt8]) -> Bool {
        // An escape takes at least as many bytes as its character.
        let count = key.byteCount - 2
        guard count >= name.count else { return false }
        return key.withUnsafeBytes { key in
            let text = UnsafeRawBufferPointer(rebasing: key[1..<1 + count])
            guard !text.contains(Byte.backslash) else { return utf8(of: key.bytes) == name }
            return text.elementsEqual(name)
        }
    }

    /// Returns the text of a JSON string as UTF-8, or `nil` for any other element.
    public static func utf8(of element: RawSpan) -> [UInt8]? {
        var reader = ValueReader()
        reader.begin(maxDepth: 0)
        guard element.byteCount > 1, element.byte(at: 0) == Byte.quote,
            let end = try? reader.read(element, from: 0), end == element.byteCount
        else { return nil }

        return element.extracting(1..<end - 1).withUnsafeBytes { text in
            [UInt8](unsafeUninitializedCapacity: text.count + unescapingSlack) { target, count in
                count = unescape(text, into: UnsafeMutableRawBufferPointer(target))
            }
        }
    }

    /// The number of bytes that `unescape(_:into:)` needs in addition to those of the text.
    public static let unescapingSlack = 16

    /// Writes the characters of a JSON string to `target`, and returns their size in bytes of UTF-8.
    ///
    /// No character is larger than its escape. Whole blocks are written, so `target` must have ``unescapingSlack`` more
    /// bytes than `text`.
    ///
    /// - Parameters:
    ///   - text: The text of a valid string, as passed by the scanner, without its quotes.
    ///   - target: The destination.
    public static func unescape(
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

    /// Returns the range of the value at `path`, in `element`, or `nil` if there is none.
    ///
    /// The element must be valid JSON. It can be cut at the end; members after the cut are not found. If an object has
    /// several members with the same key, the first one counts.
    ///
    /// - Parameters:
    ///   - path: The names of the members, from the outermost inwards, as UTF-8. An empty path is the element itself.
    ///   - element: The element, as passed by the scanner.
    public static func value(at path: [[UInt8]], in element: RawSpan) -> Range<Int>? {
        var start = element.endOfWhitespace(from: 0)
        for name in path {
            var valueStart: Int?
            element.forEachKey(from: start) { key, value in
                guard Self.key(element.extracting(key), equals: name) else {
                    return element.endOfValue(from: value)
                }
                valueStart = value
                return nil
            }
            guard let valueStart else { return nil }
            start = valueStart
        }
        return element.endOfValue(from: start).map { start..<$0 }
    }

    /// Calls `body` with the ranges of the key and the value of each member of an object.
    ///
    /// The element must be valid JSON. An element that is not an object has no members.
    public static func forEachMember(
        of element: RawSpan, _ body: (_ key: Range<Int>, _ value: Range<Int>) -> Void
    ) {
        element.forEachKey(from: element.endOfWhitespace(from: 0)) { key, start in
            let end = element.endOfValue(from: start)
            if let end { body(key, start..<end) }
            return end
        }
    }

    /// Calls `body` with the range of each element of a list.
    ///
    /// The element must be valid JSON. An element that is not a list has no elements.
    public static func forEachElement(of element: RawSpan, _ body: (Range<Int>) -> Void) {
        var index = element.endOfWhitespace(from: 0)
        var separator = Byte.openBracket
        while let start = element.indexAfter(separator, from: index),
            let end = element.endOfValue(from: start)
        {
            body(start..<end)
            index = end
            separator = Byte.comma
        }
    }
}

extension RawSpan {
    /// Calls `body` with the range of each key and the start of its value. It returns the end of the value, or `nil` to stop.
    @inline(__always)
    fileprivate func forEachKey(from start: Int, _ body: (_ key: Range<Int>, _ value: Int) -> Int?) {
        var index = start
        var separator = Byte.openBrace
        while let key = indexAfter(separator, from: index), let keyEnd = endOfValue(from: key),
            let value = indexAfter(Byte.colon, from: keyEnd)
        {
            guard let end = body(key..<keyEnd, value) else { return }
            index = end
            separator = Byte.comma
        }
    }

    @inline(__always) func indexAfter(_ byte: UInt8, from start: Int) -> Int? {
        let index = endOfWhitespace(from: start)
        guard index < byteCount, self.byte(at: index) == byte else { return nil }
        return endOfWhitespace(from: index + 1)
    }

    /// Returns the end of the value at `start`, which is valid, or `nil` if it continues after the last byte.
    func endOfValue(from start: Int) -> Int? {
        var index = start
        var depth = 0
        while index < byteCount {
            switch uncheckedByte(at: index) {
            case Byte.quote: index = endOfString(from: index &+ 1)
            case Byte.openBrace, Byte.openBracket:
                depth &+= 1
                index &+= 1
            case Byte.closeBrace, Byte.closeBracket:
                guard depth > 0 else { return nil }
                depth &-= 1
                index &+= 1
            default:
                guard depth > 0 else { return endOfNumberOrLiteral(from: start) }
                index &+= 1
            }
            if depth == 0 { return index <= byteCount ? index : nil }
        }
        return nil
    }

    /// Returns the end of the string whose text is at `start`. It is valid. The result is greater than the number of bytes if
    /// it continues after the last one.
    private func endOfString(from start: Int) -> Int {
        typealias Block = SIMD16<UInt8>
        var index = start
        while index < byteCount {
            if index <= byteCount &- 16 {
                let block = unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: Block.self)
                let ends =
                    (block .== Block(repeating: Byte.quote)) .| (block .== Block(repeating: Byte.backslash))
                guard let end = Self.firstIndex(ends) else {
                    index &+= 16
                    continue
                }
                index &+= end
            }
            let byte = uncheckedByte(at: index)
            if byte == Byte.quote { return index &+ 1 }
            index &+= byte == Byte.backslash ? 2 : 1
        }
        return byteCount &+ 1
    }

    @inline(__always) private func endOfNumberOrLiteral(from start: Int) -> Int? {
        typealias Block = SIMD16<UInt8>
        var index = start
        while index <= byteCount &- 16 {
            let block = unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: Block.self)
            // Both closing brackets differ by one bit.
            let ends =
                (block .<= Block(repeating: 0x20)) .| (block .== Block(repeating: Byte.comma))
                .| ((block | Block(repeating: 0x20)) .== Block(repeating: Byte.closeBrace))
            guard let end = Self.firstIndex(ends) else {
                index &+= 16
                continue
            }
            index &+= end
            return index > start ? index : nil
        }
        return endOfLastNumberOrLiteral(from: start)
    }

    private func endOfLastNumberOrLiteral(from start: Int) -> Int? {
        if let value = completeValue(at: start, maxDepth: 0) { return value.end }
        // The value may be the end of the text.
        var reader = ValueReader()
        reader.begin(maxDepth: 0)
        if let end = try? reader.read(self, from: start) { return end }
        return reader.isWholeNumber ? byteCount : nil
    }
}
