public import Foundation
public import RESTClientHTTP

extension SessionManager {
    /// Creates a manager whose base URL is a text, such as `https://api.example.com/v2`.
    ///
    /// If it is not a URL with the scheme `http` or `https`, requests for paths fail with an error of kind
    /// `invalidRequest(.missingURL)`.
    public convenience init(
        baseURL: String, configuration: URLSessionConfiguration = .ephemeral,
        connection: ConnectionOptions = ConnectionOptions(), interceptors: [any RequestInterceptor] = [],
        options: RequestOptions = RequestOptions(), monitor: EventMonitor? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            baseURL: URL(text: baseURL, below: nil), configuration: configuration, connection: connection,
            interceptors: interceptors, options: options, monitor: monitor, clock: clock)
    }

    /// Creates a request whose body is a value: `body: order` is short for `body: .json(order)`.
    ///
    /// `Data` is sent as it is, a `String` as plain text, and no body for `nil`. Any other value is encoded as JSON.
    public func request(
        _ url: URL, method: HTTPMethod, query: QueryItems = [:], headers: HTTPHeaders = [:],
        body: some Encodable & Sendable
    ) -> DataRequest {
        request(url, method: method, query: query, headers: headers, body: .value(body))
    }

    /// Creates a request whose body is a value: `body: order` is short for `body: .json(order)`.
    ///
    /// `Data` is sent as it is, a `String` as plain text, and no body for `nil`. Any other value is encoded as JSON.
    public func request(
        _ url: String, method: HTTPMethod, query: QueryItems = [:], headers: HTTPHeaders = [:],
        body: some Encodable & Sendable
    ) -> DataRequest {
        request(url, method: method, query: query, headers: headers, body: .value(body))
    }
}

extension DataRequest {
    /// Returns the request with a header field, which replaces those with the same name.
    ///
    /// A value that is not valid in a header is an error of kind `invalidRequest` when the request is sent.
    public func header(_ name: HTTPHeaders.Name, _ value: String) -> Self { headers([name: value]) }
}

extension MyRESTClient {
    /// Creates a client for the list at `path` in the body of `url`: short for `listing: ItemListing(at: path)`.
    public init(url: URL, manager: SessionManager? = nil, at path: MemberPath) {
        self.init(url: url, manager: manager, listing: ItemListing(at: path))
    }

    /// Creates a client for the list at `path` in the body of `url`: short for `listing: ItemListing(at: path)`.
    public init(url: String, manager: SessionManager? = nil, at path: MemberPath) {
        self.init(url: url, manager: manager, listing: ItemListing(at: path))
    }

    /// Returns the first items, at most `limit`. Further pages are not requested.
    ///
    /// - Throws: The errors of ``getAvailableItems(as:)`` before the last of these items.
    @concurrent public func getAvailableItems<Item: Decodable & Sendable>(
        as type: Item.Type = MyItem.self, limit: Int
    ) async throws -> [Item] {
        var found: [Item] = []
        guard limit > 0 else { return found }
        for try await item in items(as: type) {
            found.append(item)
            if found.count == limit { break }
        }
        return found
    }

    /// Returns the first items, as the type that the caller expects: `let teas: [Tea] = try await …`.
    ///
    /// - Throws: The errors of ``getAvailableItems(as:limit:)``.
    @concurrent public func getAvailableItems<Item: Decodable & Sendable>(
        limit: Int
    ) async throws -> [Item] { try await getAvailableItems(as: Item.self, limit: limit) }
}
