import RESTClientTestingSupport
import Foundation
import Testing

/// Checks all behaviors with httpbin and nginx.
@Suite(.running(.httpbin)) struct ConformanceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let behavior: Behavior
        let server: Servers
        let kind: TestServer.Kind
        var testDescription: String { "\(kind.rawValue): \(behavior)" }
    }

    static let cases = [(Servers.httpbin, TestServer.Kind.httpbin), (.nginx, .nginx)].flatMap {
        server, kind in
        Behavior.all.filter { $0.exceptions[kind] == nil }.map {
            Case(behavior: $0, server: server, kind: kind)
        }
    }

    @Test(arguments: cases) func `a real server behaves like the mock`(testCase: Case) async throws {
        try await testCase.behavior.check(on: .external(testCase.kind, at: testCase.server("/")))
    }
}
