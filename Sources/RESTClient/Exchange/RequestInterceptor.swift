public import Foundation

public import RESTClientHTTP

/// A type that can inspect, change, repeat or answer requests before they are sent to the network.
///
/// The interceptors of the manager run before those of the request, each in the given order. Interceptors after a retry
/// policy run once for each attempt. The response is validated after all interceptors, so they receive a response with
/// any status, such as 503.
///
/// ```swift
/// struct AttemptHeader: RequestInterceptor {
///     func intercept(
///         _ request: URLRequest, context: RequestContext, next: Next
///     ) async throws -> Response<ResponseBody> {
///         var request = request
///         request.setValue("\(context.attempts.count + 1)", forHTTPHeaderField: "X-Attempt")
///         return try await next(request)
///     }
/// }
/// ```
public protocol RequestInterceptor: Sendable {
    /// Returns the response to `request`. The method may call `next` once, several times or not at all.
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody>
}

/// The rest of the chain: the interceptors after this one and the network.
public struct Next: Sendable {
    private let answer: @Sendable (URLRequest) async throws -> Response<ResponseBody>

    /// Creates a chain from a closure, to test an interceptor without a session.
    public init(_ answer: @escaping @Sendable (URLRequest) async throws -> Response<ResponseBody>) {
        self.answer = answer
    }

    /// Sends `request` through the rest of the chain.
    ///
    /// - Throws: `RESTClientError` if there was no response or, in buffered delivery, if its body was incomplete.
    public func callAsFunction(_ request: URLRequest) async throws -> Response<ResponseBody> {
        try await answer(request)
    }
}

/// The body of a response: complete data in buffered delivery, a stream in streamed delivery.
public enum ResponseBody: Sendable {
    /// The complete body.
    case data(Data)
    /// The body as a sequence of chunks.
    case stream(ByteStream)

    /// The complete body, or `nil` for a stream.
    public var data: Data? {
        guard case .data(let data) = self else { return nil }
        return data
    }
}

/// An interceptor made from a closure.
public struct ClosureInterceptor: RequestInterceptor {
    private let handler: @Sendable (URLRequest, RequestContext, Next) async throws -> Response<ResponseBody>

    /// Creates an interceptor from a closure.
    public init(
        _ handler:
            @escaping @Sendable (URLRequest, RequestContext, Next) async throws -> Response<ResponseBody>
    ) { self.handler = handler }

    /// Creates an interceptor from a closure that does not use the context.
    public init(_ handler: @escaping @Sendable (URLRequest, Next) async throws -> Response<ResponseBody>) {
        self.handler = { request, _, next in try await handler(request, next) }
    }

    /// Calls the closure.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        try await handler(request, context, next)
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Creates an interceptor from a closure.
    public static func intercept(
        _ body: @escaping @Sendable (URLRequest, RequestContext, Next) async throws -> Response<ResponseBody>
    ) -> Self { ClosureInterceptor(body) }

    /// Creates an interceptor that changes each request and passes the response on.
    public static func adapt(_ change: @escaping @Sendable (inout URLRequest) async throws -> Void) -> Self {
        ClosureInterceptor { request, _, next in
            var request = request
            try await change(&request)
            return try await next(request)
        }
    }
}
