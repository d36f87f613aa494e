import Foundation
import MockTransportTesting
import RESTClient
import Testing

/// Code to which no manager is passed.
private enum Catalog {
    static func teas() async throws -> [String] {
        try await MyRESTClient(url: "https://shop.example/items").getAvailableItems()
    }
}

@Suite struct DefaultManagerTests {
    @Test(.replay("shop")) func `a fixture answers the default manager`() async throws {
        #expect(try await Catalog.teas() == ["tea", "milk"])
        #expect(try MockServer.current.requests.count == 1)
    }

    @Test(arguments: 0..<16) func `tests in parallel have their own default`(number: Int) async throws {
        let server = MockServer { Route(.get, "/items") { Reply.json(["items": ["tea \(number)"]]) } }
        try await server.replacingDefaultSessionManager {
            await Task.yield()
            #expect(try await Catalog.teas() == ["tea \(number)"])
            let manager = SessionManager.default
            async let teas = Catalog.teas()
            async let isSame = SessionManager.default === manager
            let child = (try await teas, await isSame)
            #expect(child == (["tea \(number)"], true))
            let task = Task { (try await Catalog.teas(), SessionManager.default === manager) }
            let unstructured = try await task.value
            #expect(unstructured == (["tea \(number)"], true))
        }
        #expect(server.requests.count == 3)
    }

    @Test func `a given manager replaces the default while a closure runs`() async throws {
        let manager = SessionManager()
        let shared = SessionManager.default
        await SessionManager.withDefault(manager) {
            #expect(SessionManager.default === manager)
            await SessionManager.withDefault(shared) { #expect(SessionManager.default === shared) }
            let detached = await Task.detached { SessionManager.default === shared }.value
            #expect(detached)
        }
        #expect(SessionManager.default === shared)
    }

    @Test func `an error ends the replacement`() async throws {
        let shared = SessionManager.default
        await #expect(throws: CancellationError.self) {
            try await SessionManager.withDefault(SessionManager()) { throw CancellationError() }
        }
        #expect(SessionManager.default === shared)
    }

    @Test func `a manager of a server is released after the closure`() async throws {
        weak var manager: SessionManager?
        let server = MockServer { Route(.get, "/items") { Reply.json(["items": ["tea"]]) } }
        try await server.replacingDefaultSessionManager {
            _ = try await Catalog.teas()
            manager = SessionManager.default
            #expect(manager != nil)
        }
        #expect(manager == nil)
    }
}
