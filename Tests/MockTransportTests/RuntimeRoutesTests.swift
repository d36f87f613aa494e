import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

/// Changes of the routes of a running server.
@Suite struct RuntimeRoutesTests {
    private let server = MockServer(fileID: "Shop/ShopTests.swift", line: 10) {
        Route(.get, "/items", fileID: "Shop/ShopTests.swift", line: 11) { Reply.text("tea") }
    }

    private func items() async throws -> String { try await server.text("http://shop.example/items") }

    private func issues() -> [String] {
        do {
            try server.verify()
            return []
        } catch { return (error as? MockServerError)?.issues.map(\.description) ?? ["\(error)"] }
    }

    @Test func `an added route takes precedence over an equally specific one`() async throws {
        #expect(try await items() == "tea")
        server.addRoutes { Route(.get, "/items") { Reply.text("milk") } }
        #expect(try await items() == "milk")
        server.addRoutes {
            Route(.get, "/items") { Reply.text("first") }
            Route(.get, "/items") { Reply.text("second") }.optional()
        }
        #expect(try await items() == "first")
        try server.verify()
    }

    @Test func `a server without routes answers what is enqueued, and refuses other requests`() async throws {
        let server = MockServer()
        server.enqueue(.text("tea"))
        #expect(try await server.text("http://shop.example/items") == "tea")
        await #expect(throws: (any Error).self) { try await server.text("http://shop.example/items") }
    }

    @Test func `a more specific route takes precedence over one that is added later`() async throws {
        server.addRoutes { Route("/**") { Reply.text("any") }.optional() }
        #expect(try await items() == "tea")
    }

    @Test func `removed routes no longer match and leave their requests to the others`() async throws {
        let added = server.addRoutes { Route(.get, "/items") { Reply.text("milk") } }
        #expect(try await items() == "milk")
        added.remove()
        added.remove()
        #expect(try await items() == "tea")
        server.removeRoutes()
        await #expect(throws: MockServerError.self) { try await items() }
    }

    @Test func `a route that is removed while a request is compared with it does not answer`() async throws {
        server.addRoutes {
            Route(
                .get, "/items",
                .satisfies("removed meanwhile") { [server] _ in
                    server.removeRoutes(named: "milk")
                    return true
                }
            ) { Reply.text("milk") }.named("milk")
        }
        #expect(try await items() == "tea")
    }

    @Test func `routes are removed and replaced by name`() async throws {
        server.addRoutes {
            Route(.get, "/login") { Reply.text("old") }.named("login")
            Route(.post, "/login") { Reply.text("old") }.named("login")
            Route(.get, "/logout") { Reply.text("out") }.named("logout").optional()
        }
        server.replaceRoutes(named: "login") { Route("/login") { Reply.text("new") }.named("login") }
        #expect(try await server.text("http://shop.example/login", method: "POST") == "new")
        server.removeRoutes(named: "login")
        await #expect(throws: MockServerError.self) { try await server.text("http://shop.example/login") }
        #expect(try await server.text("http://shop.example/logout") == "out")
        #expect(try await items() == "tea")
        #expect(issues().count == 1, "the unmatched request only: \(issues())")
    }

    @Test func `replaced routes need not be called, removed ones do`() async throws {
        server.replaceRoutes { Route("/other") { Reply.text("other") } }
        #expect(try await server.text("http://shop.example/other") == "other")
        #expect(issues() == [])
        let added = server.addRoutes {
            Route("/never", fileID: "Shop/ShopTests.swift", line: 20) { Reply.text("never") }
        }
        added.remove()
        #expect(issues() == [#"ShopTests.swift:20: Route("/never") was not called, expected at least once"#])
    }

    @Test func `routes of a scope are used only while it runs`() async throws {
        let inner = try await server.withRoutes {
            Route(.get, "/items") { Reply.status(503) }
        } perform: {
            try await server.data("http://shop.example/items").1.statusCode
        }
        #expect(inner == 503)
        #expect(try await items() == "tea")
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await server.withRoutes {
                Route(.get, "/items") { Reply.text("x") }
            } perform: {
                throw Stop()
            }
        }
        #expect(try await items() == "tea")
        #expect(issues().count == 1, "the route that the second scope did not use")
    }

    @Test func `enqueued replies answer the next requests in order, before any route`() async throws {
        server.enqueue(.text("1"), .text("2"))
        server.enqueue(.text("3"))
        server.enqueue(.text("a post"), for: .post)
        server.addRoutes { Route(.get, "/items") { Reply.text("high") }.priority(.high).optional() }
        server.removeRoutes(named: "none")
        #expect(try await items() == "1")
        #expect(try await server.text("http://other.example/x", method: "DELETE") == "2")
        #expect(try await items() == "3")
        #expect(try await items() == "high")
        #expect(try await server.text("http://other.example/y", method: "POST") == "a post")
        #expect(server.core.router.usages.count == 2, "used replies are released")
    }

    @Test func `an enqueued reply that repeats answers all further requests`() async throws {
        server.enqueue(.text("1"), .text("2").repeats())
        #expect(try await [items(), items(), items()] == ["1", "2", "2"])
    }

    @Test func `enqueued replies have no place in the order of the routes`() async throws {
        let server = MockServer(order: .asWritten) {
            Route("/login") { Reply.text("in") }
            Route("/items") { Reply.text("tea") }
        }
        server.enqueue(.text("first"), .text("third"))
        var texts: [String] = []
        for path in ["items", "login", "login", "items"] {
            texts.append(try await server.text("http://shop.example/\(path)"))
        }
        #expect(texts == ["first", "third", "in", "tea"])
        try server.verify()
    }

    @Test func `an unused enqueued reply is reported`() async throws {
        _ = try await items()
        server.enqueue(.text("1"), .text("2"), fileID: "Shop/ShopTests.swift", line: 20)
        _ = try await items()
        #expect(issues() == ["ShopTests.swift:20: enqueue(for: .any) was called once, expected 2 times"])
    }

    @Test func `a reset restores the routes, their replies and the requests`() async throws {
        let server = MockServer {
            Route(.get, "/items") {
                Reply.text("1")
                Reply.text("2")
            }
        }
        let added = server.addRoutes { Route("/other") { Reply.text("other") } }
        server.enqueue(.text("queued"))
        for _ in 0..<3 { _ = try? await server.text("http://shop.example/items") }
        _ = try? await server.text("http://shop.example/missing")
        server.reset()
        #expect(server.requests.isEmpty)
        await #expect(throws: MockServerError.self) { try await server.text("http://shop.example/other") }
        server.reset()
        server.addRoutes { Route("/other") { Reply.text("again") } }
        added.remove()
        #expect(try await server.text("http://shop.example/items") == "1")
        #expect(try await server.text("http://shop.example/other") == "again")
        try server.verify()
    }

    @Test func `the reply of a route that was removed and added again is the new one`() async throws {
        for text in ["1", "2", "3"] {
            let added = server.addRoutes { Route(.get, "/items") { Reply.text(text) } }
            #expect(try await items() == text)
            #expect(try await items() == text)
            added.remove()
        }
    }

    @Test func `an unused route names the route that took its requests`() async throws {
        server.addRoutes {
            Route(.get, "/items", fileID: "Shop/ShopTests.swift", line: 20) { Reply.text("milk") }
        }
        for _ in 0..<2 { _ = try await items() }
        #expect(
            issues() == [
                """
                ShopTests.swift:11: Route(.get, "/items") was not called, expected at least once; \
                2 requests that it matches went to Route(.get, "/items") at ShopTests.swift:20
                """
            ])
    }

    @Test func `requests before a route was added are not compared with it`() async throws {
        _ = try await items()
        server.addRoutes { Route("/**", fileID: "Shop/ShopTests.swift", line: 20) { Reply.text("milk") } }
        #expect(issues() == [#"ShopTests.swift:20: Route("/**") was not called, expected at least once"#])
    }

    @Test func `routes can change while requests arrive`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    if number % 4 == 0 {
                        let added = server.addRoutes {
                            Route(.get, "/items") { Reply.text("tea") }.optional()
                        }
                        await Task.yield()
                        added.remove()
                    } else {
                        let text = try await items()
                        #expect(text == "tea")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 30)
    }

    @Test func `a socket serves routes that are added later`() async throws {
        let loopback = try await server.listen()
        server.enqueue(.text("queued"))
        for expected in ["queued", "tea"] {
            #expect(try await loopback.reply(to: "items").text == expected)
        }
        await loopback.close()
    }
}
