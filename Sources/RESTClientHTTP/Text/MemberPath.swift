/// The path of a value in a JSON document, such as `"data.results"`.
///
/// In a string, names are separated by dots. `\.` is a dot and `\\` a backslash in a name. A leading dot, as in `jq`,
/// is ignored: `".data.results"` is the same path. `.root`, `"."` and `""` are the document itself. `["a.b"]` is a
/// single key with a dot. Names match the unescaped keys of a document byte by byte (RFC 8259, section 8.3).
///
/// In the path of a list, the name `[1]` is the element of a list with this index, from 0: `"[1]"` is the inner list of
/// `[{"pages": 3}, ["tea"]]`, and `"data[0].rows"` that of `{"data": [{"rows": ["tea"]}]}`.
public struct MemberPath: Hashable, Sendable {
    /// The names of the members, from the outermost inwards. Empty for the document itself.
    public let names: [String]

    /// The document itself.
    public static let root: Self = []

    /// Creates a path from names, without interpreting dots.
    public init(names: [String]) { self.names = names }

    /// Creates a path from names separated by dots.
    public init(_ text: String) {
        guard text.isEmpty || Self.hasSyntax(text) else {
            names = [text]
            return
        }
        var rest = text.unicodeScalars.drop { $0 == "." }
        var names: [String] = []
        var name: String? = rest.isEmpty ? nil : ""
        while let character = rest.popFirst() {
            if character == "[", let index = Self.elementIndex(at: rest) {
                names += [name, "[\(index)]"].compactMap { $0 == "" ? nil : $0 }
                rest = rest.dropFirst(index.unicodeScalars.count + 1)
                name = rest.first == "." || rest.isEmpty ? nil : ""
            } else if character == "." {
                names += [name].compactMap(\.self)
                name = ""
            } else if character == "\\", let next = rest.first, [".", "\\", "["].contains(next) {
                rest.removeFirst()
                name = (name ?? "") + String(next)
            } else {
                name = (name ?? "") + String(character)
            }
        }
        self.names = names + [name].compactMap(\.self)
    }

    /// Returns `true` for a text with a character that can have a meaning in a path. Most are one name.
    private static func hasSyntax(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "\\") }
    }

    /// Returns the index of an element, of which `rest` is the text after the opening bracket, or `nil` if that is a part of a name.
    private static func elementIndex(at rest: Substring.UnicodeScalarView) -> String? {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        let end = rest.dropFirst(digits.count)
        guard !digits.isEmpty, end.first == "]",
            end.dropFirst().first.map({ ".[".unicodeScalars.contains($0) }) ?? true
        else { return nil }
        return String(digits)
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

extension String {
    /// `true` for the name of an element of a list, such as `[1]`.
    package var isElementIndex: Bool {
        utf8.count > 2 && hasPrefix("[") && hasSuffix("]")
            && dropFirst().dropLast().utf8.allSatisfy(Byte.isDigit)
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
        var text = ""
        for name in names {
            if name.isElementIndex {
                text += name
                continue
            }
            if !text.isEmpty { text += "." }
            // A regular expression is parsed each time it is used.
            text +=
                Self.hasSyntax(name) ? name.replacing(#/[.\\]|\[(?=\d+\])/#) { "\\\($0.output)" } : name
        }
        return text
    }
}
