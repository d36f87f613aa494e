import Foundation
import RESTClientHTTP
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// Many calls cancelled at random moments, with retries, refreshes and redirects on their way.
@Suite struct InterceptorStressTests {
    private static let calls = ProcessInfo.processInfo.environment["STRESS_CALLS"].flatMap(Int.init) ?? 400

    /// A token check whose token changes after every 100 uses. The previous token is accepted, too.
    private final class TokenCheck: Sendable {
        private let state = LockedState((token: 0, uses: 0))

        var token: String { state.withLock { "\($0.token)" } }

        func accepts(_ authorization: String?) -> Bool {
            state.withLock { state in
                state.uses += 1
                if state.uses.isMultiple(of: 100) { state.token += 1 }
                return authorization == "Bearer \(state.token)"
                    || authorization == "Bearer \(state.token - 1)"
            }
        }
    }

    private static func server(_ check: TokenCheck) -> MockServer {
        MockServer {
            Route(.put, "/login") { request in
                request.headers["X-Attempt"] == "1"
                    ? .status(503) : Reply.text(check.token).delay(.milliseconds(1))
            }
            Route(.any) { request in
                guard check.accepts(request.headers[.authorization]) else { return .status(401) }
                switch (request.url.lastPathComponent, request.headers["X-Attempt"]) {
                case ("redirect", _): return .redirect(to: "/soon")
                case ("flaky", "1"): return .status(503).header(.retryAfter, "0")
                case ("flaky", "2"): return .error(URLError(.networkConnectionLost))
                case ("never", _): return .text("late").delay(.seconds(3600))
                case ("error", _): return .error(URLError(.secureConnectionFailed))
                case ("soon", _): return .text("ok").delay(.milliseconds(1))
                default: return .text("ok")
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `every cancelled call ends once, and one refresh runs at a time`(seed: UInt64) async throws {
        let check = TokenCheck()
        let server = Self.server(check)
        let shop = try #require(URL(string: "http://storm.example"))
        let running = LockedState((now: 0, most: 0, all: 0))
        let session = Authenticator(for: shop) { _, manager in
            running.withLock { count in
                count.now += 1
                count.all += 1
                count.most = max(count.most, count.now)
            }
            defer { running.withLock { $0.now -= 1 } }
            return .bearer(try await manager.request(shop.appending(path: "login"), method: .put).string())
        }
        let retry = RetryPolicy(
            maxAttempts: 5, backoff: .exponential(initialDelay: .milliseconds(1), maxDelay: .milliseconds(4)),
            budget: nil)
        let number = ClosureInterceptor.intercept { request, context, next in
            var request = request
            request.setValue("\(context.attempts.count + 1)", forHTTPHeaderField: "X-Attempt")
            return try await next(request)
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: [.retry(retry), session, number])

        let stress = CancellationStress(
            calls: Self.calls, seed: seed, cancelWithin: .milliseconds(4),
            endpoints: .standard(at: shop, replying: ["now", "soon", "redirect", "flaky"]))
        let counts = await stress.run(with: manager)
        #expect(counts.problems(for: Self.calls) == [])
        await manager.shutdown()
        #expect(running.withLock { $0.most } == 1)
        #expect(running.withLock { $0.all } >= 2)
    }
}
