import RESTClient

/// Where items go: counts them, prints them, and says when it is enough.
struct ItemSink<Writer: ItemWriter>: ~Copyable {
    private var output: Output
    private var writer: Writer
    private let limit: Int?
    /// How many items were taken.
    private(set) var count = 0

    init(output: consuming Output, writer: Writer, limit: Int?) {
        self.output = output
        self.writer = writer
        self.limit = limit
    }

    /// Prints one item; throws `LimitReached` behind the last one that is wanted.
    ///
    /// - Parameter isPlain: whether it is known to be a string of printable ASCII without escapes, as most are.
    @inline(__always)
    mutating func write(_ item: RawSpan, isPlain: Bool = false) throws {
        if isPlain {
            try writer.write(plain: item, to: &output)
        } else {
            try writer.write(item, to: &output)
        }
        count += 1
        if count == limit { throw LimitReached() }
    }

    /// Prints the items that end in `piece` of a document.
    mutating func write(_ piece: RawSpan, through scanner: inout ListScanner) throws {
        try scanner.scanKnown(piece) { item, isPlain in try write(item, isPlain: isPlain) }
    }

    /// Hands on what has been printed: to be called whenever the next piece may be long in coming.
    mutating func flush() throws(OutputError) { try output.flush() }

    /// Leaves a list that will not be complete: what came of it is out.
    mutating func finishIncomplete() throws(OutputError) {
        try writer.finishIncomplete(&output)
        try output.flush()
    }

    /// What to say about what was not printed.
    var warnings: [Warning] { writer.warnings }

    /// Ends a list that is complete, or as long as it should be.
    mutating func finish() throws(OutputError) {
        try writer.finish(&output)
        try output.flush()
    }
}

/// The item just taken was the last one wanted.
struct LimitReached: Error {}

/// Prints items in one form.
protocol ItemWriter {
    /// Prints one item, given as valid JSON without white space around it.
    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError)

    /// Prints one item that is known to be a string of printable ASCII without escapes.
    mutating func write(plain item: RawSpan, to output: inout Output) throws(OutputError)

    /// Prints what stands behind the last item of a complete list; not called for one that is not.
    mutating func finish(_ output: inout Output) throws(OutputError)

    /// Leaves a list that is not complete: prints what was pending back, and ends the line.
    mutating func finishIncomplete(_ output: inout Output) throws(OutputError)

    /// What to say in the end about what was not printed.
    var warnings: [Warning] { get }
}

extension ItemWriter {
    mutating func write(plain item: RawSpan, to output: inout Output) throws(OutputError) {
        try write(item, to: &output)
    }

    mutating func finish(_ output: inout Output) throws(OutputError) {}

    mutating func finishIncomplete(_ output: inout Output) throws(OutputError) {}

    var warnings: [Warning] { [] }
}
