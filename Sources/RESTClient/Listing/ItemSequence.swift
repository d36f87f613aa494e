/// The items of a list, as they are received.
///
/// Each iteration starts a new listing. Leaving the loop, or releasing the iterator, cancels all transfers. Items are
/// decoded off the caller's actor, one chunk of the body at a time; the items of a chunk are returned without suspension.
public struct ItemSequence<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    let request: DataRequest
    let listing: ItemListing
    let start: ResumeToken?

    /// Creates an iterator, which starts the listing with its first element.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(producer: ItemProducer(request, listing, from: start))
    }

    /// The iterator of an ``ItemSequence``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let producer: ItemProducer<Item>
        fileprivate var items: [Item] = []
        fileprivate var position = 0

        /// Returns the next item, or `nil` at the end of the complete list.
        ///
        /// - Throws: `RESTClientError`, whose `listing` property reports the progress; `CancellationError` if the task is
        ///   cancelled.
        public mutating func next() async throws -> Item? { try await next(isolation: #isolation) }

        /// Returns the next item, or `nil` at the end of the complete list.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Item? {
            if position == items.count {
                items = try await producer.nextItems() ?? []
                position = 0
                guard !items.isEmpty else { return nil }
            }
            defer { position += 1 }
            return items[position]
        }
    }
}

/// Reads and decodes items off the actor of the iterator's caller.
actor ItemProducer<Item: Decodable & Sendable> {
    private let reader: PageReader
    private let decode = ElementBatch.decoding(Item.self)

    init(_ request: DataRequest, _ listing: ItemListing, from start: ResumeToken?) {
        reader = PageReader(request, listing, from: start)
    }

    /// Returns the next items, at least one, or `nil` at the end of the list.
    func nextItems() async throws -> [Item]? {
        var items: [Item] = []
        return try await reader.readItems(into: &items, decode) ? items : nil
    }

    /// Returns the next page, or `nil` at the end of the list.
    func nextPage() async throws -> ItemPage<Item>? {
        var items: [Item] = []
        while true {
            switch try await reader.next() {
            case .elements:
                let count = items.count
                if let failure = decode(reader.batch, &items) {
                    throw reader.fail(reader.undecodable(failure, after: count))
                }
            case .pageEnd(let end):
                reader.didDeliver(items.count)
                return ItemPage(items: items, info: end.info, resume: end.resume)
            case .listEnd: return nil
            }
        }
    }
}
