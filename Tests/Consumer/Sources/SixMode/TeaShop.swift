// The client of the README.

import RESTClient

struct Tea: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

struct TeaShop: Sendable {
    var manager = SessionManager(baseURL: "https://api.example.com", interceptors: [.retry()])

    func teas() async throws -> [Tea] {
        try await MyRESTClient(manager.request("teas")).getAvailableItems()
    }
}
