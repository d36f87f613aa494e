import RESTClientHTTP

/// The kind of JSON that was expected.
public enum ExpectedJSON: Hashable, Sendable {
    /// A value of this kind.
    case list, object, string, number, boolean
    /// A member of this name.
    case member
    /// A value that decodes to the type with this name.
    case value(of: String)
    /// A value that the type accepts.
    case validValue
}

/// The kind of JSON that was found instead.
public enum FoundJSON: Hashable, Sendable {
    /// A value of this kind.
    case list, object, string, number, boolean, null
    /// The document is a list itself.
    case topLevelList
    /// An object with these keys, at most 64.
    case keys([String])
    /// No value.
    case missing
    /// A value that the type does not accept.
    case invalidValue
    /// A value of another kind.
    case otherValue
    /// The description of a decoder.
    case described(String)
}

extension ExpectedJSON: CustomStringConvertible {
    /// The kind with its article.
    public var description: String {
        switch self {
        case .list: "a list"
        case .object: "an object"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .member: "a member"
        case .value(let type): "a value for \(type)"
        case .validValue: "a valid value"
        }
    }
}

extension FoundJSON: CustomStringConvertible {
    /// The kind with its article, or the first keys; safe to show.
    public var description: String {
        switch self {
        case .list: "a list"
        case .object: "an object"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        case .topLevelList: "a list as the whole document"
        case .keys(let keys) where keys.isEmpty: "an empty object"
        case .keys(let keys):
            keys.prefix(8).map { TerminalEscaping.quoted($0, limit: 40) }.joined(separator: ", ")
                + (keys.count > 8 ? ", …" : "")
        case .missing: "nothing"
        case .invalidValue: "an invalid value"
        case .otherValue: "a value of another type"
        case .described(let text): TerminalEscaping.escaped(text, limit: 200)
        }
    }
}
