// Apple platforms have none of the options.
#if canImport(FoundationNetworking)
import Foundation
import RESTClient
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// The options of connections. `TLSTests` of `Tests/InteropTests` has those of certificates.
@Suite(.hangLimit) struct ConnectionOptionsTests {
    private static let tea = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea"
    private static let serveTea: @Sendable (RawServer.Connection) -> Void = { connection in
        while !connection.readRequest().isEmpty { connection.send(tea) }
    }

    private static func text(
        _ url: String, configuration: URLSessionConfiguration = .ephemeral, _ options: ConnectionOptions
    ) async throws -> String {
        try await SessionManager(configuration: configuration, connection: options).request(url).string()
    }

    private static func failure(_ url: String, _ options: ConnectionOptions) async -> RESTClientError? {
        await #expect(throws: RESTClientError.self) { try await text(url, options) }
    }

    // MARK: Addresses

    @Test func `requests are sent to a Unix socket`() async throws {
        let directory = try ScratchDirectory()
        let path = directory.url.appending(path: "socket").path(percentEncoded: false)
        let server = try RawServer.serving(at: .unix(path: path), Self.serveTea)
        // The proxy of the configuration is not used.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": 1]
        let options = ConnectionOptions(unixSocket: path)
        #expect(try await Self.text("http://localhost/teas", configuration: configuration, options) == "tea")
        #expect(server.requests.first?.hasPrefix("GET /teas HTTP/1.1\r\nHost: localhost\r\n") == true)
        // Late bytes cannot be found on its connections, which are not used again.
        let manager = SessionManager(connection: options)
        for _ in 0..<2 { #expect(try await manager.request("http://localhost/").string() == "tea") }
        #expect(server.connections == 3)
    }

    @Test func `a Unix socket without a server is a failed connection`() async throws {
        let error = await Self.failure("http://localhost/", ConnectionOptions(unixSocket: "/nowhere/socket"))
        #expect(error?.kind == .connection(.refused))
        #expect(
            error?.message.contains("cannot connect to /nowhere/socket: No such file or directory") == true)
    }

    @Test func `the address of a host is not looked up`() async throws {
        let server = try RawServer.serving(Self.serveTea)
        let url = "http://tea.invalid:\(server.port)/"
        let options = ConnectionOptions(addresses: ["tea.invalid:\(server.port):127.0.0.1"])
        #expect(try await Self.text(url, options) == "tea")
        #expect(server.requests.first?.contains("Host: tea.invalid:\(server.port)\r\n") == true)
    }

    /// Returns servers that listen at 127.0.0.1 and ::1 on the same port, and answer with the version of the address.
    private static func twoServers() throws -> [RawServer] {
        func serve(_ text: String) -> @Sendable (RawServer.Connection) -> Void {
            { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(text)")
            }
        }
        for _ in 0..<20 {
            let server = try RawServer.serving(serve("v4"))
            guard let other = try? RawServer.serving(at: .ipv6(port: server.port), serve("v6")) else {
                continue
            }
            return [server, other]
        }
        throw POSIXError(.EADDRNOTAVAIL)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/net/if_inet6"), "needs IPv6"))
    func `one version of the Internet Protocol is used`() async throws {
        let servers = try Self.twoServers()
        let url = "http://localhost:\(servers[0].port)/"
        #expect(try await Self.text(url, ConnectionOptions(ipVersion: .v4)) == "v4")
        #expect(try await Self.text(url, ConnectionOptions(ipVersion: .v6)) == "v6")
    }

    @Test func `connections are not shared by managers with other options`() async throws {
        let server = try RawServer.serving(Self.serveTea)
        let url = "http://tea.invalid:\(server.port)/"
        let addresses = ["tea.invalid:\(server.port):127.0.0.1"]
        let managers = [
            SessionManager(connection: ConnectionOptions(addresses: addresses)),
            SessionManager(connection: ConnectionOptions(addresses: addresses, usesHTTP1Only: true)),
        ]
        for manager in managers + managers { #expect(try await manager.request(url).string() == "tea") }
        #expect(server.connections == 2)
    }

    // MARK: Timeouts

    @Test func `a connection that is not opened in time is a timeout`() async throws {
        let server = try RawServer { _ in [.silence] }
        // The time includes the TLS handshake, which the server does not answer.
        let url = "https://127.0.0.1:\(server.port)/"
        let error = await Self.failure(url, ConnectionOptions(connectTimeout: .milliseconds(50)))
        #expect(error?.kind == .timedOut(.connect))
        #expect(error?.hint == "try again later, or increase ConnectionOptions.connectTimeout")
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)])
    func `any duration is accepted`(timeout: Duration) async throws {
        let server = try RawServer.serving(Self.serveTea)
        let options = ConnectionOptions(unixSocket: "/nowhere/socket", connectTimeout: timeout)
        let error = await Self.failure("http://127.0.0.1:\(server.port)/", options)
        // A busy processor exceeds the shortest time, which is 1 ms.
        #expect([.connection(.refused), timeout > .zero ? nil : .timedOut(.connect)].contains(error?.kind))
    }

    // MARK: Invalid options

    private static let unreadable = "cannot read /nowhere: No such file or directory"

    @Test(
        arguments: [
            (ConnectionOptions(caFile: "/nowhere"), "caFile: \(unreadable)"),
            (ConnectionOptions(caFolder: "/nowhere"), "caFolder: \(unreadable)"),
            (ConnectionOptions(clientCertificate: "/nowhere"), "clientCertificate: \(unreadable)"),
            (
                ConnectionOptions(clientCertificate: "/dev/null", clientKey: "/nowhere"),
                "clientKey: \(unreadable)"
            ),
            (ConnectionOptions(clientKey: "/dev/null"), "clientKey: needs clientCertificate"),
            (ConnectionOptions(keyPassword: "a"), "keyPassword: needs clientCertificate"),
            (ConnectionOptions(pinnedPublicKeys: ["a"]), "pinnedPublicKeys: a key begins with sha256//"),
            (ConnectionOptions(unixSocket: "/a", proxy: "b:1"), "unixSocket: cannot be combined with proxy"),
        ] as [(ConnectionOptions, String)])
    func `an invalid option is an error that names it`(options: ConnectionOptions, text: String) async throws
    {
        let server = try RawServer.serving(Self.serveTea)
        let error = await Self.failure("http://127.0.0.1:\(server.port)/", options)
        #expect(error?.kind == .invalidRequest(.rejected("ConnectionOptions.\(text)")))
        #expect(server.connections == 0)
    }

    @Test(arguments: ["ftp://u:secret@127.0.0.1", "http://u:secret@", "secret://u:secret@[", "http://"])
    func `an invalid proxy is an error without its password`(proxy: String) async throws {
        let error = await Self.failure("http://127.0.0.1:1/", ConnectionOptions(proxy: proxy))
        let text = "ConnectionOptions.proxy: needs a URL such as http://HOST:PORT or socks5h://HOST:PORT"
        #expect(error?.kind == .invalidRequest(.rejected(text)))
    }

    @Test(arguments: [
        "socks5h://u:p%0a@127.0.0.1:1", "http://u%00:p@127.0.0.1:1", "http://u:p\n@127.0.0.1:1",
        "http://u%FF:p%0A@127.0.0.1:1", "http://u:%7fp@127.0.0.1:1",
    ])
    func `a proxy with a control character is not bypassed`(proxy: String) async throws {
        let server = try RawServer.serving(Self.serveTea)
        let error = await Self.failure("http://127.0.0.1:\(server.port)/", ConnectionOptions(proxy: proxy))
        let text = "ConnectionOptions.proxy: the URL of the proxy contains a control character"
        #expect(error?.kind == .invalidRequest(.rejected(text)))
        #expect(server.connections == 0)
    }

    @Test func `an invalid address of a host is an error that contains it`() async throws {
        let error = await Self.failure("http://127.0.0.1:1/", ConnectionOptions(addresses: ["tea.invalid"]))
        guard case .invalidRequest(.rejected(let text)) = error?.kind else { throw try #require(error) }
        #expect(text.contains("tea.invalid"))
    }

    // MARK: Proxies

    @Test(arguments: ["http://", ""]) func `a request is sent through a proxy`(scheme: String) async throws {
        let proxy = try RawServer.serving(Self.serveTea)
        let options = ConnectionOptions(proxy: "\(scheme)u:p@127.0.0.1:\(proxy.port)")
        #expect(try await Self.text("http://tea.invalid/teas", options) == "tea")
        let request = try #require(proxy.requests.first)
        #expect(request.hasPrefix("GET http://tea.invalid/teas HTTP/1.1\r\n"))
        #expect(request.contains("Proxy-Authorization: Basic dTpw\r\n"))
    }

    @Test func `a tunnel of a proxy is requested for https`() async throws {
        let proxy = try RawServer { _ in [.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")] }
        let options = ConnectionOptions(proxy: "http://127.0.0.1:\(proxy.port)")
        let error = await Self.failure("https://tea.invalid/", options)
        #expect(error?.response?.status == 403)
        #expect(proxy.requests.first?.hasPrefix("CONNECT tea.invalid:443 HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [(407, 1), (503, 3)])
    func `a tunnel is requested again only after a transient status`(status: Int, count: Int) async throws {
        let proxy = try RawServer { _ in
            [.send("HTTP/1.1 \(status) Refused\r\nContent-Length: 0\r\n\r\n")]
        }
        let manager = SessionManager(
            connection: ConnectionOptions(proxy: "http://127.0.0.1:\(proxy.port)"),
            interceptors: [.retry(backoff: .constant(.zero))])
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request("https://tea.invalid/").response()
        }
        #expect(error?.response?.status == HTTPStatus(rawValue: status))
        #expect(proxy.requests.count == count)
    }

    /// A SOCKS5 proxy that answers requests itself, and reports the host that it is to connect to.
    private static func socks(password: String? = nil) throws -> RawServer {
        try RawServer.serving { connection in
            let methods = connection.readBytes(Int(connection.readBytes(2).last ?? 0))
            let method: UInt8 = password == nil ? 0 : 2
            guard methods.contains(method) else { return _ = connection.send(Data([5, 0xFF])) }
            connection.send(Data([5, method]))
            if let password {
                let name = connection.read(Int(connection.readBytes(2).last ?? 0))
                let text = connection.read(Int(connection.readBytes(1).last ?? 0))
                let isAccepted = name == "u" && text == password
                connection.send(Data([1, isAccepted ? 0 : 1]))
                guard isAccepted else { return }
            }
            // 3 is a name, 1 an address of IPv4.
            let kind = connection.readBytes(4).last
            let host =
                kind == 3
                ? connection.read(Int(connection.readBytes(1).last ?? 0))
                : connection.readBytes(4).map { "\($0)" }.joined(separator: ".")
            _ = connection.readBytes(2)
            connection.send(Data([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)")
        }
    }

    @Test func `a SOCKS proxy looks up the host`() async throws {
        let proxy = try Self.socks()
        let options = ConnectionOptions(proxy: "socks5h://127.0.0.1:\(proxy.port)")
        #expect(try await Self.text("http://tea.invalid/", options) == "tea.invalid")
    }

    @Test func `a SOCKS proxy gets the address of the host`() async throws {
        let proxy = try Self.socks()
        let options = ConnectionOptions(
            proxy: "socks5://127.0.0.1:\(proxy.port)", addresses: ["tea.invalid:80:192.0.2.7"])
        #expect(try await Self.text("http://tea.invalid/", options) == "192.0.2.7")
    }

    @Test func `a SOCKS proxy gets the user and the password`() async throws {
        let proxy = try Self.socks(password: "p")
        func options(_ user: String) -> ConnectionOptions {
            ConnectionOptions(proxy: "socks5h://\(user)@127.0.0.1:\(proxy.port)")
        }
        #expect(try await Self.text("http://tea.invalid/", options("u:p")) == "tea.invalid")
        let error = await Self.failure("http://tea.invalid/", options("u:q"))
        #expect(error?.kind == .connection(.refused))
    }

    /// Each proxy answers with its name.
    @Test func `the proxies of the configuration are used`() async throws {
        let http = try RawServer.serving(Self.serveTea)
        let socks = try Self.socks()
        let direct = try RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect")] }
        let configuration = URLSessionConfiguration.ephemeral
        let url = "http://tea.invalid/"
        func text(_ url: String, _ options: ConnectionOptions = ConnectionOptions()) async throws -> String {
            try await Self.text(url, configuration: configuration, options)
        }
        configuration.connectionProxyDictionary = [
            "HTTPEnable": true, "HTTPProxy": "127.0.0.1", "HTTPPort": http.port,
            "SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": "\(socks.port)",
            "ExceptionsList": ["*.example", "localhost"],
        ]
        #expect(try await text(url) == "tea")
        #expect(try await text("http://localhost:\(direct.port)/") == "direct")
        #expect(
            try await text(url, ConnectionOptions(proxy: "socks5h://127.0.0.1:\(socks.port)"))
                == "tea.invalid")
        let plain = URLSessionConfiguration.ephemeral
        plain.protocolClasses = SessionManager.protocolClasses
        plain.connectionProxyDictionary = configuration.connectionProxyDictionary
        let data = try await URLSession(configuration: plain).data(from: #require(URL(string: url))).0
        #expect(data == Data("tea".utf8))

        configuration.connectionProxyDictionary?["HTTPEnable"] = 0
        #expect(try await text(url) == "tea.invalid")
        configuration.connectionProxyDictionary = [:]
        #expect(try await text("http://127.0.0.1:\(direct.port)/") == "direct")
    }
}
#endif
