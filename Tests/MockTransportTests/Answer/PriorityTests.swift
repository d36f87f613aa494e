import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

/// Priorities, limits and states of routes.
@Suite struct PriorityTests {
    private func shop(_ path: String, _ server: MockServer, method: String = "GET") async throws -> String {
        let (data, response) = try await server.data(
            URLRequest("http://shop.example/\(path)", method: method))
        return data.isEmpty ? "\(response.statusCode)" : String(decoding: data, as: UTF8.self)
    }

    @Test func `one line answers the first request with 503, whatever it is`() async throws {
        let server = MockServer {
            Route(.any) { Reply.status(503) }.limit(1).priority(.high)
            Route(.get, "/items") { Reply.text("tea") }
            Route(.get, "/items/new") { Reply.text("milk") }.optional()
        }
        #expect(try await shop("items/new", server) == "503")
        #expect(try await shop("items", server) == "tea")
        #expect(try await shop("items/new", server) == "milk")
        try server.verify()
    }

    @Test func `a priority counts more than specificity`() async throws {
        let server = MockServer {
            Route("/items") { Reply.text("low") }.priority(.low).optional()
            Route("/**") { Reply.text("normal") }.limit(1)
            Route("/*") { Reply.text("high") }.priority(.high).limit(1)
        }
        #expect(
            try await [shop("items", server), shop("items", server), shop("items", server)] == [
                "high", "normal", "low",
            ])
        try server.verify()
    }

    @Test func `a route with a state answers after the route that leads to it`() async throws {
        let server = MockServer {
            Route(.get, "/me") { Reply.text("unknown") }
            Route(.get, "/me") { Reply.text("Ann") }.when("signed in")
            Route(.post, "/login") { Reply.text("in") }.then("signed in")
            Route(.post, "/logout") { Reply.text("out") }.when("signed in").then("signed out")
        }
        await #expect(throws: MockServerError.self) { try await shop("logout", server, method: "POST") }
        var texts: [String] = []
        for (method, path) in [
            ("GET", "me"), ("POST", "login"), ("GET", "me"), ("POST", "logout"), ("GET", "me"),
        ] {
            texts.append(try await shop(path, server, method: method))
        }
        #expect(texts == ["unknown", "in", "Ann", "out", "unknown"])
        let error = await #expect(throws: MockServerError.self) {
            try await shop("logout", server, method: "POST")
        }
        #expect(
            error?.description.contains("state: expected \"signed in\", found \"signed out\"") == true,
            "\(String(describing: error))")
        server.reset()
        #expect(try await shop("me", server) == "unknown")
    }

    @Test func `a route with a limit leaves further requests to the next route`() async throws {
        let server = MockServer {
            Route("/items") {
                Reply.text("1")
                Reply.text("2")
            }.limit(2)
            Route("/items") { Reply.text("rest") }
        }
        var texts: [String] = []
        for _ in 0..<4 { texts.append(try await shop("items", server)) }
        #expect(texts == ["1", "2", "rest", "rest"])
        try server.verify()
    }

    @Test func `a limit of several tasks is never exceeded`() async throws {
        let server = MockServer {
            Route("/items") { Reply.text("limited") }.limit(10)
            Route("/items") { Reply.text("rest") }
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<40 { group.addTask { try await shop("items", server) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts.count { $0 == "limited" } == 10)
    }

    @Test func `a request after the limit of the only route is unmatched and says so`() async throws {
        let server = MockServer {
            Route("/items", fileID: "Shop/ShopTests.swift", line: 11) { Reply.text("tea") }.limit(1)
        }
        #expect(try await shop("items", server) == "tea")
        let error = await #expect(throws: MockServerError.self) { try await shop("items", server) }
        #expect(
            error?.description == """
                GET http://shop.example/items does not match the only route of the mock server:
                  Route("/items") at ShopTests.swift:11
                    calls: expected at most once, found one more
                Nothing was sent to the network. Add a route for it, or one that replies with Reply.passthrough.
                """)
    }
}
