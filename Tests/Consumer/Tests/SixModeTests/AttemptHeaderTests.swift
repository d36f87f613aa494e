// swift-format-ignore-file: NeverForceUnwrap
// Tests of the interceptor of the README, with a verified mock server and without a server.

import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

// URLSession has its own module on Linux. RESTClient exports it; a program may import it as well.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private let shop = URL(string: "https://shop.example/items")!

@Test(.mocked) func `the server sees the header`() async throws {
    let server = MockServer {
        Route(.get, "/items", .header("X-Attempt", "1")) { Reply.json(["items": ["tea"]]) }
    }
    let manager = SessionManager(configuration: server.configuration, interceptors: [AttemptHeader()])
    #expect(try await MyRESTClient(url: shop, manager: manager).getAvailableItems() == ["tea"])
}

@Test func `the first attempt is number 1`() async throws {
    let response = try await AttemptHeader().intercept(
        URLRequest(url: shop), context: RequestContext(),
        next: Next { request in Response(to: request, status: 200, body: .data(Data())) })
    #expect(response.request.value(forHTTPHeaderField: "X-Attempt") == "1")
}
