// Interceptors that change requests, log them or answer from a cache, and their order.

import Foundation
import RESTClient

// snippet.hide
let shop = URL(string: "https://shop.example")!

// snippet.show
actor MemoryCache: RequestInterceptor {
    private var responses: [URL: Response<ResponseBody>] = [:]

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        // A streamed body can be read only once, so it is not cached.
        guard context.delivery == .buffered, request.httpMethod == "GET", let url = request.url else {
            return try await next(request)
        }
        if let cached = responses[url] { return cached }
        let response = try await next(request)
        if response.status == 200 { responses[url] = response }
        return response
    }
}

let manager = SessionManager(interceptors: [
    MemoryCache(),                          // outermost: a cached response needs no request
    .retry(),
    .bearer("secret", for: shop),           // inside the retry: each attempt is signed
    .adapt { $0.setValue("1", forHTTPHeaderField: "X-API-Version") },
])
