/// A value that lies completely in a span.
struct CompleteValue {
    var end: Int
    var traits: ElementTraits
}

// Finds the end of values that are valid and complete. Everything else is left to `ValueReader`, which can be
// interrupted at each byte and knows the reason of an error.
extension RawSpan {
    /// Returns the value at `start` like `completeValue(at:maxDepth:)`. Inlined for strings of printable ASCII.
    @inline(__always) func completeElement(at start: Int, maxDepth: Int) -> CompleteValue? {
        guard start < byteCount, uncheckedByte(at: start) == Byte.quote else {
            return completeValue(at: start, maxDepth: maxDepth)
        }
        var value = CompleteValue(end: start, traits: .plain)
        return skipString(&value) ? value : nil
    }

    /// Returns the value at `start`, or `nil` if it is invalid, continues after the last byte, or has more than
    /// `maxDepth` nested containers.
    func completeValue(at start: Int, maxDepth: Int) -> CompleteValue? {
        var value = CompleteValue(end: start, traits: .plain)
        // The open containers, one bit each: 1 for an object, 0 for a list.
        var nesting: UInt64 = 0
        var depth = 0
        let maxDepth = min(maxDepth, 64)
        while true {
            guard value.end < byteCount else { return nil }
            let first = uncheckedByte(at: value.end)
            switch first {
            case Byte.quote:
                guard skipString(&value) else { return nil }
            case Byte.openBrace, Byte.openBracket:
                guard depth < maxDepth else { return nil }
                depth &+= 1
                let isObject = first == Byte.openBrace
                nesting = nesting &<< 1 | (isObject ? 1 : 0)
                value.end &+= 1
                guard let next = nextToken(&value) else { return nil }
                if next != (isObject ? Byte.closeBrace : Byte.closeBracket) {
                    if isObject, skipKey(&value) == nil || nextToken(&value) == nil { return nil }
                    continue
                }
                depth &-= 1
                nesting &>>= 1
                value.end &+= 1
            default:
                guard let end = endOfScalar(first, from: value.end) else { return nil }
                value.end = end
            }
            while true {
                if depth == 0 { return value }
                guard let next = nextToken(&value) else { return nil }
                value.end &+= 1
                if next == Byte.comma {
                    guard nextToken(&value) != nil else { return nil }
                    if nesting & 1 == 1, skipKey(&value) == nil || nextToken(&value) == nil { return nil }
                    break
                }
                guard next == (nesting & 1 == 1 ? Byte.closeBrace : Byte.closeBracket) else { return nil }
                depth &-= 1
                nesting &>>= 1
            }
        }
    }

    /// Skips whitespace, and returns the byte after it.
    @inline(__always) func nextToken(_ value: inout CompleteValue) -> UInt8? {
        guard value.end < byteCount else { return nil }
        let byte = uncheckedByte(at: value.end)
        if byte > 0x20 { return byte }
        value.traits.remove(.isCompact)
        value.end = endOfWhitespace(from: value.end)
        return value.end < byteCount ? uncheckedByte(at: value.end) : nil
    }

    /// Skips a key and its colon, and returns the end of the key.
    @inline(__always) func skipKey(_ value: inout CompleteValue) -> Int? {
        guard uncheckedByte(at: value.end) == Byte.quote, skipString(&value) else { return nil }
        let end = value.end
        guard nextToken(&value) == Byte.colon else { return nil }
        value.end &+= 1
        return end
    }

    /// Skips the value at `value.end`, of which one byte exists.
    @inline(__always) func skipValue(_ value: inout CompleteValue, maxDepth: Int) -> Bool {
        let first = uncheckedByte(at: value.end)
        switch first {
        case Byte.quote: return skipString(&value)
        case Byte.openBrace, Byte.openBracket:
            guard let container = completeValue(at: value.end, maxDepth: maxDepth) else { return false }
            value.end = container.end
            value.traits.formIntersection(container.traits)
            return true
        default:
            guard let end = endOfScalar(first, from: value.end) else { return false }
            value.end = end
            return true
        }
    }

    /// Skips the string at `value.end`.
    @inline(__always) private func skipString(_ value: inout CompleteValue) -> Bool {
        let end = endOfPlainText(from: value.end &+ 1)
        guard end < byteCount else { return false }
        if uncheckedByte(at: end) == Byte.quote {
            value.end = end &+ 1
            return true
        }
        return skipText(&value, from: end)
    }

    /// Skips the rest of a string that is not plain, from the first character that is not printable ASCII.
    private func skipText(_ value: inout CompleteValue, from start: Int) -> Bool {
        var index = start
        var isDisplayable = true
        var hasEscapes = false
        while index < byteCount {
            let byte = uncheckedByte(at: index)
            if byte == Byte.backslash {
                hasEscapes = true
                guard let escape = escape(at: index) else { return false }
                isDisplayable = isDisplayable && !TerminalEscaping.isUnsafe(codePoint: escape.scalar)
                index &+= escape.length
            } else if byte >= 0x7F {
                let text = endOfText(from: index)
                guard text.end > index else { return false }
                isDisplayable = isDisplayable && text.isDisplayable
                index = text.end
            } else if byte == Byte.quote {
                value.end = index &+ 1
                if !isDisplayable { value.traits.remove(.isDisplayable) }
                if hasEscapes { value.traits.remove(.hasNoEscapes) }
                return true
            } else {
                let end = endOfPlainText(from: index)
                guard end > index else { return false }
                index = end
            }
        }
        return false
    }

    /// Returns the end of a number or literal that is followed by another byte.
    @inline(__always) private func endOfScalar(_ first: UInt8, from start: Int) -> Int? {
        switch first {
        case UInt8(ascii: "t"): endOfLiteral("true", from: start)
        case UInt8(ascii: "f"): endOfLiteral("false", from: start)
        case UInt8(ascii: "n"): endOfLiteral("null", from: start)
        default: endOfNumber(from: start)
        }
    }

    @inline(__always) private func endOfLiteral(_ literal: StaticString, from start: Int) -> Int? {
        let end = start &+ literal.utf8CodeUnitCount
        guard end <= byteCount else { return nil }
        for offset in 0..<literal.utf8CodeUnitCount
        where literal.utf8Start[offset] != uncheckedByte(at: start &+ offset) { return nil }
        return end
    }

    /// Returns the end of a number (RFC 8259, section 6) that is followed by another byte.
    private func endOfNumber(from start: Int) -> Int? {
        var index = start
        if byte(at: index) == UInt8(ascii: "-") { index &+= 1 }
        guard index < byteCount else { return nil }
        let first = uncheckedByte(at: index)
        guard Byte.isDigit(first) else { return nil }
        let isZero = first == UInt8(ascii: "0")
        index = isZero ? index &+ 1 : endOfDigits(from: index)
        guard index < byteCount, !isZero || !Byte.isDigit(uncheckedByte(at: index)) else { return nil }
        if uncheckedByte(at: index) == UInt8(ascii: ".") {
            let fraction = index &+ 1
            index = endOfDigits(from: fraction)
            guard index > fraction, index < byteCount else { return nil }
        }
        if uncheckedByte(at: index) | 0x20 == UInt8(ascii: "e") {
            index &+= 1
            guard index < byteCount else { return nil }
            if [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(uncheckedByte(at: index)) { index &+= 1 }
            let exponent = index
            index = endOfDigits(from: exponent)
            guard index > exponent, index < byteCount else { return nil }
        }
        return index
    }
}
