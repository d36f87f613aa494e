/// Facts about the connection of a request; those that are not known are `nil`.
///
/// The durations do not overlap: the slowest of them names the part that is slow. The first three are those of a new
/// connection.
public struct ConnectionMetrics: Hashable, Sendable {
    /// The time to find the address of the host.
    public var domainLookup: Duration?
    /// The time from then until the connection was open.
    public var connect: Duration?
    /// The time from then until TLS was established.
    public var secureConnection: Duration?
    /// The time from the start of the request on the connection, with its body, to the head of the response.
    public var wait: Duration?
    /// The version of the protocol, such as `HTTP/1.1` or `HTTP/2`.
    public var httpVersion: String?
    /// The IP address of the server, or of the proxy.
    public var remoteAddress: String?
    /// The port of the server, or of the proxy.
    public var remotePort: Int?
    /// `true` if an earlier request opened the connection.
    public var isReused: Bool?

    /// Creates a value of which nothing is known.
    public init() {}
}

extension ConnectionMetrics: CustomStringConvertible {
    /// The server, the version of the protocol and whether the connection was reused, such as
    /// `127.0.0.1:8080 (HTTP/2, reused)`.
    public var description: String {
        let address = remoteAddress.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "an unknown address"
        let facts = [httpVersion, isReused == true ? "reused" : nil].compactMap(\.self)
        return address + (remotePort.map { ":\($0)" } ?? "")
            + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    }
}
