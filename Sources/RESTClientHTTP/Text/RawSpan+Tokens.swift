/// The characters of a string.
@usableFromInline package enum TextKind {
    /// Printable ASCII, without escapes.
    case ascii
    /// Any characters, without escapes.
    case unicode
    case escaped
}

// Finds the end of strings, numbers and literals that are valid and complete. Everything else is left to the part of
// `ValueReader` that can be interrupted at each byte and knows the reason of an error.
extension RawSpan {
    /// Returns the end and the kind of the string at `start`, where a quote is, and removes the traits that it does not have.
    @inlinable @inline(__always)
    package func string(at start: Int, _ traits: inout ElementTraits) -> (end: Int, kind: TextKind)? {
        let end = endOfPlainText(from: start &+ 1)
        guard end < byteCount else { return nil }
        return uncheckedByte(at: end) == Byte.quote ? (end &+ 1, .ascii) : restOfString(from: end, &traits)
    }

    /// Returns the end of a string from the first character that is not printable ASCII.
    @usableFromInline func restOfString(
        from start: Int, _ traits: inout ElementTraits
    ) -> (end: Int, kind: TextKind)? {
        var target: TextBuffer?
        return restOfString(from: start, &traits, into: &target)
    }

    /// Reads the string at `start` as `string(at:_:)`, and writes its text to `target`. Returns the number of bytes of the text.
    ///
    /// - Parameter target: The destination, with `unescapingSlack` more bytes than the span has after `start`.
    package func string(
        at start: Int, _ traits: inout ElementTraits, into target: UnsafeMutableRawBufferPointer
    ) -> (end: Int, count: Int)? {
        var text = Optional(TextBuffer(target))
        guard let end = restOfString(from: start &+ 1, &traits, into: &text)?.end else { return nil }
        return (end, text?.count ?? 0)
    }

    /// Writes the text of the string at `start`, which is valid, to `target`, and returns the number of bytes of the text.
    ///
    /// To check it again would take a fifth of the time of a text with many escapes.
    package func unescape(at start: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        var text = TextBuffer(target)
        var index = start &+ 1
        while index < byteCount, uncheckedByte(at: index) != Byte.quote {
            if uncheckedByte(at: index) == Byte.backslash {
                guard let escape = escape(at: index, isValid: true) else { break }
                text.append(escape.scalar)
                index &+= escape.length
            } else {
                index = text.appendUntilEscape(from: index, of: self)
            }
        }
        return text.count
    }

    @inline(__always) private func restOfString(
        from start: Int, _ traits: inout ElementTraits, into target: inout TextBuffer?
    ) -> (end: Int, kind: TextKind)? {
        var index = start
        var isDisplayable = true
        var hasEscapes = false
        while index < byteCount {
            let byte = uncheckedByte(at: index)
            if byte == Byte.backslash {
                hasEscapes = true
                guard let escape = escape(at: index) else { return nil }
                isDisplayable = isDisplayable && !TerminalEscaping.isUnsafe(codePoint: escape.scalar)
                target?.append(escape.scalar)
                index &+= escape.length
            } else if byte >= 0x7F {
                let text = endOfText(from: index)
                guard text.end > index else { return nil }
                isDisplayable = isDisplayable && text.isDisplayable
                target?.append(index..<text.end, of: self)
                index = text.end
            } else if byte == Byte.quote {
                if !isDisplayable { traits.remove(.isDisplayable) }
                if hasEscapes { traits.remove(.hasNoEscapes) }
                return (index &+ 1, hasEscapes ? .escaped : .unicode)
            } else {
                let end = endOfPlainText(from: index)
                guard end > index else { return nil }
                target?.append(index..<end, of: self)
                index = end
            }
        }
        return nil
    }

    /// Returns the end of a number or literal.
    ///
    /// - Parameter isWhole: `true` if a number can end with the last byte.
    @inlinable @inline(__always) package func endOfScalar(
        _ first: UInt8, from start: Int, isWhole: Bool
    ) -> Int? {
        switch first {
        case UInt8(ascii: "t"): endOfLiteral("true", from: start)
        case UInt8(ascii: "f"): endOfLiteral("false", from: start)
        case UInt8(ascii: "n"): endOfLiteral("null", from: start)
        default: endOfNumber(first, from: start, isWhole: isWhole)
        }
    }

    @inlinable @inline(__always) func endOfLiteral(_ literal: StaticString, from start: Int) -> Int? {
        let end = start &+ literal.utf8CodeUnitCount
        guard end <= byteCount else { return nil }
        for offset in 0..<literal.utf8CodeUnitCount
        where literal.utf8Start[offset] != uncheckedByte(at: start &+ offset) { return nil }
        return end
    }

    /// Returns the end of a number (RFC 8259, section 6).
    @usableFromInline func endOfNumber(_ first: UInt8, from start: Int, isWhole: Bool) -> Int? {
        let integer = first == UInt8(ascii: "-") ? start &+ 1 : start
        var index = endOfDigits(from: integer)
        guard index > integer, index == integer &+ 1 || uncheckedByte(at: integer) != UInt8(ascii: "0") else {
            return nil
        }
        // Neither is a part of a number.
        func next() -> UInt8 { index < byteCount ? uncheckedByte(at: index) : 0 }
        if next() == UInt8(ascii: ".") {
            let fraction = index &+ 1
            index = endOfDigits(from: fraction)
            guard index > fraction else { return nil }
        }
        if next() | 0x20 == UInt8(ascii: "e") {
            index &+= 1
            if next() == UInt8(ascii: "+") || next() == UInt8(ascii: "-") { index &+= 1 }
            let exponent = index
            index = endOfDigits(from: exponent)
            guard index > exponent else { return nil }
        }
        return index < byteCount || isWhole ? index : nil
    }
}

extension RawSpan {
    /// The number of bytes that a string needs in addition to its own, because whole blocks are written.
    package static var unescapingSlack: Int { 16 }
}

/// Writes the text of a string as UTF-8. No character is larger than its escape.
struct TextBuffer {
    private let target: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// The number of bytes that can be added.
    var room: Int { target.count &- count &- RawSpan.unescapingSlack }

    init(_ target: UnsafeMutableRawBufferPointer) { self.target = target }

    @inline(__always) mutating func append(_ range: Range<Int>, of bytes: RawSpan) {
        var index = range.lowerBound
        let shift = count &- index
        while index < range.upperBound, index <= bytes.byteCount &- 16 {
            let block = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self)
            target.storeBytes(of: block, toByteOffset: index &+ shift, as: SIMD16<UInt8>.self)
            index &+= 16
        }
        while index < range.upperBound {
            target[index &+ shift] = bytes.uncheckedByte(at: index)
            index &+= 1
        }
        count &+= range.count
    }

    /// Adds the text up to the next backslash or quote, and returns the index of that.
    @inline(__always) mutating func appendUntilEscape(from start: Int, of bytes: RawSpan) -> Int {
        let backslashes = SIMD16<UInt8>(repeating: Byte.backslash)
        let quotes = SIMD16<UInt8>(repeating: Byte.quote)
        var index = start
        while index <= bytes.byteCount &- 16 {
            let block = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self)
            target.storeBytes(of: block, toByteOffset: count, as: SIMD16<UInt8>.self)
            let end = RawSpan.firstIndex((block .== backslashes) .| (block .== quotes))
            index &+= end ?? 16
            count &+= end ?? 16
            if end != nil { return index }
        }
        while index < bytes.byteCount, bytes.uncheckedByte(at: index) != Byte.backslash,
            bytes.uncheckedByte(at: index) != Byte.quote
        {
            target[count] = bytes.uncheckedByte(at: index)
            count &+= 1
            index &+= 1
        }
        return index
    }

    @inline(__always) mutating func append(_ scalar: UInt32) {
        func set(_ offset: Int, _ mark: UInt32, _ shift: UInt32, _ mask: UInt32 = 0x3F) {
            target[count &+ offset] = UInt8(truncatingIfNeeded: mark | scalar &>> shift & mask)
        }
        if scalar < 0x80 {
            set(0, 0, 0, 0x7F)
            count &+= 1
        } else if scalar < 0x800 {
            set(0, 0xC0, 6)
            set(1, 0x80, 0)
            count &+= 2
        } else if scalar < 0x10000 {
            set(0, 0xE0, 12)
            set(1, 0x80, 6)
            set(2, 0x80, 0)
            count &+= 3
        } else {
            set(0, 0xF0, 18)
            set(1, 0x80, 12)
            set(2, 0x80, 6)
            set(3, 0x80, 0)
            count &+= 4
        }
    }
}
