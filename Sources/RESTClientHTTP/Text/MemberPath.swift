/// The path of a value in a JSON document, such as `"data.results"`.
///
/// In a string, names are separated by dots. `\.` is a dot and `\\` a backslash in a name. A leading dot, as in `jq`,
/// is ignored: `".data.results"` is the same path. `.root`, `"."` and `""` are the document itself. `["a.b"]` is a
/// single key with a dot. Names match the unescaped keys of a document byte by byte (RFC 8259, section 8.3).
public struct MemberPath: Hashable, Sendable {
    /// The names of the members, from the outermost inwards. Empty for the document itself.
    public let names: [String]

    /// The document itself.
    public static let root: Self = []

    /// Creates a path from names, without interpreting dots.
    public init(names: [String]) { self.names = names }

    /// Creates a path from names separated by dots.
    public init(_ text: String) {
        var names: [String] = []
        var name = ""
        var isEscaped = false
        for character in text.unicodeScalars.drop(while: { $0 == "." }) {
            if isEscaped {
                if character != ".", character != "\\" { name.unicodeScalars.append("\\") }
                name.unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                names.append(name)
                name = ""
            } else {
                name.unicodeScalars.append(character)
            }
        }
        if isEscaped { name.unicodeScalars.append("\\") }
        if !names.isEmpty || !name.isEmpty { names.append(name) }
        self.names = names
    }

    /// Returns the path of the member `name` of the value at this path.
    package func appending(_ name: String) -> Self { Self(names: names + [name]) }

    /// Returns the path of the member `name` of the object that contains the value at this path.
    package func sibling(_ name: String) -> Self { Self(names: names.dropLast() + [name]) }

    /// The ASCII letters and digits of `name` in lower case, without a prefix such as `@odata.`, `hydra:` or
    /// `openSearch$`.
    package static func normalized(_ name: String) -> String {
        let isNormalized = name.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        }
        if isNormalized { return name }
        var rest = name.utf8[...]
        if let mark = rest.lastIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "$") }) {
            rest = rest[rest.index(after: mark)...]
        }
        if name.hasPrefix("@") || name.hasPrefix("odata."),
            let dot = rest.firstIndex(of: UInt8(ascii: "."))
        {
            rest = rest[rest.index(after: dot)...]
        }
        return String(
            decoding: rest.compactMap { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
                default: nil
                }
            }, as: UTF8.self)
    }
}

extension MemberPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// Creates a path from names separated by dots.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a path from names, without interpreting dots.
    public init(arrayLiteral names: String...) { self.init(names: names) }
}

extension MemberPath: CustomStringConvertible {
    /// The path with dots, in the syntax of `init(_:)`. The document itself is `.`.
    public var description: String {
        if names.isEmpty { return "." }
        return names.map { name in
            let scalars = name.unicodeScalars.flatMap { $0 == "." || $0 == "\\" ? ["\\", $0] : [$0] }
            return String(String.UnicodeScalarView(scalars))
        }.joined(separator: ".")
    }
}
