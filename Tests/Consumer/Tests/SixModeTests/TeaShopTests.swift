// The test of the README. There it imports the target `Shop`; here the client is in the target of the tests.

import MockTransport
import MockTransportTesting
import RESTClient
import Testing

@Test(.mocked) func `the teas of all pages are listed`() async throws {
    let teas = [Tea(id: 1, name: "Sencha"), Tea(id: 2, name: "Assam")]
    let server = MockServer {
        Route(.get, "https://api.example.com/teas", list: PagedList(of: teas, size: 1, by: .link)).called(2)
    }
    let shop = TeaShop(
        manager: SessionManager(baseURL: "https://api.example.com", configuration: server.configuration))
    #expect(try await shop.teas() == teas)
}
