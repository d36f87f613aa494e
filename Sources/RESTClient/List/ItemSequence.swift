/// The items of a list, as they are received.
///
/// Each iteration starts a new listing. Leaving the loop, or releasing the iterator, cancels all transfers. Items are
/// decoded off the caller's actor, one chunk of the body at a time; the items of a chunk are returned without suspension.
public struct ItemSequence<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    private let makeProducer: @Sendable () -> ItemProducer<Item>

    init(request: DataRequest, listing: ItemListing, start: ResumeToken?) {
        makeProducer = { ItemProducer(request, listing, from: start) }
    }

    /// Creates a sequence of the given items, for example for a preview or a test.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - error: An error to throw after the items.
    public init(_ items: [Item], throwing error: (any Error)? = nil) {
        makeProducer = { ItemProducer(items, throwing: error) }
    }

    /// Creates an iterator, which starts the listing with its first element.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(producer: makeProducer()) }

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
    private enum Source {
        case listing(PageReader, ElementBatch.Decoding<Item>)
        case fixed([Item], throwing: (any Error)?)
    }

    private var source: Source

    init(_ request: DataRequest, _ listing: ItemListing, from start: ResumeToken?) {
        source = .listing(
            PageReader(request, listing, from: start),
            ElementBatch.decoding(Item.self, with: listing.decoder ?? request.options.decoder))
    }

    /// Creates a producer of given items, which are followed by an error unless it is `nil`.
    init(_ items: [Item], throwing error: (any Error)?) { source = .fixed(items, throwing: error) }

    /// Returns the next items, at least one, or `nil` at the end of the list.
    func nextItems() async throws -> [Item]? {
        switch source {
        case .listing(let reader, let decode):
            var items: [Item] = []
            return try await reader.readItems(into: &items, decode) ? items : nil
        case .fixed(let items, let error):
            try Task.checkCancellation()
            source = .fixed([], throwing: items.isEmpty ? nil : error)
            if items.isEmpty, let error { throw error }
            return items.isEmpty ? nil : items
        }
    }

    /// Returns the next page, or `nil` at the end of the list.
    func nextPage() async throws -> ItemPage<Item>? {
        guard case .listing(let reader, let decode) = source else { return nil }
        var items: [Item] = []
        while true {
            switch try await reader.next() {
            case .elements:
                let count = items.count
                if let failure = decode(reader.batch, &items) {
                    throw reader.fail(mapped: reader.undecodable(failure, after: count))
                }
            case .pageEnd(let end) where end.isSkipped: continue
            case .pageEnd(let end):
                reader.didDeliver(items.count)
                return ItemPage(items: items, info: end.info, resume: end.resume)
            case .listEnd: return nil
            }
        }
    }
}
