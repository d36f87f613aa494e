import Foundation

/// The host of a URL in a form that can be compared.
enum Hostname {
    /// Returns a host in lowercase and in ASCII: labels in Unicode are encoded (RFC 3492), brackets around an IPv6 address
    /// are removed.
    static func normalized(_ host: String) -> String {
        let text = host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host[...]
        guard text.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) else {
            return text.lowercased()
        }
        let labels = (text.removingPercentEncoding ?? String(text))
            .split(separator: ".", omittingEmptySubsequences: false)
        // A URL encodes the label of a host. A label can be a wildcard, which no host contains.
        return labels.map { label in
            URL(string: "http://\(label)/")?.host(percentEncoded: false) ?? String(label)
        }.joined(separator: ".").lowercased()
    }

    /// Returns the reason why no URL can have the host, or `nil`.
    static func problem(of host: String) -> String? {
        if host.isEmpty { return "the host is empty" }
        if host.contains(where: { "/?# @".contains($0) }) {
            return "\"\(host)\" is not a host; use a URL pattern for other parts of the URL"
        }
        // An IPv6 address has at least two colons.
        if !host.hasPrefix("["), host.count(where: { $0 == ":" }) == 1 {
            return "\"\(host)\" is not a host; use .port(_:) for the port"
        }
        return nil
    }
}
