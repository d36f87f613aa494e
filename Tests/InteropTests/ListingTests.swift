import Foundation
import RESTClient
import Testing

/// Listings from nginx and Python's http.server.
@Suite(.running(.nginx)) struct ListingTests {
    @Test(arguments: [Servers.nginx, .python])
    func `a list returns its items`(server: Servers) async throws {
        #expect(try await MyRESTClient(url: server("/items.json")).getAvailableItems() == ["a", "b", "c"])
    }

    @Test func `the completion handler receives the items`() async throws {
        let client = try MyRESTClient(url: Servers.nginx("/items.json"))
        let items = await withCheckedContinuation { done in
            client.getAvailableItems { done.resume(returning: $0) }
        }
        #expect(items == ["a", "b", "c"])
    }

    @Test(arguments: ["/garbage.txt", "/concepts.json", "/missing-page", "/gone", "/unauthorized"])
    func `the completion handler receives nil for a response without items`(path: String) async throws {
        let client = try MyRESTClient(url: Servers.nginx(path))
        let items = await withCheckedContinuation { done in
            client.getAvailableItems { done.resume(returning: $0) }
        }
        #expect(items == nil)
    }

    @Test func `the error distinguishes invalid JSON from JSON of another shape`() async throws {
        let garbage = await #expect(throws: RESTClientError.self) {
            try await MyRESTClient(url: Servers.nginx("/garbage.txt")).getAvailableItems()
        }
        #expect(garbage?.kind == .notJSON(found: "GARBAGE"))
        let shape = await #expect(throws: RESTClientError.self) {
            try await MyRESTClient(url: Servers.nginx("/concepts.json")).getAvailableItems()
        }
        guard case .wrongShape(path: "items", expected: .list, _) = shape?.kind else {
            Issue.record("\(String(describing: shape))")
            return
        }
    }

    @Test func `a gzip list is decoded`() async throws {
        #expect(try await MyRESTClient(url: Servers.nginx("/gzip/items.json")).getAvailableItems().count == 3)
    }

    @Test func `a relative redirect is resolved and followed`() async throws {
        let client = try MyRESTClient(url: Servers.nginx("/a/b/relative"))
        #expect(try await client.getAvailableItems().count == 3)
    }

    @Test func `a list of two million items is complete`() async throws {
        let items = try await MyRESTClient(url: Servers.nginx("/big/items.json")).getAvailableItems()
        #expect(items.count == 2_000_000)
        #expect(items.first == "item 0")
        #expect(items.last == "item 1999999")
    }
}
