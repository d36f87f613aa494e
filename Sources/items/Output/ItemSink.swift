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
    mutating func take(_ item: RawSpan, isPlain: Bool = false) throws {
        if isPlain {
            try writer.write(plain: item, to: &output)
        } else {
            try writer.write(item, to: &output)
        }
        count += 1
        if count == limit { throw LimitReached() }
    }

    /// Prints the items of `batch`.
    mutating func take(_ batch: ElementBatch) throws {
        try batch.forEachKnown { item, isPlain in try take(item, isPlain: isPlain) }
    }

    /// Prints the items that end in `piece` of a document.
    mutating func take(_ piece: RawSpan, through scanner: inout ListScanner) throws {
        try scanner.scanKnown(piece) { item, isPlain in try take(item, isPlain: isPlain) }
    }

    /// Hands on what has been printed: to be called whenever the next piece may be long in coming.
    mutating func flush() throws(OutputFailure) { try output.flush() }

    /// Leaves a list that will not be complete: what came of it is out.
    mutating func abandon() throws(OutputFailure) {
        try writer.abandon(&output)
        try output.flush()
    }

    /// What to say about what was not printed.
    var remarks: [Remark] { writer.remarks }

    /// Ends a list that is complete, or as long as it should be.
    mutating func end() throws(OutputFailure) {
        try writer.end(&output)
        try output.flush()
    }
}

/// The item just taken was the last one wanted.
struct LimitReached: Error {}
