import Foundation
import RESTClientTestSupport
import Testing

@testable import RESTClient

/// The results and failures of the decoder must be those of `JSONDecoder`.
@Suite struct TapeDecoderTests {
    /// Decodes a value without falling back to `JSONDecoder` for the whole value.
    private func decode<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
        let text = Array("[\(json),".utf8)
        let tape = try #require(JSONTape(of: text, CollectionOfOne(1..<text.count - 1)))
        return try TapeValue(tape: tape, index: 0).decode(type)
    }

    private func expectSame<T: Decodable & Equatable>(
        _ type: T.Type, _ json: String, _ location: SourceLocation = #_sourceLocation
    ) {
        let ours = Result { try decode(type, json) }
        let theirs = Result { try JSONDecoder().decode(type, from: Data(json.utf8)) }
        switch (ours, theirs) {
        case (.success(let ours), .success(let theirs)):
            #expect(ours == theirs, "\(type) from \(json)", sourceLocation: location)
        case (.failure, .failure): break
        default: Issue.record("\(type) from \(json): \(ours), but \(theirs)", sourceLocation: location)
        }
    }

    static let values = [
        "0", "-0", "1", "-1", "7", "127", "128", "-128", "-129", "255", "256", "65535", "65536", "2147483648",
        "4294967296", "9007199254740993", "-9007199254740993", "123456789012345678", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "170141183460469231731687303715884105727",
        "170141183460469231731687303715884105728", "340282366920938463463374607431768211455",
        "123456789012345678901234567890123456789012345678901234567890", "1.0", "-1.0", "100e-2", "1e2",
        "1E+2",
        "1.5", "0.1", "-0.1", "-0.0", "0e5", "3.141592653589793", "3.14159265358979323846264338327950288",
        "0.1234567890123456", "123456789.12345678", "1234567890.1234567", "99999999999999.99", "4.35",
        "2.2250738585072014e-308", "5e-324", "1e-400", "1e-39", "1e-45", "1e-46", "2e-310", "0.0", "0.0e0",
        "1e308", "1e309", "-1e309", "1e39", "16777217",
        "0.30000000000000004", "9007199254740992", "9007199254740992.5", "0.00000000000000001",
        "1.00000000000000000000000000001", "1e127", "1e-130", "1.50", "19.99", "-19.99",
        "true", "false", "null", #""""#, #""a""#, #""1""#, #""nan""#, #""é 茶 🍵""#, #""\u00e9\n\"\\\/""#,
        #""\ud83c\udf75""#, "\"\u{7F}\"", #""http://a.example/b?c=d""#, #""http://[""#, #""aGVsbG8=""#,
        #""not base 64""#, "[]", "{}", "[1]", "[ 1 , 2 ]", "[null]", #"["a","\n",""]"#,
        #"[[],[[]],{"a":[]}]"#,
        #"{"a":1}"#, #"{ "a" : null , "b" : [1, {"c": true}] }"#, #"{"a":1,"b":2,"a":3}"#,
        #"{"\u0061":"escaped"}"#, #"{"a":"plain","\u0061":"escaped"}"#, "{\"\u{E9}\":1}", "{\"e\u{301}\":1}",
        "{\"\u{212A}\":1}", #"{"1":"one","2":"two"}"#,
    ]

    @Test(arguments: 0..<3)
    func `random documents decode as with JSONDecoder`(shard: Int) {
        var compared = 0
        for number in 0..<40 {
            var random = RandomDocuments(seed: UInt64(shard) << 32 | UInt64(number))
            let document = random.document(for: "items")
            // Valid JSON without a byte order mark, which is not part of a value.
            let scan = Scan(document, at: .root)
            guard !document.starts(with: [0xEF]), scan.failure == nil || scan.reason.isShape else { continue }
            expectSame(Anything.self, String(decoding: document, as: UTF8.self))
            compared += 1
        }
        #expect(compared > 12)
    }

    @Test func `keys with the same length, start and end are distinguished`() throws {
        let keys = (0..<40).map { "the same start \($0 + 10) the same end" }
        for count in [2, 31, 32, 33, 40] {
            let json =
                "{" + keys.prefix(count).enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
            let values = try decode([String: Int].self, json)
            #expect(values.count == count)
            for (index, key) in keys.prefix(count).enumerated() { #expect(values[key] == index) }
        }
    }

    @Test func `a key is found in any notation`() {
        struct Keyed: Decodable, Equatable {
            var plain: Int?, accented: Int?, kelvin: Int?
            enum CodingKeys: String, CodingKey {
                case plain = "K"
                case accented = "\u{E9}"
                case kelvin = "\u{212A}x"
            }
        }
        for json in [
            "{\"K\":1}", "{\"\u{212A}\":1}", "{\"\\u212a\":1}", "{\"e\u{301}\":1}", "{\"\\u00e9\":1}",
            "{\"Kx\":1}", "{\"\u{212A}x\":1,\"Kx\":2}", "{\"K\\u0000\":1}",
        ] {
            expectSame(Keyed.self, json)
        }
    }

    @Test(arguments: 1...20)
    func `keys that differ in one character are distinguished`(length: Int) throws {
        let key = String("abcdefghijklmnopqrst".prefix(length))
        let variants = [""] + key.indices.map { key.replacingCharacters(in: $0...$0, with: "K") }
        let members = variants.enumerated().map { "\"\($1)\":\($0)" }
        let found = try decode(Members.self, "{\(members.joined(separator: ","))}")
        for (index, variant) in variants.enumerated() {
            #expect(try found.value(variant) == index)
            // The Kelvin sign is equal to the letter, but not ASCII.
            #expect(try found.value(variant.replacing("K", with: "\u{212A}")) == index)
        }
        #expect(try found.value(key) == nil)
    }

    /// The container of an object, to look up any keys.
    private struct Members: Decodable {
        let container: KeyedDecodingContainer<TapeKey>

        init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: TapeKey.self) }

        func value(_ key: String) throws -> Int? {
            try container.decodeIfPresent(Int.self, forKey: TapeKey(stringValue: key))
        }
    }

    @Test func `the error of a list of strings names the element`() throws {
        let error = try #require(
            #expect(throws: DecodingError.self) { try decode([[String]].self, #"[["a"], ["b", 7]]"#) })
        guard case .typeMismatch(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.intValue) == [1, 1])
    }

    @Test func `deep nesting is decoded by JSONDecoder`() {
        let json = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let text = Array("[\(json),".utf8)
        #expect(JSONTape(of: text, CollectionOfOne(1..<text.count - 1)) == nil)
    }

    @Test func `classes, nested containers and super decoders decode`() throws {
        let json = #"{"name":"Sencha","super":{"id":7},"more":{"deep":[[1,"two",null],{"x":3}]}}"#
        let tea = try decode(Tea.self, json)
        #expect(tea.name == "Sencha")
        #expect(tea.id == 7)
        #expect(tea.found == ["1", "two", "nil", "3", "end"])
        #expect(tea.path == "more.deep.1")
        #expect(throws: DecodingError.self) { try decode(Tea.self, #"{"name":"Sencha","more":{"deep":[]}}"#) }
    }

    @Test func `a stored decoder continues to work`() throws {
        struct Kept: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        let kept = try ["[1,2]", "[3]"].map { try decode(Kept.self, $0).decoder }
        #expect(try kept.map { try [Int](from: $0) } == [[1, 2], [3]])
    }
}

extension ListScanner.Failure.Reason? {
    fileprivate var isShape: Bool {
        if case .wrongShape = self { return true }
        return false
    }
}

/// A type of the differential tests.
protocol DecodedShape: Sendable {
    associatedtype Value: Decodable & Equatable & Sendable

    /// The texts of the values to decode.
    var texts: [String] { get }

    /// Returns the text of a value that contains `value`.
    func text(of value: String) -> String
}

/// A type that decodes each of the values, or an object that contains it.
private struct Shape<Value: Decodable & Equatable & Sendable>: DecodedShape {
    /// The text around the value, which stands in place of `%`.
    var pattern = "%"

    var texts: [String] { TapeDecoderTests.values.map(text(of:)) }

    func text(of value: String) -> String { pattern.replacing("%", with: value) }
}

extension TapeDecoderTests {
    /// Some of the shapes, with the types that strategies concern.
    static let shapesOfStrategies: [any DecodedShape] = [
        Shape<Double>(), Shape<Float>(), Shape<Date>(), Shape<Data>(), Shape<Int>(), Shape<String?>(),
        Shape<[Double]>(), Shape<[String: Int]>(), Shape<[Int: String]>(), Shape<Anything>(),
        Shape<Wrapped>(),
        Shape<Each>(pattern: #"{"value":%,"list":[%,{"value":1}]}"#),
    ]

    static let shapes: [any DecodedShape] =
        [
            Shape<Bool>(), Shape<String>(), Shape<Double>(), Shape<Float>(), Shape<Decimal>(), Shape<Date>(),
            Shape<URL>(), Shape<Data>(), Shape<Int>(), Shape<Int8>(), Shape<Int16>(), Shape<Int32>(),
            Shape<Int64>(), Shape<Int128>(), Shape<UInt>(), Shape<UInt8>(), Shape<UInt16>(), Shape<UInt32>(),
            Shape<UInt64>(), Shape<UInt128>(),
        ] + [
            Shape<Int?>(), Shape<String?>(), Shape<[Int]>(), Shape<[String?]>(), Shape<[Double]>(),
            Shape<[String]>(), Shape<[Bool]>(), Shape<[String: [String]]>(),
            Shape<[String: Int]>(), Shape<[String: [Int]?]>(), Shape<[Int: String]>(), Shape<Anything>(),
            Shape<Wrapped>(), Shape<Path>(pattern: #"{"list":[{},{"value":%}]}"#),
            Shape<Each>(pattern: #"{"value":%,"list":[%,{"value":1}]}"#),
        ]
}

/// Tries several types, as enums for heterogeneous data do.
private indirect enum Anything: Decodable, Equatable {
    case null
    case flag(Bool)
    case byte(UInt8), number(Int), large(UInt64), decimal(Double)
    case text(String)
    case list([Anything])
    case object([String: Anything])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let byte = try? value.decode(UInt8.self) {
            self = .byte(byte)
        } else if let number = try? value.decode(Int.self) {
            self = .number(number)
        } else if let large = try? value.decode(UInt64.self) {
            self = .large(large)
        } else if let decimal = try? value.decode(Double.self) {
            self = .decimal(decimal)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([Anything].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: Anything].self))
        }
    }
}

/// One optional member of each type, under a key that the value can have.
private struct Wrapped: Decodable, Equatable {
    var a: Anything?
    var b: [Anything]?
}

/// Records the coding path of a value.
private struct Path: Decodable, Equatable {
    struct Member: Decodable, Equatable {
        struct Value: Decodable, Equatable {
            let path: [String]
            let indices: [Int?]
            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map(\.stringValue)
                indices = decoder.codingPath.map(\.intValue)
            }
        }
        var value: Value?
    }
    var list: [Member]
}

/// Decodes a value with the functions of each container for each type.
private struct Each: Decodable, Equatable {
    private enum Key: String, CodingKey { case value, list, nothing }

    /// The decoded values; `-` for a failure.
    private(set) var values: [String] = []
    private(set) var path: [String] = []

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        func list() throws -> any UnkeyedDecodingContainer {
            try object.nestedUnkeyedContainer(forKey: .list)
        }
        func add(_ value: () throws -> Any?) {
            values.append((try? value()).map { $0.map { "\($0)" } ?? "nil" } ?? "-")
        }
        func add<T: Decodable>(
            _ type: T.Type, _ inObject: () throws -> T,
            _ inList: (inout any UnkeyedDecodingContainer) throws -> T
        ) {
            add(inObject)
            add {
                var list = try list()
                return try inList(&list)
            }
        }
        add(Bool.self, { try object.decode(Bool.self, forKey: .value) }, { try $0.decode(Bool.self) })
        add(String.self, { try object.decode(String.self, forKey: .value) }, { try $0.decode(String.self) })
        add(Double.self, { try object.decode(Double.self, forKey: .value) }, { try $0.decode(Double.self) })
        add(Float.self, { try object.decode(Float.self, forKey: .value) }, { try $0.decode(Float.self) })
        add(Int.self, { try object.decode(Int.self, forKey: .value) }, { try $0.decode(Int.self) })
        add(Int8.self, { try object.decode(Int8.self, forKey: .value) }, { try $0.decode(Int8.self) })
        add(Int16.self, { try object.decode(Int16.self, forKey: .value) }, { try $0.decode(Int16.self) })
        add(Int32.self, { try object.decode(Int32.self, forKey: .value) }, { try $0.decode(Int32.self) })
        add(Int64.self, { try object.decode(Int64.self, forKey: .value) }, { try $0.decode(Int64.self) })
        add(Int128.self, { try object.decode(Int128.self, forKey: .value) }, { try $0.decode(Int128.self) })
        add(UInt.self, { try object.decode(UInt.self, forKey: .value) }, { try $0.decode(UInt.self) })
        add(UInt8.self, { try object.decode(UInt8.self, forKey: .value) }, { try $0.decode(UInt8.self) })
        add(UInt16.self, { try object.decode(UInt16.self, forKey: .value) }, { try $0.decode(UInt16.self) })
        add(UInt32.self, { try object.decode(UInt32.self, forKey: .value) }, { try $0.decode(UInt32.self) })
        add(UInt64.self, { try object.decode(UInt64.self, forKey: .value) }, { try $0.decode(UInt64.self) })
        add(
            UInt128.self, { try object.decode(UInt128.self, forKey: .value) }, { try $0.decode(UInt128.self) }
        )
        for key in [Key.value, .nothing] {
            add { try object.decodeNil(forKey: key) }
            add { try object.decode(Int.self, forKey: key) }
            add { try object.decodeIfPresent(Bool.self, forKey: key) }
            add { try object.decodeIfPresent(String.self, forKey: key) }
            add { try object.decodeIfPresent(Double.self, forKey: key) }
            add { try object.decodeIfPresent(Int.self, forKey: key) }
            add { try object.decodeIfPresent(Int8.self, forKey: key) }
        }
        add { try Int(from: object.superDecoder(forKey: .value)) }
        var members = try list()
        add { try members.nestedContainer(keyedBy: Key.self).allKeys.count }
        if members.currentIndex == 0 { _ = try members.superDecoder() }
        let last = try members.nestedContainer(keyedBy: Key.self)
        path = (object.codingPath + members.codingPath + last.codingPath).map(\.stringValue)
        add { try last.decode(Int.self, forKey: .value) }
        add { decoder.userInfo.isEmpty }
    }
}

private class Product: Decodable {
    var id: Int
}

private final class Tea: Product {
    let name: String
    private(set) var found: [String] = []
    let path: String

    private enum Key: String, CodingKey { case name, more, deep, x }

    required init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        name = try members.decode(String.self, forKey: .name)
        let more = try members.nestedContainer(keyedBy: Key.self, forKey: .more)
        var deep = try more.nestedUnkeyedContainer(forKey: .deep)
        var list = try deep.nestedUnkeyedContainer()
        found.append("\(try list.decode(Int.self))")
        // A failure does not advance to the next element.
        #expect(throws: DecodingError.self) { try list.decode(Int.self) }
        #expect(list.currentIndex == 1)
        found.append(try list.decode(String.self))
        found.append(try list.decodeNil() ? "nil" : "no nil")
        #expect(list.isAtEnd)
        #expect(throws: DecodingError.self) { try list.decode(Int.self) }
        #expect(throws: DecodingError.self) { try list.decodeNil() }
        let inner = try deep.superDecoder()
        path = inner.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
        let object = try inner.container(keyedBy: Key.self)
        #expect(object.allKeys == [.x])
        #expect(object.contains(.x) && !object.contains(.name))
        found.append("\(try object.decode(Int8.self, forKey: .x))")
        if deep.isAtEnd, deep.count == 2 { found.append("end") }
        try super.init(from: members.superDecoder())
    }
}
