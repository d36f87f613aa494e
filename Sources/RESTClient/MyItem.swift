/// An item that is one JSON string.
public struct MyItem: Hashable, Sendable {
    /// The string.
    public let name: String

    /// An item called `name`.
    public init(name: String) { self.name = name }
}

extension MyItem: Codable {
    /// Decodes from a JSON string.
    public init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes as a JSON string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension MyItem: ExpressibleByStringLiteral, CustomStringConvertible {
    /// An item called as the literal says.
    public init(stringLiteral value: String) { name = value }

    /// The string.
    public var description: String { name }
}
