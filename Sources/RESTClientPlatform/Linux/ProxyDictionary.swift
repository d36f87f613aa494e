// URLSession on Linux ignores the proxies of its configuration. On Apple platforms it uses them, so there is no other arm.
#if canImport(FoundationNetworking)
import Foundation

/// The proxies of a `URLSessionConfiguration.connectionProxyDictionary`, with the keys of CFNetwork.
struct ProxyDictionary: Sendable {
    /// The URLs of the proxies by `HTTP`, `HTTPS` and `SOCKS`.
    private var proxies: [String: String] = [:]
    /// The patterns of hosts that are contacted directly, such as `*.example.com`.
    private let exceptions: [String]

    init(_ dictionary: [AnyHashable: Any]) {
        exceptions = (dictionary["ExceptionsList"] as? [String] ?? []).map { $0.lowercased() }
        for (kind, scheme) in [("HTTP", "http"), ("HTTPS", "http"), ("SOCKS", "socks5h")] {
            guard let isOn = dictionary["\(kind)Enable"], ["1", "true"].contains("\(isOn)"),
                let host = dictionary["\(kind)Proxy"].map({ "\($0)" }), !host.isEmpty
            else { continue }
            let address = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            proxies[kind] =
                "\(scheme)://\(address)" + (dictionary["\(kind)Port"].map { ":\($0)" } ?? "")
        }
    }

    /// Returns the URL of the proxy for requests to `url`; empty for none.
    func proxy(for url: URL) -> String {
        let host = url.host()?.lowercased() ?? ""
        let isException = exceptions.contains {
            $0 == host || $0.hasPrefix("*") && host.hasSuffix($0.dropFirst())
        }
        return isException ? "" : proxies[url.scheme?.uppercased() ?? ""] ?? proxies["SOCKS"] ?? ""
    }
}
#endif
