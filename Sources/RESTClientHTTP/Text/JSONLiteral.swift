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

// MARK: - Members

extension JSONLiteral {
    /// The text of a string, or the JSON of any other value.
    package var text: String { if case .string(let text) = node { text } else { description } }

    /// The value at `path`, or `nil` if there is none.
    package subscript(path: MemberPath) -> Self? {
        path.names.reduce(self) { (value: Self?, name) in
            guard case .object(let members)? = value?.node else { return nil }
            return members.first { $0.key == name }?.value
        }
    }

    /// Returns the value with the member at `path` replaced or added. Values around it that are not objects become
    /// objects.
    package func setting(_ path: MemberPath, to value: Self) -> Self { setting(path.names[...], to: value) }

    private func setting(_ names: ArraySlice<String>, to value: Self) -> Self {
        guard let name = names.first else { return value }
        var members: [(key: String, value: Self)] = []
        if case .object(let present) = node { members = present }
        let index = members.firstIndex { $0.key == name }
        let member = index.map { members[$0].value } ?? Self(.null)
        let changed = (name, member.setting(names.dropFirst(), to: value))
        if let index { members[index] = changed } else { members.append(changed) }
        return Self(.object(members))
    }
}

// MARK: - Parsing

extension JSONLiteral {
    /// Creates a value from JSON text. The members of objects are sorted by key.
    ///
    /// A `JSONDecoder` tries one type after the other for each value, and creates an error for each that does not fit. It gets
    /// only the texts that `LiteralBuilder` leaves to it.
    package init(parsing data: Data) throws {
        self = try LiteralBuilder.value(of: data.bytes) ?? JSONDecoder().decode(Self.self, from: data)
    }
}

/// Builds a value from its tokens. Leaves to a `JSONDecoder` what is very deep, numbers that are out of range, objects with
/// duplicate keys, and text that is not valid.
struct LiteralBuilder: TokenVisitor {
    /// The keys of an object, or `nil` for a list, and the values so far.
    private typealias Container = (keys: [String]?, values: [JSONLiteral])

    private static let maxDepth = 64

    /// The open containers. The first one contains the whole value.
    private var open: [Container] = [(nil, [])]
    /// `true` if a value is left to a decoder.
    private(set) var isFinished = false

    /// Returns the value of a whole text, or `nil` if it is left to a decoder.
    static func value(of text: RawSpan) -> JSONLiteral? {
        var builder = Self()
        var reader = ValueReader(ofWholeValueWithDepth: maxDepth)
        guard let end = try? reader.read(text, from: 0, &builder),
            text.endOfWhitespace(from: end) == text.byteCount
        else { return nil }
        return builder.open.first?.values.first
    }

    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
        open[depth].keys?.append(bytes.extracting(key).text(ofString: kind))
    }

    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {
        let bytes = bytes.extracting(scalar)
        switch first {
        case Byte.quote: add(.string(bytes.text(ofString: kind)))
        case UInt8(ascii: "t"): add(.bool(true))
        case UInt8(ascii: "f"): add(.bool(false))
        case UInt8(ascii: "n"): add(.null)
        default:
            let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            if let integer = Int(text) { return add(.integer(integer)) }
            // `JSONDecoder` decodes 1.0 and 1e3 as integers, and larger ones without rounding.
            guard let number = Double(text), number.magnitude < 0x1p53 else { return isFinished = true }
            add(Int(exactly: number).map { .integer($0) } ?? .number(number))
        }
    }

    mutating func open(_ bracket: UInt8, at index: Int, depth: Int) {
        open.append((bracket == Byte.openBrace ? [] : nil, []))
    }

    mutating func close(at end: Int, of bytes: RawSpan, depth: Int) {
        guard let (keys, values) = open.popLast() else { return }
        guard let keys else { return add(.array(values)) }
        let members = zip(keys, values).sorted { $0.0 < $1.0 }
        isFinished = zip(members, members.dropFirst()).contains { $0.0 == $1.0 }
        add(.object(members.map { (key: $0, value: $1) }))
    }

    private mutating func add(_ node: JSONLiteral.Node) {
        open[open.count - 1].values.append(JSONLiteral(node))
    }
}
