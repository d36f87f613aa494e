import RESTClientHTTP

/// The range of a key, element or member in a byte span.
struct TokenRange {
    let start: Int
    let end: Int
    /// `true` if the span is the current chunk. Otherwise the span is the text itself, collected from several chunks.
    let isInChunk: Bool
    let traits: ElementTraits

    @inline(__always) var range: Range<Int> { start..<end }
}

/// A part of the document that can begin in one chunk and end in another. It is copied only if it does.
struct ChunkCarry {
    /// The bytes from earlier chunks.
    private var carried: [UInt8] = []
    /// The start, or the continuation, in the current chunk.
    private var start = 0
    private var limit = 0
    /// `true` if the bytes from earlier chunks exceed the limit and were dropped.
    private(set) var isTooLong = false

    /// Begins at `index` of the current chunk.
    @inline(__always) mutating func begin(at index: Int, limit: Int) {
        start = index
        self.limit = limit
        isTooLong = false
        if !carried.isEmpty { reset() }
    }

    /// Keeps the bytes up to the end of `chunk`.
    mutating func carry(_ chunk: RawSpan) {
        let rest = chunk.extracting(start..<chunk.byteCount)
        start = 0
        guard !isTooLong else { return }
        if carried.count + rest.byteCount > limit {
            isTooLong = true
            reset()
        } else {
            carried.append(rest)
        }
    }

    /// Ends before `end` of `chunk`, and calls `body` with the whole part. Returns `nil` if it exceeds the limit.
    @inline(__always) mutating func end<Result>(
        at end: Int, of chunk: RawSpan, _ body: (RawSpan, TokenRange) throws -> Result
    ) rethrows -> Result? {
        if isTooLong || carried.count + end - start > limit {
            isTooLong = true
            return nil
        }
        if carried.isEmpty {
            return try body(chunk, TokenRange(start: start, end: end, isInChunk: true, traits: []))
        }
        carried.append(chunk.extracting(0..<end))
        return try body(
            ArraySlice(carried).span.bytes,
            TokenRange(start: 0, end: carried.count, isInChunk: false, traits: []))
    }

    private mutating func reset() { carried.removeAll(keepingCapacity: carried.capacity <= 1 << 20) }
}
