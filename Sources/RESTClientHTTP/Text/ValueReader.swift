/// The grammar of JSON (RFC 8259, strict): reads one value of any kind in chunks, and finds its end or its first syntax error.
///
/// A state machine with a stack of one bit per level: deep nesting does not use the thread's stack. A chunk can end at
/// every byte.
@usableFromInline package struct ValueReader {
    /// A syntax error.
    @usableFromInline package struct ParseError: Error {
        package let error: JSONSyntaxError
        /// The index in the bytes that were read.
        package let index: Int

        @usableFromInline static func malformed(_ error: JSONSyntaxError, at index: Int) -> Self {
            Self(error: error, index: index)
        }
    }

    /// The expected next byte.
    @usableFromInline enum State: UInt8 {
        case value, firstElement, firstKey, key, colon, afterValue
        // In a token that continues in the next chunk, or is not valid.
        case scalar
        case text, escape, hexDigits, lowSurrogate, lowSurrogateMark, sequence
        case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent
        case literal

        @inlinable var isInToken: Bool { rawValue > Self.afterValue.rawValue }
    }

    @usableFromInline var state = State.value
    /// The open containers, one bit each: 1 for an object, 0 for a list. The innermost is the lowest bit of `nesting`;
    /// groups of 64 are moved to `outerNesting`.
    @usableFromInline var nesting: UInt64 = 0
    @usableFromInline var outerNesting: [UInt64] = []
    @usableFromInline var depth = 0
    @usableFromInline var maxDepth = 0
    /// The number of containers around the value.
    @usableFromInline var endDepth = 0
    /// `true` if a number can end with the last byte.
    @usableFromInline var isWhole = false
    /// The properties of a value that did not continue in another chunk.
    @usableFromInline package var traits = ElementTraits.plain

    /// A Boolean value that indicates whether the current string is a key.
    @usableFromInline var isKey = false
    /// The number of missing digits of the current `\u` escape, and its value so far.
    private var hexDigits = 0
    private var codeUnit: UInt32 = 0
    /// A Boolean value that indicates whether the current escape must be the low surrogate of a pair.
    private var isLowSurrogate = false
    /// The number of missing bytes of the current UTF-8 sequence, and the allowed values of the next one.
    private var sequenceBytes = 0
    private var nextInSequence: ClosedRange<UInt8> = 0x80...0xBF
    /// The current literal, and the number of its bytes that were read.
    private var literal: StaticString = "null"
    private var literalIndex = 0

    package init() {}

    /// Creates a reader of a value that ends with the bytes that are read next.
    package init(ofWholeValueWithDepth maxDepth: Int) {
        self.maxDepth = maxDepth
        isWhole = true
    }

    /// Prepares for a value with at most `maxDepth` nested containers.
    @inlinable @inline(__always) package mutating func begin(maxDepth: Int) {
        state = .value
        depth = 0
        endDepth = 0
        traits = .plain
        self.maxDepth = maxDepth
    }

    /// Continues after the container that was opened last, whose contents and end have been read elsewhere.
    package mutating func skipContainer() {
        var (nesting, depth) = (nesting, depth)
        close(&nesting, &depth)
        (state, self.nesting, self.depth) = (.afterValue, nesting, depth)
    }

    /// Prepares for a member of an object: its key, a colon and its value. `maxDepth` includes the object.
    package mutating func beginMember(maxDepth: Int) {
        begin(maxDepth: maxDepth)
        (state, nesting, depth, endDepth) = (.key, 1, 1, 1)
    }

    /// `true` if the bytes so far end with a complete number, the only value whose end is not visible in its own
    /// bytes.
    package var isWholeNumber: Bool {
        guard depth == 0 else { return false }
        return switch state {
        case .zero, .integer, .fraction, .exponent: true
        default: false
        }
    }

    /// `true` after the value.
    @inlinable package var isAtEnd: Bool { state == .afterValue && depth == endDepth }

    /// Continues at `start`. Returns the index after the value, or `nil` if it continues after the last byte.
    ///
    /// The byte after a number is not consumed.
    package mutating func read(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int? {
        struct NoVisitor: TokenVisitor {}
        var visitor = NoVisitor()
        return try read(bytes, from: start, &visitor)
    }

    /// Continues at `start`, and passes the tokens to `visitor`. Returns the index after the value, or `nil` if it continues
    /// after the last byte, or if the visitor is finished.
    @inlinable package mutating func read(
        _ bytes: RawSpan, from start: Int, _ visitor: inout some TokenVisitor
    ) throws(ParseError) -> Int? {
        var index = start
        while !isAtEnd {
            guard index < bytes.byteCount else { return nil }
            if state.isInToken {
                index = try readInToken(bytes, from: index)
                if !state.isInToken {
                    visitor.endCut(at: index, isKey: state == .colon, of: bytes, depth: depth)
                }
            } else {
                index = try readTokens(bytes, from: index, &visitor)
            }
            if visitor.isFinished { return nil }
        }
        return index
    }

    // MARK: Tokens

    /// Reads complete tokens until the value ends. Returns the index of the first byte that was not read.
    @inlinable @inline(__always) mutating func readTokens(
        _ bytes: RawSpan, from start: Int, _ visitor: inout some TokenVisitor
    ) throws(ParseError) -> Int {
        var index = start
        // Faster than properties.
        var (state, nesting, depth, traits) = (state, nesting, depth, traits)
        defer { (self.state, self.nesting, self.depth, self.traits) = (state, nesting, depth, traits) }
        let count = bytes.byteCount
        while index < count {
            var byte = bytes.uncheckedByte(at: index)
            if byte <= 0x20 {
                traits.remove(.isCompact)
                let space = index
                index = bytes.endOfWhitespace(from: space)
                visitor.skipSpace(space..<index, of: bytes)
                guard index < count else { return index }
                byte = bytes.uncheckedByte(at: index)
            }
            // Most tokens follow each other without whitespace, and then without another turn.
            if state == .afterValue {
                let isObject = nesting & 1 == 1
                index &+= 1
                guard byte == Byte.comma else {
                    guard byte == (isObject ? Byte.closeBrace : Byte.closeBracket) else {
                        let expected: JSONSyntaxError.Token =
                            isObject ? .commaOrEndOfObject : .commaOrEndOfList
                        throw .malformed(.expected(expected, found: byte), at: index &- 1)
                    }
                    close(&nesting, &depth)
                    visitor.close(at: index, of: bytes, depth: depth)
                    if depth == endDepth || visitor.isFinished { return index }
                    continue
                }
                state = isObject ? .key : .value
                guard index < count else { return index }
                byte = bytes.uncheckedByte(at: index)
                if byte <= 0x20 { continue }
            }
            if state == .key || state == .firstKey {
                guard byte == Byte.quote else {
                    guard byte == Byte.closeBrace, state == .firstKey else {
                        throw .malformed(.expectedKey(byte, isFirst: state == .firstKey), at: index)
                    }
                    index &+= 1
                    close(&nesting, &depth)
                    state = .afterValue
                    visitor.close(at: index, of: bytes, depth: depth)
                    if depth == endDepth || visitor.isFinished { return index }
                    continue
                }
                if let end = visitor.skipKnownKey(at: index, of: bytes, depth: depth, &traits) {
                    index = end
                    state = .value
                } else {
                    guard let text = bytes.string(at: index, &traits) else {
                        state = .text
                        isKey = true
                        visitor.cut(bytes, at: index, isKey: true, depth: depth)
                        return index &+ 1
                    }
                    visitor.readKey(index..<text.end, text.kind, of: bytes, depth: depth)
                    index = text.end
                    state = .colon
                    if visitor.isFinished { return index }
                }
                guard index < count else { return index }
                byte = bytes.uncheckedByte(at: index)
                if byte <= 0x20 { continue }
            }
            if state == .colon {
                guard byte == Byte.colon else { throw .malformed(.expected(.colon, found: byte), at: index) }
                index &+= 1
                state = .value
                guard index < count else { return index }
                byte = bytes.uncheckedByte(at: index)
                if byte <= 0x20 { continue }
            }
            switch byte {
            case Byte.quote:
                guard let text = bytes.string(at: index, &traits) else {
                    state = .text
                    isKey = false
                    visitor.cut(bytes, at: index, isKey: false, depth: depth)
                    return index &+ 1
                }
                visitor.readScalar(index..<text.end, byte, text.kind, of: bytes, depth: depth)
                index = text.end
            case Byte.openBrace, Byte.openBracket:
                guard depth < maxDepth else { throw .malformed(.tooDeep(limit: maxDepth), at: index) }
                visitor.open(byte, at: index, depth: depth)
                let isObject = byte == Byte.openBrace
                if depth & 63 == 0, depth > 0 { outerNesting.append(nesting) }
                nesting = nesting &<< 1 | (isObject ? 1 : 0)
                depth &+= 1
                index &+= 1
                state = isObject ? .firstKey : .firstElement
                if visitor.isFinished { return index }
                continue
            case Byte.closeBracket where state == .firstElement:
                index &+= 1
                close(&nesting, &depth)
                visitor.close(at: index, of: bytes, depth: depth)
            default:
                guard let end = bytes.endOfScalar(byte, from: index, isWhole: isWhole) else {
                    state = .scalar
                    visitor.cut(bytes, at: index, isKey: false, depth: depth)
                    return index
                }
                visitor.readScalar(index..<end, byte, .ascii, of: bytes, depth: depth)
                index = end
            }
            state = .afterValue
            if depth == endDepth || visitor.isFinished { return index }
        }
        return index
    }

    @inlinable @inline(__always) mutating func close(_ nesting: inout UInt64, _ depth: inout Int) {
        nesting &>>= 1
        depth &-= 1
        if depth & 63 == 0, depth > 0 { nesting = outerNesting.popLast() ?? 0 }
    }

    // MARK: Parts of tokens

    /// Reads the rest of a token. Returns the index of the first byte that was not read.
    @usableFromInline mutating func readInToken(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int {
        var index = start
        while index < bytes.byteCount, state.isInToken {
            let byte = bytes.byte(at: index)
            switch state {
            case .text:
                index = bytes.endOfPlainText(from: index)
                guard index < bytes.byteCount else { return index }
                try readInText(bytes.byte(at: index), at: index)
                index &+= 1
            case .scalar:
                try startScalar(byte, at: index)
                index &+= 1
            case .escape, .hexDigits, .lowSurrogate, .lowSurrogateMark, .sequence:
                try readInText(byte, at: index)
                index &+= 1
            case .literal: index = try readLiteral(bytes, from: index)
            case .integer, .fraction, .exponent:
                index = bytes.endOfDigits(from: index)
                guard index < bytes.byteCount else { return index }
                if try readInNumber(bytes.byte(at: index), at: index) { index &+= 1 }
            default: if try readInNumber(byte, at: index) { index &+= 1 }
            }
        }
        return index
    }

    private mutating func startScalar(_ byte: UInt8, at index: Int) throws(ParseError) {
        switch byte {
        case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .integer
        case UInt8(ascii: "0"): state = .zero
        case UInt8(ascii: "-"): state = .minus
        case UInt8(ascii: "t"): startLiteral("true")
        case UInt8(ascii: "f"): startLiteral("false")
        case UInt8(ascii: "n"): startLiteral("null")
        case Byte.closeBracket where depth > 0 && nesting & 1 == 0:
            throw .malformed(.trailingComma(inObject: false), at: index)
        default: throw .malformed(.expected(.value, found: byte), at: index)
        }
    }

    private mutating func startLiteral(_ literal: StaticString) {
        self.literal = literal
        literalIndex = 1
        state = .literal
    }

    private mutating func readLiteral(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int {
        var index = start
        while index < bytes.byteCount, literalIndex < literal.utf8CodeUnitCount {
            let byte = bytes.byte(at: index)
            guard literal.withUTF8Buffer({ $0[literalIndex] }) == byte else {
                throw .malformed(.invalidLiteral("\(literal)", found: byte), at: index)
            }
            literalIndex &+= 1
            index &+= 1
        }
        if literalIndex == literal.utf8CodeUnitCount { state = .afterValue }
        return index
    }

    /// Returns `true` if `byte` belongs to the number; `false` if the number has ended before it.
    private mutating func readInNumber(_ byte: UInt8, at index: Int) throws(ParseError) -> Bool {
        let isDigit = Byte.isDigit(byte)
        let isPoint = byte == UInt8(ascii: ".")
        let isExponent = byte | 0x20 == UInt8(ascii: "e")
        switch state {
        case .minus where byte == UInt8(ascii: "0"): state = .zero
        case .minus where isDigit: state = .integer
        case .point where isDigit: state = .fraction
        case .exponentMark where isDigit, .exponentSign where isDigit: state = .exponent
        case .exponentMark where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"): state = .exponentSign
        case .zero where isPoint, .integer where isPoint: state = .point
        case .zero where isExponent, .integer where isExponent, .fraction where isExponent:
            state = .exponentMark
        case .zero where isDigit: throw .malformed(.leadingZero, at: index)
        case .minus, .point, .exponentMark, .exponentSign:
            throw .malformed(.expected(.digit, found: byte), at: index)
        default:
            state = .afterValue
            return false
        }
        return true
    }

    private mutating func readInText(_ byte: UInt8, at index: Int) throws(ParseError) {
        switch state {
        case .escape:
            if Byte.isSimpleEscape(byte) {
                state = .text
            } else if byte == UInt8(ascii: "u") {
                startHexDigits(isLowSurrogate: false)
            } else {
                throw .malformed(.invalidEscape(byte), at: index)
            }
        case .hexDigits:
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw .malformed(.expected(.hexDigits, found: byte), at: index)
            }
            codeUnit = codeUnit << 4 | UInt32(digit)
            hexDigits -= 1
            if hexDigits == 0 { try endEscape(at: index) }
        case .lowSurrogate:
            guard byte == Byte.backslash else { throw .malformed(.unpairedSurrogate, at: index) }
            state = .lowSurrogateMark
        case .lowSurrogateMark:
            guard byte == UInt8(ascii: "u") else { throw .malformed(.unpairedSurrogate, at: index) }
            startHexDigits(isLowSurrogate: true)
        case .sequence:
            guard nextInSequence.contains(byte) else {
                throw .malformed(.invalidUTF8(byte, isContinuation: true), at: index)
            }
            nextInSequence = 0x80...0xBF
            sequenceBytes -= 1
            if sequenceBytes == 0 { state = .text }
        default:
            switch byte {
            case Byte.quote: state = isKey ? .colon : .afterValue
            case Byte.backslash: state = .escape
            case 0x80...:
                guard let sequence = UTF8Sequence(startingWith: byte) else {
                    throw .malformed(.invalidUTF8(byte, isContinuation: false), at: index)
                }
                sequenceBytes = sequence.length - 1
                nextInSequence = sequence.second
                state = .sequence
            case ..<0x20: throw .malformed(.controlCharacter(byte), at: index)
            default: break
            }
        }
    }

    private mutating func startHexDigits(isLowSurrogate: Bool) {
        self.isLowSurrogate = isLowSurrogate
        codeUnit = 0
        hexDigits = 4
        state = .hexDigits
    }

    private mutating func endEscape(at index: Int) throws(ParseError) {
        let isLow = 0xDC00...0xDFFF ~= codeUnit
        guard isLow == isLowSurrogate else { throw .malformed(.unpairedSurrogate, at: index) }
        state = 0xD800...0xDBFF ~= codeUnit ? .lowSurrogate : .text
    }
}
