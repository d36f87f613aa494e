import RESTClient

/// One thing that a server does and a client sees, whichever server it is.
package struct Behaviour: Sendable, CustomStringConvertible {
    /// A sentence, such as "a 404 arrives as it is".
    package let name: String
    /// Where it is not to be had, and why; everywhere else the same is expected.
    package let exceptions: [Target.Kind: String]
    private let check: @Sendable (Subject) async throws -> Void

    init(
        _ name: String, except exceptions: [Target.Kind: String] = [:],
        check: @escaping @Sendable (Subject) async throws -> Void
    ) {
        self.name = name
        self.exceptions = exceptions
        self.check = check
    }

    package var description: String { name }

    /// All of them.
    package static let all: [Behaviour] =
        statuses + headers + bodies + requests + redirects + cookies + time + cancellation + connections

    /// Looks whether `target` does it; what it does otherwise is recorded as an issue of the current test.
    package func check(on target: Target) async throws {
        let manager = SessionManager(configuration: target.configuration)
        try await check(Subject(target: target, manager: manager))
        manager.cancelAll()
        await manager.shutdown()
    }
}
