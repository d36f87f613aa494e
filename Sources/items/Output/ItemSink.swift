/// Where items go: counts them, prints them, and says when it is enough.
struct ItemSink: ~Copyable {
    private var output: Output
    private var writer: any ItemWriter
    private let limit: Int?
    /// How many items were taken.
    private(set) var count = 0

    init(output: consuming Output, form: Options.Form, limit: Int?) {
        self.output = output
        writer = form.writer()
        self.limit = limit
    }

    /// Prints one item; throws `LimitReached` behind the last one that is wanted.
    mutating func take(_ item: RawSpan) throws {
        try writer.write(item, to: &output)
        count += 1
        if count == limit { throw LimitReached() }
    }

    /// Hands on what has been printed.
    mutating func flush() throws(OutputFailure) { try output.flush() }

    /// Ends a list that is complete, or as long as it should be.
    mutating func end() throws(OutputFailure) {
        try writer.end(&output)
        try output.flush()
    }
}

/// The item just taken was the last one wanted.
struct LimitReached: Error {}
