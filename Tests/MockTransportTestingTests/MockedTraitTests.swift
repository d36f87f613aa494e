import Foundation
import RESTClientHTTP
import MockTransportTesting
import Testing

@Suite struct MockedTraitTests {
    private func text(_ url: String, from server: MockServer) async throws -> String {
        let session = URLSession(configuration: server.configuration)
        let (data, _) = try await session.data(from: try #require(URL(string: url)))
        return String(decoding: data, as: UTF8.self)
    }

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
        let found = LockedState<[String]>([])
        await withKnownIssue {
            let error = await #expect(throws: TestError.self) {
                try await MockedTrait.mocked.provideScope(
                    for: #require(Test.current), testCase: Test.Case.current
                ) {
                    let server = MockServer {
                        Route("/unused") { Reply.text("tea") }
                        Route("/used") { Reply.text("tea") }
                    }
                    _ = try? await text("http://shop.example/used", from: server)
                    _ = try? await text("http://shop.example/other", from: server)
                    throw TestError()
                }
            }
            #expect(error != nil)
        } matching: { issue in
            found.withLock { $0.append(issue.comments.first?.rawValue ?? "") }
            return true
        }
        let messages = found.withLock { $0 }
        #expect(messages.count == 2)
        #expect(messages.first == #"Route("/unused") was not called, expected at least once"#)
        #expect(
            messages.last?.hasPrefix("GET http://shop.example/other matches none of the 2 routes") == true)
    }

    @Test func `every server of a test is verified`() async throws {
        let found = LockedState<[String]>([])
        try await withKnownIssue {
            try await MockedTrait.mocked.provideScope(
                for: #require(Test.current), testCase: Test.Case.current
            ) {
                let first = MockServer { Route("/a") { Reply.text("a") }.called(2) }
                let second = MockServer { Route("/b") { Reply.text("b") } }
                _ = try? await text("http://shop.example/a", from: first)
                _ = try? await text("http://shop.example/b", from: second)
                _ = try? await text("http://shop.example/c", from: second)
            }
        } matching: { issue in
            found.withLock { $0.append(issue.comments.first?.rawValue ?? "") }
            return true
        }
        let messages = found.withLock { $0 }
        #expect(messages.count == 2)
        #expect(messages.first == #"Route("/a") was called once, expected 2 times"#)
        #expect(messages.last?.hasPrefix("GET http://shop.example/c does not match the only route") == true)
    }
}
