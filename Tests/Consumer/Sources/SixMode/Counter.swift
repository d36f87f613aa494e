// An interceptor with state, as a class with a lock.

import Foundation
import RESTClient

// URLSession has its own module on Linux. RESTClient exports it; a program may import it as well.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Counts requests.
final class Counter: RequestInterceptor, @unchecked Sendable {
    // SAFETY: `count` is accessed only while `lock` is held.
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
