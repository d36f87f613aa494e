import RESTClientTestSupport
import Foundation
import Testing

/// The same expectations of every target; those that are not ours run in `Tests/InteropTests`.
@Suite struct ConformanceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let behaviour: Behaviour
        let kind: Target.Kind
        var testDescription: String { "\(kind.rawValue): \(behaviour)" }
    }

    static let cases = [Target.Kind.inProcess, .loopback].flatMap { kind in
        Behaviour.all.filter { $0.exceptions[kind] == nil }.map { Case(behaviour: $0, kind: kind) }
    }

    @Test(arguments: cases) func `a mock behaves like a server`(one: Case) async throws {
        try await one.behaviour.check(on: .made(one.kind))
    }

    @Test func `the documentation lists what differs, with the reason`() throws {
        let article = "Sources/MockTransport/MockTransport.docc/SameMockOnTheWire.md"
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let text = try String(contentsOf: root.appending(path: article), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
        for behaviour in Behaviour.all {
            for (kind, reason) in behaviour.exceptions {
                let row = rows.first { $0.hasPrefix("| \(kind.rawValue) |") && $0.contains(reason) }
                #expect(row != nil, "\(kind): \(reason)")
            }
        }
    }

    @Test func `there are many behaviours, each with a name of its own`() {
        #expect(Behaviour.all.count >= 80)
        #expect(Set(Behaviour.all.map(\.name)).count == Behaviour.all.count)
    }
}
