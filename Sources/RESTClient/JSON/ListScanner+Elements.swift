import RESTClientHTTP

// The bytes of an element.
extension ListScanner {
    /// Returns the text of an element that is a JSON string, or `nil` for any other element.
    public static func string(_ element: RawSpan) -> String? { element.string }

    /// Returns the text of a valid element that is a JSON string, or `nil` for any other element.
    @inline(__always) static func string(_ element: RawSpan, _ traits: ElementTraits) -> String? {
        guard element.byte(at: 0) == Byte.quote else { return nil }
        return element.text(ofString: traits.contains(.hasNoEscapes) ? .ascii : .escaped)
    }

    /// Returns `true` if the JSON string `key` is equal to `name`, byte by byte (RFC 8259, section 8.3).
    public static func key(_ key: RawSpan, equals name: [UInt8]) -> Bool {
        // An escape takes at least as many bytes as its character.
        let count = key.byteCount - 2
        guard count >= name.count else { return false }
        return key.withUnsafeBytes { key in
            let text = UnsafeRawBufferPointer(rebasing: key[1..<1 + count])
            guard !text.contains(Byte.backslash) else { return key.bytes.unescapedString == name }
            return text.elementsEqual(name)
        }
    }

    /// Returns the text of a JSON string as UTF-8, or `nil` for any other element.
    public static func utf8(of element: RawSpan) -> [UInt8]? { element.unescapedString }

    /// The number of bytes that `unescape(_:into:)` needs in addition to those of the string.
    public static let unescapingSlack = RawSpan.unescapingSlack

    /// Writes the text of a valid JSON string to `target`, and returns its size in bytes of UTF-8.
    ///
    /// No character is larger than its escape. Whole blocks are written, so `target` must have ``unescapingSlack`` more
    /// bytes than `string`.
    public static func unescape(_ string: RawSpan, into target: UnsafeMutableRawBufferPointer) -> Int {
        string.unescape(at: 0, into: target)
    }

    /// A step of the path of a value in an element.
    public enum Step: Hashable, Sendable {
        /// The member of an object with this name in UTF-8.
        case member([UInt8])
        /// The element of a list at this index, from 0.
        case element(Int)
    }

    /// Returns the range of the value at `path`, in `element`, or `nil` if there is none.
    ///
    /// The element must be valid JSON. It can be cut at the end; values after the cut are not found. If an object has
    /// several members with the same key, the first one counts.
    ///
    /// - Parameters:
    ///   - path: The steps from the outermost value inwards. An empty path is the element itself.
    ///   - element: The element, as passed by the scanner.
    public static func value(at path: [Step], in element: RawSpan) -> Range<Int>? {
        var visitor = PathVisitor(path: path)
        element.visitTokens(&visitor)
        return visitor.value
    }

    /// The same, with the last of several members with the same key, as readers of JSON take it.
    public static func lastValue(at path: [Step], in element: RawSpan) -> Range<Int>? {
        var visitor = PathVisitor(path: path, findsLast: true)
        element.visitTokens(&visitor)
        return visitor.value
    }

    /// Returns the range of the value at the path of a member, in `element`, or `nil` if there is none.
    public static func value(at path: MemberPath, in element: RawSpan) -> Range<Int>? {
        value(at: path.names.map { .member(Array($0.utf8)) }, in: element)
    }

    /// Returns the path of the first list of objects in the objects of a document, or else of the first list, or `nil` if there is
    /// none. The document can be cut at the end.
    static func nestedList(in document: RawSpan) -> MemberPath? {
        var visitor = NestedListVisitor()
        document.visitTokens(&visitor)
        return visitor.ofObjects ?? visitor.first
    }

    /// Calls `body` with the ranges of the key and the value of each member of an object.
    ///
    /// The element must be valid JSON. An element that is not an object has no members.
    public static func forEachMember(
        of element: RawSpan, _ body: (_ key: Range<Int>, _ value: Range<Int>) -> Void
    ) {
        var parts = PartsVisitor()
        element.visitTokens(&parts)
        for (key, value) in zip(parts.keys, parts.values) { body(key, value) }
    }

    /// Calls `body` with the range of each element of a list.
    ///
    /// The element must be valid JSON. An element that is not a list has no elements.
    public static func forEachElement(of element: RawSpan, _ body: (Range<Int>) -> Void) {
        var parts = PartsVisitor()
        element.visitTokens(&parts)
        if parts.keys.isEmpty { parts.values.forEach(body) }
    }
}

extension RawSpan {
    /// Passes the tokens of a value, which can be cut at the end.
    fileprivate func visitTokens(_ visitor: inout some TokenVisitor) {
        var reader = ValueReader(ofWholeValueWithDepth: .max)
        _ = try? reader.read(self, from: 0, &visitor)
    }
}

/// Finds the first list in objects, and the first one whose first element is an object.
private struct NestedListVisitor: TokenVisitor {
    /// The current names of the objects that are open.
    private var names: [String] = []
    /// The number of open lists and of the objects in them.
    private var inner = 0
    /// The path of a list whose first element is not known yet.
    private var opened: MemberPath?
    private(set) var first: MemberPath?
    private(set) var ofObjects: MemberPath?

    var isFinished: Bool { ofObjects != nil }

    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
        guard inner == 0, !names.isEmpty else { return }
        names[names.count - 1] = ListScanner.string(bytes.extracting(key)) ?? ""
    }

    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {
        opened = nil
    }

    mutating func open(_ bracket: UInt8, at index: Int, depth: Int) {
        if inner > 0 {
            if bracket == Byte.openBrace { ofObjects = opened }
            opened = nil
            inner += 1
        } else if bracket == Byte.openBrace {
            names.append("")
        } else {
            opened = MemberPath(names: names)
            first = first ?? opened
            inner = 1
        }
    }

    mutating func close(at end: Int, of bytes: RawSpan, depth: Int) {
        opened = nil
        if inner > 0 { inner -= 1 } else if !names.isEmpty { names.removeLast() }
    }
}

/// Finds the value at a path. If an object has several members with the same key, the first or the last one counts.
private struct PathVisitor: TokenVisitor {
    private let path: [ListScanner.Step]
    private let findsLast: Bool
    /// The number of steps that were found.
    private var matched = 0
    /// `true` if the next value is the one of these steps.
    private var isNext = true
    /// The number of elements before the one of the next step.
    private var rest = 0
    /// The start of the value at the path, if it is an object or a list.
    private var start: Int?
    private(set) var value: Range<Int>?
    private(set) var isFinished = false

    init(path: [ListScanner.Step], findsLast: Bool = false) {
        (self.path, self.findsLast) = (path, findsLast)
    }

    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
        guard depth == matched + 1, matched < path.count, case .member(let name) = path[matched],
            ListScanner.key(bytes.extracting(key), equals: name)
        else { return }
        matched = depth
        isNext = true
        // The value of an earlier member with the same key.
        value = nil
    }

    /// Begins a value that can be an element of the list on the path.
    private mutating func begin(at depth: Int) {
        guard !isNext, depth == matched + 1, matched < path.count, case .element = path[matched] else {
            return
        }
        isNext = rest == 0
        if isNext { matched = depth }
        rest -= 1
    }

    /// Ends the value of a step.
    private mutating func end() {
        (isNext, start, rest) = (false, nil, -1)
        if findsLast, matched > 0 { matched -= 1 } else { isFinished = true }
    }

    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {
        begin(at: depth)
        guard isNext else { return }
        if matched == path.count { value = scalar }
        end()
    }

    mutating func open(_ bracket: UInt8, at index: Int, depth: Int) {
        begin(at: depth)
        guard isNext else { return }
        isNext = false
        guard matched < path.count else { return start = index }
        switch path[matched] {
        case .member: isFinished = !findsLast && bracket != Byte.openBrace
        case .element(let index):
            rest = bracket == Byte.openBracket ? index : -1
            isFinished = !findsLast && bracket != Byte.openBracket
        }
    }

    mutating func close(at end: Int, of bytes: RawSpan, depth: Int) {
        guard depth == matched else { return }
        if let start { value = start..<end }
        self.end()
    }
}

/// Finds the members of an object, or the elements of a list.
private struct PartsVisitor: TokenVisitor {
    private(set) var keys: [Range<Int>] = []
    private(set) var values: [Range<Int>] = []
    private var start = 0

    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
        if depth == 1 { keys.append(key) }
    }

    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) { if depth == 1 { values.append(scalar) } }

    mutating func open(_ bracket: UInt8, at index: Int, depth: Int) { if depth == 1 { start = index } }

    mutating func close(at end: Int, of bytes: RawSpan, depth: Int) {
        if depth == 1 { values.append(start..<end) }
    }
}
