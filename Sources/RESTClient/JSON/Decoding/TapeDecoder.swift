/// A `Decoder` over a tape, with the strategies of a `JSONDecoder`.
struct TapeDecoder: Decoder {
    let value: TapeValue

    var codingPath: [any CodingKey] { value.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { value.tape.strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try TapeKeyedContainer(value))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try TapeUnkeyedContainer(value) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension TapeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.kind == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try value.flag() }
    func decode(_ type: String.Type) throws -> String { try value.string() }
    func decode(_ type: Double.Type) throws -> Double { try value.double() }
    func decode(_ type: Float.Type) throws -> Float { try value.float() }
    func decode(_ type: Int.Type) throws -> Int { try value.int() }
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T { try value.integer(type) }
    // The protocol has implementations for these two types, which are preferred to the generic function.
    func decode(_ type: Int128.Type) throws -> Int128 { try value.integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try value.integer(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try value.decode(type) }
}

/// The members of an object. If several members have the same key, the first one counts.
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The number of keys above which a dictionary is used instead of a linear search.
    private static var fewKeys: Int { 32 }

    private let object: TapeValue
    private let index: Int
    /// The members by key, if there are many or if the keys must be compared as strings.
    private let valuesByKey: [String: Int]?

    init(_ object: TapeValue) throws {
        guard let index = object.index, object.kind == .object else {
            throw object.mismatch([String: Any].self)
        }
        self.object = object
        self.index = index
        let node = object.tape.nodes[index]
        let comparesStrings =
            node.hasEscapedKeys || node.count > Self.fewKeys || object.tape.strategies.hasCustomKeys
        valuesByKey =
            comparesStrings ? Dictionary(object.members, uniquingKeysWith: { first, _ in first }) : nil
    }

    var codingPath: [any CodingKey] { object.codingPath }

    var allKeys: [Key] {
        if let valuesByKey { return valuesByKey.keys.compactMap { Key(stringValue: $0) } }
        var seen: Set<String> = []
        return object.members.compactMap {
            seen.insert($0.key).inserted ? Key(stringValue: $0.key) : nil
        }
    }

    func contains(_ key: Key) -> Bool { member(key.stringValue) != nil }

    @inline(__always) private func member(_ name: String) -> TapeValue? {
        let place = valuesByKey.map { $0[name] } ?? object.tape.member(name, of: index)
        return place.map { TapeValue(tape: object.tape, index: $0) }
    }

    @inline(__always) private func value(_ key: some CodingKey) throws -> TapeValue {
        guard let value = member(key.stringValue) else {
            throw DecodingError.keyNotFound(key, object.context("no such key"))
        }
        return value
    }

    @inline(__always) private func present(_ key: Key) -> TapeValue? {
        guard let value = member(key.stringValue), value.kind != .null else { return nil }
        return value
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).kind == .null }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).flag() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).float() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).int() }
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try value(key).integer(type)
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(key).integer(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(key).integer(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

    // A single lookup instead of the three of the default implementation.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.flag() }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key)?.string()
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key)?.double()
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.int() }
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

    func superDecoder() throws -> any Decoder { superDecoder(named: "super") }

    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(named: key.stringValue) }

    private func superDecoder(named name: String) -> TapeDecoder {
        TapeDecoder(value: member(name) ?? TapeValue(tape: object.tape, index: nil))
    }
}

/// The elements of a list.
struct TapeUnkeyedContainer: UnkeyedDecodingContainer {
    private let list: TapeValue
    private let end: Int
    /// The node of the next element.
    private var next: Int
    private(set) var currentIndex = 0

    init(_ list: TapeValue) throws {
        guard let index = list.index, list.kind == .list else { throw list.mismatch([Any].self) }
        self.list = list
        next = index + 1
        end = list.tape.nodes[index].next
    }

    var codingPath: [any CodingKey] { list.codingPath }
    var count: Int? { list.index.map { list.tape.nodes[$0].count } }
    var isAtEnd: Bool { next >= end }

    /// Advances to the next element after `body` has succeeded for this one.
    @inline(__always) private mutating func take<T>(_ body: (TapeValue) throws -> T) throws -> T {
        guard next < end else {
            throw DecodingError.valueNotFound(T.self, list.context("the list is at its end"))
        }
        let result = try body(TapeValue(tape: list.tape, index: next))
        next = list.tape.nodes[next].next
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        if next < end, list.tape.nodes[next].kind != .null { return false }
        return try take { _ in true }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.flag() } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.float() } }
    mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.int() } }
    mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
        try take { try $0.integer(type) }
    }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take { try $0.integer(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take { try $0.integer(type) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try take { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try take { KeyedDecodingContainer(try TapeKeyedContainer<Nested>($0)) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try TapeUnkeyedContainer($0) }
    }

    mutating func superDecoder() throws -> any Decoder { try take { TapeDecoder(value: $0) } }
}
