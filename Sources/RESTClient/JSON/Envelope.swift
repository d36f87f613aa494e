import Foundation
import HTTPCore

/// The small members around a list, such as `total` or `links.next`; a JSON string literal in tests.
///
/// It holds what a ``ListScanner`` kept: JSON in the document's own shape, without the list and without what was
/// too large. Of members with the same key the first counts.
public struct Envelope: Sendable {
    /// A JSON object.
    private let text: [UInt8]

    /// Whether small members were left out, too, because there are too many: what is not here may be in the document.
    package let isCut: Bool
    /// Members that were too large to be kept, the first of them.
    package let leftOut: [MemberPath]

    init(text: [UInt8], isCut: Bool = false, leftOut: [MemberPath] = []) {
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
        value(at: path) { value in
            guard value.byteCount <= 64, let text = Self.number(value) else { return nil }
            return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
        }
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

    /// Whether there is an object at `path`.
    func isObject(_ path: MemberPath) -> Bool {
        value(at: path) { $0.byte(at: 0) == Byte.openBrace ? true : nil } ?? false
    }

    /// The value at `path` as JSON, shortened, if it says anything: not where there is nothing, or null, false, 0, an empty
    /// string, or a list or object that holds no more than these.
    package func claim(_ path: MemberPath) -> String? {
        value(at: path) { value in
            let text = value.withUnsafeBytes { Data($0) }
            guard let json = try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed),
                Self.isClaim(json)
            else { return nil }
            return SafeText.escaped(String(decoding: text, as: UTF8.self), limit: 40)
        }
    }

    private static func isClaim(_ json: Any) -> Bool {
        switch json {
        case let members as [String: Any]: members.values.contains(where: isClaim)
        case let elements as [Any]: elements.contains(where: isClaim)
        case let text as String: !text.isEmpty
        case let number as NSNumber: number != 0
        default: false
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
    private static func number(_ value: RawSpan) -> String? {
        let first = value.byte(at: 0)
        guard first == UInt8(ascii: "-") || Byte.isDigit(first) else { return nil }
        return value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Lends the JSON of the value at `path`.
    private func value<Result>(at path: MemberPath, _ body: (RawSpan) -> Result?) -> Result? {
        let bytes = text.span.bytes
        guard let place = bytes.value(at: path.names.map { Array($0.utf8) }) else { return nil }
        return body(bytes.extracting(place))
    }
}
