// A client in a server: one for each application, which ends with the requests that it serves.

import Foundation
import RESTClient

/// The clients of an application, which are created once, when it starts.
struct Services: Sendable {
    let shop: SessionManager

    init(shop url: URL, configuration: URLSessionConfiguration = .ephemeral, monitor: EventMonitor? = nil) {
        configuration.httpMaximumConnectionsPerHost = 64
        shop = SessionManager(
            baseURL: url, configuration: configuration,
            interceptors: [RetryPolicy(maxAttempts: 2, budget: RetryBudget()), RequestID()],
            options: RequestOptions(
                timeouts: Timeouts(idle: .seconds(2), total: .seconds(5)), maxBodyBytes: 4 << 20),
            monitor: monitor)
    }

    /// Waits for the requests in progress. Call this method when the application ends.
    func shutdown() async { await shop.shutdown() }
}

/// Sends the identifier of the request that is being served.
struct RequestID: RequestInterceptor {
    @TaskLocal static var current: String?

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var request = request
        request.setValue(Self.current, forHTTPHeaderField: "X-Request-ID")
        if let id = Self.current { context.note("request \(id)") }
        return try await next(request)
    }
}

/// Serves a request, in the task that the server framework cancels when its client disconnects.
func servePrice(of tea: String, id: String, with services: Services) async throws -> String {
    try await RequestID.$current.withValue(id) {
        struct Price: Decodable { var cents: Int }
        do {
            let price = try await services.shop.request("price", query: ["name": tea]).decode(Price.self)
            return "200 \(price.cents)"
        } catch let error as RESTClientError {
            switch error.kind {
            case .status(404): return "404"
            case .timedOut: return "504"
            default: return "502"
            }
        }
    }
}
// snippet.hide
