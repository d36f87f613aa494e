/// The pages of a list as they arrive, each whole.
///
/// Each iteration lists anew. Leaving the loop, or dropping the iterator, stops all transfers.
public struct PageSequence<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    let source: ListingSource

    /// Begins to list.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(feed: source.feed())
    }

    /// Iterates over a ``PageSequence``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: ListingFeed

        fileprivate init(feed: ListingFeed) { self.feed = feed }

        /// The next page; `nil` at the end of the list, which is complete then.
        ///
        /// - Throws: `RESTClientError`, whose `listing` says how far it got: the items of a page that fails are not
        ///   handed out.
        public mutating func next() async throws -> ItemPage<Item>? { try await next(isolation: #isolation) }

        /// The next page; `nil` at the end of the list, which is complete then.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ItemPage<Item>? {
            try await feed.nextPage(ItemDecoder<Item>())
        }
    }
}
