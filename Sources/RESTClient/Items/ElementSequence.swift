/// The undecoded elements of a list as they arrive, in batches of one or more.
///
/// Each iteration lists anew. Leaving the loop, or dropping the iterator, stops all transfers.
public struct ElementSequence: AsyncSequence, Sendable {
    let source: ListingSource

    /// Begins to list.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(feed: source.feed())
    }

    /// Iterates over an ``ElementSequence``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: ListingFeed

        fileprivate init(feed: ListingFeed) { self.feed = feed }

        /// The next elements; `nil` at the end of the list, which is complete then.
        ///
        /// - Throws: `RESTClientError`, whose `listing` says how far it got, behind all elements that had come.
        public mutating func next() async throws -> ElementBatch? { try await next(isolation: #isolation) }

        /// The next elements; `nil` at the end of the list, which is complete then.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ElementBatch? {
            try await feed.nextBatch()
        }
    }
}
