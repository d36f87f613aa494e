public struct MemberPath: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    public static let root: Self = []
    let keys: [String]
    public init(stringLiteral value: String) { keys = value.split(separator: ".").map(String.init) }
    public init(arrayLiteral elements: String...) { keys = elements }
}
