// swift-format-ignore-file: NeverForceUnwrap
// An interceptor of one's own, behind a server that is verified at the end of the test, and alone.

import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Trace: RequestInterceptor {
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var request = request
        request.setValue("\(context.attempts.count + 1)", forHTTPHeaderField: "X-Attempt")
        return try await next(request)
    }
}

private let shop = URL(string: "https://shop.example/items")!

@Test(.mocked) func `the server sees the header`() async throws {
    let server = MockServer {
        Route(.get, "/items", .header("X-Attempt", "1")) { Reply.json(["items": ["tea"]]) }
    }
    let manager = SessionManager(configuration: server.configuration, interceptors: [Trace()])
    #expect(try await MyRESTClient(url: shop, manager: manager).getAvailableItems() == ["tea"])
}

@Test func `the first attempt is number 1`() async throws {
    let response = try await Trace().intercept(
        URLRequest(url: shop), context: RequestContext(),
        next: Next { request in Response(to: request, status: 200, body: .data(Data())) })
    #expect(response.request.value(forHTTPHeaderField: "X-Attempt") == "1")
}
