import Foundation
import RESTClientHTTP
import MockTransportTesting
import Testing

func text(_ url: String, from server: MockServer) async throws -> String {
    let session = URLSession(configuration: server.configuration)
    let (data, _) = try await session.data(from: try #require(URL(string: url)))
    return String(decoding: data, as: UTF8.self)
}

/// Returns the messages of the issues that a test with a trait records. That of an error is empty.
func issues(
    _ trait: some TestTrait & TestScoping, of test: @concurrent @Sendable () async throws -> Void
) async throws -> [String] {
    let found = LockedState<[String]>([])
    try await withKnownIssue {
        try await trait.provideScope(
            for: #require(Test.current), testCase: Test.Case.current, performing: test)
    } matching: { issue in
        found.withLock { $0.append(issue.comments.first?.rawValue ?? "") }
        return true
    }
    return found.withLock { $0 }
}

@Suite struct MockedTraitTests {
    @Test(.mocked) func `a server with met expectations records no issue`() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.text("tea") }.called(2)
            Route(.get, "/other") { Reply.text("milk") }.optional()
        }
        #expect(try await text("http://shop.example/items", from: server) == "tea")
        #expect(try await text("http://shop.example/items", from: server) == "tea")
    }

    @Test func `an unused route records an issue at its line`() async throws {
        let line = LockedState<UInt>(0)
        try await withKnownIssue {
            try await MockedTrait.mocked.provideScope(
                for: #require(Test.current), testCase: Test.Case.current
            ) {
                line.withLock { $0 = #line + 1 }
                _ = MockServer { Route(.get, "/items") { Reply.text("tea") } }
            }
        } matching: { issue in
            issue.comments.first?.rawValue
                == #"Route(.get, "/items") was not called, expected at least once"#
                && issue.sourceLocation?.line == line.withLock { Int($0) }
                && issue.sourceLocation?.fileID == "MockTransportTestingTests/MockedTraitTests.swift"
        }
    }

    @Test func `a test that throws records its issues before the error`() async throws {
        struct TestError: Error {}
        let messages = try await issues(.mocked) {
            let server = MockServer {
                Route("/unused") { Reply.text("tea") }
                Route("/used") { Reply.text("tea") }
            }
            _ = try? await text("http://shop.example/used", from: server)
            _ = try? await text("http://shop.example/other", from: server)
            throw TestError()
        }
        #expect(messages.count == 3)
        #expect(messages.first == #"Route("/unused") was not called, expected at least once"#)
        #expect(messages[1].hasPrefix("GET http://shop.example/other matches none of the 2 routes"))
        #expect(messages.last == "")
    }

    @Test func `every server of a test is verified`() async throws {
        let messages = try await issues(.mocked) {
            let first = MockServer { Route("/a") { Reply.text("a") }.called(2) }
            let second = MockServer { Route("/b") { Reply.text("b") } }
            _ = try? await text("http://shop.example/a", from: first)
            _ = try? await text("http://shop.example/b", from: second)
            _ = try? await text("http://shop.example/c", from: second)
        }
        #expect(messages.count == 2)
        #expect(messages.first == #"Route("/a") was called once, expected 2 times"#)
        #expect(messages.last?.hasPrefix("GET http://shop.example/c does not match the only route") == true)
    }
}
