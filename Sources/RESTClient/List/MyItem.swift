/// An item that consists of a single JSON string.
public struct MyItem: Hashable, Sendable {
    /// The string.
    public let name: String

    /// Creates an item with a name.
    public init(name: String) { self.name = name }
}

extension MyItem: Codable {
    /// Decodes the item from a JSON string.
    public init(from decoder: any Decoder) throws { name = try String(from: decoder) }

    /// Encodes the item as a JSON string.
    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}

extension MyItem: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates an item from a string literal.
    public init(stringLiteral value: String) { name = value }

    /// The string.
    public var description: String { name }
}
