package import Foundation

/// A JSON value that can be written as a Swift literal: `["id": 7, "old": nil, "name": .value(name)]`.
///
/// Objects written as literals keep the order of their members.
public struct JSONLiteral: Sendable {
    package indirect enum Node: Sendable {
        case null
        case bool(Bool)
        case integer(Int)
        case number(Double)
        case string(String)
        case array([JSONLiteral])
        case object([(key: String, value: JSONLiteral)])
        /// The encoding error of `.value(…)`, thrown when the JSON text is created.
        case invalid(any Error)
    }

    package let node: Node

    package init(_ node: Node) { self.node = node }

    /// The value `null`, which can also be written as `nil`.
    public static let null = Self(.null)

    /// Returns the JSON of any encodable value. An encoding error is thrown when the JSON text is created.
    public static func value(_ value: some Encodable) -> Self {
        switch value {
        case let literal as Self: return literal
        case let text as String: return Self(.string(text))
        case let flag as Bool: return Self(.bool(flag))
        case let number as Int: return Self(.integer(number))
        default: break
        }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try Self(parsing: encoder.encode(value))
        } catch { return Self(.invalid(error)) }
    }

    /// Returns the compact JSON text, with the members of objects in order.
    package func encoded() throws -> Data { Data(try encodedText().utf8) }

    private func encodedText() throws -> String {
        switch node {
        case .null: return "null"
        case .bool(let flag): return "\(flag)"
        case .integer(let integer): return "\(integer)"
        case .number(let number):
            guard number.isFinite else {
                throw EncodingError.invalidValue(
                    number, .init(codingPath: [], debugDescription: "JSON cannot represent \(number)"))
            }
            return "\(number)"
        case .string(let string): return Self.quoted(string)
        case .array(let elements):
            return "[\(try elements.map { try $0.encodedText() }.joined(separator: ","))]"
        case .object(let members):
            let texts = try members.map { "\(Self.quoted($0.key)):\(try $0.value.encodedText())" }
            return "{\(texts.joined(separator: ","))}"
        case .invalid(let error): throw error
        }
    }

    /// Returns `string` as a JSON string with the required escapes only (RFC 8259, section 7).
    package static func quoted(_ string: String) -> String {
        var result: [UInt8] = []
        Array(string.utf8).withUnsafeBytes { text in
            TerminalEscaping.append(quoting: text, to: &result) {
                text[$0] < 0x20 ? Unicode.Scalar(text[$0]) : nil
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension JSONLiteral: Hashable {
    /// Compares two JSON values. Members may be in any order, `1` equals `1.0`, and an encoding error equals nothing.
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
            left.count == right.count && dictionary(left) == dictionary(right)
        default: false
        }
    }

    /// Hashes the members in any order, and a number in any notation.
    public func hash(into hasher: inout Hasher) {
        switch node {
        case .null, .invalid: break
        case .bool(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(Double(number))
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(text)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(Self.dictionary(members))
        }
    }

    /// Returns the members by key. If several members have the same key, the last one counts.
    private static func dictionary(_ members: [(key: String, value: Self)]) -> [String: Self] {
        Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension JSONLiteral: Codable {
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes the value. The order of members depends on the encoder.
    public func encode(to encoder: any Encoder) throws {
        switch node {
        case .null: try Bool?.none.encode(to: encoder)
        case .bool(let flag): try flag.encode(to: encoder)
        case .integer(let integer): try integer.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .string(let string): try string.encode(to: encoder)
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let members):
            var container = encoder.container(keyedBy: MemberKey.self)
            for (key, value) in members {
                try container.encode(value, forKey: MemberKey(stringValue: key))
            }
        case .invalid(let error): throw error
        }
    }

    /// Decodes any JSON value. The members of objects are sorted by key.
    public init(from decoder: any Decoder) throws {
        // A failed attempt to decode is slow, so the most frequent types, strings and objects, come first.
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
    /// Creates an object with its members in the given order.
    public init(dictionaryLiteral elements: (String, JSONLiteral)...) {
        self.init(.object(elements.map { (key: $0.0, value: $0.1) }))
    }
}

extension JSONLiteral: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSONLiteral...) { self.init(.array(elements)) }
}

extension JSONLiteral: ExpressibleByNilLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self.init(.null) }

    /// Creates a string.
    public init(stringLiteral value: String) { self.init(.string(value)) }

    /// Creates an integer.
    public init(integerLiteral value: Int) { self.init(.integer(value)) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self.init(.number(value)) }

    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
}

extension JSONLiteral: CustomStringConvertible {
    /// The JSON text, or the encoding error.
    public var description: String {
        do { return try encodedText() } catch { return "invalid JSON: \(error)" }
    }
}
