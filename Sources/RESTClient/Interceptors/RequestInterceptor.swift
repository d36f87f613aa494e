public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Stands between a request and the network: adapts, retries, signs, logs, caches.
///
/// Those of the manager stand outside those of the request, and the first outside the second. What stands inside
/// a retry runs again for each attempt. Validation stands outside all: a 503 arrives here as a response.
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
    /// Answers `request` by calling `next` once, several times, or not at all.
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody>
}

/// Everything further in, down to the network.
public struct Next: Sendable {
    private let answer: @Sendable (URLRequest) async throws -> Response<ResponseBody>

    /// A stand-in for the rest of the way, to test an interceptor alone.
    public init(_ answer: @escaping @Sendable (URLRequest) async throws -> Response<ResponseBody>) {
        self.answer = answer
    }

    /// Sends `request` on.
    ///
    /// - Throws: `RESTClientError` when no answer came, or, in buffered delivery, not all of it.
    public func callAsFunction(_ request: URLRequest) async throws -> Response<ResponseBody> {
        try await answer(request)
    }
}

/// A body: whole when the caller wants it whole, else still arriving.
public enum ResponseBody: Sendable {
    /// All of it.
    case data(Data)
    /// All of it, in the pieces in which it comes.
    case stream(ByteStream)

    /// All of it, unless it is still arriving.
    public var data: Data? {
        guard case .data(let data) = self else { return nil }
        return data
    }
}
