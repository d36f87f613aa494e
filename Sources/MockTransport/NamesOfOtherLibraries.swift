// The message of each declaration is its documentation.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import RESTClientHTTP

// What other libraries call differently. The message of the compiler has the form to use. A declaration of the same name in the
// program or in another library comes first. `file: ""` keeps the path of this file out of programs.

@available(
    *, unavailable, message: "use MockServer { Route(.get, .url(url)) { Reply.data(data, as: .json) } }"
)
public struct Mock {
    public var delay: Any?
    public var onRequestHandler: Any?

    public init(
        url: URL, ignoreQuery: Bool = false, contentType: MediaType? = nil, statusCode: Int,
        data: [HTTPMethod: Data], requestError: (any Error)? = nil
    ) {}

    public init(request: URLRequest, statusCode: Int = 200, data: Data = Data()) {}

    public init(
        fileExtensions: String..., contentType: MediaType? = nil, statusCode: Int, data: [HTTPMethod: Data]
    ) {}
    public init(url: URL, dataType: MediaType, statusCode: Int, data: [HTTPMethod: Data]) {}

    public func register() {}
    public static func register(url: URL, data: Data, statusCode: Int = 200) {}
}

@available(
    *, unavailable,
    message:
        "only the session with server.configuration is answered; Reply.passthrough sends a request to the real server"
)
public enum Mocker {
    public enum Mode {
        case optin, optout
    }
    public static var mode: Mode {
        get { .optin }
        set {}
    }
    public static func ignore(_ url: URL) {}
    public static func register(_ mock: Mock) {}
    public static func removeAll() {}
}

@available(*, unavailable, message: "use server.configuration, or server.protocolClass in protocolClasses")
public typealias MockingURLProtocol = URLProtocol

@available(*, unavailable, message: "use MockServer { Route(.host(\"shop.example\")) { Reply.json(value) } }")
public enum HTTPStubs {
    public static func stubRequests(
        passingTest test: (URLRequest) -> Bool, withStubResponse reply: (URLRequest) -> Any
    ) {}
    public static func removeAllStubs() {}
}

@available(*, unavailable, message: "use the condition .host(\"shop.example\") of a Route")
public func isHost(_ host: String) -> Bool { false }
@available(*, unavailable, message: "use the pattern of a Route, as in Route(.get, \"/teas\")")
public func isPath(_ path: String) -> Bool { false }
@available(*, unavailable, message: "use Reply.data(_:as:status:), or Reply.json(value)")
public struct HTTPStubsResponse {
    public init(data: Data, statusCode: Int32, headers: [AnyHashable: Any]?) {}
}

@available(*, unavailable, message: "use MockServer { Route(.host(\"shop.example\")) { Reply.json(value) } }")
public func stub(condition: Any, response: (URLRequest) -> Any) {}

extension MockServer {
    @available(
        *, unavailable,
        message: "use MockServer { Route(.any) { request in Reply.json(value) } } in each test"
    )
    public static var requestHandler: ((URLRequest) throws -> (HTTPURLResponse, Data))? {
        get { nil }
        set {}
    }
    @available(*, unavailable, message: "in the process it needs no start; listen() opens a socket")
    public func start() async throws {}
    @available(*, unavailable, message: "use MockServer(har: HAR(contentsOf: file))")
    public convenience init(har file: URL) { self.init(file: "") }
    @available(*, unavailable, renamed: "requests")
    public var receivedRequests: [ReceivedRequest] { requests }
    @available(*, unavailable, message: "a server ends when it and its sessions are no longer used")
    public func stop() {}
    @available(
        *, unavailable,
        message: "call listen(), whose result has the URL of a socket; in the process, any URL is answered"
    )
    public var url: URL { URL(filePath: "/") }
    @available(*, unavailable, message: "write the routes in a closure: MockServer { Route(…) { … } }")
    public convenience init(routes: [Route]) { self.init(file: "") }
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }")
    public func stub(_ method: RequestMatcher = .any, _ url: String, with reply: Reply) {}
    @available(*, unavailable, message: "use requests.count")
    public var requestCount: Int { requests.count }
    @available(*, unavailable, message: "use requests.last")
    public var lastRequest: ReceivedRequest? { requests.last }
    @available(*, unavailable, message: "use URLSession(configuration: server.configuration)")
    public var session: URLSession { .shared }
}

extension Route {
    @available(*, unavailable, message: "use limit(1), or called(1) with verify()")
    public func once() -> Self { self }
    @available(
        *, unavailable, message: "write the reply in a closure: Route(.get, \"/teas\") { Reply.json(value) }"
    )
    public init(_ method: RequestMatcher, _ url: String, reply: Reply) { self.init(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.get, \"/teas\") { … }")
    public static func get(_ url: String, _ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.post, \"/teas\") { … }")
    public static func post(_ url: String, _ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "delay its reply: Reply.json(…).delay(.seconds(2))")
    public func delay(_ time: Duration) -> Self { self }
}

extension RequestMatcher {
    @available(*, unavailable, message: "use .header(name, value) for each field")
    public static func headers(_ fields: HTTPHeaders) -> Self { .any }
    @available(
        *, unavailable,
        message: "write the pattern alone, as in Route(.get, \"/teas/*\"), or use .path(matching:)"
    )
    public static func path(_ pattern: String) -> Self { .any }
    @available(*, unavailable, renamed: "get") public static var GET: Self { .get }
    @available(*, unavailable, renamed: "post") public static var POST: Self { .post }
    @available(*, unavailable, renamed: "put") public static var PUT: Self { .put }
    @available(*, unavailable, renamed: "patch") public static var PATCH: Self { .patch }
    @available(*, unavailable, renamed: "delete") public static var DELETE: Self { .delete }
}

extension Reply {
    @available(*, unavailable, message: "use Reply.text(text, as: .html)")
    public static func html(_ text: String) -> Self { .text(text) }
    @available(*, unavailable, message: "use delay(.seconds(2))")
    public func delay(_ seconds: Double) -> Self { self }
    @available(
        *, unavailable, message: "use Reply.error(URLError(.timedOut)), or Reply.fault(.stall(.beforeHead))"
    )
    public static var timeout: Self { .status(408) }
    @available(*, unavailable, message: "use Reply.status(200), or Reply.json(value)")
    public static var ok: Self { .status(200) }
    @available(*, unavailable, message: "use Reply.status(404)")
    public static var notFound: Self { .status(404) }
    @available(*, unavailable, message: "use Reply.file(url)")
    public static func json(file name: String) -> Self { .status(200) }
    @available(*, unavailable, message: "use Reply.error(URLError(.timedOut)), or Reply.fault(.refused)")
    public static func failure(_ code: URLError.Code) -> Self { .error(URLError(code)) }
    @available(*, unavailable, message: "use Reply.data(_:as:status:)")
    public init(statusCode: Int, data: Data) { self = .data(data) }
    @available(*, unavailable, message: "use Reply.json(_:status:), or Reply.status(201).json(…)")
    public func status(_ status: HTTPStatus) -> Self { self }
    @available(*, unavailable, renamed: "header(_:_:)")
    public func headers(_ fields: HTTPHeaders) -> Self { self }
}

extension ReceivedRequest {
    @available(*, unavailable, renamed: "query")
    public var queryItems: [URLQueryItem] { [] }
    @available(*, unavailable, message: "use request[\"id\"]")
    public var pathParameters: [String: String] { [:] }
    @available(*, unavailable, renamed: "body") public var httpBody: Data? { body }
    @available(*, unavailable, renamed: "method") public var httpMethod: String? { method.rawValue }
}

extension URLSession {
    @available(*, unavailable, message: "use URLSession(configuration: server.configuration)")
    public convenience init(mock server: MockServer) { self.init(configuration: .ephemeral) }
}
