import Foundation

/// Scans a page into batches, and keeps what is needed to compare it with other pages.
struct PageScanner: ~Copyable {
    typealias Ends = (first: [UInt8], last: [UInt8])

    private var scanner: ListScanner
    /// The first and the last element of the batches so far, if `keepEnds()` was called.
    private(set) var ends: Ends?
    /// The fingerprint of the batches so far, or `nil` if it is not needed.
    var fingerprint: PageFingerprint?

    /// Creates a scanner; by default a placeholder, which is replaced before it is used.
    init(_ scanner: consuming ListScanner = ListScanner(at: .root)) { self.scanner = scanner }

    /// Replaces the contents of `batch` with the elements that end in `chunk`, including those before a failure.
    mutating func scan(_ chunk: Data, into batch: inout ElementBatch) throws {
        batch.reset(to: chunk)
        defer {
            if ends != nil, !batch.isEmpty {
                if ends?.first.isEmpty == true { ends?.first = batch.element(0) }
                ends?.last = batch.element(batch.count - 1)
            }
            fingerprint?.add(batch)
        }
        let findsMembers = scanner.findsMembers
        // Marks are collected on the stack: to append each of them to an array takes half as long as to find it.
        try withUnsafeTemporaryAllocation(of: ElementBatch.Mark.self, capacity: 256) { marks in
            var count = 0
            var added = 0
            defer { batch.append(marks[..<count]) }
            try scanner.read(chunk.bytes) { bytes, token, members in
                guard token.isInChunk else { return batch.setCarried(bytes) }
                if findsMembers { batch.append(members.found, ofMark: added &+ count) }
                marks.initializeElement(at: count, to: ElementBatch.Mark(token))
                count &+= 1
                if count == marks.count {
                    batch.append(marks[..<count])
                    added &+= count
                    count = 0
                }
            }
        }
    }

    /// Replaces the contents of `batch` with the number at the end of a sequence. Returns `false` if there is none.
    mutating func endSequence(into batch: inout ElementBatch) throws -> Bool {
        guard scanner.isAtNumberOfSequence else { return false }
        try scan(Data("\n".utf8), into: &batch)
        return !batch.isEmpty
    }

    /// Looks for the members of the elements that are added to batches.
    mutating func findMembers() { scanner.findsMembers = true }

    /// Keeps copies of the first and the last element.
    mutating func keepEnds() { ends = ([], []) }

    /// The number of elements found so far.
    var itemCount: Int { scanner.itemCount }

    /// The members around the list, as soon as the document has ended. The text after it may still be invalid.
    var envelope: Envelope? { scanner.envelope }

    /// Ends the document, and returns the small members around the list.
    consuming func finish() throws -> Envelope { try scanner.finish() }
}
