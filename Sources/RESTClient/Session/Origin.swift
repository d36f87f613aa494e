package import Foundation

/// Scheme, host and port: what a credential belongs to (RFC 6454, section 4).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int

    /// The origin of an http or https URL; of anything else there is none.
    package init?(_ url: URL?) {
        guard let url, let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true),
            !host.isEmpty, let standard = Self.ports[scheme]
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? standard
    }

    /// As it stands in a URL, the port left out where it is the scheme's own.
    package var description: String {
        "\(scheme)://\(host)" + (port == Self.ports[scheme] ? "" : ":\(port)")
    }

    private static let ports = ["http": 80, "https": 443]
}
