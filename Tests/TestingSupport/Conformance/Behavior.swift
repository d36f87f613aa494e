import RESTClient

/// A behavior of an HTTP server as seen by a client, to be checked with mock and real servers.
package struct Behavior: Sendable, CustomStringConvertible {
    /// A sentence such as "status 404 is received unchanged".
    package let name: String
    /// The servers that do not have the behavior, with the reason.
    package let exceptions: [TestServer.Kind: String]
    private let check: @Sendable (TestClient) async throws -> Void

    init(
        _ name: String, except exceptions: [TestServer.Kind: String] = [:],
        check: @escaping @Sendable (TestClient) async throws -> Void
    ) {
        self.name = name
        self.exceptions = exceptions
        self.check = check
    }

    package var description: String { name }

    package static let all: [Behavior] =
        statuses + headers + bodies + requests + redirects + cookies + timeouts + cancellation + connections

    /// Checks the behavior of `server`, and records deviations as issues of the current test.
    package func check(on server: TestServer) async throws {
        // Except for the behaviors with their own timeouts, a slow machine must not end a request.
        let manager = SessionManager(
            configuration: server.configuration,
            options: RequestOptions(timeouts: Timeouts(idle: .seconds(600))))
        try await check(TestClient(server: server, manager: manager))
        manager.cancelAll()
        await manager.shutdown()
    }
}
