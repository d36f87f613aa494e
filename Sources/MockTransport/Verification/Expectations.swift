/// What a server expects; outlives the server, so that a test may be over before it is asked.
package struct Expectations: Sendable {
    let router: Router
    let order: MockServer.Order
    let server: CodeLocation

    var verification: Verification { Verification(router.routes, router.past, order: order, server: server) }

    /// What is not as it was expected, each with its place.
    package var issues: [MockServerError.Issue] { verification.issues }
}

/// The servers made during a test, for those who verify them at its end.
package final class Roster: Sendable {
    /// The roster of the test that the current task belongs to.
    @TaskLocal package static var current: Roster?

    private let servers = LockedState<[Expectations]>([])

    package init() {}

    func add(_ server: Expectations) { servers.withLock { $0.append(server) } }

    /// What all of them have to say.
    package var issues: [MockServerError.Issue] { servers.withLock { $0 }.flatMap(\.issues) }
}
