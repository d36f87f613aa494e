/// The elements of a list as bytes, in batches, as they are received.
///
/// ```swift
/// for try await batch in client.elements() {
///     try batch.forEach { element in try element.withUnsafeBytes { try file.write(contentsOf: $0) } }
///     if !batch.hasMoreBuffered { try file.synchronize() }
/// }
/// ```
///
/// Each iteration starts a new listing. Leaving the loop, or releasing the iterator, cancels all transfers. The bytes are
/// scanned on the caller's actor, one chunk of the body at a time.
public struct ElementSequence: AsyncSequence, Sendable {
    let request: DataRequest
    let listing: ItemListing
    let start: ResumeToken?

    /// Creates an iterator, which starts the listing with its first element.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: PageReader(request, listing, from: start))
    }

    /// The iterator of an ``ElementSequence``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: PageReader
        fileprivate var saidMore = false
        fileprivate var receivedBytes = 0

        /// Returns the next batch, or `nil` at the end of the complete list.
        ///
        /// - Throws: `RESTClientError` after all elements that were received; its `listing` property reports the progress.
        public mutating func next() async throws -> ElementBatch? { try await next(isolation: #isolation) }

        /// Returns the next batch, or `nil` at the end of the complete list.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ElementBatch? {
            while true {
                var batch: ElementBatch
                switch try await reader.next() {
                case .elements(let bytes):
                    receivedBytes += bytes
                    batch = reader.batch
                    batch.hasMoreBuffered = reader.hasBufferedChunk
                    // An empty batch is returned before a wait, so that the consumer can flush its output.
                    if batch.isEmpty, batch.hasMoreBuffered || !saidMore { continue }
                case .pageEnd(let end):
                    batch = ElementBatch()
                    batch.pageEnd = end
                case .listEnd: return nil
                }
                saidMore = batch.hasMoreBuffered
                batch.receivedBytes = receivedBytes
                receivedBytes = 0
                reader.didDeliver(batch.count)
                return batch
            }
        }

        /// The position after the batches so far, from which another listing can continue, or `nil` if there is none.
        ///
        /// An error of the listing contains its position. This property is for a listing that is interrupted.
        public var position: ResumeToken? { reader.currentPosition }
    }
}
