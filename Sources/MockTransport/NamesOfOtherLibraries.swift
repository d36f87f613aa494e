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

    /// Registers the mock.
    public func register() {}
}

/// The registry of another library; the message of the compiler has the form to use.
@available(
    *, unavailable,
    message:
        "only the session with server.configuration is answered; Reply.passthrough sends a request to the real server"
)
public enum Mocker {
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

extension MockServer {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use addRoutes { Route(…) { … } }") public func register(
        _ route: Route
    ) {}
}

extension Route {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "delay its reply: Reply.json(…).delay(.seconds(2))")
    public func delay(_ time: Duration) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use a handler, { request in Reply.status(204) }, or server.requests")
    public func onRequest(_ handler: (ReceivedRequest) -> Void) -> Self { self }
}

extension Reply {
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
    /// A name of another library; the message of the compiler has the property to use.
    @available(*, unavailable, renamed: "body") public var httpBody: Data? { body }

    /// A name of another library; the message of the compiler has the property to use.
    @available(*, unavailable, renamed: "method") public var httpMethod: String? { method.rawValue }
}
