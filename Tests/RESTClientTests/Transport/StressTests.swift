import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// Requests that are cancelled at random times end once, with a response or with `CancellationError`.
@Suite struct StressTests {
    /// The number of requests; can be increased with `STRESS_CALLS`.
    private static let calls = ProcessInfo.processInfo.environment["STRESS_CALLS"].flatMap(Int.init) ?? 200

    @Test(arguments: [1, 2] as [UInt64])
    func `every request ends once, whenever it is cancelled`(seed: UInt64) async throws {
        let server = MockServer {
            Route(.get, "/now") { Reply.text("ok") }
            Route(.get, "/soon") { Reply.text("ok").delay(.milliseconds(1)) }
            Route(.get, "/handler") { _ in
                await Task.yield()
                return .text("ok")
            }
            Route(.get, "/redirect") { Reply.redirect(to: "/soon") }
            Route(.get, "/never") { Reply.text("late").delay(.seconds(3600)) }
            Route(.get, "/error") { Reply.error(URLError(.networkConnectionLost)) }
        }
        let shop = try #require(URL(string: "http://stress.example"))
        let stress = CancellationStress(
            calls: Self.calls, seed: seed, cancelWithin: .microseconds(1_500),
            endpoints: .standard(at: shop, replying: ["now", "soon", "handler", "redirect"]))
        let manager = SessionManager(configuration: server.configuration)
        let counts = await stress.run(with: manager)
        #expect(counts.problems(for: Self.calls) == [])
        await manager.shutdown()
    }

    /// Includes redirects (PLATFORM A19) and idle times.
    @Test func `every request ends once on a new connection`() async throws {
        let server = MockServer {
            Route(.get, "/now") { Reply.text("ok").header("Connection", "close") }
            Route(.get, "/soon") { Reply.text("ok").header("Connection", "close").delay(.milliseconds(30)) }
            Route(.get, "/later") { Reply.text("ok").header("Connection", "close").delay(.milliseconds(90)) }
            Route(.get, "/redirect") { Reply.redirect(to: "/now").header("Connection", "close") }
            Route(.get, "/never") { Reply.fault(.stall(.beforeHead)) }
            Route(.get, "/error") { Reply.fault(.reset(.beforeHead)) }
        }
        let loopback = try await server.listen()
        let stress = CancellationStress(
            calls: 200, seed: 6, cancelWithin: .milliseconds(80),
            endpoints: .standard(at: loopback.url, replying: ["now", "soon", "later", "redirect"]))
        // The manager is released with the last of its requests.
        #expect(await stress.run(with: SessionManager()).problems(for: 200) == [])
        await loopback.close()
    }
}
