import Foundation

/// A change that makes a valid JSON document invalid for its client.
///
/// ```swift
/// @Test(arguments: Corruption.variants(of: ["items": ["a"]]))
/// func `every corruption is an error`(corruption: Corruption) async {
///     let server = MockServer { Route(.any) { Reply.corrupted(corruption) } }
///     …
/// }
/// ```
public struct Corruption: Sendable, CustomStringConvertible {
    /// The kind of change.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// The member is missing.
        case dropped
        /// The member has a different name.
        case renamed
        /// The value has a different type.
        case retyped
        /// The value is `null`.
        case nulled
        /// The value is nested one level deeper.
        case nested
        /// The object has no members. (Empty arrays and strings are valid.)
        case emptied
    }

    /// The kind of change.
    public let change: Change
    /// The JSON path of the changed value: `$` is the document, `$.items[0]` the first item.
    public let path: String
    /// The change and the resulting document: `$.items nulled: {"items":null}`.
    public let description: String
    let reply: Reply

    /// Returns every corruption of `value`: each member dropped, renamed, retyped, nulled, nested or emptied in turn.
    ///
    /// A member that is optional for the client may be dropped or nulled: filter by `path` and `change`.
    public static func variants(of value: some Encodable) -> [Corruption] { variants(of: .value(value)) }

    /// Returns every corruption of a document.
    public static func variants(of literal: JSONLiteral) -> [Corruption] {
        do {
            let document = try JSONLiteral(parsing: literal.encoded())
            return corruptions(of: document, at: "$") { $0 }
        } catch {
            let error = MockServerError(
                .unusableReply(.unencodableValue(function: "Corruption.variants", error)))
            return [
                Corruption(change: .dropped, path: "$", description: error.description, reply: .error(error))
            ]
        }
    }
}

extension Reply {
    /// A corrupted JSON document.
    public static func corrupted(_ corruption: Corruption) -> Self { corruption.reply }

    /// A 200 response with a random invalid body. The same seed gives the same body.
    ///
    /// Truncated JSON, a BOM, UTF-16, invalid UTF-8, an HTML page, an empty body, deep nesting, duplicate keys or
    /// random bytes. A tolerant client may accept some of them. The header `X-Garbage` names the kind.
    ///
    /// ```swift
    /// @Test(arguments: 0..<100 as Range<UInt64>) func `garbage never crashes`(seed: UInt64) async { … }
    /// ```
    public static func garbage(seed: UInt64) -> Self {
        var random = SeededGenerator(seed: seed)
        let kind = Garbage.allCases.randomElement(using: &random) ?? .empty
        return .data(kind.bytes(&random), as: kind == .htmlPage ? .html : .json)
            .header("X-Garbage", "seed \(seed), \(kind.rawValue)")
    }
}

extension Corruption {
    private init(_ change: Change, at path: String, _ document: JSONLiteral) {
        let text = TerminalEscaping.escaped("\(document)", limit: 120)
        self.init(
            change: change, path: path, description: "\(path) \(change.rawValue): \(text)",
            reply: .json(document))
    }

    /// Returns the corruptions of a value and of those in it.
    ///
    /// - Parameter replaced: Returns the document with another value at this path.
    private static func corruptions(
        of value: JSONLiteral, at path: String, replaced: @escaping (JSONLiteral) -> JSONLiteral
    ) -> [Corruption] {
        var result: [Corruption] = []
        if let other = value.ofOtherType { result.append(Self(.retyped, at: path, replaced(other))) }
        if case .null = value.node {} else { result.append(Self(.nulled, at: path, replaced(.null))) }
        result.append(Self(.nested, at: path, replaced(["nested": value])))
        switch value.node {
        case .array(let elements):
            for index in elements.indices {
                result += corruptions(of: elements[index], at: "\(path)[\(index)]") { new in
                    var changed = elements
                    changed[index] = new
                    return replaced(JSONLiteral(.array(changed)))
                }
            }
        case .object(let members):
            if !members.isEmpty { result.append(Self(.emptied, at: path, replaced([:]))) }
            for (index, (key, value)) in members.enumerated() {
                let member = "\(path).\(key)"
                let with = { (new: [(key: String, value: JSONLiteral)]) in
                    replaced(JSONLiteral(.object(members[..<index] + new + members[(index + 1)...])))
                }
                result.append(Self(.dropped, at: member, with([])))
                result.append(Self(.renamed, at: member, with([(key + "_", value)])))
                result += corruptions(of: value, at: member) { with([(key, $0)]) }
            }
        default: break
        }
        return result
    }
}

extension JSONLiteral {
    fileprivate var ofOtherType: Self? {
        switch node {
        case .null, .invalid: nil
        case .bool, .integer, .number: .value("\(self)")
        case .string: 7
        case .array: [:]
        case .object: []
        }
    }
}

enum Garbage: String, CaseIterable {
    case truncated = "truncated JSON"
    case byteOrderMark = "JSON with a BOM"
    case utf16 = "JSON in UTF-16"
    case invalidUTF8 = "invalid UTF-8"
    case htmlPage = "an HTML page"
    case empty = "an empty body"
    case deep = "deep nesting"
    case duplicateKeys = "duplicate keys"
    case randomBytes = "random bytes"

    func bytes(_ random: inout SeededGenerator) -> Data {
        let words = ["tea", "milk", "sugar", "pot", "cup"].shuffled(using: &random)
        let list = words.map { "\"\($0)\"" }.joined(separator: ",")
        let json = "{\"items\":[\(list)],\"total\":\(words.count)}"
        switch self {
        case .truncated: return Data(json.utf8.prefix(Int.random(in: 1..<json.utf8.count, using: &random)))
        case .byteOrderMark: return Data([0xEF, 0xBB, 0xBF]) + Data(json.utf8)
        case .utf16: return json.data(using: .utf16) ?? Data()
        case .invalidUTF8:
            let sequences: [[UInt8]] = [
                [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE9],
            ]
            var bytes = Array(json.utf8)
            let index = Int.random(in: 11..<bytes.count - 12, using: &random)
            bytes.insert(contentsOf: sequences.randomElement(using: &random) ?? [0xFF], at: index)
            return Data(bytes)
        case .htmlPage:
            return Data(
                "<!doctype html><html><head><title>Sign in</title></head><body>\(words[0])</body></html>".utf8
            )
        case .empty: return Data()
        case .deep:
            let depth = Int.random(in: 1_000...100_000, using: &random)
            return Data(("{\"items\":" + String(repeating: "[", count: depth)).utf8)
                + Data((String(repeating: "]", count: depth) + "}").utf8)
        case .duplicateKeys: return Data("{\"items\":[\(list)],\"items\":\(words.count)}".utf8)
        case .randomBytes:
            return Data(
                (0..<Int.random(in: 1...4_096, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                })
        }
    }
}
