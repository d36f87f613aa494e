package import Foundation

extension JSONLiteral {
    /// Creates a value from JSON text. The members of objects are sorted by key.
    ///
    /// A `JSONDecoder` tries one type after the other for each value, and creates an error for each that does not fit. The
    /// text is therefore parsed here, and given to a decoder only if that is not possible.
    package init(parsing data: Data) throws {
        var parser = JSONParser(Array(data))
        self = try parser.document() ?? JSONDecoder().decode(Self.self, from: data)
    }
}

/// A parser of valid JSON text in UTF-8. It returns `nil` for any other text, and for values that it leaves to a
/// `JSONDecoder`: very deep ones, numbers that are out of range, and objects with duplicate keys.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private static let maxDepth = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the value, if there is nothing else in the text.
    mutating func document() -> JSONLiteral? {
        guard let value = value(), nextByte() == nil else { return nil }
        return value
    }

    /// The byte at the position, or `nil` at the end.
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips white space, and returns the byte after it without consuming it.
    private mutating func nextByte() -> UInt8? {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
        return byte
    }

    /// Consumes `expected`, and white space before it. Has no effect if there is another byte.
    private mutating func consume(_ expected: Unicode.Scalar) -> Bool {
        guard nextByte() == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    private mutating func value() -> JSONLiteral? {
        switch nextByte() {
        case UInt8(ascii: "\""): string().map { JSONLiteral(.string($0)) }
        case UInt8(ascii: "{"): nested { $0.object() }
        case UInt8(ascii: "["): nested { $0.array() }
        case UInt8(ascii: "t"): keyword("true", .bool(true))
        case UInt8(ascii: "f"): keyword("false", .bool(false))
        case UInt8(ascii: "n"): keyword("null", .null)
        default: number()
        }
    }

    private mutating func nested(_ parse: (inout Self) -> JSONLiteral.Node?) -> JSONLiteral? {
        guard depth < Self.maxDepth else { return nil }
        depth += 1
        position += 1
        defer { depth -= 1 }
        return parse(&self).map { JSONLiteral($0) }
    }

    private mutating func object() -> JSONLiteral.Node? {
        var members: [(key: String, value: JSONLiteral)] = []
        if consume("}") { return .object([]) }
        repeat {
            guard nextByte() == UInt8(ascii: "\""), let key = string(), consume(":"), let value = value()
            else { return nil }
            members.append((key, value))
        } while consume(",")
        guard consume("}") else { return nil }
        members.sort { $0.key < $1.key }
        guard zip(members, members.dropFirst()).allSatisfy({ $0.key != $1.key }) else { return nil }
        return .object(members)
    }

    private mutating func array() -> JSONLiteral.Node? {
        var elements: [JSONLiteral] = []
        if consume("]") { return .array([]) }
        repeat {
            guard let element = value() else { return nil }
            elements.append(element)
        } while consume(",")
        return consume("]") ? .array(elements) : nil
    }

    private mutating func keyword(_ word: StaticString, _ node: JSONLiteral.Node) -> JSONLiteral? {
        let end = position + word.utf8CodeUnitCount
        let isWord = word.withUTF8Buffer { word in
            end <= bytes.count && bytes[position..<end].elementsEqual(word)
        }
        position = end
        // Not with `?:`, in which `nil` would be the JSON value.
        guard isWord else { return nil }
        return JSONLiteral(node)
    }

    // MARK: Numbers

    private mutating func number() -> JSONLiteral? {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        let digits = position
        guard skipDigits(), bytes[digits] != UInt8(ascii: "0") || position == digits + 1 else { return nil }
        if byte == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() else { return nil }
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() else { return nil }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let integer = Int(text) { return JSONLiteral(.integer(integer)) }
        // `JSONDecoder` decodes 1.0 and 1e3 as integers, and larger ones without rounding.
        guard let number = Double(text), number.magnitude < 0x1p53 else { return nil }
        return JSONLiteral(Int(exactly: number).map { .integer($0) } ?? .number(number))
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        return position > start
    }

    // MARK: Strings

    private mutating func string() -> String? {
        position += 1
        let start = position
        while let byte, byte >= 0x20 {
            if byte == UInt8(ascii: "\\") { return escapedString(from: start) }
            if byte == UInt8(ascii: "\"") {
                defer { position += 1 }
                return String(validating: bytes[start..<position], as: UTF8.self)
            }
            position += 1
        }
        return nil
    }

    /// Returns the string that begins at `start`, whose first escape is at the position.
    private mutating func escapedString(from start: Int) -> String? {
        var text = Array(bytes[start..<position])
        while let byte, byte >= 0x20 {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: String(scalar).utf8)
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Returns the character of an escape after its backslash.
    private mutating func escape() -> Unicode.Scalar? {
        guard let byte else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return codePoint()
        default: return nil
        }
    }

    private mutating func codePoint() -> Unicode.Scalar? {
        guard let unit = hexUnit() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard byte == UInt8(ascii: "\\"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let trail = hexUnit(), UTF16.isTrailSurrogate(trail) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func hexUnit() -> UInt16? {
        let end = position + 4
        guard end <= bytes.count else { return nil }
        defer { position = end }
        let digits = bytes[position..<end]
        // `UInt16(_:radix:)` also accepts a sign.
        guard digits.first != UInt8(ascii: "+") else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
