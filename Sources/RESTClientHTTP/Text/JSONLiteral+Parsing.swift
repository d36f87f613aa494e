package import Foundation

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
