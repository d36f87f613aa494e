/// The members of an object on a tape; of those with the same key the first counts.
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// With more keys than these, looking at one after the other takes too long.
    private static var fewKeys: Int { 32 }

    private let object: TapeValue
    private let index: Int
    /// Where the keys have to be compared as text, or are many.
    private let valuesByKey: [String: Int]?

    init(_ object: TapeValue) throws {
        guard let index = object.index, object.kind == .object else {
            throw object.mismatch([String: Any].self)
        }
        self.object = object
        self.index = index
        let node = object.tape.nodes[index]
        valuesByKey =
            node.hasOddKeys || node.count > Self.fewKeys
            ? Dictionary(object.tape.members(of: index), uniquingKeysWith: { first, _ in first }) : nil
    }

    var codingPath: [any CodingKey] { object.codingPath }

    var allKeys: [Key] {
        if let valuesByKey { return valuesByKey.keys.compactMap { Key(stringValue: $0) } }
        var seen: Set<String> = []
        return object.tape.members(of: index).compactMap {
            seen.insert($0.key).inserted ? Key(stringValue: $0.key) : nil
        }
    }

    func contains(_ key: Key) -> Bool { member(key.stringValue) != nil }

    @inline(__always)
    private func member(_ name: String) -> TapeValue? {
        let place = valuesByKey.map { $0[name] } ?? object.tape.member(name, of: index)
        return place.map { TapeValue(tape: object.tape, index: $0) }
    }

    @inline(__always)
    private func value(_ key: some CodingKey) throws -> TapeValue {
        guard let value = member(key.stringValue) else {
            throw DecodingError.keyNotFound(key, object.context("no such key"))
        }
        return value
    }

    @inline(__always)
    private func present(_ key: Key) -> TapeValue? {
        guard let value = member(key.stringValue), value.kind != .null else { return nil }
        return value
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).kind == .null }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).flag() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).float() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).integer(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).integer(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).integer(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).integer(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).integer(type) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(key).integer(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).integer(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).integer(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).integer(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).integer(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).integer(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(key).integer(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

    // What most optional members are, with one look for the key in the place of three.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.flag() }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key)?.string()
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key)?.double()
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer(type) }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key)?.decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try TapeKeyedContainer<Nested>(value(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try TapeUnkeyedContainer(value(key))
    }

    func superDecoder() throws -> any Decoder { superDecoder(named: TapeKey.super.stringValue) }

    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(named: key.stringValue) }

    private func superDecoder(named name: String) -> TapeDecoder {
        TapeDecoder(value: member(name) ?? TapeValue(tape: object.tape, index: nil))
    }
}
