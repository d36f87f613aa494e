// Tests a client with a manager whose configuration contains a mock protocol.

import Foundation
import MockTransport
import RESTClient
import Testing

// snippet.hide
private let itemsURL = URL(string: "https://api.example.com/items")!

// snippet.show
@Test func `all items are listed`() async throws {
    let server = MockServer {
        Route(.get, "https://api.example.com/items") { Reply.json(["items": ["tea", "milk"]]) }
    }
    let manager = SessionManager(configuration: server.configuration)
    let items = try await MyRESTClient(url: itemsURL, manager: manager).getAvailableItems()
    #expect(items == ["tea", "milk"])
}

@Suite struct `Items by host` {
    let server = MockServer {
        Route(.get, "http://notNil/") { Reply.json(["items": ["a", "b", "c"]]) }
        Route(.get, "http://concepts/") { Reply.json(["concepts": ["a", "b"]]) }
        Route(.any) { Reply.text("GARBAGE") }
    }
    func client(_ host: String) -> MyRESTClient {
        let configuration = URLSessionConfiguration.ephemeral  // or simply: server.configuration
        configuration.protocolClasses?.insert(server.protocolClass, at: 0)
        return MyRESTClient(
            url: URL(string: "http://\(host)")!, manager: SessionManager(configuration: configuration))
    }

    @Test func `a list returns its items`() async throws {
        #expect(try await client("notNil").getAvailableItems() == ["a", "b", "c"])
    }
    @Test(arguments: ["nil", "concepts"])
    func `garbage and a wrong shape give nil`(host: String) async {
        let items = await withCheckedContinuation { done in
            client(host).getAvailableItems { done.resume(returning: $0) }
        }
        #expect(items == nil)
    }
    @Test func `the thrown error distinguishes them`() async {
        let garbage = await #expect(throws: RESTClientError.self) {
            try await client("nil").getAvailableItems()
        }
        #expect(garbage?.kind == .notJSON(found: "GARBAGE"))
        let shape = await #expect(throws: RESTClientError.self) {
            try await client("concepts").getAvailableItems()
        }
        #expect(shape?.kind == .wrongShape(path: "items", expected: .list, found: .keys(["concepts"])))
    }
}
// snippet.hide
