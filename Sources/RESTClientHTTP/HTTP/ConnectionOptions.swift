/// The way in which a session manager connects to servers: the trusted certificates, the proxy, the addresses.
///
/// ```swift
/// let docker = SessionManager(connection: ConnectionOptions(unixSocket: "/var/run/docker.sock"))
/// let names = try await docker.request("http://localhost/containers/json").string()
/// ```
///
/// An option is never ignored. If a file cannot be read, or the libcurl of the process does not know an option, each request
/// fails with an error of kind `invalidRequest(.rejected)`, which names the option. On Apple platforms, and on Linux without
/// libcurl 7.68 or later, each option that is set is such an error. A mock server ignores them.
public struct ConnectionOptions: Hashable, Sendable {
    /// A version of the Internet Protocol.
    public enum IPVersion: Hashable, Sendable {
        /// IPv4.
        case v4
        /// IPv6.
        case v6
    }

    /// The path of a file with the certificates of the trusted authorities (PEM), instead of those of the system.
    public var caFile: String?
    /// The path of a folder with the certificates of the trusted authorities, named by `openssl rehash`, instead of those of
    /// the system. With ``caFile``, both are trusted.
    public var caFolder: String?
    /// The path of the certificate of the client (PEM), which may be followed by those of intermediate authorities.
    public var clientCertificate: String?
    /// The path of the private key of ``clientCertificate`` (PEM). Defaults to the file of the certificate.
    public var clientKey: String?
    /// The password of the private key, if it is encrypted.
    public var keyPassword: String?
    /// The accepted public keys of servers, as `sha256//` and the hash in Base64. A server with another key is an error of kind
    /// `connection(.tls)`. Empty by default: the certificate decides. They do not apply to the certificate of a proxy.
    public var pinnedPublicKeys: [String]
    /// The path of a Unix socket to which all requests are sent, whatever their host.
    public var unixSocket: String?
    /// The URL of the proxy, with the scheme `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`, which lets the proxy
    /// look up hosts. It may contain a user and a password. Empty for no proxy. By default, the proxies of
    /// `URLSessionConfiguration.connectionProxyDictionary` or, without them, of the environment apply. The hosts of the variable
    /// `NO_PROXY` are always contacted directly.
    public var proxy: String?
    /// The addresses of hosts, as `HOST:PORT:ADDRESS`, which are not looked up. `*` is any host.
    public var addresses: [String]
    /// The maximum real time to open a connection, with the TLS handshake. If it is exceeded, the error is of kind
    /// `timedOut(.connect)`. By default, `Timeouts.idle` limits this time.
    public var connectTimeout: Duration?
    /// A Boolean value that indicates whether only HTTP/1.1 is used. Defaults to `false`.
    public var usesHTTP1Only: Bool
    /// The only version of the Internet Protocol to use. Defaults to both.
    public var ipVersion: IPVersion?

    /// Creates options. Those that are omitted have their defaults.
    public init(
        caFile: String? = nil, caFolder: String? = nil, clientCertificate: String? = nil,
        clientKey: String? = nil, keyPassword: String? = nil, pinnedPublicKeys: [String] = [],
        unixSocket: String? = nil, proxy: String? = nil, addresses: [String] = [],
        connectTimeout: Duration? = nil, usesHTTP1Only: Bool = false, ipVersion: IPVersion? = nil
    ) {
        (self.caFile, self.caFolder, self.clientCertificate) = (caFile, caFolder, clientCertificate)
        (self.clientKey, self.keyPassword, self.pinnedPublicKeys) = (clientKey, keyPassword, pinnedPublicKeys)
        (self.unixSocket, self.proxy, self.addresses) = (unixSocket, proxy, addresses)
        (self.connectTimeout, self.usesHTTP1Only, self.ipVersion) = (connectTimeout, usesHTTP1Only, ipVersion)
    }

    /// The reason why requests cannot be sent without libcurl, or `nil` if all options have their defaults.
    package var refusalWithoutLibCurl: String? {
        let isSet = [
            ("caFile", caFile != nil), ("caFolder", caFolder != nil),
            ("clientCertificate", clientCertificate != nil), ("clientKey", clientKey != nil),
            ("keyPassword", keyPassword != nil), ("pinnedPublicKeys", !pinnedPublicKeys.isEmpty),
            ("unixSocket", unixSocket != nil), ("proxy", proxy != nil), ("addresses", !addresses.isEmpty),
            ("connectTimeout", connectTimeout != nil), ("usesHTTP1Only", usesHTTP1Only),
            ("ipVersion", ipVersion != nil),
        ]
        return isSet.first(where: \.1).map {
            "ConnectionOptions.\($0.0) needs Linux with libcurl 7.68 or later"
        }
    }
}
