import Foundation
import MockTransport
import RESTClient

/// A tea shop with a mock server, for previews.
nonisolated struct PreviewShop: Sendable {
    private let server = MockServer {
        Route(.get, "/leaves", .query("q", "slow")) { Reply.json(["items": []]).delay(.seconds(60)) }
        Route(.get, "/leaves", .query("q", "lost")) { Reply.fault(.refused) }
        Route(.get, "/leaves") { Reply.json(["items": [["id": 1, "name": "Sencha"]]]) }
    }

    func leaves(matching text: String) async throws -> [Leaf] {
        let manager = SessionManager(
            baseURL: URL(string: "https://shop.example"), configuration: server.configuration)
        return try await LeafShop(manager: manager).leaves(matching: text)
    }
}

nonisolated struct ArchivePreviewShop: Sendable {
    private let server: MockServer

    init(archive: URL) throws { server = MockServer(har: try HAR(contentsOf: archive)) }

    func leaves(matching text: String) async throws -> [Leaf] {
        let manager = SessionManager(
            baseURL: URL(string: "https://shop.example"), configuration: server.configuration)
        return try await LeafShop(manager: manager).leaves(matching: text)
    }
}
