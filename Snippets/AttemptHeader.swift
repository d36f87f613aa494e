// A custom interceptor.

import Foundation
import RESTClient

struct AttemptHeader: RequestInterceptor {
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var request = request
        request.setValue("\(context.attempts.count + 1)", forHTTPHeaderField: "X-Attempt")
        return try await next(request)
    }
}
// snippet.hide
