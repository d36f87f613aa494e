import Foundation
import RESTClientHTTP

/// The small members around a list, such as `total` or `links.next`; a JSON string literal in tests.
///
/// It holds what a ``ListScanner`` kept: JSON in the document's own shape, without the list and without what was
/// too large. Of members with the same key the first counts.
public struct Envelope: Sendable {
    /// A JSON object.
    private let text: [UInt8]

    /// Whether small members were left out, too, because there are too many: what is not here may be in the document.
    package let isCut: Bool
    /// Members that were too large.
    private let leftOut: Set<MemberPath>

    init(text: [UInt8], isCut: Bool = false, leftOut: Set<MemberPath> = []) {
        self.text = text
        self.isCut = isCut
        self.leftOut = leftOut
    }

    /// The string at `path`, or `nil` where there is something else or nothing.
    public func string(_ path: MemberPath) -> String? {
        value(at: path) { ListScanner.string($0) }
    }

    /// The whole number at `path` (`12`, `12.0`, `12e0`), or `nil` where there is something else or nothing.
    public func integer(_ path: MemberPath) -> Int? {
        value(at: path) { Self.number($0) }.flatMap(Self.integer)
    }

    /// The truth value at `path`, or `nil` where there is something else or nothing.
    public func flag(_ path: MemberPath) -> Bool? {
        value(at: path) { value in
            switch value.byte(at: 0) {
            case UInt8(ascii: "t"): true
            case UInt8(ascii: "f"): false
            default: nil
            }
        }
    }

    /// All of it as a `Decodable` value.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(type, from: Data(text))
    }
}

extension Envelope: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The envelope of a JSON object in text; what is no JSON has no members and decodes to nothing.
    public init(stringLiteral value: String) { self.init(text: Array(value.utf8)) }

    /// The JSON text.
    public var description: String { String(decoding: text, as: UTF8.self) }
}

extension Envelope {
    /// The number at `path` as it is written, the start of a long one; also of a whole one in a string, as some servers
    /// have it.
    func number(_ path: MemberPath) -> String? {
        value(at: path) { Self.number($0) ?? ListScanner.string($0).flatMap { Int($0) == nil ? nil : $0 } }
    }

    /// The whole number that `text` is, all of which must be there.
    static func integer(_ text: String) -> Int? {
        guard text.utf8.count < longestNumber else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    /// The JSON at `path`, as it is written.
    func json(_ path: MemberPath) -> String? {
        value(at: path) { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// Whether there is something at `path`: not null, false, or an empty string, list or object.
    func says(_ path: MemberPath) -> Bool {
        value(at: path) { value in
            switch value.byte(at: 0) {
            case UInt8(ascii: "n"), UInt8(ascii: "f"): false
            case Byte.quote, Byte.openBracket, Byte.openBrace:
                value.endOfBlanks(from: 1) < value.byteCount - 1
            default: true
            }
        } ?? false
    }

    /// Whether the value at `path`, or one around it, was there and is not here, because it is too large.
    func lacks(_ path: MemberPath) -> Bool {
        !leftOut.isEmpty
            && path.names.indices.contains { leftOut.contains(MemberPath(names: Array(path.names[...$0]))) }
    }

    private static let longestNumber = 64

    private static func number(_ value: RawSpan) -> String? {
        let first = value.byte(at: 0)
        guard first == UInt8(ascii: "-") || Byte.isDigit(first) else { return nil }
        let start = value.extracting(0..<min(longestNumber, value.byteCount))
        return start.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Lends the JSON of the value at `path`.
    private func value<Result>(at path: MemberPath, _ body: (RawSpan) -> Result?) -> Result? {
        let bytes = text.span.bytes
        guard let place = bytes.value(at: path.names.map { Array($0.utf8) }) else { return nil }
        return body(bytes.extracting(place))
    }
}
