import Foundation
import MockTransport
import RESTClient
import Testing

@testable import LeafShop

@Suite struct ShopManagerTests {
    @Test func `the manager of the app uses the server in the environment`() async throws {
        let server = MockServer {
            Route(.get, "/leaves") { Reply.json(["items": [["id": 1, "name": "Sencha"]]]) }
        }
        let loopback = try await server.listen()
        let manager = SessionManager.shop(environment: ["SHOP_URL": loopback.url.absoluteString])
        let leaves = try await LeafShop(manager: manager).leaves(matching: "sen")
        #expect(leaves == [Leaf(id: 1, name: "Sencha")])
    }

    /// Writes an archive with the leaves that match `sen`.
    private func writeArchive() throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har")
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: 0),
            request: HAR.Request(url: try #require(URL(string: "https://shop.example/leaves?q=sen"))),
            response: HAR.Response(
                status: 200, headers: ["Content-Type": "application/json"],
                chunks: [HAR.Chunk(data: Data(#"{"items":[{"id":1,"name":"Sencha"}]}"#.utf8))]))
        try HAR([entry]).write(to: file)
        return file
    }

    @Test func `the manager of the app uses a served archive in the environment`() async throws {
        let file = try writeArchive()
        defer { try? FileManager.default.removeItem(at: file) }
        let loopback = try await MockServer(har: HAR(contentsOf: file)).listen()
        let manager = SessionManager.shop(environment: ["SHOP_URL": loopback.url.absoluteString])
        let leaves = try await LeafShop(manager: manager).leaves(matching: "sen")
        #expect(leaves == [Leaf(id: 1, name: "Sencha")])
    }

    @Test func `a preview shows the leaves of an archive`() async throws {
        let file = try writeArchive()
        defer { try? FileManager.default.removeItem(at: file) }
        let shop = try ArchivePreviewShop(archive: file)
        #expect(try await shop.leaves(matching: "sen") == [Leaf(id: 1, name: "Sencha")])
    }

    @Test func `a preview shows the leaves of its server`() async throws {
        #expect(try await PreviewShop().leaves(matching: "sen") == [Leaf(id: 1, name: "Sencha")])
    }
}
