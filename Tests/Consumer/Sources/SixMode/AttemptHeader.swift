// An interceptor of one's own, written without any of the package's settings.

import Foundation
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct AttemptHeader: RequestInterceptor {
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var request = request
        request.setValue("\(context.attempts.count + 1)", forHTTPHeaderField: "X-Attempt")
        return try await next(request)
    }
}

/// The same as a class, as older code would have it.
final class Counter: RequestInterceptor, @unchecked Sendable {
    // SAFETY: `count` is touched with `lock` held only.
    private let lock = NSLock()
    private var count = 0

    var requests: Int { lock.withLock { count } }

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        lock.withLock { count += 1 }
        return try await next(request)
    }
}
