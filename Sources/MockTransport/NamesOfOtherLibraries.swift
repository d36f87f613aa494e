public import Foundation
public import RESTClientHTTP

// What other libraries call differently. The message of the compiler has the form to use. A declaration of the same name in the
// program or in another library comes first.

/// A mock of another library; the message of the compiler has the form to use.
@available(
    *, unavailable, message: "use MockServer { Route(.get, .url(url)) { Reply.data(data, as: .json) } }"
)
public struct Mock {
    /// The delay of the reply.
    public var delay: Any?
    /// The function that is called with a request.
    public var onRequestHandler: Any?

    /// Creates a mock.
    public init(
        url: URL, ignoreQuery: Bool = false, contentType: MediaType? = nil, statusCode: Int,
        data: [HTTPMethod: Data], requestError: (any Error)? = nil
    ) {}

    /// Creates a mock.
    public init(request: URLRequest, statusCode: Int = 200, data: Data = Data()) {}

    /// Creates a mock.
    public init(
        fileExtensions: String..., contentType: MediaType? = nil, statusCode: Int, data: [HTTPMethod: Data]
    ) {}
    /// Creates a mock.
    public init(url: URL, dataType: MediaType, statusCode: Int, data: [HTTPMethod: Data]) {}

    /// Registers the mock.
    public func register() {}
    /// Registers a mock.
    public static func register(url: URL, data: Data, statusCode: Int = 200) {}
}

/// The registry of another library; the message of the compiler has the form to use.
@available(
    *, unavailable,
    message:
        "only the session with server.configuration is answered; Reply.passthrough sends a request to the real server"
)
public enum Mocker {
    /// The modes of the registry.
    public enum Mode {
        /// The mode of the registry.
        case optin, optout
    }
    /// The mode of the registry.
    public static var mode: Mode {
        get { .optin }
        set {}
    }
    /// Sends the requests to this URL to the real server.
    public static func ignore(_ url: URL) {}
    /// Registers a mock.
    public static func register(_ mock: Mock) {}
    /// Removes all mocks.
    public static func removeAll() {}
}

/// A protocol of another library; the message of the compiler has the form to use.
@available(*, unavailable, message: "use server.configuration, or server.protocolClass in protocolClasses")
public typealias MockingURLProtocol = URLProtocol

/// The stubs of another library; the message of the compiler has the form to use.
@available(*, unavailable, message: "use MockServer { Route(.host(\"shop.example\")) { Reply.json(value) } }")
public enum HTTPStubs {
    /// Adds a stub.
    public static func stubRequests(
        passingTest test: (URLRequest) -> Bool, withStubResponse reply: (URLRequest) -> Any
    ) {}
    /// Removes all stubs.
    public static func removeAllStubs() {}
}

/// A condition of another library; the message of the compiler has the form to use.
@available(*, unavailable, message: "use the condition .host(\"shop.example\") of a Route")
public func isHost(_ host: String) -> Bool { false }
/// A condition of another library; the message of the compiler has the form to use.
@available(*, unavailable, message: "use the pattern of a Route, as in Route(.get, \"/teas\")")
public func isPath(_ path: String) -> Bool { false }
/// A reply of another library; the message of the compiler has the form to use.
@available(*, unavailable, message: "use Reply.data(_:as:status:), or Reply.json(value)")
public struct HTTPStubsResponse {
    /// Creates a reply.
    public init(data: Data, statusCode: Int32, headers: [AnyHashable: Any]?) {}
}

/// A name of another library; the message of the compiler has the form to use.
@available(*, unavailable, message: "use MockServer { Route(.host(\"shop.example\")) { Reply.json(value) } }")
public func stub(condition: Any, response: (URLRequest) -> Any) {}

extension MockServer {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "requests")
    public var receivedRequests: [ReceivedRequest] { requests }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "configuration")
    public var sessionConfiguration: URLSessionConfiguration { configuration }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "removeRoutes()")
    public func removeAllRoutes() {}

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "a server ends when it and its sessions are no longer used")
    public func stop() {}

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable,
        message: "call listen(), whose result has the URL of a socket; in the process, any URL is answered"
    )
    public var url: URL { URL(filePath: "/") }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "write the routes in a closure: MockServer { Route(…) { … } }")
    public convenience init(routes: [Route]) { self.init() }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }")
    public func stub(_ method: RequestMatcher = .any, _ url: String, with reply: Reply) {}

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }")
    public func mock(_ url: String, _ reply: () -> Reply) {}

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use addRoutes { Route(…) { … }.called(1) }, and verify()")
    public func expect(_ method: RequestMatcher = .any, _ url: String) -> Route { Route(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use requests.count")
    public var requestCount: Int { requests.count }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use requests.last")
    public var lastRequest: ReceivedRequest? { requests.last }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use URLSession(configuration: server.configuration)")
    public var session: URLSession { .shared }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use URLSession(configuration: server.configuration)")
    public var urlSession: URLSession { .shared }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "create a MockServer in each test")
    public static var shared: MockServer { MockServer {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }") public func register(
        _ route: Route
    ) {}
}

extension Route {
    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable, message: "write the reply in a closure: Route(.get, \"/teas\") { Reply.json(value) }"
    )
    public init(_ method: RequestMatcher, _ url: String, reply: Reply) { self.init(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.get, \"/teas\") { … }")
    public init(_ method: RequestMatcher, path: String, _ reply: () -> Reply) { self.init(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "delay its reply: Reply.json(…).delay(.seconds(2))")
    public func delay(_ seconds: Double) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.get, \"/teas\") { … }")
    public static func get(_ url: String, _ reply: () -> Reply) -> Route { Route(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.post, \"/teas\") { … }")
    public static func post(_ url: String, _ reply: () -> Reply) -> Route { Route(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.put, \"/teas\") { … }")
    public static func put(_ url: String, _ reply: () -> Reply) -> Route { Route(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.patch, \"/teas\") { … }")
    public static func patch(_ url: String, _ reply: () -> Reply) -> Route { Route(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.delete, \"/teas\") { … }")
    public static func delete(_ url: String, _ reply: () -> Reply) -> Route { Route(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.get, \"/teas\") { … }")
    public init(_ url: String, method: RequestMatcher, _ reply: () -> Reply) { self.init(.any) {} }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Route(.post, \"/teas\", .body(json: value)) { … }")
    public init(_ method: RequestMatcher, _ url: String, body: some Encodable, _ reply: () -> Reply) {
        self.init(.any) {}
    }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "delay its reply: Reply.json(…).delay(.seconds(2))")
    public func delay(_ time: Duration) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use a handler, { request in Reply.status(204) }, or server.requests")
    public func onRequest(_ handler: (ReceivedRequest) -> Void) -> Self { self }
}

extension RequestMatcher {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "get") public static var GET: Self { .get }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "post") public static var POST: Self { .post }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "put") public static var PUT: Self { .put }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "patch") public static var PATCH: Self { .patch }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "delete") public static var DELETE: Self { .delete }
}

extension Reply {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "text(_:)")
    public static func string(_ text: String) -> Self { .text(text) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use delay(.seconds(2))")
    public func delay(_ seconds: Double) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable, message: "use Reply.error(URLError(.timedOut)), or Reply.fault(.stall(.beforeHead))"
    )
    public static var timeout: Self { .status(408) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable,
        message: "use Reply.error(URLError(.notConnectedToInternet)), or Reply.fault(.refused)"
    )
    public static var networkError: Self { .status(500) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Reply.status(200), or Reply.json(value)")
    public static var ok: Self { .status(200) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Reply.status(404)")
    public static var notFound: Self { .status(404) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Reply.delay(.seconds(2))")
    public func withDelay(_ seconds: Double) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Reply.file(url)")
    public static func json(file name: String) -> Self { .status(200) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Reply.error(URLError(.timedOut)), or Reply.fault(.refused)")
    public static func failure(_ code: URLError.Code) -> Self { .error(URLError(code)) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Reply.data(_:as:status:)")
    public init(statusCode: Int, data: Data) { self = .data(data) }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use Reply.json(_:status:), or Reply.status(201).json(…)")
    public func status(_ status: HTTPStatus) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "header(_:_:)")
    public func headers(_ fields: HTTPHeaders) -> Self { self }
}

extension ReceivedRequest {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use request[\"id\"]")
    public var pathParameters: [String: String] { [:] }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use request[\"id\"], or query[\"page\"]")
    public var params: [String: String] { [:] }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use try decode(Item.self)")
    public var jsonBody: Any? { nil }

    /// A name of another library; the message of the compiler has the property to use.
    @available(*, unavailable, renamed: "body") public var httpBody: Data? { body }

    /// A name of another library; the message of the compiler has the property to use.
    @available(*, unavailable, renamed: "method") public var httpMethod: String? { method.rawValue }
}
