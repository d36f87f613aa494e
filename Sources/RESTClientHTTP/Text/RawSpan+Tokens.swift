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
        var index = start
        var isDisplayable = true
        var hasEscapes = false
        while index < byteCount {
            let byte = uncheckedByte(at: index)
            if byte == Byte.backslash {
                hasEscapes = true
                guard let escape = escape(at: index) else { return nil }
                isDisplayable = isDisplayable && !TerminalEscaping.isUnsafe(codePoint: escape.scalar)
                index &+= escape.length
            } else if byte >= 0x7F {
                let text = endOfText(from: index)
                guard text.end > index else { return nil }
                isDisplayable = isDisplayable && text.isDisplayable
                index = text.end
            } else if byte == Byte.quote {
                if !isDisplayable { traits.remove(.isDisplayable) }
                if hasEscapes { traits.remove(.hasNoEscapes) }
                return (index &+ 1, hasEscapes ? .escaped : .unicode)
            } else {
                let end = endOfPlainText(from: index)
                guard end > index else { return nil }
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
