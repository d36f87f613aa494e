// The message of each declaration is its documentation.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import RESTClientHTTP

// What other libraries call differently. The message of the compiler has the call to use.

private struct NoValue: Error {}

@available(*, unavailable, message: "a request sends itself: try await manager.request(url).response()")
extension SessionManager {
    public func data(from url: Any) async throws -> (Data, URLResponse) { throw NoValue() }
    public func data(for request: Any) async throws -> DataResponse { throw NoValue() }
    public func execute(_ request: Any) async throws -> DataResponse { throw NoValue() }
    public func perform(_ request: Any) async throws -> DataResponse { throw NoValue() }
    public func send(_ request: Request<Void>) async throws {}
}

extension SessionManager {
    @available(*, unavailable, message: "a request sends itself: try await request(url).decode(Item.self)")
    public func send<T: Sendable>(_ request: Request<T>) async throws -> Response<T> { throw NoValue() }
    @available(*, unavailable, message: "use request(url).decode(Item.self)")
    public func fetch<T: Decodable>(_ url: Any, as: T.Type = T.self) async throws -> T { throw NoValue() }
    @available(*, unavailable, message: "use request(\"teas\").response()")
    public func get(_ url: Any) async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, message: "use request(\"teas\").decode(Item.self)")
    public func get<T: Decodable>(_ url: Any, query: Any? = nil, as: T.Type = T.self) async throws -> T {
        throw NoValue()
    }
    @available(*, unavailable, message: "use request(\"teas\", method: .delete).decode(Item.self)")
    public func delete<T: Decodable>(_ url: Any, as: T.Type = T.self) async throws -> T { throw NoValue() }
    @available(*, unavailable, message: "use request(\"teas\", method: .delete).response()")
    public func delete(_ url: Any) async throws {}
    @available(*, unavailable, message: "use request(\"teas\", method: .post, body: .json(value)).response()")
    public func post(_ url: Any, body: Any? = nil) async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, message: "use request(\"teas\", method: .put, body: .json(value)).response()")
    public func put(_ url: Any, body: Any? = nil) async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, message: "use request(\"teas\", method: .patch, body: value).response()")
    public func patch(_ url: Any, body: Any? = nil) async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, message: "use try await request(url).stream().body")
    public func stream(_ url: Any) -> ByteStream { unsent.bytes }
    @available(*, unavailable, message: "use request(url).stream()")
    public func streamRequest(_ url: Any, method: HTTPMethod = .get) -> DataRequest { unsent }
    @available(*, unavailable, message: "use request(url).download(to: file)")
    public func download(for request: Request<Void>) async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, message: "use request(url).download(to: file)")
    public func download(_ url: Any, method: HTTPMethod = .get, to file: Any? = nil) -> DataRequest { unsent }
    @available(*, unavailable, message: "use request(url, method: .post, body: .file(file))")
    public func upload(for request: Request<Void>, fromFile file: URL) async throws {}
    @available(*, unavailable, message: "use request(url, method: .post, body: .file(file)), or body: data")
    public func upload(_ body: Any, to url: Any, method: HTTPMethod = .post) -> DataRequest { unsent }
    @available(*, unavailable, message: "use request(url, method: .post, body: .multipart(.init(…, …)))")
    public func upload(multipartFormData: (FormOfOtherLibrary) -> Void, to url: Any) -> DataRequest { unsent }

    @available(*, unavailable, message: "use request(url, method: .get)")
    public func request(_ method: HTTPMethod, _ url: Any) -> DataRequest { unsent }
    @available(*, unavailable, message: "use body: .json(value)")
    public func request(_ url: Any, method: HTTPMethod, json: Any) -> DataRequest { unsent }
    @available(*, unavailable, message: "use body: .form([\"name\": \"Assam\"])")
    public func request(_ url: Any, method: HTTPMethod, form: Any) -> DataRequest { unsent }
    @available(*, unavailable, message: "use query: [\"page\": 2], or body: .form(…)")
    public func request(_ url: Any, method: HTTPMethod = .get, params: Any) -> DataRequest { unsent }
    @available(*, unavailable, message: "use query: [\"page\": 2]")
    public func request(_ url: Any, method: HTTPMethod = .get, queryItems: Any) -> DataRequest { unsent }
    @available(*, unavailable, message: "use query: for the URL, or body: .json(…) or .form(…)")
    public func request(
        _ url: Any, method: HTTPMethod = .get, parameters: [String: Any]?,
        encoder: EncodingOfOtherLibrary? = nil, encoding: EncodingOfOtherLibrary? = nil,
        headers: HTTPHeaders? = nil, interceptor: Any? = nil
    ) -> DataRequest { unsent }
    @available(*, unavailable, message: "use query: for the URL, or body: .json(…) or .form(…)")
    public func request(
        _ url: Any, method: HTTPMethod = .get, parameters: some Encodable,
        encoder: EncodingOfOtherLibrary? = nil, headers: HTTPHeaders? = nil, interceptor: Any? = nil
    ) -> DataRequest { unsent }
    @available(*, unavailable, message: "use request(url).interceptors(interceptor)")
    public func request(
        _ url: Any, method: HTTPMethod = .get, headers: HTTPHeaders = [:], interceptor: any RequestInterceptor
    ) -> DataRequest { unsent }
    @available(*, unavailable, message: "use request(url).timeout(.seconds(30))")
    public func request(
        _ url: Any, method: HTTPMethod = .get, query: QueryItems = [:], headers: HTTPHeaders = [:],
        timeout: Double
    ) -> DataRequest { unsent }
    @available(*, unavailable, message: "a GET request has no body: add method: .post, .put or .patch")
    public func request(
        _ url: Any, query: QueryItems = [:], headers: HTTPHeaders = [:], body: some Encodable & Sendable
    ) -> DataRequest { unsent }
    @available(*, unavailable, message: "use a literal, body: [\"id\": 7], or an Encodable value")
    public func request(
        _ url: Any, method: HTTPMethod, query: QueryItems = [:], headers: HTTPHeaders = [:],
        body: [String: Any]
    ) -> DataRequest { unsent }

    @available(*, unavailable, message: "use cancelAll(), or await shutdown()")
    public func invalidate() {}
    @available(*, unavailable, renamed: "shutdown()") public func close() async {}
    @available(*, unavailable, renamed: "cancelAll()") public func cancelAllTasks() {}
    @available(*, unavailable, renamed: "cancelAll()") public func cancelAllRequests() {}
    @available(*, unavailable, message: "create a URLSession, or send requests with the manager")
    public var session: URLSession { .shared }
    @available(*, unavailable, message: "use SessionManager(configuration: MockServer { … }.configuration)")
    public static func mock(_ routes: () -> Any) -> SessionManager { SessionManager() }

    private var unsent: DataRequest { request("") }
}

extension SessionManager {
    @available(*, unavailable, message: "use SessionManager(baseURL: \"https://…\")")
    public convenience init(host: String) { self.init() }
    @available(*, unavailable, message: "use SessionManager(baseURL: …) or SessionManager(configuration: …)")
    public convenience init(_ server: Any) { self.init() }
    @available(*, unavailable, message: "use SessionManager(configuration: session.configuration)")
    public convenience init(session: URLSession) { self.init() }
    @available(*, unavailable, message: "use SessionManager(configuration: session.configuration)")
    public convenience init(urlSession: URLSession) { self.init() }
    @available(*, unavailable, message: "use SessionManager(configuration: server.configuration)")
    public convenience init(baseURL: Any? = nil, mock: Any) { self.init() }
    @available(*, unavailable, message: "set protocolClasses of the configuration")
    public convenience init(protocolClasses: [AnyClass]) { self.init() }
    @available(*, unavailable, message: "set httpAdditionalHeaders of the configuration")
    public convenience init(baseURL: URL? = nil, defaultHeaders: Any) { self.init() }
    @available(*, unavailable, message: "set httpAdditionalHeaders of the configuration")
    public convenience init(baseURL: URL? = nil, headers: HTTPHeaders) { self.init() }
    @available(*, unavailable, message: "use interceptors: [.bearer(token)]")
    public convenience init(baseURL: Any? = nil, token: String) { self.init() }
    @available(*, unavailable, message: "use interceptors: [.retry(maxAttempts: 3)]")
    public convenience init(baseURL: Any? = nil, retries: Int) { self.init() }
    @available(*, unavailable, message: "use interceptors: [.retry(policy)]")
    public convenience init(baseURL: Any? = nil, retry: RetryPolicy) { self.init() }
    @available(*, unavailable, message: "use interceptors: [interceptor]")
    public convenience init(configuration: URLSessionConfiguration? = nil, interceptor: Any) { self.init() }
    @available(*, unavailable, message: "use monitor: EventMonitor { event in … }")
    public convenience init(baseURL: Any? = nil, logger: Any) { self.init() }
    @available(*, unavailable, message: "use monitor: EventMonitor { event in … }")
    public convenience init(configuration: URLSessionConfiguration? = nil, eventMonitors: [Any]) {
        self.init()
    }
    @available(*, unavailable, message: "use interceptors:, monitor: or connection:")
    public convenience init(configuration: URLSessionConfiguration? = nil, delegate: Any?) { self.init() }
    @available(*, unavailable, message: "use connection: ConnectionOptions(caFile: …, pinnedPublicKeys: …)")
    public convenience init(
        configuration: URLSessionConfiguration? = nil, delegate: Any? = nil, serverTrustManager: Any?
    ) {
        self.init()
    }
    @available(*, unavailable, message: "use decode(Item.self, using: …), or the decoder of an ItemListing")
    public convenience init(baseURL: URL? = nil, configuration: URLSessionConfiguration? = nil, decoder: Any)
    { self.init() }
    @available(*, unavailable, message: "use the urlCache of the configuration, or .conditional()")
    public convenience init(cachedResponseHandler: Any) { self.init() }
    @available(*, unavailable, message: "use options: RequestOptions(timeouts: Timeouts(idle: .seconds(30)))")
    public convenience init(baseURL: URL? = nil, timeout: Double) { self.init() }
}

@available(*, unavailable, renamed: "init(url:manager:listing:)")
extension MyRESTClient {
    public init(baseURL: String, sessionManager: SessionManager) { self.init(url: "") }
    public init(url: URL, sessionManager: SessionManager, listing: Any? = nil) { self.init(url: "") }
    public init(baseURL: URL, manager: SessionManager? = nil, listing: Any? = nil) { self.init(url: "") }
}

extension MyRESTClient {
    @available(*, unavailable, message: "use MyRESTClient(url: …)")
    public init(_ url: String) { self.init(url: url) }
    @available(*, unavailable, message: "use MyRESTClient(url: …, manager: manager)")
    public init(session: SessionManager) { self.init(url: "") }
    @available(*, unavailable, message: "use MyRESTClient(url: …, manager: manager)")
    public init(manager: SessionManager, listing: ItemListing = ItemListing()) { self.init(url: "") }
    @available(*, unavailable, message: "use manager: SessionManager(configuration: session.configuration)")
    public init(url: URL, session: URLSession) { self.init(url: url) }
    @available(*, unavailable, message: "use client.items().prefix(100)")
    public init(url: URL, manager: SessionManager? = nil, limit: Int) { self.init(url: url) }
    @available(*, unavailable, message: "use listing: ItemListing(at: …, pagination: …)")
    public init(url: URL, manager: Any? = nil, at path: MemberPath = "", pagination: any Pagination) {
        self.init(url: url)
    }
    @available(*, unavailable, renamed: "getAvailableItems(as:)")
    public func getItems<Item: Decodable>(as type: Item.Type) async throws -> [Item] { [] }
    @available(*, unavailable, renamed: "getAvailableItems(as:)")
    public func allItems<Item: Decodable>(as type: Item.Type) async throws -> [Item] { [] }
    @available(*, unavailable, renamed: "getAvailableItems(as:)")
    public func getAvailableItems<Item: Decodable>(of type: Item.Type) async throws -> [Item] { [] }
    @available(*, unavailable, renamed: "getAvailableItems()")
    public func fetchItems() async throws -> [String] { [] }
    @available(*, unavailable, renamed: "getAvailableItems()")
    public func getItems() async throws -> [String] { [] }
    @available(*, unavailable, message: "use a loop over pages(as:), or a page's URL and pagination: .none")
    public func getAvailableItems(page: Int) async throws -> [String] { [] }
    @available(*, unavailable, renamed: "items(as:)")
    public func items<Item: Decodable & Sendable>(of type: Item.Type) -> ItemSequence<Item> { items() }
    @available(*, unavailable, renamed: "pages(as:)")
    public func pages<Item: Decodable & Sendable>(of type: Item.Type) -> PageSequence<Item> { pages() }
    @available(*, unavailable, message: "use getAvailableItems().count, or items().reduce(0) { … }")
    public var count: Int { 0 }
}

extension ItemListing {
    @available(*, unavailable, message: "use the names in the document, as in at: \"data.items\"")
    public init<Root, Value>(at path: KeyPath<Root, Value>) { self.init() }
    @available(*, unavailable, message: "use maxConcurrentPages:")
    public init(at path: MemberPath = "", concurrent: Int) { self.init() }
    @available(*, unavailable, renamed: "init(at:pagination:)")
    public init(keyPath: MemberPath, pagination: any Pagination = .automatic) { self.init() }
    @available(*, unavailable, renamed: "init(at:pagination:)")
    public init(path: MemberPath, pagination: any Pagination = .automatic) { self.init() }
    @available(*, unavailable, message: "use client.items().prefix(100)")
    public init(at: MemberPath = "", pagination: any Pagination = .automatic, maxItems: Int) { self.init() }
    @available(*, unavailable, message: "use client.items().prefix(100)")
    public init(at path: MemberPath = "", limit: Int) { self.init() }
    @available(*, unavailable, message: "use the query item of the API in the URL, as in ?per_page=50")
    public init(at: MemberPath = "", pagination: any Pagination = .automatic, pageSize: Int) { self.init() }
}

@available(*, unavailable, message: "use try await decode(Item.self), or decode(Item.self) { … }")
extension DataRequest {
    public func responseDecodable<T: Decodable>(
        of type: T.Type = T.self, completionHandler: @escaping (ResponseOfOtherLibrary<T>) -> Void
    ) -> Self { self }
    public func responseDecodable<T: Decodable>(of type: T.Type) async throws -> T { throw NoValue() }
    public func serializingDecodable<T: Decodable>(_ type: T.Type = T.self) -> ResponseOfOtherLibrary<T> {
        ResponseOfOtherLibrary()
    }
    public func responseJSON(completionHandler: @escaping (ResponseOfOtherLibrary<Any>) -> Void) {}
    public func publishDecodable<T: Decodable>(type: T.Type) -> Self { self }
}

@available(*, unavailable, renamed: "progress(_:)")
extension DataRequest {
    public func onDownloadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }
    public func onUploadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }
    public func downloadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }
    public func uploadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }
}

@available(*, unavailable, message: "decode the outer struct, or list with ItemListing(at: \"items\")")
extension DataRequest {
    public func decode<T>(_ type: T.Type = T.self, keyPath: String) async throws -> T { throw NoValue() }
    public func decode<T>(_ type: T.Type = T.self, at path: String) async throws -> T { throw NoValue() }
}

extension DataRequest {
    @available(*, unavailable, renamed: "decode(_:)")
    public func value<T>(_ type: T.Type = T.self) async throws -> T { throw NoValue() }
    @available(*, unavailable, message: "use decode(Item.self, using: decoder)")
    public func decode<T>(_ type: T.Type = T.self, decoder: Any) async throws -> T { throw NoValue() }
    @available(*, unavailable, message: "use decode(Item.self, using: decoder)")
    public func decoder(_ decoder: Any) -> Self { self }
    @available(*, unavailable, message: "use decode(Item.self), or decode(JSONLiteral.self)")
    public func json() async throws -> Any { throw NoValue() }
    @available(*, unavailable, renamed: "string()")
    public func text() async throws -> String { throw NoValue() }
    @available(*, unavailable, message: "use string(), by the charset of the response, or data()")
    public func string(encoding: String.Encoding) async throws -> String { throw NoValue() }
    @available(*, unavailable, message: "use try await decode(Item.self), data(), string() or response()")
    public func get() async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, renamed: "response()")
    public func send() async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, renamed: "response()")
    public func execute() async throws -> DataResponse { throw NoValue() }
    @available(*, unavailable, message: "use try await data()")
    public func serializingData() -> ResponseOfOtherLibrary<Data> { ResponseOfOtherLibrary() }
    @available(*, unavailable, message: "use try await string()")
    public func serializingString() -> ResponseOfOtherLibrary<String> { ResponseOfOtherLibrary() }
    @available(*, unavailable, message: "use request(url).download(to: file)")
    public func serializingDownloadedFileURL() -> ResponseOfOtherLibrary<URL> { ResponseOfOtherLibrary() }
    @available(*, unavailable, message: "use try await data(), or data { result in … }")
    public func responseData(completionHandler: @escaping (ResponseOfOtherLibrary<Data>) -> Void) {}
    @available(*, unavailable, message: "use try await string(), or string { result in … }")
    public func responseString(completionHandler: @escaping (ResponseOfOtherLibrary<String>) -> Void) {}
    @available(*, unavailable, message: "use try await stream(), and a loop over its body")
    public func responseStream(_ handler: (ByteStream) -> Void) -> Self { self }
    @available(*, unavailable, message: "use try await stream(), whose response has the head")
    public func onHTTPResponse(perform handler: (HTTPURLResponse) -> Void) -> Self { self }
    @available(*, unavailable, message: "use stream().body, or string(); MyRESTClient lists JSON Lines")
    public var lines: ByteStream { bytes }
    @available(*, unavailable, message: "use try await stream().body, a sequence of Data")
    public var bytes: ByteStream { ByteStream(Data()) }
    @available(*, unavailable, message: "awaiting a result sends the request: try await decode(Item.self)")
    public func resume() {}
    @available(*, unavailable, message: "cancel the task that awaits the result")
    public func cancel() {}

    @available(*, unavailable, message: "use manager.request(url, query: [\"page\": 2])")
    public func query(_ items: QueryItems) -> Self { self }
    @available(*, unavailable, message: "use manager.request(url, query: [\"page\": 2])")
    public func query(_ name: String, _ value: Any) -> Self { self }
    @available(*, unavailable, message: "use manager.request(url, method: .post, body: value)")
    public func body(_ value: some Encodable) -> Self { self }
    @available(*, unavailable, message: "use manager.request(url, method: .post)")
    public func method(_ method: HTTPMethod) -> Self { self }
    @available(*, unavailable, message: "use header(\"Accept\", \"text/csv\")")
    public func accept(_ type: String) -> Self { self }
    @available(*, unavailable, message: "use .interceptors(.bearer(token))")
    public func bearer(_ token: String) -> Self { self }
    @available(*, unavailable, message: "use .interceptors(.bearer(token)), or .basic(user: …, password: …)")
    public func authorization(_ credential: Credential) -> Self { self }
    @available(*, unavailable, message: "use .interceptors(.basic(user: …, password: …))")
    public func authenticate(with credential: URLCredential) -> Self { self }
    @available(*, unavailable, message: "use .interceptors(.basic(user: …, password: …))")
    public func authenticate(username: String, password: String) -> Self { self }
    @available(*, unavailable, message: "use .interceptors(.retry(maxAttempts: 3))")
    public func retries(_ count: Int) -> Self { self }
    @available(*, unavailable, message: "use .interceptors(.retry(RetryPolicy(maxAttempts: 3)))")
    public func retry(_ count: Int) -> Self { self }
    @available(*, unavailable, message: "use .interceptors(.retry(policy))")
    public func retry(_ policy: RetryPolicy) -> Self { self }
    @available(*, unavailable, message: "use timeout(.seconds(30))")
    public func timeout(_ seconds: Double) -> Self { self }
    @available(*, unavailable, message: "use redirects(.doNotFollow), or .follow(max: 3)")
    public func redirect(using handler: Any) -> Self { self }
    @available(*, unavailable, message: "use the urlCache of the configuration")
    public func cacheResponse(using handler: Any) -> Self { self }
    @available(*, unavailable, message: "responses are validated by default; see validation(_:)")
    public func validate() -> Self { self }
    @available(*, unavailable, message: "use validation(Validation(status: 200..<300)), the default")
    public func validate(statusCode: some Sequence<Int>, contentType: [String] = []) -> Self { self }
    @available(*, unavailable, message: "use validation(Validation(mediaTypes: …))")
    public func validate(contentType: some Sequence<String>) -> Self { self }
    @available(*, unavailable, renamed: "cURLDescription")
    public var curl: String { cURLDescription }
    @available(*, unavailable, message: "use the property cURLDescription")
    public func cURLDescription(calling handler: (String) -> Void) -> Self { self }
}

@available(*, unavailable, message: "use try await, or the completion handlers of DataRequest")
public struct ResponseOfOtherLibrary<Value> {
    public var value: Value? { nil }
    public var error: (any Error)? { nil }
    public var result: Result<Value, any Error> { .failure(NoValue()) }
    public var data: Data? { nil }
    public var response: HTTPURLResponse? { nil }
}

extension Response {
    @available(*, unavailable, message: "use status and headers")
    public var response: HTTPURLResponse? { nil }
    @available(*, unavailable, renamed: "body") public var data: Body { body }
    @available(*, unavailable, renamed: "body") public var value: Body { body }
    @available(*, unavailable, message: "use status, or status.rawValue") public var statusCode: Int { 0 }
}

// Types and values. A declaration of the same name in the program or in another library comes first.

@available(*, unavailable, renamed: "SessionManager.default") public var AF: SessionManager { .default }
@available(*, unavailable, renamed: "SessionManager") public typealias Session = SessionManager
@available(*, unavailable, renamed: "SessionManager") public typealias APIClient = SessionManager
@available(*, unavailable, renamed: "RESTClientError") public typealias AFError = RESTClientError
@available(*, unavailable, renamed: "RequestInterceptor")
public typealias APIClientDelegate = RequestInterceptor
@available(*, unavailable, renamed: "RequestInterceptor") public typealias RequestAdapter = RequestInterceptor
@available(*, unavailable, message: "use RetryPolicy, or a RequestInterceptor")
public typealias RequestRetrier = RequestInterceptor
@available(*, unavailable, renamed: "Authenticator")
public typealias AuthenticationInterceptor = Authenticator

@available(*, unavailable, message: "use request(\"path\", method: .post, body: …).decode(Item.self)")
public struct Request<Value> {
    public init(
        path: String, method: HTTPMethod = .get, query: Any? = nil, body: Any? = nil, headers: Any? = nil
    ) {}
    public static func get(_ path: String, query: Any? = nil) -> Self { Self(path: path) }
    public static func post(_ path: String, query: Any? = nil, body: Any? = nil) -> Self { Self(path: path) }
    public static func put(_ path: String, query: Any? = nil, body: Any? = nil) -> Self { Self(path: path) }
    public static func delete(_ path: String, query: Any? = nil) -> Self { Self(path: path) }
}

@available(*, unavailable, message: "use query: for the URL, or body: .json(…) or .form(…)")
public enum EncodingOfOtherLibrary { case `default`, queryString, httpBody, prettyPrinted, sortedKeys }
@available(*, unavailable, message: "use body: .json(value)")
public typealias JSONParameterEncoder = EncodingOfOtherLibrary
@available(*, unavailable, message: "use body: .json(value)")
public typealias JSONEncoding = EncodingOfOtherLibrary
@available(*, unavailable, message: "use query: […], or body: .form(…)")
public typealias URLEncoding = EncodingOfOtherLibrary
@available(*, unavailable, message: "use query: […], or body: .form(…)")
public typealias URLEncodedFormParameterEncoder = EncodingOfOtherLibrary

@available(*, unavailable, message: "use redirects(.doNotFollow), or .follow(max: 3)")
public enum Redirector { case follow, doNotFollow }
@available(*, unavailable, message: "use the urlCache of the configuration")
public enum ResponseCacher {
    case cache, doNotCache
    public init(behavior: Self) { self = behavior }
}
@available(*, unavailable, message: "use body: .multipart(…)")
public struct FormOfOtherLibrary {
    public func append(_: Any, withName: String, fileName: String? = nil, mimeType: String? = nil) {}
}

@available(*, unavailable, message: "use .status(404)")
extension RESTClientError.Kind {
    public static var notFound: Self { .status(404) }
    public static var unauthorized: Self { .status(401) }
}
extension RESTClientError.Kind {
    @available(*, unavailable, renamed: "status(_:)")
    public static func statusCode(_ status: HTTPStatus) -> Self { .status(status) }
}

@available(*, unavailable, message: "use catch let error as RESTClientError where error.status == 404")
extension RESTClientError {
    public static var notFound: Self { Self(.status(404)) }
    public static func status(_ status: HTTPStatus) -> Self { Self(.status(status)) }
    public var statusCode: Int? { nil }
    public var responseCode: Int? { nil }
}

@available(*, unavailable, message: "use response?.body")
extension RESTClientError {
    public var responseData: Data? { nil }
    public var body: Data? { nil }
    public var data: Data? { nil }
}

extension RESTClientError {
    @available(*, unavailable, message: "use kind, and status for an HTTP status")
    public var code: Int { 0 }
    @available(*, unavailable, message: "use kind; a RetryPolicy retries what it should")
    public var isRetryable: Bool { false }
    @available(*, unavailable, message: "use response?.headers")
    public var headers: HTTPHeaders? { nil }
    @available(*, unavailable, message: "use kind, with .timedOut")
    public var isTimeout: Bool { false }
    @available(*, unavailable, message: "use kind, with .timedOut")
    public static var timedOut: Self { Self(.shutDown) }
    @available(*, unavailable, message: "a cancelled request throws CancellationError")
    public var isCancelled: Bool { false }
    @available(*, unavailable, message: "use isTransportFailure, or kind with .connection")
    public var isConnectivity: Bool { false }
    @available(*, unavailable, message: "use kind, with .notJSON, .malformedJSON and .wrongShape")
    public var isResponseSerializationError: Bool { false }
    @available(*, unavailable, renamed: "underlying")
    public var underlyingError: (any Error)? { nil }
    @available(*, unavailable, message: "use method and url, or response?.request")
    public var request: URLRequest? { nil }
}

extension RetryPolicy {
    @available(*, unavailable, message: "use maxAttempts:, which includes the first attempt")
    public init(maxRetries: Int) { self.init() }
    @available(*, unavailable, message: "use maxAttempts:, which includes the first attempt")
    public init(retryLimit: Int) { self.init() }
    @available(*, unavailable, message: "use backoff: .constant(.seconds(1))")
    public init(maxAttempts: Int = 3, delay: Duration) { self.init() }
    @available(*, unavailable, message: "use RetryPolicy()")
    public static var `default`: Self { Self() }
}

extension PaginationRule where Self == PaginationConvention {
    @available(*, unavailable, renamed: "link")
    public static var linkHeader: Self { .link }
    @available(*, unavailable, renamed: "token(at:parameter:)")
    public static func token(_ path: MemberPath, parameter: String) -> Self { .link }
    @available(*, unavailable, message: "use .token(at: \"next_cursor\", parameter: \"cursor\")")
    public static func cursor(_ path: MemberPath = "", parameter: String = "") -> Self { .link }
    @available(*, unavailable, message: "use .token(at: \"next_cursor\", parameter: \"cursor\")")
    public static func cursor(parameter: String, path: MemberPath = "") -> Self { .link }
    @available(*, unavailable, message: "use .next(at: \"links.next\")")
    public static func nextLink(_ path: MemberPath) -> Self { .link }
    @available(*, unavailable, message: "use .offset(parameter: \"offset\"), and the page size in the URL")
    public static func offset(_ parameter: String, limit: Int) -> Self { .link }
    @available(*, unavailable, message: "use .number(parameter: \"page\"), and the page size in the URL")
    public static func pages(parameter: String = "page", size: Int) -> Self { .link }
    @available(*, unavailable, message: "use .number(), or .number(parameter: \"page\")")
    public static func page(_ parameter: String = "page") -> Self { .link }
    @available(*, unavailable, message: "use .number(), or .number(parameter: \"page\")")
    public static func pageNumber(_ parameter: String = "page") -> Self { .link }
}

extension RequestInterceptor where Self == Authenticator {
    @available(*, unavailable, renamed: "basic(user:password:)")
    public static func basic(username: String, password: String) -> Self { .bearer("") }
    @available(*, unavailable, message: "use .adapt { $0.setValue(…, forHTTPHeaderField: \"X-Field\") }")
    public static func headers(_ fields: HTTPHeaders) -> Self { .bearer("") }
    @available(*, unavailable, message: "use monitor: EventMonitor { event in … } of the manager")
    public static var logging: Self { .bearer("") }
    @available(*, unavailable, message: "use options: RequestOptions(timeouts: Timeouts(idle: .seconds(30)))")
    public static func timeout(_ time: Duration) -> Self { .bearer("") }
    @available(*, unavailable, message: "use .adapt { … } to set Authorization, or an Authenticator")
    public static func bearer(_ token: @escaping () async throws -> String) -> Self { .bearer("") }
}

@available(*, unavailable, message: "use connection: ConnectionOptions(caFile: …, pinnedPublicKeys: …)")
public struct ServerTrustManager { public init(evaluators: [String: Any]) {} }
@available(*, unavailable, message: "use monitor: EventMonitor { event in … }")
public struct ClosureEventMonitor { public init() {} }
@available(*, unavailable, message: "use interceptors: [.adapt { … }, .retry()]")
public struct Interceptor { public init(adapters: [Any] = [], retriers: [Any] = []) {} }

extension RequestBody {
    @available(*, unavailable, message: "use .file(url), or .stream { … } with a sequence of Data")
    public static func stream(_ stream: InputStream) -> Self { .data(Data()) }
}

extension RequestBody.Part {
    @available(*, unavailable, message: "use .init(\"photo\", .file(file))")
    public static func file(_ file: URL, name: String) -> Self { Self(name, "") }
    @available(*, unavailable, message: "use .init(\"photo\", .data(data, …), filename: \"photo.png\")")
    public static func data(_ data: Data, name: String) -> Self { Self(name, "") }
}

@available(*, unavailable, message: "use a dictionary, as in headers: [.authorization: \"Bearer …\"]")
public struct HTTPHeader {
    public init(name: String, value: String) {}
    public static func authorization(bearerToken: String) -> Self { Self(name: "", value: "") }
    public static func authorization(username: String, password: String) -> Self { Self(name: "", value: "") }
    public static func authorization(_ value: String) -> Self { Self(name: "", value: "") }
    public static func accept(_ value: String) -> Self { Self(name: "", value: "") }
    public static func contentType(_ value: String) -> Self { Self(name: "", value: "") }
    public static func userAgent(_ value: String) -> Self { Self(name: "", value: "") }
}

@available(*, unavailable, message: "use a dictionary, as in headers: [.authorization: \"Bearer …\"]")
extension HTTPHeaders: ExpressibleByArrayLiteral {
    public init(arrayLiteral fields: HTTPHeader...) { self = [:] }
}
