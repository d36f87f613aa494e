/// The reason why a document is not valid JSON (RFC 8259).
public enum JSONSyntaxError: Error, Hashable, Sendable {
    /// A part of the grammar.
    public enum Token: Hashable, Sendable {
        /// The syntax that is expected at the position.
        case value, key, colon, commaOrEndOfList, commaOrEndOfObject, digit, hexDigits
    }

    /// Another byte than the grammar allows.
    case expected(Token, found: UInt8)
    /// A byte that does not belong to `true`, `false` or `null`.
    case invalidLiteral(String, found: UInt8)
    /// A comma before the end of an object or a list.
    case trailingComma(inObject: Bool)
    /// A number with a leading zero.
    case leadingZero
    /// A backslash before a byte that it cannot escape.
    case invalidEscape(UInt8)
    /// A surrogate escape without its other half.
    case unpairedSurrogate
    /// A byte that is not valid UTF-8 where it is.
    case invalidUTF8(UInt8, isContinuation: Bool)
    /// A control character in a string.
    case controlCharacter(UInt8)
    /// A member on the path to the list occurs twice.
    case duplicateKey(String)
    /// Text after the document.
    case trailingContent(UInt8)
    /// An encoding other than UTF-8.
    case encoding(String)
    /// More than `limit` levels of nesting.
    case tooDeep(limit: Int)
    /// The end of a body that was received completely, inside the document.
    case unexpectedEnd
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The error on one line; keys are not escaped.
    public var description: String {
        switch self {
        case .expected(let token, let byte): "expected \(token), found \(Self.described(byte))"
        case .invalidLiteral(let literal, let byte): "expected \(literal), found \(Self.described(byte))"
        case .trailingComma(let inObject): "a comma before the end of \(inObject ? "an object" : "a list")"
        case .leadingZero: "a number with a leading zero"
        case .invalidEscape(let byte): "an invalid escape: a backslash and \(Self.described(byte))"
        case .unpairedSurrogate: "a surrogate escape without its other half"
        case .invalidUTF8(let byte, let isContinuation):
            "invalid UTF-8: \(Self.described(byte))\(isContinuation ? " inside a multi-byte character" : "")"
        case .controlCharacter(let byte): "a control character in a string: \(Self.described(byte))"
        case .duplicateKey(let key): "the key \"\(key)\" occurs twice"
        case .trailingContent(let byte): "expected the end of the document, found \(Self.described(byte))"
        case .encoding(let name): "the text is \(name), not UTF-8"
        case .unexpectedEnd: "the text ends early"
        case .tooDeep(let limit): "more than \(limit) levels of nesting"
        }
    }

    /// `byte` in quotes, or its number if it is not printable.
    private static func described(_ byte: UInt8) -> String {
        if byte == Byte.quote { return "a quotation mark" }
        if 0x21...0x7E ~= byte { return "\"\(Character(UnicodeScalar(byte)))\"" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "the byte 0x" + (digits.count == 1 ? "0" : "") + digits
    }
}

extension JSONSyntaxError.Token: CustomStringConvertible {
    /// The token with its article.
    public var description: String {
        switch self {
        case .value: "a value"
        case .key: "a key in double quotes"
        case .colon: "a colon after the key"
        case .commaOrEndOfList: "a comma or the end of the list"
        case .commaOrEndOfObject: "a comma or the end of the object"
        case .digit: "a digit"
        case .hexDigits: "four hexadecimal digits after \\u"
        }
    }
}

extension JSONSyntaxError {
    @usableFromInline package static func expectedKey(_ byte: UInt8, isFirst: Bool) -> Self {
        byte == Byte.closeBrace && !isFirst ? .trailingComma(inObject: true) : .expected(.key, found: byte)
    }
}
