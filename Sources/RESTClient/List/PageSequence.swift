/// The pages of a list, as they are received.
///
/// Each iteration starts a new listing. Leaving the loop, or releasing the iterator, cancels all transfers.
public struct PageSequence<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    let request: DataRequest
    let listing: ItemListing
    let start: ResumeToken?

    /// Creates an iterator, which starts the listing with its first element.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(producer: ItemProducer(request, listing, from: start))
    }

    /// The iterator of a ``PageSequence``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let producer: ItemProducer<Item>

        /// Returns the next page, or `nil` at the end of the complete list.
        ///
        /// - Throws: `RESTClientError`, whose `listing` property reports the progress. The items of a page that fails are
        ///   not returned.
        public mutating func next() async throws -> ItemPage<Item>? { try await next(isolation: #isolation) }

        /// Returns the next page, or `nil` at the end of the complete list.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ItemPage<Item>? {
            try await producer.nextPage()
        }
    }
}

/// One page of a list.
public struct ItemPage<Item: Sendable>: Sendable {
    /// The items, in the order of the server. If the listing was resumed inside the page, only the items after that
    /// position.
    public let items: [Item]
    /// The number, headers and envelope of the page.
    public let info: PageInfo
    /// The position after the page, or `nil` if no page follows.
    public let resume: ResumeToken?

    /// Creates a page, for example in a test.
    public init(items: [Item], info: PageInfo, resume: ResumeToken? = nil) {
        (self.items, self.info, self.resume) = (items, info, resume)
    }
}

/// The end of a complete page.
public struct PageEnd: Sendable {
    /// The page.
    public let info: PageInfo
    /// The position after the page, or `nil` if no page follows.
    public let resume: ResumeToken?
    /// A Boolean value that indicates whether all items of the page were delivered by an earlier listing.
    let isSkipped: Bool
}

extension PageReader {
    enum Event {
        /// A part of the current page was received; its elements are in `batch`.
        case elements(bytes: Int)
        /// The current page is complete.
        case pageEnd(PageEnd)
        /// The list is complete.
        case listEnd
    }
}
