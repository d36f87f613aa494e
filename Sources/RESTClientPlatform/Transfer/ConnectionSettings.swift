/// How connections are made: their certificates, proxy and addresses.
package struct ConnectionSettings: Sendable, Hashable {
    /// A file and a folder with the certificates of trusted authorities, instead of those of the system (PEM).
    package var caFile: String?
    package var caFolder: String?
    /// The certificate of the client and its private key (PEM).
    package var clientCertificate: String?
    package var clientKey: String?
    package var keyPassword: String?
    /// The hashes of accepted public keys, such as `sha256//…=`, separated by semicolons.
    package var pinnedPublicKey: String?
    /// The path of a Unix socket to which all requests are sent.
    package var unixSocket: String?
    /// The URL of a proxy; empty for none, `nil` for that of the environment.
    package var proxy: String?
    /// Addresses of hosts, such as `example.com:443:127.0.0.1`.
    package var addresses: [String] = []
    package var connectTimeout: Duration?
    package var usesHTTP1Only = false
    /// `true` for IPv4 only, `false` for IPv6 only, `nil` for both.
    package var usesIPv4: Bool?

    package init() {}
}
