import Foundation

/// A value on a tape. It decodes the common cases, and leaves the others, such as numbers with an exponent, to
/// `JSONDecoder`, so that the results are the same.
struct TapeValue {
    let tape: JSONTape
    /// The index of its node, or `nil` for a missing value, which decodes like null.
    let index: Int?

    var kind: JSONTape.Kind { index.map { tape.nodes[$0].kind } ?? .null }

    /// The members of an object, in order, with the keys as types see them.
    var members: [(key: String, value: Int)] {
        guard let index else { return [] }
        let members = tape.members(of: index)
        guard tape.convertsKeys else { return members }
        var path: [any CodingKey]?
        return members.map { key, value in
            let key = tape.strategies.key(key) {
                path = path ?? codingPath
                return path ?? []
            }
            return (key, value)
        }
    }

    @inline(__always) func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if isDecodedHere(type), let value = try standardValue(type) { return value }
        return try T(from: TapeDecoder(value: self))
    }

    /// Returns `true` for the types that `JSONDecoder` handles itself, and for common types whose initializers take longer.
    ///
    /// Not generic, because the compiler does not specialize the functions of the containers for the types that they decode.
    private func isDecodedHere(_ type: Any.Type) -> Bool {
        type == String.self || type == Int.self || type == Double.self || type == Bool.self
            || type == [String].self || type == Date.self || type == URL.self || type == Decimal.self
            || type == Data.self || tape.convertsKeys && type is any StringKeyedDictionary.Type
    }

    private func standardValue<T: Decodable>(_ type: T.Type) throws -> T? {
        if T.self == String.self { return try string() as? T }
        if T.self == Int.self { return try int() as? T }
        if T.self == Double.self { return try double() as? T }
        if T.self == Bool.self { return try flag() as? T }
        if T.self == [String].self { return try strings() as? T }
        if T.self == Date.self { return try date() as? T }
        if T.self == URL.self {
            guard let url = URL(string: try string()) else { throw corrupted("not a URL") }
            return url as? T
        }
        if T.self == Decimal.self { return try decimal() as? T }
        if T.self == Data.self { return try data() as? T }
        // The keys of a dictionary are data of the server, which are not converted.
        guard let dictionary = type as? any StringKeyedDictionary.Type else { return nil }
        return try dictionary.init(from: self) as? T
    }

    private func date() throws -> Date {
        switch tape.strategies.dates {
        case .secondsSince1970: return Date(timeIntervalSince1970: try double())
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try double() / 1000)
        case .iso8601:
            if let date = tape.commonDate(at: index) { return date }
            let text = try string()
            guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
                throw corrupted("not a date and time in ISO 8601")
            }
            return date
        case .custom(let decode): return try decode(TapeDecoder(value: self))
        default: return Date(timeIntervalSinceReferenceDate: try double())
        }
    }

    private func data() throws -> Data {
        switch tape.strategies.data {
        case .deferredToData: return try Data(from: TapeDecoder(value: self))
        case .custom(let decode): return try decode(TapeDecoder(value: self))
        default:
            guard let data = Data(base64Encoded: try string()) else { throw corrupted("not Base64") }
            return data
        }
    }

    func string() throws -> String {
        guard let index else { throw mismatch(String.self) }
        let node = tape.nodes[index]
        switch node.kind {
        case .text: return tape.string(node.text, isEscaped: false)
        case .escapedText: return tape.string(node.text, isEscaped: true)
        default: throw mismatch(String.self)
        }
    }

    private func strings() throws -> [String] {
        guard let index, kind == .list else { throw mismatch([Any].self) }
        let list = tape.nodes[index]
        var strings: [String] = []
        strings.reserveCapacity(list.count)
        var next = index + 1
        while next < list.next {
            strings.append(try TapeValue(tape: tape, index: next).string())
            next = tape.nodes[next].next
        }
        return strings
    }

    func flag() throws -> Bool {
        switch kind {
        case .true: true
        case .false: false
        default: throw mismatch(Bool.self)
        }
    }

    /// Returns the most common integers without a generic function.
    func int() throws -> Int {
        if let number = tape.plainNumber(try number(Int.self)), !number.hasPoint,
            let value = Int(exactly: number.value)
        {
            return value
        }
        return try integer(Int.self)
    }

    func integer<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
        let range = try number(type)
        if let number = tape.plainNumber(range) {
            if !number.hasPoint, let value = T(exactly: number.value) { return value }
        } else if let value = T(text(range)) {
            return value
        }
        // `1.0` and `1e2` are whole numbers, too.
        return try decodeElsewhere(type)
    }

    func double() throws -> Double {
        if let value: Double = floatFromText() { return value }
        let range = try number(Double.self)
        if let value = tape.plainNumber(range)?.double { return value }
        // `JSONDecoder` rejects numbers that do not fit.
        if let value = Double(text(range)), value.isFinite, value != 0 { return value }
        return try decodeElsewhere(Double.self)
    }

    func float() throws -> Float {
        if let value: Float = floatFromText() { return value }
        let range = try number(Float.self)
        if let value = Float(text(range)), value.isFinite, value != 0 { return value }
        if let zero = tape.plainNumber(range)?.double, zero == 0 { return Float(zero) }
        return try decodeElsewhere(Float.self)
    }

    /// Returns the number for the text of an infinite number or of NaN, if the strategy has such texts.
    private func floatFromText<T: BinaryFloatingPoint>() -> T? {
        guard kind == .text || kind == .escapedText, let texts = tape.strategies.floatTexts,
            let text = try? string()
        else { return nil }
        return switch text {
        case texts.positiveInfinity: .infinity
        case texts.negativeInfinity: -.infinity
        case texts.notANumber: .nan
        default: nil
        }
    }

    private func decimal() throws -> Decimal {
        if let value = tape.plainNumber(try number(Decimal.self))?.decimal { return value }
        return try decodeElsewhere(Decimal.self)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: tape.text[range], as: UTF8.self) }

    private func number(_ type: Any.Type) throws -> Range<Int> {
        guard let index, kind == .number else { throw mismatch(type) }
        return tape.nodes[index].text
    }

    /// Decodes this number alone with `JSONDecoder`.
    private func decodeElsewhere<T: Decodable>(_ type: T.Type) throws -> T {
        let range = try number(type)
        do { return try JSONDecoder().decode(type, from: Data(tape.text[range])) } catch {
            throw corrupted("the number \(text(range)) does not fit in \(type)")
        }
    }

    // MARK: Errors

    /// Returns the error of a value of another type, with the words of `JSONDecoder`.
    func mismatch(_ type: Any.Type) -> DecodingError {
        if kind == .null { return .valueNotFound(type, context("found null")) }
        return .typeMismatch(type, context("but found \(kind.name)"))
    }

    func corrupted(_ text: String) -> DecodingError { .dataCorrupted(context(text)) }

    func context(_ text: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: text)
    }
}

// MARK: Coding path

extension TapeValue {
    /// The keys and indices from the outermost value to this one, computed on demand.
    var codingPath: [any CodingKey] {
        guard let index else { return [] }
        var path: [any CodingKey] = []
        for (container, position, value) in tape.path(to: index) {
            let node = tape.nodes[container]
            guard node.kind == .object else {
                path.append(TapeKey(intValue: position))
                continue
            }
            let key = tape.string(tape.nodes[value - 1].text, isEscaped: node.hasEscapedKeys)
            path.append(TapeKey(stringValue: tape.strategies.key(key) { path }))
        }
        return path
    }
}

/// A dictionary whose keys are those of a JSON object.
private protocol StringKeyedDictionary {
    init(from value: TapeValue) throws
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Decodable {
    init(from value: TapeValue) throws {
        guard let index = value.index, value.kind == .object else { throw value.mismatch(Self.self) }
        self.init()
        for (key, index) in value.tape.members(of: index) where self[key] == nil {
            self[key] = try TapeValue(tape: value.tape, index: index).decode(Value.self)
        }
    }
}

/// A key, or an index in a list.
struct TapeKey: CodingKey {
    let stringValue: String
    private(set) var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
