import RESTClient

/// The path of a value in an item: names separated by dots, `[N]` for an element of a list and `[]` for all of them, as in
/// `home.city`, `tags[0]` or `owners[].name`.
struct FieldPath: Hashable, Sendable {
    typealias Step = ListScanner.Step

    /// The steps, with `nil` for each `[]`.
    private let path: [Step?]
    /// The steps before the first `[]`.
    private let steps: [Step]
    /// The name of the column in `NAME=PATH`.
    private let givenName: String?
    /// The header of a column: the given name or, without one, that of the path.
    var label: String { givenName ?? name }
    /// The path without quotes and escapes.
    var name: String { Self.text(path) }
    /// `true` if the path contains `[]`, so that it can have several values.
    var isJoined: Bool { steps.count < path.count }

    fileprivate init(_ path: some Collection<Step?>, givenName: String? = nil) {
        self.path = Array(path)
        steps = path.prefix { $0 != nil }.compactMap(\.self)
        self.givenName = givenName
    }

    /// The path of the member whose name is `name` in UTF-8.
    init(name: [UInt8]) { self.init([.member(name)]) }

    /// The first name, and the path after it, if there is one; `nil` if the path does not start with a name.
    var divided: (name: [UInt8], rest: Self?)? {
        guard case .member(let name) = steps.first else { return nil }
        return (name, path.count == 1 ? nil : Self(path.dropFirst()))
    }

    private static func text(
        _ path: [Step?], name: ([UInt8]) -> String = { String(decoding: $0, as: UTF8.self) }
    ) -> String {
        path.isEmpty
            ? "."
            : path.reduce(into: "") { text, step in
                switch step {
                case .member(let bytes): text += (text.isEmpty ? "" : ".") + name(bytes)
                case .element(let index): text += "[\(index)]"
                case nil: text += "[]"
                }
            }
    }
}

// MARK: Values

extension FieldPath {
    /// Returns the range of the value in `item`, which is valid JSON: for a path with `[]` that of the list, whose values
    /// `ranges(inList:)` returns.
    func range(in item: RawSpan) -> Range<Int>? {
        guard let range = ListScanner.lastValue(at: steps, in: item) else { return nil }
        return item.extracting(range).isList || !isJoined ? range : nil
    }

    /// Returns the ranges of the values in the list at the path, which contains `[]`.
    func ranges(inList list: RawSpan) -> [Range<Int>] {
        guard let rest = inner else { return [] }
        var ranges: [Range<Int>] = []
        ListScanner.forEachElement(of: list) { range in
            let element = list.extracting(range)
            guard let part = rest.range(in: element) else { return }
            let parts = rest.isJoined ? rest.ranges(inList: element.extracting(part)) : [0..<part.count]
            let start = range.lowerBound + part.lowerBound
            ranges += parts.map { start + $0.lowerBound..<start + $0.upperBound }
        }
        return ranges
    }
}

// MARK: Text

extension FieldPath {
    /// Parses paths separated by commas, each after the name of its column if that is another: `id,owner=user.login`. A name in
    /// double quotes, or with a backslash before them, can contain dots, commas, brackets and equals signs.
    static func list(_ text: String) throws(CommandError) -> [Self] {
        try parse(text, of: "--field", separator: ",") { (parser) throws(CommandError) in
            var paths: [Self] = []
            repeat {
                parser.skipBlanks()
                let name = try parser.columnName()
                paths.append(Self(try parser.path(), givenName: name))
            } while parser.skip(",")
            return paths
        }
    }

    private static func parse<Result>(
        _ text: String, of option: String, separator: Unicode.Scalar? = nil,
        _ body: (inout Parser) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        var parser = Parser(rest: text.unicodeScalars[...], separator: separator)
        do { return try body(&parser) } catch {
            throw .usage("\(option) \(text.quoted()): \(error.message)", hint: error.hint)
        }
    }

    private struct Parser {
        var rest: Substring.UnicodeScalarView
        /// The separator of paths, or `nil` if there is one path.
        let separator: Unicode.Scalar?

        private var isAtEnd: Bool { rest.isEmpty || rest.first == separator }

        mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            guard rest.first == scalar else { return false }
            rest.removeFirst()
            return true
        }

        mutating func skipBlanks() { rest = rest.drop { $0 == " " } }

        /// Parses a name and the equals sign after it. Returns `nil` if there is no equals sign before the separator.
        mutating func columnName() throws(CommandError) -> String? {
            let start = rest
            let name = String(decoding: try name(endingAt: ["=", separator]), as: UTF8.self)
            skipBlanks()
            guard skip("=") else {
                rest = start
                return nil
            }
            guard !name.isEmpty else { throw .usage("the name before = is empty") }
            return name
        }

        mutating func path() throws(CommandError) -> [Step?] {
            skipBlanks()
            guard !isAtEnd else { throw .usage("empty path") }
            while skip(".") {}
            var path: [Step?] = []
            var needsName = !isAtEnd && rest.first != "["
            repeat {
                if needsName { path.append(.member(try name(endingAt: [".", "[", separator]))) }
                while skip("[") { path.append(try element()) }
                needsName = skip(".")
            } while needsName
            skipBlanks()
            guard isAtEnd else { throw .usage("a dot is missing after a bracket or quote") }
            return path
        }

        private mutating func name(endingAt ends: [Unicode.Scalar?]) throws(CommandError) -> [UInt8] {
            let isQuoted = skip("\"")
            var name = ""
            while let scalar = rest.first {
                if isQuoted ? scalar == "\"" : ends.contains(scalar) { break }
                rest.removeFirst()
                if scalar == "\\", let next = rest.first,
                    isQuoted || ["\\", ".", ",", "[", "\"", "="].contains(next)
                {
                    rest.removeFirst()
                    name.unicodeScalars.append(next)
                } else {
                    name.unicodeScalars.append(scalar)
                }
            }
            while !isQuoted, isAtEnd || rest.first == "=", name.last == " " { name.removeLast() }
            if isQuoted, !skip("\"") { throw .usage("a quote is not closed") }
            return Array(name.utf8)
        }

        /// Parses a step after its opening bracket. Returns `nil` for all elements.
        private mutating func element() throws(CommandError) -> Step? {
            let text = String(rest.prefix { $0 != "]" })
            rest.removeFirst(text.unicodeScalars.count)
            guard skip("]"), ["", "*"].contains(text) || OptionValue.isDigits(text) && Int(text) != nil else {
                throw .usage(
                    "[ must be followed by a number and ], or by ]",
                    hint: text.contains(/^-|:/)
                        ? "for the last elements or a range of them, pipe --jsonl to jq"
                        : #"quote a name with a bracket: '"a[b]"'"#)
            }
            return Int(text).map(Step.element)
        }
    }
}

// MARK: Lists

/// The value of `--at`: the path of the list, and of the lists in its elements after `[]`, as in `data[].items`, or of an
/// object whose members are the items, as in `users{}`.
struct ListPath: Equatable, Sendable {
    let member: MemberPath
    /// The path in each element to the list that contains the items.
    let inner: FieldPath?
    let layout: ListScanner.Layout
    /// The name of the member that contains the key of an item; `nil` for a list.
    var keyName: String?

    /// The filter of jq that joins the lists in several objects; `nil` if the names on their path are not plain.
    var joiningFilter: String? {
        let isPlain = member.names.allSatisfy { $0.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil }
        guard isPlain, !member.names.isEmpty, keyName == nil, inner == nil else { return nil }
        return "map(.\(member.names.joined(separator: "."))) | add"
    }

    /// The path of the inner list in an element.
    var innerMember: MemberPath? { inner.map { MemberPath(names: $0.memberNames) } }
}

extension ListPath {
    /// The member `items`, or a document that is a list or a sequence itself.
    static let automatic = Self(default: "items")
    /// All values of JSON Lines or a JSON text sequence.
    static let sequence = Self(member: .root, inner: nil, layout: .sequence)

    /// The member at a path that was not given with `--at`, or a document that is a list or a sequence itself.
    init(default member: MemberPath) { self.init(member: member, inner: nil, layout: .pathOrDocument) }

    init(_ text: String) throws(CommandError) {
        // A closing brace alone is a part of a name.
        let isObject = text.hasSuffix("}") && text.unicodeScalars.contains("{")
        let (object, key) = isObject ? text.dropLast().divided(at: "{") : (text, nil)
        let hasOtherBraces = key?.unicodeScalars.contains(where: { $0 == "{" || $0 == "}" }) == true
        let path = object.isEmpty ? FieldPath([]) : try FieldPath(object, of: "--at")
        guard path.inner?.isJoined != true, key == nil || path.inner == nil, !hasOtherBraces else {
            throw .usage(
                "--at requires names separated by dots, and [] or {} at most once, as in data[].items or users{}"
            )
        }
        self.init(
            member: MemberPath(names: path.memberNames), inner: path.inner,
            layout: key == nil ? .path : .members, keyName: key.map { $0.isEmpty ? "key" : $0 })
    }
}

extension FieldPath {
    /// Parses the only path of an option.
    init(_ text: String, of option: String) throws(CommandError) {
        self.init(try Self.parse(text, of: option) { (parser) throws(CommandError) in try parser.path() })
    }

    /// The names and indices before the first `[]`.
    fileprivate var memberNames: [String] {
        steps.map { step in
            switch step {
            case .member(let name): String(decoding: name, as: UTF8.self)
            case .element(let index): "[\(index)]"
            }
        }
    }

    /// The path after the first `[]`.
    fileprivate var inner: Self? { isJoined ? Self(path.dropFirst(steps.count + 1)) : nil }
}

// MARK: Corrections

extension FieldPath {
    /// Returns a hint for a path in an option that no item has, with the names that `item` has instead, or
    /// `nil` if that is empty. In `--at`, this is the path after `[]`, and `list` that before it.
    func hint(
        for item: [UInt8], inElementsAt list: MemberPath? = nil, in option: String = "--field"
    ) -> String? {
        guard !item.isEmpty else { return nil }
        let bytes = item[...]
        let item = bytes.span.bytes
        // The members where the path leaves the item.
        var position = steps.count
        var range = ListScanner.lastValue(at: steps, in: item)
        while range == nil, position > 0 {
            position -= 1
            range = ListScanner.lastValue(at: Array(steps[..<position]), in: item)
        }
        let (before, after) = (Array(path[..<position]), Array(path[position...].dropFirst()))
        let place = item.extracting(range ?? 0..<0)
        let names = place.memberNames
        if option == "--field", list == nil {
            // In jq, `.[]` stands for the items. And other programs separate columns with spaces.
            if isJoined, steps.isEmpty, let inner, inner.path.contains(where: { $0 != nil }) {
                return "a path starts in the item: --field \(inner.text.shellQuoted)"
            }
            let words = label.split(separator: " ").map(String.init)
            if words.count == 3, words[1].lowercased() == "as" {
                return "to rename it, use --field \("\(words[2])=\(words[0])".shellQuoted)"
            }
            if words.count > 1, words.allSatisfy(names.contains) {
                return "separate paths with commas: --field \(words.joined(separator: ",").shellQuoted)"
            }
        }
        func member(_ name: String) -> [Step?] { [.member(Array(name.utf8))] }
        func suggestion(_ path: [Step?]) -> String {
            if list == nil, option != "--field" { return "did you mean \(Self(path).text)?" }
            let outer = list.map { $0.names.flatMap(member) + [nil] } ?? []
            let renamed = list != nil || label == self.name ? "" : "\(label)="
            let text = (renamed + Self(outer + path).text).shellQuoted
            return "did you mean \(list == nil ? option : "--at") \(text)?"
        }
        let outer = item.memberNames
        // A name with dots has to be quoted.
        if steps.count > 1, outer.contains(self.name) {
            if list == nil, option != "--field" {
                return "a name with dots has to be in quotes, as in \(option) '\"\(self.name)\"=VALUE'"
            }
            return suggestion(member(self.name))
        }
        if position == 0, let name = name.nearest(in: names) { return suggestion(member(name)) }
        // In other programs, a dot is before an index, or before the members of all elements.
        if place.isList, position < steps.count, case .member(let name) = steps[position] {
            let text = String(decoding: name, as: UTF8.self)
            if OptionValue.isDigits(text), let index = Int(text) {
                return suggestion(before + [.element(index)] + after)
            }
            let all = before + [nil] + path[position...]
            if list == nil, !Self(all).ranges(inList: place).isEmpty { return suggestion(all) }
        }
        if position < steps.count, case .member(let bytes) = steps[position],
            let name = String(decoding: bytes, as: UTF8.self).nearest(in: names)
        {
            return suggestion(before + member(name) + after)
        }
        if Self.isFilter(name) { return Self.filterHint }
        let members = names.prefix(8).map { Self(before + member($0)).label.quoted(40) }
        let element = list == nil ? "item" : "element"
        return members.isEmpty
            ? "the \(element)s have no members there"
            : "the first \(element) has \(members.joined(separator: ", "))"
    }

    /// `true` for a filter of jq: a path such as `.name`, a call such as `map(.a)`, a list such as `[.a]` or a pipe.
    static func isFilter(_ text: String) -> Bool {
        text.contains(#/^\[?\.(?:$|[\w"\[|])[^\/]*$|^[a-z_]+\(.*\)|\s\|\s/#)
    }

    static let filterHint = "use --at and --field to select data, or pipe --jsonl to jq"

    /// The path as it is typed.
    var text: String {
        Self.text(path) { bytes in
            let name = String(decoding: bytes, as: UTF8.self)
            let scalars = name.unicodeScalars
            let marks = ".,[]\"\\=!<>~".unicodeScalars
            let isPlain = !name.isEmpty && scalars.first != " " && scalars.last != " "
            guard !isPlain || scalars.contains(where: marks.contains) else { return name }
            return "\"\(scalars.map { ["\"", "\\"].contains($0) ? "\\\($0)" : "\($0)" }.joined())\""
        }
    }
}

extension RawSpan {
    var isList: Bool { withUnsafeBytes { $0.first == UInt8(ascii: "[") } }
}

extension String {
    /// Returns the first of `names` that differs by the fewest letters: at most two, added or removed, or by case.
    func nearest(in names: [String]) -> String? {
        guard count <= 40 else { return nil }
        let word = lowercased()
        return names.map {
            (name: $0, edits: $0.count > 60 ? .max : $0.lowercased().difference(from: word).count)
        }.filter { $0.edits <= max(1, min(2, $0.name.count - 2)) }.min { $0.edits < $1.edits }?.name
    }
}
