import RESTClient

/// Counts and prints items, and stops at the limit.
struct ItemSink<Writer: ItemWriter>: ~Copyable {
    private var output: Output
    private(set) var writer: Writer
    private let limit: Int?
    private var filter: ItemFilter?
    /// The path of the list, and of the lists in its elements that contain the items to write.
    private let list: ListPath
    /// `true` if the elements of the list are the items.
    private let isDirect: Bool
    private var hasFoundInner = false
    /// The first element without the inner path, which names the members in a hint. Empty if it is too large.
    private var missing: [UInt8]?
    /// The path of the lists in the elements, if they are checked for a continuation that is not requested.
    private let checkedList: MemberPath?
    /// The member of the first element whose list is only the first page of its items.
    private var continuation: String?
    private(set) var count = 0
    var readCount: Int { filter?.count ?? count }

    init(
        output: consuming Output, writer: Writer, limit: Int?, list: ListPath = .automatic,
        filter: ItemFilter? = nil, allowsIncomplete: Bool = false
    ) {
        self.output = output
        (self.writer, self.limit, self.list, self.filter) = (writer, limit, list, filter)
        isDirect = list.inner == nil && list.keyName == nil
        checkedList = allowsIncomplete ? nil : list.innerMember
    }

    /// Writes one item, and throws `LimitReached` after the last one.
    @inline(__always) mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers
    ) throws {
        guard isDirect else { return try writeParts(of: item, &members) }
        try writeItem(item, traits, &members)
    }

    private mutating func writeParts(of item: RawSpan, _ members: inout ElementMembers) throws {
        guard let keyName = list.keyName else { return try writeElements(of: item, &members) }
        let member = try Self.item(for: item, keyName: keyName)
        try writeItem(ArraySlice(member).span.bytes, [], &members)
    }

    /// Returns the item for a member of an object: an object with the key, and the members of the value or the value itself.
    private static func item(for text: RawSpan, keyName: String) throws(CommandError) -> [UInt8] {
        let object = Array("{".utf8) + text.withUnsafeBytes { Array($0) } + "}".utf8
        let objectBytes = object[...]
        let bytes = objectBytes.span.bytes
        var parts: (key: Range<Int>, value: Range<Int>)?
        ListScanner.forEachMember(of: bytes) { parts = ($0, $1) }
        guard let parts else { return object }
        let value = bytes.extracting(parts.value)
        let isObject = object[parts.value].first == UInt8(ascii: "{")
        let names = isObject ? value.memberNames : ["value"]
        guard !names.contains(keyName) else {
            let key = ListScanner.string(bytes.extracting(parts.key)) ?? ""
            let (member, name) = (key.quoted(), keyName.quoted())
            throw CommandError(
                .badList,
                isObject
                    ? "the value of \(member) has a member \(name) itself"
                    : "the key and the value of \(member) would both be the member \(name)",
                hint: "use another name for the key, as in --at 'users{name}'")
        }
        var member = Array("{".utf8)
        Array(keyName.utf8).withUnsafeBytes { TerminalEscaping.append(quoting: $0, to: &member) }
        member += ":".utf8
        member += object[parts.key]
        member += (isObject ? names.isEmpty ? "" : "," : ",\"value\":").utf8
        member += isObject ? object[parts.value].dropFirst() : object[parts.value] + "}".utf8
        return member
    }

    @inline(__always) private mutating func writeItem(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers
    ) throws {
        guard try filter?.accepts(item) ?? true else { return }
        try writer.write(item, traits, &members, to: &output)
        count += 1
        if count == limit { throw LimitReached() }
    }

    /// Writes the elements of the list in `item`. A missing list and `null` have none.
    private mutating func writeElements(of item: RawSpan, _ members: inout ElementMembers) throws {
        guard let inner = list.inner else { return }
        guard let range = inner.range(in: item) else {
            missing = missing ?? item.sample
            return
        }
        hasFoundInner = true
        let innerList = item.extracting(range)
        guard !innerList.isNull else { return }
        guard innerList.isList else {
            throw CommandError(
                .badList, "expected a list at \(inner.label.quoted()) in each element, found another value",
                hint: inner.name == "."
                    ? "to list the elements, use --at \("\(list.member)".shellQuoted)"
                    : "to print this member of each element, use --at \("\(list.member)".shellQuoted) --field \(inner.name.shellQuoted)"
            )
        }
        var ranges: [Range<Int>] = []
        ListScanner.forEachElement(of: innerList) { ranges.append($0) }
        for range in ranges { try writeItem(innerList.extracting(range), [], &members) }
        guard continuation == nil, let checkedList else { return }
        continuation = Envelope.continuation(
            ofListAt: checkedList, in: item, list: range, itemCount: ranges.count)
    }

    mutating func write(_ batch: ElementBatch, _ members: inout ElementMembers) throws {
        try batch.forEachElement(&members) { try self.write($0, $1, &$2) }
    }

    /// Flushes the output. Call this whenever the next chunk may take time.
    mutating func flush() throws(OutputError) { try output.flush() }

    /// Warnings about the items and the comparisons with them.
    var warnings: [String] { writer.warnings + (filter?.warnings ?? []) }

    /// The columns that were added after the first rows, or `nil`.
    mutating func widening() throws(OutputError) -> Widening? { try writer.widening() }

    /// An error of the complete list, such as a selected member that no item has.
    var failure: CommandError? {
        if count != limit, let continuation, let inner = list.inner {
            return CommandError(
                .badList,
                "a list at \(inner.label.quoted()) has more items than the document: \(continuation.quoted(200))",
                hint: """
                    request more of these items, or each of these lists on its own; \(CommandError.incompleteHint)
                    """)
        }
        guard let inner = list.inner, let missing, !hasFoundInner else {
            return filter?.failure ?? writer.failure
        }
        return CommandError(
            .badList, "no element has a list at \(inner.label.quoted())",
            hint: inner.hint(for: missing, inElementsAt: list.member))
    }

    /// Ends the list and flushes the items printed so far.
    mutating func finish(isComplete: Bool) throws(OutputError) {
        try writer.finish(&output, isComplete: isComplete)
        try output.flush()
    }
}

/// Thrown after the last item allowed by the limit.
struct LimitReached: Error {}

/// A writer of one output format.
protocol ItemWriter {
    /// Writes one item, given as valid JSON without surrounding white space, and what is known about it.
    /// `members` knows the keys of earlier items.
    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws

    /// Writes pending items and the end of the list. An error message follows an incomplete list.
    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError)

    /// The parts of items that the writer uses. Others are not looked for.
    var usedParts: ElementMembers.Parts { get }

    /// An error of the complete list.
    var failure: CommandError? { get }

    /// Warnings about the items, such as members that occur twice.
    var warnings: [String] { get }

    /// Returns the columns that were added after the first rows, or `nil`.
    mutating func widening() throws(OutputError) -> Widening?
}

/// A writer of the cells of rows.
protocol RowWriter: ItemWriter { var row: RowReader { get } }

extension RowWriter {
    var failure: CommandError? { row.failure }

    var warnings: [String] { [row.warning].compactMap(\.self) }
}

extension ItemWriter {
    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {}

    var usedParts: ElementMembers.Parts { .members }

    var failure: CommandError? { nil }

    var warnings: [String] { [] }

    mutating func widening() throws(OutputError) -> Widening? { nil }
}
