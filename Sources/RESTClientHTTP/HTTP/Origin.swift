package import Foundation

/// The scheme, host and port of a URL (RFC 6454, section 4).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int

    /// Creates the origin of an `http` or `https` URL; `nil` for other URLs.
    package init?(_ url: URL?) {
        guard let url, let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true),
            !host.isEmpty, let standard = Self.ports[scheme]
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? standard
    }

    /// Returns `true` for the same origin, and for an upgrade of it from http to https.
    package func includes(_ other: Self) -> Bool {
        let isUpgrade = scheme == "http" && port == 80 && other.scheme == "https" && other.port == 443
        return self == other || isUpgrade && host == other.host
    }

    /// The origin as a URL, without the default port of the scheme.
    package var description: String {
        let shown = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme)://\(shown)" + (port == Self.ports[scheme] ? "" : ":\(port)")
    }

    /// The default ports of the schemes.
    package static let ports = ["http": 80, "https": 443]
}
