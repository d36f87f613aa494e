import MockTransport
import RESTClient
import XCTest

@testable import LeafShop

final class LeafShopXCTests: XCTestCase {
    func testLeavesAreFoundByName() async throws {
        let server = MockServer {
            Route(.get, "/leaves", .query("q", "sen")) {
                Reply.json(["items": [["id": 1, "name": "Sencha"]]])
            }
        }
        let manager = SessionManager(
            baseURL: URL(string: "https://shop.example"), configuration: server.configuration)
        let leaves = try await LeafShop(manager: manager).leaves(matching: "sen")
        XCTAssertEqual(leaves, [Leaf(id: 1, name: "Sencha")])
        try server.verify()
    }
}
