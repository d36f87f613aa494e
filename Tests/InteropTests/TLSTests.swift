import Foundation
import RESTClient
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// HTTPS and HTTP/2.
@Suite(.running(.selfSigned)) struct TLSTests {
    private let manager = SessionManager()

    @Test(.running(.trusted))
    func `a list from a server with a trusted certificate is received`() async throws {
        let client = try MyRESTClient(url: Servers.trusted("/items.json"))
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
    }

    @Test(.running(.trusted)) func `a server with HTTP/2 is used with HTTP/2`() async throws {
        let client = try MyRESTClient(url: Servers.trusted("/protocol"))
        #expect(try await client.getAvailableItems() == ["HTTP/2.0"])
    }

    @Test(.running(.trusted))
    func `the connection has the time of TLS and the version of the protocol`() async throws {
        let url = try Servers.trusted("/items.json")
        let first = try await manager.request(url).response().attempts.first?.connection
        #expect(first?.httpVersion == "HTTP/2")
        #expect(first?.secureConnection ?? .zero > .zero)
        let second = try await manager.request(url).response().attempts.first?.connection
        #expect(second?.isReused == true)
        #expect(second?.secureConnection == nil)
    }

    @Test(.running(.trusted)) func `a redirect from HTTPS to HTTP is an error`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.trusted("/downgrade")).response()
        }
        guard case .redirect(.refused(.insecure, _)) = error?.kind else { throw try #require(error) }
    }

    @Test(arguments: [Servers.selfSigned, .expired, .wrongHost])
    func `an untrusted certificate is a TLS error`(server: Servers) async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(server("/items.json")).response()
        }
        #expect(error?.kind == .connection(.tls))
    }

    // MARK: Options of connections

    private static let needsLibCurl: Comment = "Apple platforms have none of these options"

    private func response(_ url: URL, _ options: ConnectionOptions) async throws -> DataResponse {
        try await SessionManager(connection: options).request(url).response()
    }

    private func body(_ response: DataResponse?) -> String {
        String(decoding: response?.body ?? Data(), as: UTF8.self)
    }

    private func failure(_ url: URL, _ options: ConnectionOptions) async throws -> RESTClientError {
        try #require(await #expect(throws: RESTClientError.self) { try await response(url, options) })
    }

    @Test(.linuxOnly(needsLibCurl))
    func `the authorities of a file or a folder replace those of the system`() async throws {
        let url = try Servers.selfSigned("/items.json")
        let file = ConnectionOptions(caFile: try Servers.certificate("self-signed.pem"))
        let folder = ConnectionOptions(caFolder: try Servers.certificate("authorities"))
        for options in [file, folder] {
            #expect(try await response(url, options).status == 200)
            let error = try await failure(Servers.mutual("/items.json"), options)
            #expect(error.kind == .connection(.tls))
            let hint =
                "check the certificate of the server; if an authority of your own has issued it, set ConnectionOptions.caFile; if the system trusts no authority, install ca-certificates"
            #expect(error.hint == hint)
        }
    }

    @Test(.linuxOnly(needsLibCurl)) func `a client authenticates with its certificate`() async throws {
        let url = try Servers.mutual("/client")
        var options = ConnectionOptions(caFile: try Servers.certificate("ca.pem"))
        // nginx accepts the connection.
        let missing = try await failure(url, options)
        #expect(missing.response?.status == 400)
        #expect(body(missing.response).contains("No required SSL certificate was sent"))
        options.clientCertificate = try Servers.certificate("client.pem")
        options.clientKey = try Servers.certificate("client.key")
        let response = try await response(url, options)
        #expect(body(response) == #"{"items":["CN=tea"]}"#)
        #expect(try await self.response(Servers.strict("/"), options).status == 200)
        options.clientKey = try Servers.certificate("encrypted.key")
        options.keyPassword = "tea"
        #expect(try await self.response(url, options).status == 200)
    }

    @Test(.linuxOnly(needsLibCurl), arguments: [nil, "coffee"])
    func `a key that cannot be decrypted is an error`(password: String?) async throws {
        let error = try await failure(
            Servers.mutual("/client"),
            ConnectionOptions(
                caFile: Servers.certificate("ca.pem"), clientCertificate: Servers.certificate("client.pem"),
                clientKey: Servers.certificate("encrypted.key"), keyPassword: password))
        #expect(error.kind == .connection(.tls))
        #expect(error.hint == "check ConnectionOptions.clientCertificate, its key and its password")
        #expect(error.message.contains("/encrypted.key"))
    }

    @Test(.linuxOnly(needsLibCurl))
    func `a server that requires a certificate is a TLS error`() async throws {
        let options = ConnectionOptions(caFile: try Servers.certificate("ca.pem"))
        let error = try await failure(Servers.strict("/"), options)
        #expect(error.kind == .connection(.tls))
        #expect(error.hint == "set ConnectionOptions.clientCertificate")
    }

    @Test(.linuxOnly(needsLibCurl)) func `only a server with a pinned key is accepted`() async throws {
        let pin = try String(contentsOfFile: Servers.certificate("trusted.pin"), encoding: .utf8)
        let wrong = "sha256//\(String(repeating: "A", count: 43))="
        let right = "sha256//\(pin.trimmingCharacters(in: .whitespacesAndNewlines))"
        var options = ConnectionOptions(
            caFile: try Servers.certificate("ca.pem"), pinnedPublicKeys: [wrong, right])
        let url = try Servers.mutual("/")
        // The handshake was successful.
        #expect(try await failure(url, options).response?.status == 400)
        options.pinnedPublicKeys = [wrong]
        let error = try await failure(url, options)
        #expect(error.kind == .connection(.tls))
        #expect(error.message.contains("pinned public key"))
        #expect(error.hint == "check the server, and ConnectionOptions.pinnedPublicKeys")
    }

    @Test(.linuxOnly(needsLibCurl)) func `the authorities apply to an https proxy`() async throws {
        let proxy = try Servers.selfSigned("/").absoluteString
        let url = try #require(URL(string: "http://tea.invalid/items.json"))
        var options = ConnectionOptions(proxy: proxy)
        #expect(try await failure(url, options).kind == .connection(.tls))
        options.caFile = try Servers.certificate("self-signed.pem")
        #expect(try await response(url, options).status == 200)
    }

    @Test(.linuxOnly(needsLibCurl)) func `a tunnel through a proxy is encrypted`() async throws {
        let port = try #require(Servers.wrongHost("/").port)
        let proxy = try RawServer.serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.tunnel(to: port)
        }
        let url = try #require(URL(string: "https://elsewhere.example:\(port)/items.json"))
        let options = ConnectionOptions(
            caFile: try Servers.certificate("ca.pem"), proxy: "http://127.0.0.1:\(proxy.port)")
        #expect(try await response(url, options).status == 200)
        #expect(proxy.requests.first?.hasPrefix("CONNECT elsewhere.example:\(port) HTTP/1.1\r\n") == true)
    }
}
