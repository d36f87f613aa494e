/// Reads one JSON value of any kind in chunks, and finds its end or its first syntax error.
///
/// A state machine with a stack of one bit per level: deep nesting does not use the thread's stack. A chunk can end at
/// every byte.
struct ValueReader {
    /// A syntax error.
    struct ParseError: Error {
        let error: JSONSyntaxError
        /// The index in the bytes that were read.
        let index: Int

        static func malformed(_ error: JSONSyntaxError, at index: Int) -> Self {
            Self(error: error, index: index)
        }
    }

    /// The expected next byte.
    private enum State: UInt8 {
        case value, firstElement, firstKey, key, colon, afterValue
        case text, escape, hexDigits, lowSurrogate, lowSurrogateMark, sequence
        case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent
        case literal

        var skipsWhitespace: Bool { rawValue <= Self.afterValue.rawValue }
    }

    private var state = State.value
    /// The open containers, one bit each: 1 for an object, 0 for a list. The innermost is the lowest bit of `nesting`;
    /// groups of 64 are moved to `outerNesting`.
    private var nesting: UInt64 = 0
    private var outerNesting: [UInt64] = []
    private(set) var depth = 0
    private var maxDepth = 0

    /// A Boolean value that indicates whether the current string is a key.
    private var isKey = false
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

    /// Prepares for a value with at most `maxDepth` nested containers.
    mutating func begin(maxDepth: Int) {
        state = .value
        depth = 0
        self.maxDepth = maxDepth
    }

    /// Prepares for the rest of an object, after one of its values. `maxDepth` includes the object.
    mutating func beginAfterMember(maxDepth: Int) {
        state = .afterValue
        nesting = 1
        outerNesting.removeAll(keepingCapacity: true)
        depth = 1
        self.maxDepth = maxDepth
    }

    /// `true` if the bytes so far end with a complete number, the only value whose end is not visible in its own
    /// bytes.
    var isWholeNumber: Bool {
        guard depth == 0 else { return false }
        return switch state {
        case .zero, .integer, .fraction, .exponent: true
        default: false
        }
    }

    /// Continues at `start`. Returns the index after the value, or `nil` if it continues after the last byte.
    ///
    /// The byte after a number is not consumed.
    mutating func read(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int? {
        var index = start
        while index < bytes.byteCount {
            let byte = bytes.byte(at: index)
            if Byte.isWhitespace(byte), state.skipsWhitespace {
                index = bytes.endOfWhitespace(from: index &+ 1)
                continue
            }
            switch state {
            case .value, .firstElement: index = try readStart(byte, of: bytes, at: index)
            case .afterValue: index = try readSeparator(byte, of: bytes, at: index)
            case .firstKey, .key:
                if byte == Byte.quote {
                    index = try readKey(bytes, from: index &+ 1)
                } else if byte == Byte.closeBrace, state == .firstKey {
                    close()
                    index &+= 1
                } else {
                    throw .malformed(
                        JSONSyntaxError.expectedKey(byte, isFirst: state == .firstKey), at: index)
                }
            case .colon:
                guard byte == Byte.colon else { throw .malformed(.expected(.colon, found: byte), at: index) }
                state = .value
                index &+= 1
            case .text: index = try readText(bytes, from: index)
            case .escape, .hexDigits, .lowSurrogate, .lowSurrogateMark, .sequence:
                try readInText(byte, at: index)
                index &+= 1
            case .literal: index = try readLiteral(bytes, from: index)
            case .integer, .fraction, .exponent: index = try readDigits(bytes, from: index)
            case .minus, .zero, .point, .exponentMark, .exponentSign:
                if try readInNumber(byte, at: index) { index &+= 1 }
            }
            if state == .afterValue, depth == 0 { return index }
        }
        return nil
    }

    // MARK: Values and containers

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

    /// Reads the start of a value, and the rest of it if that is simple.
    @inline(__always)
    private mutating func readStart(_ byte: UInt8, of bytes: RawSpan, at index: Int) throws(ParseError) -> Int
    {
        switch byte {
        case Byte.quote:
            state = .text
            isKey = false
            return try readText(bytes, from: index &+ 1)
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            state = .integer
            return try readDigits(bytes, from: index &+ 1)
        case Byte.openBrace:
            try open(1, at: index)
            state = .firstKey
        case Byte.openBracket:
            try open(0, at: index)
            state = .firstElement
        case Byte.closeBracket where state == .firstElement: close()
        case UInt8(ascii: "-"): state = .minus
        case UInt8(ascii: "0"): state = .zero
        case UInt8(ascii: "t"): startLiteral("true")
        case UInt8(ascii: "f"): startLiteral("false")
        case UInt8(ascii: "n"): startLiteral("null")
        case Byte.closeBracket where depth > 0 && nesting & 1 == 0:
            throw .malformed(.trailingComma(inObject: false), at: index)
        default: throw .malformed(.expected(.value, found: byte), at: index)
        }
        return index &+ 1
    }

    /// Reads a separator or the end of a container, and a key that follows immediately.
    @inline(__always) private mutating func readSeparator(
        _ byte: UInt8, of bytes: RawSpan, at index: Int
    ) throws(ParseError) -> Int {
        let isObject = nesting & 1 == 1
        let next = index &+ 1
        if byte == Byte.comma {
            state = isObject ? .key : .value
            if isObject, next < bytes.byteCount, bytes.byte(at: next) == Byte.quote {
                return try readKey(bytes, from: next &+ 1)
            }
        } else if byte == (isObject ? Byte.closeBrace : Byte.closeBracket) {
            close()
        } else {
            throw .malformed(
                .expected(isObject ? .commaOrEndOfObject : .commaOrEndOfList, found: byte), at: index)
        }
        return next
    }

    /// Reads a key after its opening quote, and a colon that follows immediately.
    private mutating func readKey(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int {
        state = .text
        isKey = true
        let index = try readText(bytes, from: start)
        if state == .colon, index < bytes.byteCount, bytes.byte(at: index) == Byte.colon {
            state = .value
            return index &+ 1
        }
        return index
    }

    private mutating func startLiteral(_ literal: StaticString) {
        self.literal = literal
        literalIndex = 1
        state = .literal
    }

    @inline(__always) private mutating func open(_ bit: UInt64, at index: Int) throws(ParseError) {
        guard depth < maxDepth else { throw .malformed(.tooDeep(limit: maxDepth), at: index) }
        if depth & 63 == 0 { moveNestingOut() }
        nesting = nesting &<< 1 | bit
        depth += 1
    }

    @inline(__always) private mutating func close() {
        nesting &>>= 1
        depth -= 1
        if depth & 63 == 0 { moveNestingIn() }
        state = .afterValue
    }

    private mutating func moveNestingOut() {
        if depth == 0 { outerNesting.removeAll(keepingCapacity: true) } else { outerNesting.append(nesting) }
        nesting = 0
    }

    private mutating func moveNestingIn() { nesting = outerNesting.popLast() ?? 0 }

    // MARK: Numbers

    /// Reads digits, and the byte after them if it belongs to the number.
    @inline(__always)
    private mutating func readDigits(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int {
        let end = bytes.endOfDigits(from: start)
        guard end < bytes.byteCount else { return end }
        let next = bytes.byte(at: end)
        if next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e") {
            state = .afterValue
            return end
        }
        return try readInNumber(next, at: end) ? end &+ 1 : end
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

    // MARK: Strings

    /// Reads the text of a string from `start`. Returns the index after the bytes that were read.
    @inline(__always)
    private mutating func readText(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int {
        let end = bytes.endOfPlainText(from: start)
        guard end < bytes.byteCount else { return end }
        guard bytes.byte(at: end) != Byte.quote else {
            state = isKey ? .colon : .afterValue
            return end &+ 1
        }
        return try readEscapedText(bytes, from: end)
    }

    /// Reads the text of a string that is not plain.
    private mutating func readEscapedText(_ bytes: RawSpan, from start: Int) throws(ParseError) -> Int {
        var index = start
        while index < bytes.byteCount {
            let byte = bytes.byte(at: index)
            if byte == Byte.backslash, index &+ 1 < bytes.byteCount,
                Byte.isSimpleEscape(bytes.byte(at: index &+ 1))
            {
                index &+= 2
            } else if byte >= 0x80, case let end = bytes.endOfSequences(from: index), end > index {
                index = end
            } else if byte >= 0x20, byte < 0x80, byte != Byte.quote, byte != Byte.backslash {
                index = bytes.endOfPlainText(from: index &+ 1)
            } else {
                try readInText(byte, at: index)
                return index &+ 1
            }
        }
        return index
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
            guard let digit = Byte.hexDigit(byte) else {
                throw .malformed(.expected(.hexDigits, found: byte), at: index)
            }
            codeUnit = codeUnit << 4 | digit
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
