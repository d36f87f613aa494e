import Foundation
import RESTClient
import Testing

/// HTTPS and HTTP/2.
@Suite(.running(.selfSigned)) struct TLSTests {
    private let manager = SessionManager()

    @Test(.running(.trusted)) func `a list from a server with a trusted certificate is received`()
        async throws
    {
        let client = try MyRESTClient(url: Servers.trusted("/items.json"))
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
    }

    @Test(.running(.trusted)) func `a server with HTTP/2 is used with HTTP/2`() async throws {
        let client = try MyRESTClient(url: Servers.trusted("/protocol"))
        #expect(try await client.getAvailableItems() == ["HTTP/2.0"])
    }

    @Test(.running(.trusted)) func `a redirect from HTTPS to HTTP is an error`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.trusted("/downgrade")).response()
        }
        guard case .redirect(.refused(.insecure, _)) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [Servers.selfSigned, .expired, .wrongHost])
    func `an untrusted certificate is a TLS error`(server: Servers) async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(server("/items.json")).response()
        }
        #expect(error?.kind == .connection(.tls))
    }
}
