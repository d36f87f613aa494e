/// Reads one JSON value, of any kind and depth, in any pieces: says where it ends, or where it is no JSON.
///
/// A state machine with a stack of one bit a level, so that no nesting uses the stack of the thread (RFC 8259).
/// Every byte can be the last of a piece.
struct ValueReader {
    /// Where the text stops being JSON, and why.
    struct Flaw: Error {
        enum Kind {
            case malformed(JSONSyntaxError)
            case tooDeep
        }
        let kind: Kind
        /// In the bytes that were being read.
        let index: Int

        static func malformed(_ error: JSONSyntaxError, at index: Int) -> Self {
            Self(kind: .malformed(error), index: index)
        }
    }

    /// What the next byte may be.
    private enum State: UInt8 {
        case value, firstElement, firstKey, key, colon, behindValue
        case text, escape, hexDigits, lowSurrogate, lowSurrogateMark, sequence
        case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent
        case literal

        var skipsBlanks: Bool { rawValue <= Self.behindValue.rawValue }
    }

    private var state = State.value
    /// The containers that are open: a bit for each, 1 for an object; the innermost is the lowest bit of `nesting`,
    /// and 64 of them move to `outerNesting` together.
    private var nesting: UInt64 = 0
    private var outerNesting: [UInt64] = []
    private(set) var depth = 0
    private var maxDepth = 0

    /// Whether the string being read is a key.
    private var isKey = false
    /// Of a `\u` escape: the digits still to come, and their number so far.
    private var hexDigits = 0
    private var codeUnit: UInt32 = 0
    /// Whether that escape has to be the second half of a pair.
    private var isLowSurrogate = false
    /// Of a UTF-8 sequence: the bytes still to come, and what the next may be.
    private var sequenceBytes = 0
    private var nextInSequence: ClosedRange<UInt8> = 0x80...0xBF
    /// Of `true`, `false` or `null`: what is still to come.
    private var literal: Literal = .null
    private var literalIndex = 0

    private enum Literal: UInt8 {
        case null, `true`, `false`

        var text: StaticString {
            switch self {
            case .null: "null"
            case .true: "true"
            case .false: "false"
            }
        }

        var count: Int { self == .false ? 5 : 4 }

        func byte(at index: Int) -> UInt8 { text.withUTF8Buffer { $0[index] } }
    }

    /// Gets ready for a value that may open `maxDepth` containers inside each other.
    mutating func begin(maxDepth: Int) {
        state = .value
        depth = 0
        self.maxDepth = maxDepth
    }

    /// Gets ready for the rest of an object from behind a value in it, the object counted in `maxDepth`.
    mutating func beginBehindMember(maxDepth: Int) {
        state = .behindValue
        nesting = 1
        outerNesting.removeAll(keepingCapacity: true)
        depth = 1
        self.maxDepth = maxDepth
    }

    /// Whether a text that ends here ends with a whole number: the one value that does not say itself that it ends.
    var isWholeNumber: Bool {
        guard depth == 0 else { return false }
        return switch state {
        case .zero, .integer, .fraction, .exponent: true
        default: false
        }
    }

    /// Reads on from `start`: the index behind the value, or `nil` when the bytes are used up before its end.
    ///
    /// The byte behind a number is looked at, not used.
    mutating func read(_ bytes: RawSpan, from start: Int) throws(Flaw) -> Int? {
        var index = start
        while index < bytes.byteCount {
            let byte = bytes.byte(at: index)
            if Byte.isBlank(byte), state.skipsBlanks {
                index = bytes.endOfBlanks(from: index &+ 1)
                continue
            }
            switch state {
            case .value, .firstElement:
                index = try readStart(byte, of: bytes, at: index)
            case .behindValue:
                index = try readSeparator(byte, of: bytes, at: index)
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
                guard byte == Byte.colon else {
                    throw .malformed(.expected(.colon, found: byte), at: index)
                }
                state = .value
                index &+= 1
            case .text:
                index = try readText(bytes, from: index)
            case .escape, .hexDigits, .lowSurrogate, .lowSurrogateMark, .sequence:
                try readInText(byte, at: index)
                index &+= 1
            case .literal:
                index = try readLiteral(bytes, from: index)
            case .integer, .fraction, .exponent:
                index = try readDigits(bytes, from: index)
            case .minus, .zero, .point, .exponentMark, .exponentSign:
                if try readInNumber(byte, at: index) { index &+= 1 }
            }
            if state == .behindValue, depth == 0 { return index }
        }
        return nil
    }

    // MARK: Values and containers

    private mutating func readLiteral(_ bytes: RawSpan, from start: Int) throws(Flaw) -> Int {
        var index = start
        while index < bytes.byteCount, literalIndex < literal.count {
            let byte = bytes.byte(at: index)
            guard byte == literal.byte(at: literalIndex) else {
                throw .malformed(.invalidLiteral("\(literal.text)", found: byte), at: index)
            }
            literalIndex &+= 1
            index &+= 1
        }
        if literalIndex == literal.count { state = .behindValue }
        return index
    }

    /// Reads where a value begins, and on in it as far as it is simple.
    @inline(__always)
    private mutating func readStart(_ byte: UInt8, of bytes: RawSpan, at index: Int) throws(Flaw) -> Int {
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
        case UInt8(ascii: "t"): startLiteral(.true)
        case UInt8(ascii: "f"): startLiteral(.false)
        case UInt8(ascii: "n"): startLiteral(.null)
        case Byte.closeBracket where depth > 0 && nesting & 1 == 0:
            throw .malformed(.trailingComma(inObject: false), at: index)
        default:
            throw .malformed(.expected(.value, found: byte), at: index)
        }
        return index &+ 1
    }

    /// Reads what parts values or ends a container, and a key that follows at once.
    @inline(__always)
    private mutating func readSeparator(_ byte: UInt8, of bytes: RawSpan, at index: Int) throws(Flaw) -> Int {
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

    /// Reads a key from behind its first quote, and a colon that follows at once.
    private mutating func readKey(_ bytes: RawSpan, from start: Int) throws(Flaw) -> Int {
        state = .text
        isKey = true
        let index = try readText(bytes, from: start)
        if state == .colon, index < bytes.byteCount, bytes.byte(at: index) == Byte.colon {
            state = .value
            return index &+ 1
        }
        return index
    }

    private mutating func startLiteral(_ literal: Literal) {
        self.literal = literal
        literalIndex = 1
        state = .literal
    }

    @inline(__always)
    private mutating func open(_ bit: UInt64, at index: Int) throws(Flaw) {
        guard depth < maxDepth else { throw Flaw(kind: .tooDeep, index: index) }
        if depth & 63 == 0 { moveNestingOut() }
        nesting = nesting &<< 1 | bit
        depth += 1
    }

    @inline(__always)
    private mutating func close() {
        nesting &>>= 1
        depth -= 1
        if depth & 63 == 0 { moveNestingIn() }
        state = .behindValue
    }

    private mutating func moveNestingOut() {
        if depth == 0 {
            outerNesting.removeAll(keepingCapacity: true)
        } else {
            outerNesting.append(nesting)
        }
        nesting = 0
    }

    private mutating func moveNestingIn() {
        nesting = outerNesting.popLast() ?? 0
    }

    // MARK: Numbers

    /// Reads on in digits, and what ends them, if that belongs to the number.
    @inline(__always)
    private mutating func readDigits(_ bytes: RawSpan, from start: Int) throws(Flaw) -> Int {
        let end = bytes.endOfDigits(from: start)
        guard end < bytes.byteCount else { return end }
        let next = bytes.byte(at: end)
        if next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e") {
            state = .behindValue
            return end
        }
        return try readInNumber(next, at: end) ? end &+ 1 : end
    }

    /// Whether `byte` belongs to the number; if not, the number has ended before it.
    private mutating func readInNumber(_ byte: UInt8, at index: Int) throws(Flaw) -> Bool {
        let isDigit = Byte.isDigit(byte)
        switch (state, byte) {
        case (.minus, UInt8(ascii: "0")): state = .zero
        case (.minus, _) where isDigit: state = .integer
        case (.point, _) where isDigit: state = .fraction
        case (.exponentMark, _) where isDigit, (.exponentSign, _) where isDigit: state = .exponent
        case (.exponentMark, UInt8(ascii: "+")), (.exponentMark, UInt8(ascii: "-")): state = .exponentSign
        case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): state = .point
        case (.zero, UInt8(ascii: "e")), (.zero, UInt8(ascii: "E")),
            (.integer, UInt8(ascii: "e")), (.integer, UInt8(ascii: "E")),
            (.fraction, UInt8(ascii: "e")), (.fraction, UInt8(ascii: "E")):
            state = .exponentMark
        case (.zero, _) where isDigit:
            throw .malformed(.leadingZero, at: index)
        case (.minus, _), (.point, _), (.exponentMark, _), (.exponentSign, _):
            throw .malformed(.expected(.digit, found: byte), at: index)
        default:
            state = .behindValue
            return false
        }
        return true
    }

    // MARK: Strings

    /// Reads on in a string from `start`: the index behind what was read of it.
    @inline(__always)
    private mutating func readText(_ bytes: RawSpan, from start: Int) throws(Flaw) -> Int {
        let end = bytes.endOfPlainText(from: start)
        guard end < bytes.byteCount else { return end }
        guard bytes.byte(at: end) != Byte.quote else {
            state = isKey ? .colon : .behindValue
            return end &+ 1
        }
        return try readOddText(bytes, from: end)
    }

    /// Reads on where a string is not plain.
    private mutating func readOddText(_ bytes: RawSpan, from start: Int) throws(Flaw) -> Int {
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

    private mutating func readInText(_ byte: UInt8, at index: Int) throws(Flaw) {
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
            case Byte.quote: state = isKey ? .colon : .behindValue
            case Byte.backslash: state = .escape
            case 0x80...:
                guard let sequence = UTF8Sequence(startingWith: byte) else {
                    throw .malformed(.invalidUTF8(byte, isContinuation: false), at: index)
                }
                sequenceBytes = sequence.length - 1
                nextInSequence = sequence.second
                state = .sequence
            case ..<0x20:
                throw .malformed(.controlCharacter(byte), at: index)
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

    private mutating func endEscape(at index: Int) throws(Flaw) {
        let isLow = 0xDC00...0xDFFF ~= codeUnit
        guard isLow == isLowSurrogate else { throw .malformed(.unpairedSurrogate, at: index) }
        state = 0xD800...0xDBFF ~= codeUnit ? .lowSurrogate : .text
    }
}
