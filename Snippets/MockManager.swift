// Tests a client through a manager whose configuration carries a mock protocol.

// snippet.hide
import Foundation
import MockTransport
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func example() async throws {
    // snippet.show
    let server = MockServer {
        Route(.get, "http://notNil/") { Reply.json(["items": ["a", "b", "c"]]) }
        Route(.get, "http://concepts/") { Reply.json(["concepts": ["a", "b"]]) }
        Route(.any) { Reply.text("GARBAGE") }
    }
    let configuration = URLSessionConfiguration.ephemeral  // or simply: server.configuration
    configuration.protocolClasses?.insert(server.protocolClass, at: 0)
    let manager = SessionManager(configuration: configuration)

    let client = MyRESTClient(url: URL(string: "http://notNil")!, manager: manager)
    print(try await client.getAvailableItems())  // [a, b, c]
    // snippet.hide
}
