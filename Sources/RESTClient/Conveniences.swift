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
}

// MARK: - What other libraries call differently

extension SessionManager {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use query: for the URL, or body: .json(…) or .form(…)")
    public func request(
        _ url: URL, method: HTTPMethod = .get, parameters: [String: Any]?, headers: HTTPHeaders = [:]
    ) -> DataRequest { request(url, method: method) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use query: for the URL, or body: .json(…) or .form(…)")
    public func request(
        _ url: String, method: HTTPMethod = .get, parameters: [String: Any]?, headers: HTTPHeaders = [:]
    ) -> DataRequest { request(url, method: method) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable, message: "a request sends itself: try await manager.request(url).decode(Item.self)"
    )
    public func send(_ request: DataRequest) async throws -> DataResponse { try await request.response() }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use body: .multipart(…) of request(_:method:query:headers:body:)")
    public func upload(_ url: URL) -> DataRequest { request(url) }
}

extension DataRequest {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "responses are validated by default; see validation(_:)")
    public func validate() -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "decode(_:)")
    public func serializingDecodable<T: Decodable>(_ type: T.Type) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "decode(_:completion:)")
    public func responseDecodable<T: Decodable>(
        of type: T.Type, completionHandler: @escaping (Result<T, any Error>) -> Void
    ) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "data()")
    public func responseData(completionHandler: @escaping (Result<Data, any Error>) -> Void) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "string()")
    public func responseString(completionHandler: @escaping (Result<String, any Error>) -> Void) -> Self {
        self
    }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use .interceptors(.basic(user: …, password: …))")
    public func authenticate(username: String, password: String) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "progress(_:)")
    public func downloadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "progress(_:)")
    public func uploadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }
}

extension RESTClientError {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use method and url, or response?.request")
    public var request: URLRequest? { response?.request }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use response?.status, or kind == .status(404)")
    public var statusCode: Int? { response?.status.rawValue }
}

extension PaginationRule where Self == PaginationConvention {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use .token(at: \"next_cursor\", parameter: \"cursor\")")
    public static func cursor(_ path: MemberPath = "next_cursor", parameter: String = "cursor") -> Self {
        .token(at: path, parameter: parameter)
    }
}
