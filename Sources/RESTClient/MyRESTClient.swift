public import Foundation
import HTTPCore

/// Lists what is behind one REST collection.
///
/// ```swift
/// let client = MyRESTClient(url: URL(string: "https://api.example.com/items")!)
/// for item in try await client.getAvailableItems() { print(item) }
/// ```
///
/// In a test, inject a manager whose configuration carries a mock protocol.
public struct MyRESTClient: Sendable {
    private let request: DataRequest
    private let reader: ListReader

    /// A client of the collection at `url`.
    ///
    /// - Parameters:
    ///   - url: of the collection, with its query.
    ///   - manager: sends the requests; none, or `nil`, means `SessionManager.default`.
    ///   - listing: where the list is in a body.
    public init(url: URL, manager: SessionManager? = nil, listing: ItemListing = ItemListing()) {
        self.init((manager ?? .default).request(url), listing: listing)
    }

    /// Lists through any request: its headers, options and interceptors are used.
    public init(_ request: DataRequest, listing: ItemListing = ItemListing()) {
        self.request = request.accepting(.json)
        reader = ListReader(listing: listing)
    }

    /// Every item.
    ///
    /// - Throws: `RESTClientError` unless the list is complete and every item decodes; `CancellationError` when the
    ///   task is cancelled.
    @concurrent public func getAvailableItems<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self
    ) async throws -> [Item] {
        try await reader.decode(try await request.stream(), as: type)
    }

    /// Calls back once, off the main thread: every item, or `nil` for any failure.
    ///
    /// - Returns: the task that does it; cancel it to be called back, with `nil`, at once.
    @discardableResult public func getAvailableItems(
        completion: @escaping @Sendable ([MyItem]?) -> Void
    ) -> Task<Void, Never> {
        Task { completion(try? await getAvailableItems()) }
    }

    /// Pushes what arrives through a scanner, piece by piece, for those who want the bytes and know when to wait.
    package func scan(_ push: (inout ListScanner, RawSpan) throws -> Void) async throws -> Envelope {
        try await reader.scan(try await request.stream()) { scanner, chunk in try push(&scanner, chunk.bytes)
        }
    }
}
