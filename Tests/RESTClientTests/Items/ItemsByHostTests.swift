import Foundation
import MockTransport
import RESTClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct `Items by host` {
    let server = MockServer {
        Route(.get, "http://notNil/") { Reply.json(["items": ["a", "b", "c"]]) }
        Route(.get, "http://concepts/") { Reply.json(["concepts": ["a", "b"]]) }
        Route(.any) { Reply.text("GARBAGE") }
    }

    func client(_ host: String) throws -> MyRESTClient {
        let configuration = URLSessionConfiguration.ephemeral  // or simply: server.configuration
        configuration.protocolClasses?.insert(server.protocolClass, at: 0)
        let url = try #require(URL(string: "http://\(host)"))
        return MyRESTClient(url: url, manager: SessionManager(configuration: configuration))
    }

    @Test func `a list gives its items`() async throws {
        #expect(try await client("notNil").getAvailableItems() == ["a", "b", "c"])
    }

    @Test(arguments: ["nil", "concepts"])
    func `garbage and a wrong shape give nil`(host: String) async throws {
        let client = try client(host)
        let items = await withCheckedContinuation { done in
            client.getAvailableItems { done.resume(returning: $0) }
        }
        #expect(items == nil)
    }

    @Test func `the completion gets the items of a list`() async throws {
        let client = try client("notNil")
        let items = await withCheckedContinuation { done in
            client.getAvailableItems { done.resume(returning: $0) }
        }
        #expect(items == ["a", "b", "c"])
    }

    @Test func `the thrown error tells them apart`() async throws {
        let garbage = try client("nil")
        let first = await #expect(throws: RESTClientError.self) { try await garbage.getAvailableItems() }
        #expect(first?.kind == .notJSON(found: "GARBAGE"))

        let concepts = try client("concepts")
        let second = await #expect(throws: RESTClientError.self) { try await concepts.getAvailableItems() }
        #expect(second?.kind == .wrongShape(path: "items", expected: "a list", found: "concepts"))
    }
}
