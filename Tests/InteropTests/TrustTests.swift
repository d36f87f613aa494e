import Foundation
import RESTClient
import Testing

/// https and HTTP/2.
@Suite(.running(.selfSigned)) struct TrustTests {
    private let manager = SessionManager()

    @Test(.running(.trusted)) func `a trusted certificate lists`() async throws {
        let client = try MyRESTClient(url: Servers.trusted("/items.json"))
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
    }

    @Test(.running(.trusted)) func `HTTP/2 is spoken`() async throws {
        let client = try MyRESTClient(url: Servers.trusted("/protocol"))
        #expect(try await client.getAvailableItems() == ["HTTP/2.0"])
    }

    @Test(.running(.trusted)) func `a redirect that would drop encryption is refused`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.trusted("/downgrade")).response()
        }
        guard case .redirect(.refused(.insecure, _)) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [Servers.selfSigned, .expired, .wrongHost])
    func `another certificate is an error of TLS`(server: Servers) async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(server("/items.json")).response()
        }
        #expect(error?.kind == .connection(.tls))
    }
}
