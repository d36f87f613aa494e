import Foundation

/// Finds a list in JSON that comes in pieces (RFC 8259, strict): push bytes in, elements come out.
///
/// ```swift
/// var scanner = ListScanner(at: "data.results")
/// for try await chunk in response.body {
///     try scanner.scan(chunk.bytes) { element in print(ListScanner.string(element) ?? "no string") }
/// }
/// let total = try scanner.finish().integer("total")
/// ```
///
/// The whole document is checked, not only the list: UTF-8, escapes, numbers, nesting, one list only, nothing
/// behind the end. A byte order mark before the document is skipped. Memory is bounded whatever comes: an element
/// that stretches over pieces is kept until it ends (`maxItemBytes` at most), and of the members around the list
/// the small ones, 64 KB together.
///
/// What is wrong with a document is a ``Failure``. After one, and after an error of `element`, nothing more can be
/// scanned: each further call throws.
public struct ListScanner: ~Copyable {
    private var walk: ListWalk
    private var opening = Opening()
    private var failure: Failure?
    /// A failure that waits for more of the text, to say better what that is.
    private var suspicion: Failure?
    /// How many of the next elements are not handed out.
    private var skipped = 0

    /// A scanner of the list at `path`.
    ///
    /// - Parameters:
    ///   - path: Where the list is; `.root` when the document is the list.
    ///   - maxItemBytes: The largest element, in bytes of JSON; 16 MB.
    ///   - maxDepth: How many lists and objects may be open inside each other, the outermost included; 512.
    public init(at path: MemberPath = "items", maxItemBytes: Int = 16 << 20, maxDepth: Int = 512) {
        walk = ListWalk(to: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
    }

    /// Lends each element that ends in `chunk`; copies only those that began in an earlier one.
    ///
    /// An element is any JSON value, without the white space around it. A number ends with the byte behind it.
    /// Throws a ``Failure``, or what `element` throws.
    public mutating func scan(_ chunk: RawSpan, _ element: (RawSpan) throws -> Void) throws {
        try scanKnown(chunk) { bytes, _ in try element(bytes) }
    }

    /// Lends as `scan(_:_:)` does; an element that `isPlain` is known to be a string of printable ASCII without
    /// escapes, and others may be such strings, too.
    @inline(__always)
    package mutating func scanKnown(
        _ chunk: RawSpan, _ element: (RawSpan, _ isPlain: Bool) throws -> Void
    ) throws {
        guard skipped == 0 else { return try scanBehindSkipped(chunk) { try element($0, false) } }
        try read(chunk) { bytes, place in try element(bytes.extracting(place.range), place.isPlain) }
    }

    /// Replaces the contents of `batch` with the elements that end in `chunk`, including those before a failure.
    mutating func scan(_ chunk: Data, into batch: inout ElementBatch) throws {
        batch.reset(to: chunk)
        var toSkip = skipped
        defer { skipped = toSkip }
        try read(chunk.bytes) { bytes, place in
            if toSkip > 0 { toSkip -= 1 } else { batch.append(place, of: bytes) }
        }
    }

    /// Checks the next `count` elements like all, and hands none of them out.
    package mutating func skip(_ count: Int) { skipped += count }

    /// The elements found so far, those that were skipped included.
    package var itemCount: Int { walk.items }

    /// The members around the list, as soon as the document has ended; what follows may still be wrong.
    package var envelope: Envelope? {
        guard failure == nil, suspicion == nil, walk.phase == .end else { return nil }
        return try? walk.finish()
    }

    private mutating func scanBehindSkipped(_ chunk: RawSpan, _ element: (RawSpan) throws -> Void) throws {
        var toSkip = skipped
        defer { skipped = toSkip }
        try read(chunk) { bytes, place in
            if toSkip > 0 { toSkip -= 1 } else { try element(bytes.extracting(place.range)) }
        }
    }

    private mutating func read(_ chunk: RawSpan, _ element: (RawSpan, TextPlace) throws -> Void) throws {
        if let failure { throw failure }
        opening.add(chunk)
        if suspicion == nil {
            do {
                try walk.read(chunk, element)
            } catch let flaw as ListWalk.Flaw {
                try fail(flaw.failure)
            } catch {
                failure = walk.failure(.incomplete)
                throw error
            }
        }
        if let suspicion, opening.isFull { throw end(with: opening.settle(suspicion)) }
    }

    /// Ends the document: throws unless it is complete, and gives the small members around the list.
    ///
    /// Consuming, so that nothing can be scanned afterwards.
    public consuming func finish() throws -> Envelope {
        if let failure { throw failure }
        if let suspicion { throw opening.settle(suspicion) }
        return try walk.finish()
    }

    private mutating func fail(_ failure: Failure) throws {
        if opening.casts(doubtOn: failure) {
            suspicion = failure
        } else {
            throw end(with: failure)
        }
    }

    private mutating func end(with failure: Failure) -> Failure {
        self.failure = failure
        return failure
    }
}
