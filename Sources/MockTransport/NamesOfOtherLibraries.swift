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
    @available(*, unavailable, message: "add a last route: Route(.any) { Reply.status(404) }.priority(.low)")
    public convenience init(default reply: Reply, @RouteBuilder _ routes: () -> [Route]) {
        self.init(file: "")
    }
    @available(*, unavailable, message: "use MockServer { Route(.get, \"/teas\") { Reply.json(value) } }")
    public convenience init(_ replies: [String: Reply]) { self.init(file: "") }
    @available(*, unavailable, renamed: "requests")
    public var calls: [ReceivedRequest] { requests }
    @available(*, unavailable, renamed: "requests")
    public var history: [ReceivedRequest] { requests }
    @available(
        *, unavailable,
        message: "use requests.filter { $0.path == \"/teas\" }, or requests(to:) with the name of a route"
    )
    public func requests(matching matcher: RequestMatcher) -> [ReceivedRequest] { [] }
    @available(
        *, unavailable,
        message: "use requests.filter { $0.path == \"/teas\" }, or requests(to:) with the name of a route"
    )
    public func requests(for url: String) -> [ReceivedRequest] { [] }
    @available(*, unavailable, message: "use requests.filter { $0.path == \"/teas\" }.count")
    public func requestCount(for url: String) -> Int { 0 }
    @available(*, unavailable, message: "use requests.contains { $0.path == \"/teas\" }")
    public func wasCalled(_ url: String) -> Bool { false }
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }")
    public func respond(to url: String, with reply: Reply) {}
    @available(*, unavailable, message: "use addRoutes { Route(.get, \"/teas\") { … } }")
    public func route(_ method: RequestMatcher, _ url: String, _ reply: (ReceivedRequest) -> Reply) {}
    @available(*, unavailable, message: "use addRoutes { Route(.get, \"/teas\") { Reply.json(value) } }")
    public func when(_ method: RequestMatcher, _ url: String) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use addRoutes { Route(.any) { request in … } }")
    public func setHandler(_ handler: (ReceivedRequest) -> Reply) {}
    @available(*, unavailable, message: "use MockServer { Route(.any) { request in … } }")
    public var handler: ((ReceivedRequest) -> Reply)? {
        get { nil }
        set {}
    }
    @available(
        *, unavailable,
        message: "use MockServer { Route(.any) { request in Reply.json(value) } } in each test"
    )
    public static var requestHandler: ((URLRequest) throws -> (HTTPURLResponse, Data))? {
        get { nil }
        set {}
    }
    @available(
        *, unavailable,
        message: "use MyRESTClient(url: url, manager: SessionManager(configuration: server.configuration))"
    )
    public func client(url: Any) -> MockServer { self }
    @available(*, unavailable, message: "use SessionManager(configuration: server.configuration)")
    public func manager() -> MockServer { self }
    @available(*, unavailable, message: "use SessionManager(configuration: server.configuration)")
    public var sessionManager: MockServer { self }
    @available(*, unavailable, message: "in the process it needs no start; listen() opens a socket")
    public func start() async throws {}
    @available(*, unavailable, renamed: "listen(port:)")
    public func listen(on port: Int) async throws -> LoopbackServer { try await listen() }
    @available(*, unavailable, message: "a server ends when it and its sessions are no longer used")
    public func shutdown() async {}
    @available(*, unavailable, message: "use try await requests(count: 2)")
    public func waitForRequests(_ count: Int) async throws {}
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }")
    public func add(_ route: Route) {}
    @available(*, unavailable, message: "use addRoutes { Route(…) { request in … } }")
    public func on(_ method: RequestMatcher, _ url: String, _ reply: (ReceivedRequest) -> Reply) {}
    @available(*, unavailable, message: "use addRoutes { Route(.get, \"/teas\") { … } }")
    public func get(_ url: String, _ reply: (ReceivedRequest) -> Reply) {}
    @available(*, unavailable, message: "use addRoutes { Route(.post, \"/teas\") { … } }")
    public func post(_ url: String, _ reply: (ReceivedRequest) -> Reply) {}
    @available(*, unavailable, renamed: "reset()")
    public func clear() {}
    @available(*, unavailable, message: "use Route(…) { … }.called(1) and verify(), or requests(to:)")
    public func verify(_ method: RequestMatcher, _ url: String, count: Int = 1) {}
    @available(*, unavailable, message: "use Route(…) { … }.called(1) and verify(), or requests(to:)")
    public func assertCalled(_ url: String, times: Int = 1) {}
    @available(*, unavailable, message: "verify() throws for them")
    public var unmatchedRequests: [ReceivedRequest] { [] }
    @available(*, unavailable, message: "use MockServer { Route(.get, \"/teas\") { Reply.json(value) } }")
    public convenience init(_ method: RequestMatcher, _ url: String, _ reply: Reply) { self.init(file: "") }
    @available(*, unavailable, message: "use MockServer { Route(.any) { Reply.json(value) } }")
    public static func json(_ value: some Encodable) -> MockServer { MockServer(file: "") }
    @available(*, unavailable, message: "use .recording of the tests, or MockServer(HAR(contentsOf: file))")
    public convenience init(recording file: URL) { self.init(file: "") }
    @available(*, unavailable, message: "use MockServer(HAR(contentsOf: file))")
    public convenience init(har file: URL) { self.init(file: "") }
    @available(*, unavailable, renamed: "requests")
    public var receivedRequests: [ReceivedRequest] { requests }
    @available(*, unavailable, renamed: "configuration")
    public var sessionConfiguration: URLSessionConfiguration { configuration }
    @available(*, unavailable, renamed: "removeRoutes()")
    public func removeAllRoutes() {}
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
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }")
    public func mock(_ url: String, _ reply: () -> Reply) {}
    @available(*, unavailable, message: "use addRoutes { Route(…) { … }.called(1) }, and verify()")
    public func expect(_ method: RequestMatcher = .any, _ url: String) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use requests.count")
    public var requestCount: Int { requests.count }
    @available(*, unavailable, message: "use requests.last")
    public var lastRequest: ReceivedRequest? { requests.last }
    @available(*, unavailable, message: "use URLSession(configuration: server.configuration)")
    public var session: URLSession { .shared }
    @available(*, unavailable, message: "use URLSession(configuration: server.configuration)")
    public var urlSession: URLSession { .shared }
    @available(*, unavailable, message: "create a MockServer in each test")
    public static var shared: MockServer { MockServer(file: "") {} }
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }") public func register(
        _ route: Route
    ) {}
}

extension Route {
    @available(*, unavailable, message: "use Route(.get, .host(\"shop.example\")) { … }")
    public init(_ method: RequestMatcher, host: String, _ reply: () -> Reply) { self.init(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.host(\"shop.example\")) { … }")
    public init(host: String, _ reply: () -> Reply) { self.init(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.url(url)) { … }")
    public init(_ url: URL, _ reply: () -> Reply) { self.init(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.any) { … }")
    public static func any(_ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use repeats() for the last reply, or limit(3)")
    public func repeated(_ count: Int) -> Self { self }
    @available(*, unavailable, message: "use called(1), which verify() checks")
    public func expect(count: Int) -> Self { self }
    @available(*, unavailable, message: "use called(1), which verify() checks")
    public func expected(_ count: Int) -> Self { self }
    @available(*, unavailable, message: "use Route(.get, \"/teas\", .query(\"page\", 2)) { … }")
    public init(_ method: RequestMatcher, _ url: String, query: Any, _ reply: () -> Reply) {
        self.init(.any, file: "") {}
    }
    @available(*, unavailable, message: "use Route(.get, \"/teas\", .header(\"Accept\", \"text/csv\")) { … }")
    public init(_ method: RequestMatcher, _ url: String, headers: Any, _ reply: () -> Reply) {
        self.init(.any, file: "") {}
    }
    @available(
        *, unavailable, message: "write the reply in a closure: Route(.get, \"/teas\") { Reply.json(value) }"
    )
    public init(_ method: RequestMatcher, _ url: String) { self.init(.any, file: "") {} }
    @available(
        *, unavailable, message: "write the reply in a closure: Route(.get, \"/teas\") { Reply.json(value) }"
    )
    public func responds(with reply: Reply) -> Self { self }
    @available(
        *, unavailable, message: "write the reply in a closure: Route(.get, \"/teas\") { Reply.json(value) }"
    )
    public func reply(_ reply: Reply) -> Self { self }
    @available(
        *, unavailable, message: "write the reply in a closure: Route(.get, \"/teas\") { Reply.json(value) }"
    )
    public func thenReturn(_ reply: Reply) -> Self { self }
    @available(*, unavailable, message: "write the replies one after the other in the closure")
    public func sequence(_ replies: [Reply]) -> Self { self }
    @available(*, unavailable, message: "use limit(1), or called(1) with verify()")
    public func once() -> Self { self }
    @available(*, unavailable, message: "use priority(.high), or .low")
    public func priority(_ priority: Int) -> Self { self }
    @available(
        *, unavailable, message: "write the reply in a closure: Route(.get, \"/teas\") { Reply.json(value) }"
    )
    public init(_ method: RequestMatcher, _ url: String, reply: Reply) { self.init(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.get, \"/teas\") { … }")
    public init(_ method: RequestMatcher, path: String, _ reply: () -> Reply) { self.init(.any, file: "") {} }
    @available(*, unavailable, message: "delay its reply: Reply.json(…).delay(.seconds(2))")
    public func delay(_ seconds: Double) -> Self { self }
    @available(*, unavailable, message: "use Route(.get, \"/teas\") { … }")
    public static func get(_ url: String, _ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.post, \"/teas\") { … }")
    public static func post(_ url: String, _ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.put, \"/teas\") { … }")
    public static func put(_ url: String, _ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.patch, \"/teas\") { … }")
    public static func patch(_ url: String, _ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.delete, \"/teas\") { … }")
    public static func delete(_ url: String, _ reply: () -> Reply) -> Route { Route(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.get, \"/teas\") { … }")
    public init(_ url: String, method: RequestMatcher, _ reply: () -> Reply) { self.init(.any, file: "") {} }
    @available(*, unavailable, message: "use Route(.post, \"/teas\", .body(json: value)) { … }")
    public init(_ method: RequestMatcher, _ url: String, body: some Encodable, _ reply: () -> Reply) {
        self.init(.any, file: "") {}
    }
    @available(*, unavailable, message: "delay its reply: Reply.json(…).delay(.seconds(2))")
    public func delay(_ time: Duration) -> Self { self }
    @available(*, unavailable, message: "use a handler, { request in Reply.status(204) }, or server.requests")
    public func onRequest(_ handler: (ReceivedRequest) -> Void) -> Self { self }
}

extension RequestMatcher {
    @available(*, unavailable, message: "use .header(name, value) for each field")
    public static func headers(_ fields: HTTPHeaders) -> Self { .any }
    @available(*, unavailable, renamed: "body(json:)")
    public static func body(_ value: some Encodable) -> Self { .any }
    @available(*, unavailable, message: "use .body(matching: /text/), or .body(jsonContaining: …)")
    public static func bodyContains(_ text: String) -> Self { .any }
    @available(*, unavailable, renamed: "path(matching:)")
    public static func regex(_ pattern: String) -> Self { .any }
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
    @available(*, unavailable, message: "use header(\"Retry-After\", \"1\")")
    public func retryAfter(_ seconds: Int) -> Self { self }
    @available(*, unavailable, renamed: "file(_:)")
    public static func json(fixture name: String) -> Self { .status(200) }
    @available(*, unavailable, renamed: "data(_:)")
    public static func body(_ data: Data) -> Self { .status(200) }
    @available(
        *, unavailable,
        message: "use Reply.error(.networkConnectionLost), or Reply.fault(.reset(.beforeHead))"
    )
    public static var connectionLost: Self { .status(200) }
    @available(*, unavailable, renamed: "redirect(to:)")
    public static func redirect(_ location: String) -> Self { .status(302) }
    @available(
        *, unavailable,
        message: "use Reply.text(text).dribble(chunks: 2, over: .seconds(1)), or an AsyncSequence of Data"
    )
    public static func stream(_ chunks: [String]) -> Self { .status(200) }
    @available(*, unavailable, message: "use dribble(chunks: 10, over: .seconds(1)), or conditions(_:)")
    public func throttled(bytesPerSecond: Int) -> Self { self }
    @available(*, unavailable, message: "use Reply.json(value).header(name, value)")
    public static func json(_ value: some Encodable, status: HTTPStatus = 200, headers: HTTPHeaders) -> Self {
        .status(200)
    }
    @available(
        *, unavailable,
        message: "use Reply.data(_:as:status:) or Reply.json(_:status:), with .header(name, value)"
    )
    public init(status: HTTPStatus = 200, headers: HTTPHeaders = [:], body: Any? = nil) {
        self = .status(200)
    }
    @available(*, unavailable, message: "use Reply.status(200), or Reply.status(204)")
    public static var empty: Self { .status(204) }
    @available(*, unavailable, message: "use Reply.status(204)")
    public static var noContent: Self { .status(204) }
    @available(*, unavailable, renamed: "file(_:)")
    public static func fixture(_ name: String) -> Self { .status(200) }
    @available(*, unavailable, message: "use Reply.text(text, as: .html)")
    public static func html(_ text: String) -> Self { .text(text) }
    @available(*, unavailable, message: "use Reply.data(data, as: \"image/png\")")
    public static func data(_ data: Data, contentType: Any) -> Self { .data(data) }
    @available(*, unavailable, message: "use Reply.data(Data([0xFF, 0x00])), or .fault(.corrupted(…))")
    public static var garbage: Self { .status(200) }
    @available(
        *, unavailable, message: "use Reply.text(text).dribble(chunks: 2, over: .seconds(1)), or Reply.stream"
    )
    public static func chunks(_ chunks: [String]) -> Self { .status(200) }
    @available(*, unavailable, message: "use Reply.json(…).delay(.seconds(2))")
    public static func slow(_ time: Duration) -> Self { .status(200) }
    @available(*, unavailable, renamed: "text(_:)")
    public static func string(_ text: String) -> Self { .text(text) }
    @available(*, unavailable, message: "use delay(.seconds(2))")
    public func delay(_ seconds: Double) -> Self { self }
    @available(
        *, unavailable, message: "use Reply.error(URLError(.timedOut)), or Reply.fault(.stall(.beforeHead))"
    )
    public static var timeout: Self { .status(408) }
    @available(
        *, unavailable,
        message: "use Reply.error(URLError(.notConnectedToInternet)), or Reply.fault(.refused)"
    )
    public static var networkError: Self { .status(500) }
    @available(*, unavailable, message: "use Reply.status(200), or Reply.json(value)")
    public static var ok: Self { .status(200) }
    @available(*, unavailable, message: "use Reply.status(404)")
    public static var notFound: Self { .status(404) }
    @available(*, unavailable, message: "use Reply.delay(.seconds(2))")
    public func withDelay(_ seconds: Double) -> Self { self }
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
    @available(*, unavailable, renamed: "text")
    public var bodyString: String { "" }
    @available(*, unavailable, message: "use try decode(Item.self)")
    public var json: Any? { nil }
    @available(*, unavailable, message: "use headers[\"Accept\"]")
    public func header(_ name: String) -> String? { nil }
    @available(*, unavailable, message: "use request[\"id\"]")
    public var pathParameters: [String: String] { [:] }
    @available(*, unavailable, message: "use request[\"id\"], or query[\"page\"]")
    public var params: [String: String] { [:] }
    @available(*, unavailable, message: "use try decode(Item.self)")
    public var jsonBody: Any? { nil }
    @available(*, unavailable, renamed: "body") public var httpBody: Data? { body }
    @available(*, unavailable, renamed: "method") public var httpMethod: String? { method.rawValue }
}

extension URLSession {
    @available(*, unavailable, message: "use URLSession(configuration: server.configuration)")
    public convenience init(mock server: MockServer) { self.init(configuration: .ephemeral) }
}

extension URLSessionConfiguration {
    @available(*, unavailable, message: "use server.configuration")
    public static func mock(_ server: MockServer) -> URLSessionConfiguration { .ephemeral }
}

extension Clock where Self == VirtualClock {
    @available(
        *, unavailable, message: "create a VirtualClock for the server and the manager, and advance it"
    )
    public static var virtual: VirtualClock { VirtualClock() }
}

extension Fault {
    @available(*, unavailable, message: "use .stall(.beforeHead)")
    public static var timeout: Self { .refused }
    @available(*, unavailable, message: "use .reset(.beforeHead)")
    public static var connectionReset: Self { .refused }
}
