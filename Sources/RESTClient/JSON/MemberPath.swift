/// A way into a JSON document: `"data.results"`; `.root` is the document, `["a.b"]` a key with a dot.
///
/// Written as one string, dots separate the names, `\.` is a dot and `\\` a backslash inside a name, and a
/// leading dot, as `jq` has it, says nothing more: `".data.results"` is the same path, and `"."` or `""` is the
/// document. Names match the keys of a document byte by byte once these are unescaped (RFC 8259, section 8.3).
public struct MemberPath: Hashable, Sendable {
    /// The names from the outside in; none is the document itself.
    public let names: [String]

    /// The document itself.
    public static let root: Self = []

    /// The path through `names`, each of them taken as it is.
    public init(names: [String]) { self.names = names }

    /// The path that `text` writes with dots.
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

    /// The path to the member `name` of what is at this path.
    func appending(_ name: String) -> Self { Self(names: names + [name]) }
}

extension MemberPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// The path that a literal writes with dots.
    public init(stringLiteral value: String) { self.init(value) }

    /// The path through the names, each of them taken as it is.
    public init(arrayLiteral names: String...) { self.init(names: names) }
}

extension MemberPath: CustomStringConvertible {
    /// The path with dots, as `init(_:)` reads it; `.` is the document.
    public var description: String {
        if names.isEmpty { return "." }
        return names.map { name in
            var written = ""
            for scalar in name.unicodeScalars {
                if scalar == "." || scalar == "\\" { written.unicodeScalars.append("\\") }
                written.unicodeScalars.append(scalar)
            }
            return written
        }.joined(separator: ".")
    }
}
