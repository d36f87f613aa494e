#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// An interceptor written where it is used.
public struct ClosureInterceptor: RequestInterceptor {
    private let body: @Sendable (URLRequest, RequestContext, Next) async throws -> Response<ResponseBody>

    init(
        _ body: @escaping @Sendable (URLRequest, RequestContext, Next) async throws -> Response<ResponseBody>
    ) {
        self.body = body
    }

    /// Does what it was written to do.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        try await body(request, context, next)
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// An interceptor from a closure.
    public static func intercept(
        _ body: @escaping @Sendable (URLRequest, RequestContext, Next) async throws -> Response<ResponseBody>
    ) -> Self {
        ClosureInterceptor(body)
    }

    /// An interceptor that changes each request and leaves the responses alone.
    public static func adapt(_ change: @escaping @Sendable (inout URLRequest) async throws -> Void) -> Self {
        ClosureInterceptor { request, _, next in
            var request = request
            try await change(&request)
            return try await next(request)
        }
    }
}
