import RESTClientTestSupport
import Foundation
import Testing

/// Checks all behaviours with httpbin and nginx.
@Suite(.running(.httpbin)) struct ConformanceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let behaviour: Behaviour
        let server: Servers
        let kind: TestServer.Kind
        var testDescription: String { "\(kind.rawValue): \(behaviour)" }
    }

    static let cases = [(Servers.httpbin, TestServer.Kind.httpbin), (.nginx, .nginx)].flatMap {
        server, kind in
        Behaviour.all.filter { $0.exceptions[kind] == nil }.map {
            Case(behaviour: $0, server: server, kind: kind)
        }
    }

    @Test(arguments: cases) func `a real server behaves like the mock`(testCase: Case) async throws {
        try await testCase.behaviour.check(on: .external(testCase.kind, at: testCase.server("/")))
    }
}
