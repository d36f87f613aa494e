/// Where a text lies in the bytes that are lent with it.
struct TextPlace {
    let start: Int
    let end: Int
    /// Whether these bytes are the chunk at hand; else they are the text, carried over from earlier chunks.
    let isInChunk: Bool
    /// Whether it is known to be a string of printable ASCII without escapes.
    let isPlain: Bool

    @inline(__always)
    var range: Range<Int> { start..<end }
}

/// A piece of the document that may begin in one chunk and end in another: borrowed when it does not, else copied.
struct CarriedText {
    /// What came in earlier chunks.
    private var carried: [UInt8] = []
    /// Where it begins, or goes on, in the chunk at hand.
    private var start = 0
    private var limit = 0
    /// Whether what came in earlier chunks is more than the limit, and so is gone.
    private(set) var isTooLong = false

    /// Begins at `index` of the chunk at hand.
    @inline(__always)
    mutating func begin(at index: Int, limit: Int) {
        start = index
        self.limit = limit
        isTooLong = false
        if !carried.isEmpty { forget() }
    }

    /// Keeps what is in `chunk`, which is at its end.
    mutating func carry(_ chunk: RawSpan) {
        let rest = chunk.extracting(start..<chunk.byteCount)
        start = 0
        guard !isTooLong else { return }
        if carried.count + rest.byteCount > limit {
            isTooLong = true
            forget()
        } else {
            carried.append(rest)
        }
    }

    /// Ends before `end` of `chunk`: lends the whole, or gives `nil` when it is more than the limit.
    @inline(__always)
    mutating func end<Result>(
        at end: Int, of chunk: RawSpan, _ body: (RawSpan, TextPlace) throws -> Result
    ) rethrows -> Result? {
        if isTooLong || carried.count + end - start > limit {
            isTooLong = true
            return nil
        }
        if carried.isEmpty {
            return try body(chunk, TextPlace(start: start, end: end, isInChunk: true, isPlain: false))
        }
        carried.append(chunk.extracting(0..<end))
        return try body(
            carried.span.bytes, TextPlace(start: 0, end: carried.count, isInChunk: false, isPlain: false))
    }

    private mutating func forget() {
        carried.removeAll(keepingCapacity: carried.capacity <= 1 << 20)
    }
}
