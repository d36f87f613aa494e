import RESTClientTestSupport
import Foundation
import Testing

/// What the mocks promise, looked for on servers that are not ours.
@Suite(.running(.httpbin)) struct ConformanceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let behaviour: Behaviour
        let server: Servers
        let kind: Target.Kind
        var testDescription: String { "\(kind.rawValue): \(behaviour)" }
    }

    static let cases = [(Servers.httpbin, Target.Kind.httpbin), (.nginx, .nginx)].flatMap { server, kind in
        Behaviour.all.filter { $0.exceptions[kind] == nil }.map {
            Case(behaviour: $0, server: server, kind: kind)
        }
    }

    @Test(arguments: cases) func `a real server behaves like the mock`(one: Case) async throws {
        try await one.behaviour.check(on: .real(one.kind, at: one.server("/")))
    }
}
