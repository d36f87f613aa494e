// Tests an interceptor without a server.

import Foundation
import RESTClient
import Testing

// snippet.hide
struct AttemptHeader: RequestInterceptor {
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> { try await next(request) }
}

let shop = URL(string: "https://shop.example")!

// snippet.show
@Test func `the first attempt is number 1`() async throws {
    let response = try await AttemptHeader().intercept(
        URLRequest(url: shop), context: RequestContext(),
        next: Next { request in Response(to: request, status: 200, body: .data(Data())) })
    #expect(response.request.value(forHTTPHeaderField: "X-Attempt") == "1")
}
