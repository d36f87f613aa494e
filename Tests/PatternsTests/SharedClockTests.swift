import Foundation
import MockTransport
import RESTClient
import Testing

/// A server with a virtual clock, and managers with the same clock or another.
@Suite struct SharedClockTests {
    private func load(_ server: MockServer, _ path: String, clock: any Clock<Duration>) async throws {
        let manager = SessionManager(configuration: server.configuration, clock: clock)
        _ = try await manager.request("http://shop.example/\(path)").data()
    }

    private func server(_ clock: any Clock<Duration>) -> MockServer {
        MockServer(clock: clock) {
            Route("/delayed") { Reply.text("tea").delay(.seconds(5)) }.optional()
            Route("/now") { Reply.text("tea") }.optional()
        }
    }

    @Test func `a delay on the clock of the server alone is reported`() async throws {
        let server = server(VirtualClock())
        try await load(server, "now", clock: ContinuousClock())
        try server.verify()
        try await load(server, "delayed", clock: ContinuousClock())
        let error = #expect(throws: MockServerError.self) { try server.verify() }
        #expect(
            error?.issues.map(\.message) == [
                """
                GET http://shop.example/delayed took 5.0 seconds on the virtual clock of the server, but the \
                SessionManager has another clock, on which no time passed. Pass the same clock to both, so that timeouts \
                and delays are consistent.
                """
            ])
    }

    @Test func `a delay on a shared clock is not reported`() async throws {
        let clock = VirtualClock()
        let server = server(clock)
        try await load(server, "delayed", clock: clock)
        try server.verify()
    }

    @Test(.timeLimit(.minutes(1)), arguments: [nil, VirtualClock()])
    func `a stalled reply that no timeout can end fails`(serverClock: VirtualClock?) async throws {
        let server = MockServer(clock: serverClock ?? ContinuousClock()) {
            Route("/tea") { Reply.fault(.stall(.beforeHead)) }
        }
        let manager = SessionManager(
            configuration: server.configuration, clock: VirtualClock(handlerLimit: .milliseconds(1)))
        let message = """
            GET http://shop.example/tea: the reply stalls, and no timeout can end it: the SessionManager has another \
            clock than the server, a VirtualClock on which no task waits. Pass the same clock to both: \
            MockServer(clock: clock).
            """
        await #expect(throws: RESTClientError.self) {
            try await manager.request("http://shop.example/tea").data()
        }
        let error = #expect(throws: MockServerError.self) { try server.verify() }
        #expect(error?.issues.map(\.message) == [message])
    }

    @Test func `a delay for a plain session is not reported`() async throws {
        let server = server(VirtualClock())
        let session = URLSession(configuration: server.configuration)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "http://shop.example/delayed"))
        _ = try await session.data(from: url)
        try server.verify()
    }
}
