public import Foundation
import RESTClientHTTP

/// A client that lists the items of a REST collection.
///
/// ```swift
/// let client = MyRESTClient(url: URL(string: "https://api.example.com/items")!)
/// for item in try await client.getAvailableItems() { print(item) }
/// ```
///
/// In tests, pass a manager whose configuration contains a mock protocol.
public struct MyRESTClient: Sendable {
    /// The request of the first page. Requests for other pages differ in the URL only.
    public let request: DataRequest
    private let listing: ItemListing

    /// Creates a client for the collection at `url`.
    ///
    /// - Parameters:
    ///   - url: The URL of the collection, including its query.
    ///   - manager: The manager that sends the requests, or `nil` for `SessionManager.default`.
    ///   - listing: The path of the list, its pagination, and limits.
    public init(url: URL, manager: SessionManager? = nil, listing: ItemListing = ItemListing()) {
        self.init((manager ?? .default).request(url), listing: listing)
    }

    /// Creates a client for the collection at a URL in text, or at a path below `SessionManager.baseURL`.
    ///
    /// If the URL is not valid, each listing fails with an error of kind `invalidRequest`.
    public init(url: String, manager: SessionManager? = nil, listing: ItemListing = ItemListing()) {
        self.init((manager ?? .default).request(url), listing: listing)
    }

    /// Creates a client that sends `request` for each page, with its headers, options and interceptors.
    ///
    /// The total timeout of the request applies to the whole listing.
    public init(_ request: DataRequest, listing: ItemListing = ItemListing()) {
        self.request = request.accepting(.json)
        self.listing = listing
    }

    /// Returns all items of all pages.
    ///
    /// - Throws: `RESTClientError` if the list is not complete or an item cannot be decoded; `CancellationError` if
    ///   the task is cancelled.
    @concurrent public func getAvailableItems<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self
    ) async throws -> [Item] {
        let reader = PageReader(request, listing, from: nil)
        let decode = ElementBatch.decoding(type, with: listing.decoder ?? request.options.decoder)
        var items: [Item] = []
        do {
            while try await reader.readItems(into: &items, decode) {}
            return items
        } catch var error as RESTClientError {
            // Without a resume token, because the items before the error are not returned.
            error.listingProgress?.resume = nil
            throw error
        }
    }

    /// Returns all items of all pages, as the type that the caller expects: `let teas: [Tea] = try await …`.
    ///
    /// - Throws: The errors of ``getAvailableItems(as:)``.
    @concurrent public func getAvailableItems<Item: Decodable & Sendable>() async throws -> [Item] {
        try await getAvailableItems(as: Item.self)
    }

    /// Calls `completion` once, with all items, or with `nil` after any error. It is called off the main thread unless it
    /// is marked with `@MainActor`.
    ///
    /// - Returns: The task of the listing. If it is cancelled, `completion` is called with `nil` immediately.
    @discardableResult public func getAvailableItems(
        completion: @escaping @isolated(any) @Sendable ([MyItem]?) -> Void
    ) -> Task<Void, Never> {
        getAvailableItems(as: MyItem.self, completion: completion)
    }

    /// Calls `completion` once, with all items, or with `nil` after any error. It is called off the main thread unless it
    /// is marked with `@MainActor`.
    ///
    /// - Returns: The task of the listing. If it is cancelled, `completion` is called with `nil` immediately.
    @discardableResult public func getAvailableItems<Item: Decodable & Sendable>(
        as type: Item.Type, completion: @escaping @isolated(any) @Sendable ([Item]?) -> Void
    ) -> Task<Void, Never> {
        Task { await completion(try? await getAvailableItems(as: type)) }
    }

    /// Returns the items as they are received. Leaving the loop cancels the transfers.
    ///
    /// ```swift
    /// for try await repository in client.items(as: Repository.self) { print(repository.name) }
    /// ```
    ///
    /// If the listing fails, the error is thrown after the items received so far. Its `listing` property reports the
    /// progress and contains a resume token, which another call accepts as `start`.
    public func items<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self, from start: ResumeToken? = nil
    ) -> ItemSequence<Item> {
        ItemSequence(request: request, listing: listing, start: start)
    }

    /// Returns the items as they are received, as the type that the caller expects.
    public func items<Item: Decodable & Sendable>(from start: ResumeToken? = nil) -> ItemSequence<Item> {
        items(as: Item.self, from: start)
    }

    /// Returns the pages as they are received, with their headers and envelopes.
    public func pages<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self, from start: ResumeToken? = nil
    ) -> PageSequence<Item> {
        PageSequence(request: request, listing: listing, start: start)
    }

    /// Returns the pages as they are received, with items of the type that the caller expects.
    public func pages<Item: Decodable & Sendable>(from start: ResumeToken? = nil) -> PageSequence<Item> {
        pages(as: Item.self, from: start)
    }

    /// Returns the elements as bytes, in batches, as they are received.
    public func elements(from start: ResumeToken? = nil) -> ElementSequence {
        ElementSequence(request: request, listing: listing, start: start)
    }
}
