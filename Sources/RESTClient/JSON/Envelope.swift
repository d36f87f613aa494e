import Foundation
import RESTClientHTTP

/// The small members around a list, such as `total` or `links.next`.
///
/// A ``ListScanner`` creates it while it reads a document. It has the shape of the document, without the list and
/// without large members. If an object has several members with the same key, the first one counts. In tests, write it
/// as a string literal.
public struct Envelope: Sendable {
    /// A JSON object.
    let text: [UInt8]

    /// A Boolean value that indicates whether small members were omitted, too, because there were too many.
    private(set) var isTruncated = false
    /// The paths of members that were too large.
    private(set) var omitted: Set<MemberPath> = []

    /// Returns the string at `path`, or `nil` if there is no string.
    public func string(_ path: MemberPath) -> String? { value(at: path) { ListScanner.string($0) } }

    /// Returns the whole number at `path` (`12`, `12.0`, `12e0`), or `nil` if there is none.
    public func integer(_ path: MemberPath) -> Int? {
        value(at: path) { Self.number($0) }.flatMap(Self.integer)
    }

    /// Returns the Boolean value at `path`, or `nil` if there is none.
    public func flag(_ path: MemberPath) -> Bool? { json(path).flatMap { Bool($0) } }

    /// Decodes the whole envelope.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(type, from: Data(text))
    }
}

extension Envelope: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates an envelope from the text of a JSON object. An invalid text has no members and cannot be decoded.
    public init(stringLiteral value: String) { self.init(text: Array(value.utf8)) }

    /// The JSON text.
    public var description: String { String(decoding: text, as: UTF8.self) }
}

extension Envelope {
    /// The names of the members of the document.
    var keys: [String] {
        var keys: [String] = []
        let bytes = ArraySlice(text).span.bytes
        ListScanner.forEachMember(of: bytes) { key, _ in
            if let key = ListScanner.string(bytes.extracting(key)) { keys.append(key) }
        }
        return keys
    }

    /// Returns the text of the number at `path`, cut at 64 bytes. Some servers write whole numbers as strings; these
    /// are included.
    func number(_ path: MemberPath) -> String? {
        value(at: path) { Self.number($0) ?? ListScanner.string($0).flatMap { Int($0) == nil ? nil : $0 } }
    }

    /// Returns the whole number in `text`, or `nil` if the text is cut or not a whole number.
    static func integer(_ text: String) -> Int? {
        guard text.utf8.count < longestNumber else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    /// Returns the JSON text at `path`.
    func json(_ path: MemberPath) -> String? {
        value(at: path) { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// Returns `true` if the value at `path`, or an object around it, was omitted because it is too large.
    func wasOmitted(_ path: MemberPath) -> Bool {
        !omitted.isEmpty
            && path.names.indices.contains { omitted.contains(MemberPath(names: Array(path.names[...$0]))) }
    }

    private static let longestNumber = 64

    static func number(_ value: RawSpan) -> String? {
        let first = value.byte(at: 0)
        guard first == UInt8(ascii: "-") || Byte.isDigit(first) else { return nil }
        let start = value.extracting(0..<min(longestNumber, value.byteCount))
        return start.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the bytes of the value at `path`.
    private func value<Result>(at path: MemberPath, _ body: (RawSpan) -> Result?) -> Result? {
        range(of: path.names).flatMap { body(ArraySlice(text).span.bytes.extracting($0)) }
    }

    private func range(of names: [String]) -> Range<Int>? {
        ListScanner.value(at: MemberPath(names: names), in: ArraySlice(text).span.bytes)
    }

    /// Returns the object with the member at `path` replaced or added, or `nil` if a value around it is not an object.
    /// An object around it that is missing or null is added.
    func setting(_ path: MemberPath, to value: [UInt8]) -> Envelope? {
        var names = path.names
        var value = value
        if let range = range(of: names) { return replacing(range, with: value) }
        while let name = names.popLast() {
            let member = Array("\(JSONLiteral.quoted(name)):".utf8) + value
            value = [Byte.openBrace] + member + [Byte.closeBrace]
            guard let range = range(of: names) else { continue }
            switch text[range.lowerBound] {
            case Byte.openBrace:
                let start = range.lowerBound + 1
                let isEmpty =
                    text[ArraySlice(text).span.bytes.endOfWhitespace(from: start)] == Byte.closeBrace
                return replacing(start..<start, with: isEmpty ? member : member + [Byte.comma])
            case UInt8(ascii: "n"): return replacing(range, with: value)
            default: return nil
            }
        }
        return nil
    }

    private func replacing(_ range: Range<Int>, with value: [UInt8]) -> Envelope {
        Envelope(text: text[..<range.lowerBound] + value + text[range.upperBound...])
    }

    /// Returns the value at `path`, or `nil` if it is missing, null, `false`, or an empty string, list or object.
    func token(_ path: MemberPath) -> JSONLiteral? {
        if let string = string(path) { return string.isEmpty ? .none : .some(JSONLiteral(.string(string))) }
        if let integer = integer(path) { return JSONLiteral(.integer(integer)) }
        // A token of more digits than an `Int` has.
        if let digits = number(path), digits.allSatisfy(\.isNumber) { return JSONLiteral(.string(digits)) }
        guard let text = json(path), let value = try? JSONLiteral(parsing: Data(text.utf8)) else {
            return nil
        }
        switch value.node {
        case .null, .bool(false): return nil
        case .array(let elements) where elements.isEmpty: return nil
        case .object(let members) where members.isEmpty: return nil
        default: return value
        }
    }
}

/// Collects the members around a list for its envelope, in bounded memory.
///
/// The smallest members are preferred, because a small member after a large one can be the link to the next page.
struct EnvelopeBuilder {
    private static let maxBytes = 64 << 10
    /// The size that each member counts in addition to its text, to bound the number of members.
    private static let overhead = 32
    /// The size up to which members are not preferred over one another.
    private static let smallMemberBytes = 512
    /// The maximum number of omitted members whose names are kept.
    private static let maxOmitted = 512
    /// The maximum length of the name of an omitted member.
    private static let maxKeyBytes = 128

    /// The text `"key": value` of each member, and the number of path components that lead to its object.
    private var members: [(level: Int, keyBytes: Int, text: [UInt8])] = []
    /// The keys of the omitted members, as they are written.
    private var omitted: [(level: Int, key: [UInt8])] = []
    private var size = 0
    /// The maximum size of a member. It is halved each time the members exceed the total size.
    private(set) var limit = maxBytes

    /// A Boolean value that indicates whether small members, or names of large members, were dropped.
    private var isTruncated = false

    /// Adds a member whose text begins with `key`, or records that it was omitted.
    mutating func add(_ text: [UInt8], key: [UInt8], level: Int) {
        let size = text.count + Self.overhead
        while text.count <= limit, self.size + size > Self.maxBytes, limit > Self.smallMemberBytes {
            halveLimit()
        }
        guard text.count <= limit else { return omit(key, level: level) }
        guard self.size + size <= Self.maxBytes else {
            isTruncated = true
            return
        }
        members.append((level, key.count, text))
        self.size += size
    }

    /// Records a member that is too large.
    mutating func omit(_ key: some Collection<UInt8>, level: Int) {
        guard key.count <= Self.maxKeyBytes else { return }
        guard omitted.count < Self.maxOmitted else {
            isTruncated = true
            return
        }
        omitted.append((level, Array(key)))
    }

    private mutating func halveLimit() {
        limit /= 2
        for member in members where member.text.count > limit {
            omit(member.text.prefix(member.keyBytes), level: member.level)
        }
        members.removeAll { $0.text.count > limit }
        size = members.reduce(0) { $0 + $1.text.count + Self.overhead }
    }

    /// Returns the members in the shape of the document. `names` is the path of the object that contains the list.
    func envelope(along names: ArraySlice<String>) -> Envelope {
        var text: [UInt8] = []
        for level in 0...names.count {
            var written = members.filter { $0.level == level }.map(\.text)
            if level < names.count {
                written.append(Array("\(JSONLiteral.quoted(names[names.startIndex + level])):".utf8))
            }
            text.append(Byte.openBrace)
            // The bytes of `joined(separator:)` would be appended one by one.
            for (index, member) in written.enumerated() {
                if index > 0 { text.append(Byte.comma) }
                text += member
            }
        }
        text.append(contentsOf: repeatElement(Byte.closeBrace, count: names.count + 1))
        let omitted = omitted.compactMap { level, key in
            ListScanner.string(ArraySlice(key).span.bytes).map {
                MemberPath(names: names.prefix(level) + [$0])
            }
        }
        return Envelope(text: text, isTruncated: isTruncated, omitted: Set(omitted))
    }
}
