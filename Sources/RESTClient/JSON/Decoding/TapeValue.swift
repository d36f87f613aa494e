import Foundation

/// A value on a tape. It decodes the common cases, and leaves all others to `JSONDecoder`, so that the results are the
/// same.
struct TapeValue {
    let tape: JSONTape
    /// The index of its node, or `nil` for a missing value, which decodes like null.
    let index: Int?

    var kind: JSONTape.Kind { index.map { tape.nodes[$0].kind } ?? .null }

    /// Decodes the value as `type`.
    @inline(__always) func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let value = try foundationValue(type) { return value }
        return try T(from: TapeDecoder(value: self))
    }

    /// Decodes the types that `JSONDecoder` handles itself.
    @inline(__always) private func foundationValue<T: Decodable>(_ type: T.Type) throws -> T? {
        if T.self == Date.self { return Date(timeIntervalSinceReferenceDate: try double()) as? T }
        if T.self == URL.self {
            guard let url = URL(string: try string()) else { throw corrupted("no URL") }
            return url as? T
        }
        if T.self == Decimal.self { return try decimal() as? T }
        if T.self == Data.self { return try decodeElsewhere(type) }
        return nil
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

    func flag() throws -> Bool {
        switch kind {
        case .true: true
        case .false: false
        default: throw mismatch(Bool.self)
        }
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
        let range = try number(Double.self)
        if let value = tape.plainNumber(range)?.double { return value }
        // `JSONDecoder` rejects numbers that do not fit.
        if let value = Double(text(range)), value.isFinite, value != 0 { return value }
        return try decodeElsewhere(Double.self)
    }

    func float() throws -> Float {
        let range = try number(Float.self)
        if let value = Float(text(range)), value.isFinite, value != 0 { return value }
        if let zero = tape.plainNumber(range)?.double, zero == 0 { return Float(zero) }
        return try decodeElsewhere(Float.self)
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

    /// Decodes this value alone with `JSONDecoder`.
    private func decodeElsewhere<T: Decodable>(_ type: T.Type) throws -> T {
        guard let index else { throw mismatch(type) }
        let node = tape.nodes[index]
        let isText = node.kind == .text || node.kind == .escapedText
        let range = isText ? node.text.lowerBound - 1..<node.text.upperBound + 1 : node.text
        return try JSONDecoder().decode(type, from: Data(tape.text[range]))
    }

    // MARK: Errors

    func mismatch(_ type: Any.Type) -> DecodingError {
        if kind == .null { return .valueNotFound(type, context("found null")) }
        return .typeMismatch(type, context("but found \(kind)"))
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
        var at = 0
        // The outermost values follow one another.
        while at < tape.nodes.count, tape.nodes[at].next <= index { at = tape.nodes[at].next }
        while at < index {
            let container = tape.nodes[at]
            let isObject = container.kind == .object
            var child = at + 1
            var position = 0
            while child < container.next {
                let value = isObject ? child + 1 : child
                if index < tape.nodes[value].next {
                    let key = tape.nodes[child].text
                    path.append(
                        isObject
                            ? TapeKey(stringValue: tape.string(key, isEscaped: container.hasEscapedKeys))
                            : TapeKey(intValue: position))
                    at = value
                    break
                }
                child = tape.nodes[value].next
                position += 1
            }
            guard child < container.next else { return path }
        }
        return path
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

    static let `super` = TapeKey(stringValue: "super")
}
