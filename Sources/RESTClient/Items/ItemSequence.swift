/// The items of a list as they arrive, page after page.
///
/// Each iteration lists anew. Leaving the loop, or dropping the iterator, stops all transfers. What is asked for is
/// decoded off the caller's actor, a piece of the body at a time, and then handed out without suspending.
public struct ItemSequence<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    let source: ListingSource

    /// Begins to list.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(feed: source.feed())
    }

    /// Iterates over an ``ItemSequence``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: ListingFeed
        private var items: [Item] = []
        private var position = 0

        fileprivate init(feed: ListingFeed) { self.feed = feed }

        /// The next item; `nil` at the end of the list, which is complete then.
        ///
        /// - Throws: `RESTClientError`, whose `listing` says how far it got; `CancellationError` when the task is
        ///   cancelled.
        public mutating func next() async throws -> Item? { try await next(isolation: #isolation) }

        /// The next item; `nil` at the end of the list, which is complete then.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Item? {
            if position == items.count {
                items = try await feed.nextItems(ItemDecoder<Item>()) ?? []
                position = 0
                guard !items.isEmpty else { return nil }
            }
            defer { position += 1 }
            return items[position]
        }
    }
}
