import RESTClient

/// The path of a value in an item: names separated by dots, `[N]` for an element of a list and `[]` for all of them, as in
/// `home.city`, `tags[0]` or `owners[].name`.
struct FieldPath: Hashable, Sendable {
    private enum Step: Hashable, Sendable {
        /// The member with this name in UTF-8.
        case name([UInt8])
        case element(Int)
        case allElements
    }

    private let steps: ArraySlice<Step>
    /// The steps before the first `[]`, if all of them are names.
    private let names: [[UInt8]]?
    /// The path in the elements of the list, after the first `[]`.
    private let elements: ArraySlice<Step>?
    /// `true` if the path contains `[]`, so that it can have several values.
    var isJoined: Bool { elements != nil }
    /// The path as the header of a column: without quotes and escapes.
    let label: String

    private init(_ steps: ArraySlice<Step>) {
        let mark = steps.firstIndex(of: .allElements)
        self.steps = steps[..<(mark ?? steps.endIndex)]
        elements = mark.map { steps[($0 + 1)...] }
        let names = self.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
        self.names = names.count == self.steps.count ? names : nil
        label = Self.text(steps) { String(decoding: $0, as: UTF8.self) }
    }

    /// The path of the member whose name is `name` in UTF-8.
    init(name: [UInt8]) { self.init([.name(name)]) }

    /// The first name, and the path after it, if there is one; `nil` if the path does not start with a name.
    var divided: (name: [UInt8], rest: Self?)? {
        guard case .name(let name) = allSteps.first else { return nil }
        let rest = allSteps.dropFirst()
        return (name, rest.isEmpty ? nil : Self(rest))
    }

    private static func text(_ steps: ArraySlice<Step>, name: ([UInt8]) -> String) -> String {
        var text = steps.isEmpty ? "." : ""
        for step in steps {
            switch step {
            case .name(let bytes): text += (text.isEmpty ? "" : ".") + name(bytes)
            case .element(let index): text += "[\(index)]"
            case .allElements: text += "[]"
            }
        }
        return text
    }
}

// MARK: Values

extension FieldPath {
    /// Returns the range of the value in `item`, which is valid JSON: for a path with `[]` that of the list, whose values
    /// `ranges(inList:)` returns.
    func range(in item: RawSpan) -> Range<Int>? {
        if let names, !isJoined { return ListScanner.value(at: names, in: item) }
        var range = 0..<item.byteCount
        for step in steps {
            guard let part = Self.range(of: step, in: item.extracting(range)) else { return nil }
            range = range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
        }
        let isList = item.extracting(range).withUnsafeBytes { $0.first == UInt8(ascii: "[") }
        return isList || !isJoined ? range : nil
    }

    /// Returns the ranges of the values in the list at the path, which contains `[]`.
    func ranges(inList list: RawSpan) -> [Range<Int>] {
        guard let elements else { return [] }
        let rest = FieldPath(elements)
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

    private static func range(of step: Step, in value: RawSpan) -> Range<Int>? {
        switch step {
        case .name(let name): return ListScanner.value(at: [name], in: value)
        case .allElements: return nil
        case .element(let index): return ListScanner.element(at: index, of: value)
        }
    }
}

// MARK: Text

extension FieldPath {
    /// Parses paths separated by commas. A name in double quotes, or with a backslash before them, can contain dots, commas
    /// and brackets.
    static func list(_ text: String) throws(CommandError) -> [Self] {
        var parser = Parser(rest: text.unicodeScalars[...], separator: ",")
        var paths: [Self] = []
        repeat {
            do {
                paths.append(Self(try parser.path()))
            } catch {
                throw .usage(
                    "--field \(TerminalEscaping.quoted(text, limit: 80)): \(error.message)", hint: error.hint)
            }
        } while parser.skip(",")
        return paths
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

        mutating func path() throws(CommandError) -> ArraySlice<Step> {
            guard !isAtEnd else { throw .usage("empty path") }
            while skip(".") {}
            var steps: [Step] = []
            var needsName = !isAtEnd && rest.first != "["
            while true {
                if needsName { steps.append(.name(try name())) }
                while skip("[") { steps.append(try element()) }
                needsName = skip(".")
                guard !needsName else { continue }
                guard isAtEnd else {
                    throw .usage("a dot is missing after a bracket or quote")
                }
                return steps[...]
            }
        }

        private mutating func name() throws(CommandError) -> [UInt8] {
            let isQuoted = skip("\"")
            var name = ""
            while let scalar = rest.first {
                if isQuoted ? scalar == "\"" : [".", "[", separator].contains(scalar) { break }
                rest.removeFirst()
                if scalar == "\\", let next = rest.first,
                    isQuoted || ["\\", ".", ",", "[", "\""].contains(next)
                {
                    rest.removeFirst()
                    name.unicodeScalars.append(next)
                } else {
                    name.unicodeScalars.append(scalar)
                }
            }
            if isQuoted, !skip("\"") { throw .usage("a quote is not closed") }
            return Array(name.utf8)
        }

        /// Parses a step after its opening bracket.
        private mutating func element() throws(CommandError) -> Step {
            let text = String(rest.prefix { $0 != "]" })
            rest.removeFirst(text.unicodeScalars.count)
            guard skip("]"), text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                text.isEmpty || Int(text) != nil
            else {
                throw .usage(
                    "[ must be followed by a number and ], or by ]",
                    hint: #"quote a name with a bracket: '"a[b]"'"#)
            }
            return Int(text).map(Step.element) ?? .allElements
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

    /// The member `items`, or a document that is a list or a sequence itself.
    static let automatic = Self(default: "items")
    /// All values of JSON Lines or a JSON text sequence.
    static let sequence = Self(member: .root, inner: nil, layout: .sequence)

    /// The member at a path that was not given with `--at`, or a document that is a list or a sequence itself.
    init(default member: MemberPath) { self.init(member: member, inner: nil, layout: .pathOrDocument) }

    private init(member: MemberPath, inner: FieldPath?, layout: ListScanner.Layout) {
        (self.member, self.inner, self.layout) = (member, inner, layout)
    }

    init(_ text: String) throws(CommandError) {
        // A closing brace alone is a part of a name.
        let isObject = text.hasSuffix("}") && text.contains("{")
        let (object, key) = isObject ? text.dropLast().divided(at: "{") : (text, nil)
        let path = object.isEmpty ? FieldPath() : try FieldPath(object)
        guard let names = path.memberNames, path.inner?.isJoined != true, key == nil || path.inner == nil
        else {
            throw .usage(
                "--at requires names separated by dots, and [] or {} at most once, as in data[].items or users{}"
            )
        }
        self.init(
            member: MemberPath(names: names), inner: path.inner, layout: key == nil ? .path : .members)
        keyName = key.map { $0.isEmpty ? "key" : $0 }
    }
}

extension FieldPath {
    /// The path of the item itself.
    fileprivate init() { self.init([]) }

    /// Parses the path of `--at`.
    fileprivate init(_ text: String) throws(CommandError) {
        var parser = Parser(rest: text.unicodeScalars[...], separator: nil)
        do {
            self.init(try parser.path())
        } catch {
            throw .usage(
                "--at \(TerminalEscaping.quoted(text, limit: 80)): \(error.message)", hint: error.hint)
        }
    }

    /// The names before the first `[]`, or `nil` if there is another step.
    fileprivate var memberNames: [String]? { names?.map { String(decoding: $0, as: UTF8.self) } }

    /// The path after the first `[]`.
    fileprivate var inner: Self? { elements.map { Self(Array($0)[...]) } }
}

// MARK: Corrections

extension FieldPath {
    /// Returns a hint for a path that no item has, with the names that `item` has instead.
    ///
    /// - Parameter list: The path before `[]`, if this is the path after it in the value of `--at`.
    func hint(for item: RawSpan, inElementsAt list: MemberPath? = nil) -> String {
        var range = 0..<item.byteCount
        var names: [String] = []
        var position = steps.startIndex
        // The members where the path leaves the item.
        while true {
            let value = item.extracting(range)
            names = []
            ListScanner.forEachMember(of: value) { key, _ in
                names.append(ListScanner.string(value.extracting(key)) ?? "")
            }
            guard position < steps.endIndex, let part = Self.range(of: steps[position], in: value) else {
                break
            }
            range = range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
            position += 1
        }
        func path(_ name: String) -> Self {
            Self(steps[..<position] + [.name(Array(name.utf8))] + allSteps[position...].dropFirst())
        }
        func suggestion(_ path: Self) -> String {
            guard let list else {
                return "did you mean --field \(TerminalEscaping.shellQuoted(path.text))?"
            }
            var steps = list.names.map { Step.name(Array($0.utf8)) }
            steps.append(.allElements)
            steps += path.allSteps
            return "did you mean --at \(TerminalEscaping.shellQuoted(Self(steps[...]).text))?"
        }
        // A name with dots has to be quoted.
        if position == steps.startIndex, let name = label.nearest(in: names) {
            return suggestion(Self(name: Array(name.utf8)))
        }
        if position < steps.endIndex, case .name(let bytes) = steps[position],
            let name = String(decoding: bytes, as: UTF8.self).nearest(in: names)
        {
            return suggestion(path(name))
        }
        let members = names.prefix(8).map {
            TerminalEscaping.quoted(Self(steps[..<position] + [.name(Array($0.utf8))]).label, limit: 40)
        }
        let element = list == nil ? "item" : "element"
        return members.isEmpty
            ? "the \(element)s have no members there"
            : "the first \(element) has \(members.joined(separator: ", "))"
    }

    private var allSteps: ArraySlice<Step> { steps + (elements.map { [.allElements] + $0 } ?? []) }

    /// The path as it is typed.
    private var text: String {
        Self.text(allSteps) { bytes in
            let name = String(decoding: bytes, as: UTF8.self)
            guard name.isEmpty || name.contains(where: { ".,[]\"\\".contains($0) }) else { return name }
            return "\"\(name.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined())\""
        }
    }
}

extension String {
    /// Returns the first of `names` that differs by the fewest letters: at most two, added or removed, or by case.
    func nearest(in names: [String]) -> String? {
        guard count <= 40 else { return nil }
        let word = lowercased()
        return names.map {
            (name: $0, edits: $0.count > 60 ? .max : $0.lowercased().difference(from: word).count)
        }
        .filter { $0.edits <= max(1, min(2, $0.name.count - 2)) }
        .min { $0.edits < $1.edits }?.name
    }
}
