import Foundation
import MockTransportTesting
import RESTClient
import Testing

private let shopURL = URL(string: "https://shop.example/teas") ?? URL(filePath: "/")

/// The samples of the guide to recording.
@Suite struct ShopFixtureTests {
    @Test(.replay("shop")) func `the shop has tea`() async throws {
        let session = URLSession(configuration: try MockServer.current.configuration)
        let (data, _) = try await session.data(from: shopURL)
        #expect(String(decoding: data, as: UTF8.self).contains("tea"))
    }

    @Test(.replay("shop")) func `the default manager is answered`() async throws {
        #expect(try await SessionManager.default.request(shopURL).string().contains("tea"))
    }
}
