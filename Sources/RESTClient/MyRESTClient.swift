public import Foundation
import RESTClientHTTP

/// Lists what is behind one REST collection.
///
/// ```swift
/// let client = MyRESTClient(url: URL(string: "https://api.example.com/items")!)
/// for item in try await client.getAvailableItems() { print(item) }
/// ```
///
/// In a test, inject a manager whose configuration carries a mock protocol.
public struct MyRESTClient: Sendable {
    /// What each page is asked for with; the first one as it is.
    package let request: DataRequest
    private let listing: ItemListing

    /// A client of the collection at `url`.
    ///
    /// - Parameters:
    ///   - url: of the collection, with its query.
    ///   - manager: sends the requests; none, or `nil`, means `SessionManager.default`.
    ///   - listing: where the list is in a body, how it is paged, and how much is too much.
    public init(url: URL, manager: SessionManager? = nil, listing: ItemListing = ItemListing()) {
        self.init((manager ?? .default).request(url), listing: listing)
    }

    /// Lists through any request: its headers, options and interceptors go with every page.
    ///
    /// Its total timeout is for the listing as a whole.
    public init(_ request: DataRequest, listing: ItemListing = ItemListing()) {
        self.request = request.accepting(.json)
        self.listing = listing
    }

    /// Every item of every page.
    ///
    /// - Throws: `RESTClientError` unless the list is complete and every item decodes; `CancellationError` when the
    ///   task is cancelled.
    @concurrent public func getAvailableItems<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self
    ) async throws -> [Item] {
        try await PageReader(request, listing, from: nil).readAll(as: type)
    }

    /// Calls back once, off the main thread: every item, or `nil` for any failure.
    ///
    /// - Returns: the task that does it; cancel it to be called back, with `nil`, at once.
    @discardableResult public func getAvailableItems(
        completion: @escaping @Sendable ([MyItem]?) -> Void
    ) -> Task<Void, Never> {
        Task { completion(try? await getAvailableItems()) }
    }

    /// Items as they arrive, page after page; leaving the loop stops the transfer.
    ///
    /// ```swift
    /// for try await repository in client.items(as: Repository.self) { print(repository.name) }
    /// ```
    ///
    /// An error comes behind the items before it and says how far the list got, and where it can go on:
    /// `error.listing?.resume` is a `start` for another call.
    public func items<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self, from start: ResumeToken? = nil
    ) -> ItemSequence<Item> {
        ItemSequence(request: request, listing: listing, start: start)
    }

    /// Pages as they arrive, with what stood around their lists.
    public func pages<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self, from start: ResumeToken? = nil
    ) -> PageSequence<Item> {
        PageSequence(request: request, listing: listing, start: start)
    }

    /// Undecoded elements in batches, for those who want the bytes.
    public func elements(from start: ResumeToken? = nil) -> ElementSequence {
        ElementSequence(request: request, listing: listing, start: start)
    }
}
