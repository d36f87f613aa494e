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
        return element.endOfText(from: 1) == last ? 1..<last : nil
    }

    /// Returns `true` if the JSON string `key` is equal to `name`, byte by byte (RFC 8259, section 8.3).
    public static func key(_ key: RawSpan, equals name: [UInt8]) -> Bool {
        if let inner = plainText(in: key) {
            return inner.count == name.count && key.extracting(inner).equals(ArraySlice(name).span.bytes)
        }
        // An escape takes one to six bytes for each byte of a name.
        return key.byteCount > name.count && utf8(of: key) == name
    }

    /// Returns the text of a JSON string as UTF-8, or `nil` for any other element.
    public static func utf8(of element: RawSpan) -> [UInt8]? {
        var reader = ValueReader()
        reader.begin(maxDepth: 0)
        guard element.byteCount > 1, element.byte(at: 0) == Byte.quote,
            let end = try? reader.read(element, from: 0), end == element.byteCount
        else { return nil }

        var text: [UInt8] = []
        text.reserveCapacity(end - 2)
        var index = 1
        while index < end - 1 {
            let plainEnd = element.endOfText(from: index)
            text.append(element.extracting(index..<plainEnd))
            index = plainEnd
            // The string is valid, so a backslash is the only other byte in it.
            guard index < end - 1, let escape = element.escape(at: index) else { break }
            text += String(Unicode.Scalar(escape.scalar) ?? "\u{FFFD}").utf8
            index += escape.length
        }
        return text
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
                guard Self.key(element.extracting(key), equals: name) else { return true }
                valueStart = value
                return false
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
            guard let end = element.endOfValue(from: start) else { return false }
            body(key, start..<end)
            return true
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
    /// Calls `body` with the range of each key and the start of its value, until it returns `false`.
    fileprivate func forEachKey(from start: Int, _ body: (_ key: Range<Int>, _ value: Int) -> Bool) {
        var index = start
        var separator = Byte.openBrace
        while let key = indexAfter(separator, from: index), let keyEnd = endOfValue(from: key),
            let value = indexAfter(Byte.colon, from: keyEnd)
        {
            guard body(key..<keyEnd, value), let end = endOfValue(from: value) else { return }
            index = end
            separator = Byte.comma
        }
    }

    fileprivate func indexAfter(_ byte: UInt8, from start: Int) -> Int? {
        let index = endOfWhitespace(from: start)
        guard index < byteCount, self.byte(at: index) == byte else { return nil }
        return endOfWhitespace(from: index + 1)
    }

    fileprivate func endOfValue(from start: Int) -> Int? {
        if let value = completeValue(at: start, maxDepth: .max) { return value.end }
        var reader = ValueReader()
        reader.begin(maxDepth: .max)
        if let end = try? reader.read(self, from: start) { return end }
        return reader.isWholeNumber ? byteCount : nil
    }
}
