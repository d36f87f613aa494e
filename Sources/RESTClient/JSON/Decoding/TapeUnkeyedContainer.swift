/// The elements of a list on a tape.
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

    /// Takes the next element, unless `body` fails.
    @inline(__always)
    private mutating func take<T>(_ body: (TapeValue) throws -> T) throws -> T {
        guard next < end else {
            throw DecodingError.valueNotFound(T.self, list.context("the list is at its end"))
        }
        let result = try body(TapeValue(tape: list.tape, index: next))
        next = list.tape.nodes[next].next
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard next < end else {
            throw DecodingError.valueNotFound(Any?.self, list.context("the list is at its end"))
        }
        guard list.tape.nodes[next].kind == .null else { return false }
        return try take { _ in true }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.flag() } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.float() } }
    mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.integer(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.integer(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.integer(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.integer(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.integer(type) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take { try $0.integer(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.integer(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.integer(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.integer(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.integer(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.integer(type) } }
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
