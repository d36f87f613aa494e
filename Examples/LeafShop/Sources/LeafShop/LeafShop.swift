import RESTClient

nonisolated struct Leaf: Decodable, Equatable, Identifiable, Sendable {
    var id: Int
    var name: String
}

/// The client of a tea shop.
nonisolated struct LeafShop: Sendable {
    let manager: SessionManager

    func leaves(matching text: String) async throws -> [Leaf] {
        try await MyRESTClient(manager.request("leaves", query: ["q": text])).getAvailableItems()
    }
}
