import RESTClientTestingSupport
import Foundation
import Testing

/// Checks all behaviors with mock servers; `Tests/InteropTests` checks them with real ones.
@Suite struct ConformanceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let behavior: Behavior
        let kind: TestServer.Kind
        var testDescription: String { "\(kind.rawValue): \(behavior)" }
    }

    static let cases = [TestServer.Kind.inProcess, .loopback].flatMap { kind in
        Behavior.all.filter { $0.exceptions[kind] == nil }.map { Case(behavior: $0, kind: kind) }
    }

    @Test(arguments: cases) func `a mock server behaves like a real one`(testCase: Case) async throws {
        try await testCase.behavior.check(on: .start(testCase.kind))
    }

    @Test func `the documentation lists all exceptions with their reasons`() throws {
        // The guide lists the mock servers, and the page for contributors the real ones.
        let pages = [
            "Sources/MockTransport/MockTransport.docc/ServingOnASocket.md", "Documentation/Tests.md",
        ]
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let rows = try pages.flatMap {
            try String(contentsOf: root.appending(path: $0), encoding: .utf8).split(separator: "\n")
        }.filter { $0.hasPrefix("|") }
        for behavior in Behavior.all {
            for (kind, reason) in behavior.exceptions {
                let row = rows.first { $0.hasPrefix("| \(kind.rawValue) |") && $0.contains(reason) }
                #expect(row != nil, "\(kind): \(reason)")
            }
        }
    }

    @Test func `there are at least 80 behaviors with unique names`() {
        #expect(Behavior.all.count >= 80)
        #expect(Set(Behavior.all.map(\.name)).count == Behavior.all.count)
    }
}
