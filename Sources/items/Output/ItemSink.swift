import RESTClient

/// Counts and prints items, and stops at the limit.
struct ItemSink<Writer: ItemWriter>: ~Copyable {
    private var output: Output
    private var writer: Writer
    private let limit: Int?
    /// The path in each item to the list that contains the items to write.
    private let inner: FieldPath?
    private let hasInner: Bool
    /// The number of items written.
    private(set) var count = 0

    init(output: consuming Output, writer: Writer, limit: Int?, inner: FieldPath? = nil) {
        self.inner = inner
        hasInner = inner != nil
        self.output = output
        self.writer = writer
        self.limit = limit
    }

    /// Writes one item, and throws `LimitReached` after the last one.
    ///
    /// - Parameter isPlain: `true` if the item is known to be a string of printable ASCII without escapes, as most
    ///   are.
    @inline(__always) mutating func write(_ item: RawSpan, isPlain: Bool = false) throws {
        if hasInner { return try writeElements(of: item) }
        try writeItem(item, isPlain: isPlain)
    }

    @inline(__always) private mutating func writeItem(_ item: RawSpan, isPlain: Bool = false) throws {
        if isPlain { try writer.write(plain: item, to: &output) } else { try writer.write(item, to: &output) }
        count += 1
        if count == limit { throw LimitReached() }
    }

    /// Writes the elements of the list in `item`. A missing list and `null` have none.
    private mutating func writeElements(of item: RawSpan) throws {
        guard let inner, let range = inner.range(in: item) else { return }
        let list = item.extracting(range)
        guard let first = list.withUnsafeBytes(\.first), first != UInt8(ascii: "n") else { return }
        guard first == UInt8(ascii: "[") else {
            throw CommandError(
                .badList,
                "expected a list at \(TerminalEscaping.quoted(inner.label, limit: 80)) in each element, found another value",
                hint: "correct the path after [] in --at")
        }
        var ranges: [Range<Int>] = []
        ListScanner.forEachElement(of: list) { ranges.append($0) }
        for range in ranges { try writeItem(list.extracting(range)) }
    }

    /// Writes the elements of a batch.
    mutating func write(_ batch: ElementBatch) throws {
        @inline(__always)
        func write(_ item: RawSpan, isPlain: Bool) throws { try self.write(item, isPlain: isPlain) }
        try batch.forEachElement(write)
    }

    /// Flushes the output. Call this whenever the next chunk may take time.
    mutating func flush() throws(OutputError) { try output.flush() }

    /// An error of the complete list, such as a selected member that no item has.
    var failure: CommandError? { writer.failure }

    /// Ends the list and flushes the items printed so far.
    ///
    /// - Parameter isComplete: `true` if the list is complete or has reached its limit.
    mutating func finish(isComplete: Bool) throws(OutputError) {
        try writer.finish(&output, isComplete: isComplete)
        try output.flush()
    }
}

/// Thrown after the last item allowed by the limit.
struct LimitReached: Error {}

/// A writer of one output format.
protocol ItemWriter {
    /// Writes one item, given as valid JSON without surrounding white space.
    ///
    /// - Throws: `OutputError`; `CommandError` for an item that the format cannot represent.
    mutating func write(_ item: RawSpan, to output: inout Output) throws

    /// Writes one item known to be a string of printable ASCII without escapes.
    mutating func write(plain item: RawSpan, to output: inout Output) throws

    /// Writes pending items and the end of the list. An error message follows an incomplete list.
    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError)

    /// An error of the complete list.
    var failure: CommandError? { get }
}

extension ItemWriter {
    mutating func write(plain item: RawSpan, to output: inout Output) throws {
        try write(item, to: &output)
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {}

    var failure: CommandError? { nil }
}
