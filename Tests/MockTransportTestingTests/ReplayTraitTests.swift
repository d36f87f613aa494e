import Foundation
import MockTransportTesting
import RESTClientHTTP
import Testing
import XCTest

@Suite struct ReplayTraitTests {
    @Test(.replay("shop")) func `a fixture beside the test is replayed`() async throws {
        let server = try MockServer.current
        #expect(try await text("https://shop.example/items", from: server) == #"{"items":["tea","milk"]}"#)
    }

    @Test(.replay("shop"), arguments: [1, 2])
    func `each test case has its own server`(number: Int) async throws {
        #expect(try MockServer.current.requests.isEmpty)
        _ = try await text("https://shop.example/items", from: try MockServer.current)
    }

    @Test(.replay("shop", matching: .ignoring(.host)))
    func `the rules for requests can be loosened`() async throws {
        #expect(try await text("http://localhost/items", from: try MockServer.current).contains("tea"))
    }

    @Test
    func `a request that is not in the fixture records an issue, even if the test throws`() async throws {
        let messages = try await issues(.replay("shop")) {
            _ = try? await text("https://shop.example/gone", from: try MockServer.current)
            throw CancellationError()
        }
        #expect(messages.contains { $0.hasPrefix("GET https://shop.example/gone ") })
    }

    @Test func `an issue masks the values that the fixture masks`() async throws {
        let messages = try await issues(.replay("shop", masking: .members("email"))) {
            let server = try MockServer.current
            server.addRoutes { Route("/members", .query("email", "x@y.z")) { Reply.text("tea") } }
            _ = try? await text("https://shop.example/members/ann@b.c?email=ann@b.c", from: server)
        }
        #expect(messages.contains { $0.hasPrefix("GET https://shop.example/members/***?email=*** ") })
        #expect(!messages.contains { $0.contains("ann@b.c") }, "\(messages)")
    }

    @Test func `a missing fixture fails the test before it runs`() async throws {
        let error = await #expect(throws: MockServerError.self) {
            try await ReplayTrait.replay("missing", mode: .never).provideScope(
                for: #require(Test.current), testCase: Test.Case.current
            ) { Issue.record("the test ran") }
        }
        #expect(error?.description.contains("Fixtures/missing.har") == true)
    }

    @Test func `there is no current server without the trait`() {
        let error = #expect(throws: MockServerError.self) { try MockServer.current }
        #expect(
            error?.description == "MockServer.current is available only in a test with the trait .replay(…)")
    }
}

final class FixtureInXCTestTests: XCTestCase {
    func testFixtureBesideTheTestIsReplayed() async throws {
        let server = try MockServer(fixture: "shop")
        let session = URLSession(configuration: server.configuration)
        let url = try XCTUnwrap(URL(string: "https://shop.example/items"))
        let (data, _) = try await session.data(from: url)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), #"{"items":["tea","milk"]}"#)
    }
}
