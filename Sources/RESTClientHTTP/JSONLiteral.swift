package import Foundation

/// JSON written in place, mixed types and order kept: `["id": 7, "old": nil, "name": .value(name)]`.
public struct JSONLiteral: Sendable {
    package indirect enum Node: Sendable {
        case null
        case bool(Bool)
        case integer(Int)
        case number(Double)
        case string(String)
        case array([JSONLiteral])
        case object([(key: String, value: JSONLiteral)])
        /// What `.value(…)` could not encode; thrown when the literal is written.
        case invalid(any Error)
    }

    package let node: Node

    package init(_ node: Node) { self.node = node }

    /// Any value in place of a literal; one that cannot be encoded is an error when the JSON is written.
    public static func value(_ value: some Encodable) -> Self {
        if let literal = value as? Self { return literal }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try Self(parsing: encoder.encode(value))
        } catch {
            return Self(.invalid(error))
        }
    }

    /// Reads JSON text, such as the body of a request; the members of objects come sorted by key.
    package init(parsing data: Data) throws { self = try JSONDecoder().decode(Self.self, from: data) }

    /// The JSON text, compact, members in the order written.
    package func encoded() throws -> Data {
        var text = ""
        try write(to: &text)
        return Data(text.utf8)
    }

    private func write(to text: inout String) throws {
        switch node {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .integer(let integer): text += "\(integer)"
        case .number(let number):
            guard number.isFinite else {
                throw EncodingError.invalidValue(
                    number, .init(codingPath: [], debugDescription: "JSON has no number for \(number)."))
            }
            text += "\(number)"
        case .string(let string): text += Self.quoted(string)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                try element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += "\(Self.quoted(member.key)):"
                try member.value.write(to: &text)
            }
            text += "}"
        case .invalid(let error): throw error
        }
    }

    /// `string` as a JSON string, with only what must be escaped escaped (RFC 8259, section 7).
    package static func quoted(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSONLiteral: Equatable {
    /// Equal as JSON: members in any order, `1` equal to `1.0`; nothing equals what could not be encoded.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left.node, right.node) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.integer(let left), .number(let right)): Double(left) == right
        case (.number(let left), .integer(let right)): left == Double(right)
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && Dictionary(left.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
                    == Dictionary(right.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        default: false
        }
    }
}

extension JSONLiteral: Codable {
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes the value that the literal stands for; a `JSONEncoder` decides the order of members.
    public func encode(to encoder: any Encoder) throws {
        switch node {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag): try flag.encode(to: encoder)
        case .integer(let integer): try integer.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .string(let string): try string.encode(to: encoder)
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let members):
            var container = encoder.container(keyedBy: MemberKey.self)
            for member in members {
                try container.encode(member.value, forKey: MemberKey(stringValue: member.key))
            }
        case .invalid(let error): throw error
        }
    }

    /// Decodes any JSON value; the members of objects come sorted by key.
    public init(from decoder: any Decoder) throws {
        // A try that fails costs more than one that does not: what there is most of comes first, texts and objects.
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self.init(.null)
        } else if let string = try? value.decode(String.self) {
            self.init(.string(string))
        } else if let object = try? decoder.container(keyedBy: MemberKey.self) {
            let keys = object.allKeys.sorted { $0.stringValue < $1.stringValue }
            self.init(.object(try keys.map { ($0.stringValue, try object.decode(Self.self, forKey: $0)) }))
        } else if let integer = try? value.decode(Int.self) {
            self.init(.integer(integer))
        } else if var list = try? decoder.unkeyedContainer() {
            var elements: [Self] = []
            while !list.isAtEnd { elements.append(try list.decode(Self.self)) }
            self.init(.array(elements))
        } else if let flag = try? value.decode(Bool.self) {
            self.init(.bool(flag))
        } else {
            self.init(.number(try value.decode(Double.self)))
        }
    }
}

extension JSONLiteral: ExpressibleByDictionaryLiteral {
    /// An object, its members in the order written.
    public init(dictionaryLiteral elements: (String, JSONLiteral)...) {
        self.init(.object(elements.map { (key: $0.0, value: $0.1) }))
    }
}

extension JSONLiteral: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: JSONLiteral...) { self.init(.array(elements)) }
}

extension JSONLiteral: ExpressibleByNilLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Nothing.
    public init(nilLiteral: ()) { self.init(.null) }

    /// A string.
    public init(stringLiteral value: String) { self.init(.string(value)) }

    /// A whole number.
    public init(integerLiteral value: Int) { self.init(.integer(value)) }

    /// A number.
    public init(floatLiteral value: Double) { self.init(.number(value)) }

    /// A truth value.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
}

extension JSONLiteral: CustomStringConvertible {
    /// The JSON text, or why there is none.
    public var description: String {
        do { return String(decoding: try encoded(), as: UTF8.self) } catch { return "invalid JSON: \(error)" }
    }
}
