import Foundation

/// One way in which a valid document can be wrong; prints as what was done to it.
///
/// ```swift
/// @Test(arguments: Corruption.shapes(of: ["items": ["a"]]))
/// func `every wrong shape is an error`(corruption: Corruption) async {
///     let server = MockServer { Route(.any) { Reply.corrupted(corruption) } }
///     …
/// }
/// ```
public struct Corruption: Sendable, CustomStringConvertible {
    /// What was done.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// The member is not there.
        case dropped
        /// The member is there under another name.
        case renamed
        /// The value is of another type.
        case retyped
        /// The value is `null`.
        case nulled
        /// The value is one level further down.
        case nested
        /// The object has no members. (An empty list and an empty text are no wrong shapes.)
        case emptied
    }

    /// What was done.
    public let change: Change
    /// Where: `$` is the document, `$.items[0]` the first of its items.
    public let path: String
    /// What was done, and what came of it: `$.items nulled: {"items":null}`.
    public let description: String
    /// The document as it is now.
    let document: Result<JSONLiteral, MockServerError>

    /// Every wrong shape of `value`: each member dropped, renamed, retyped, nulled, nested or emptied in turn.
    ///
    /// A member that is optional for the client may well be dropped or nulled: filter by `path` and `change`.
    public static func shapes(of value: some Encodable) -> [Corruption] {
        let document: JSONLiteral
        do {
            document = try JSONLiteral(parsing: JSONLiteral.value(value).encoded())
        } catch {
            let reason = "the value of Corruption.shapes cannot be encoded: \(error)"
            return [
                Corruption(
                    change: .dropped, path: "$", description: reason,
                    document: .failure(MockServerError(.unusableReply, reason)))
            ]
        }
        return Site(value: document, path: "$") { $0 }.corruptions
    }
}

extension Reply {
    /// A document with something wrong in it.
    public static func corrupted(_ corruption: Corruption) -> Self {
        switch corruption.document {
        case .success(let document): .json(document)
        case .failure(let error): .error(error)
        }
    }
}

/// A value in a document, and how the document looks with something else in its place.
private struct Site {
    let value: JSONLiteral
    let path: String
    /// The document without the member, and with the member under another name.
    var asMember: (dropped: JSONLiteral, renamed: JSONLiteral)?
    /// The document with this in place of the value.
    let replaced: (JSONLiteral) -> JSONLiteral

    var corruptions: [Corruption] { own + inner.flatMap(\.corruptions) }

    private var own: [Corruption] {
        var result: [Corruption] = []
        func add(_ change: Corruption.Change, _ document: JSONLiteral) {
            result.append(
                Corruption(
                    change: change, path: path,
                    description:
                        "\(path) \(change.rawValue): \(TerminalEscaping.escaped("\(document)", limit: 120))",
                    document: .success(document)))
        }
        if let asMember {
            add(.dropped, asMember.dropped)
            add(.renamed, asMember.renamed)
        }
        if let other { add(.retyped, replaced(other)) }
        if case .null = value.node {} else { add(.nulled, replaced(JSONLiteral(.null))) }
        add(.nested, replaced(["nested": value]))
        if case .object(let members) = value.node, !members.isEmpty { add(.emptied, replaced([:])) }
        return result
    }

    /// A value of another type.
    private var other: JSONLiteral? {
        switch value.node {
        case .null, .invalid: nil
        case .bool, .integer, .number: .value("\(value)")
        case .string: 7
        case .array: [:]
        case .object: []
        }
    }

    private var inner: [Site] {
        switch value.node {
        case .array(let elements):
            elements.indices.map { index in
                Site(value: elements[index], path: "\(path)[\(index)]") { new in
                    var changed = elements
                    changed[index] = new
                    return replaced(JSONLiteral(.array(changed)))
                }
            }
        case .object(let members):
            members.indices.map { index in
                let (key, value) = members[index]
                let with = { (member: [(key: String, value: JSONLiteral)]) in
                    replaced(JSONLiteral(.object(members[..<index] + member + members[(index + 1)...])))
                }
                return Site(
                    value: value, path: "\(path).\(key)",
                    asMember: (dropped: with([]), renamed: with([(key: key + "_", value: value)]))
                ) { with([(key: key, value: $0)]) }
            }
        default: []
        }
    }
}
