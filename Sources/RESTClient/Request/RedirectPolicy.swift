public import Foundation
public import RESTClientHTTP

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Which redirects are followed.
///
/// Whatever it says, a redirect to another scheme than http and https, one that drops encryption, one that cannot be
/// sent, and one too many are errors of kind `redirect`. A 3xx without `Location` is the answer.
public struct RedirectPolicy: Sendable {
    let max: Int
    let decide: @Sendable (Hop) -> URLRequest?

    /// Follows up to ten, but takes no body to another origin.
    public static let follow = follow(max: 10)

    /// Follows none: the 3xx is the answer.
    public static let refuse = RedirectPolicy(max: 0) { _ in nil }

    /// Follows up to `max`, but takes no body to another origin: then the 3xx is the answer.
    public static func follow(max: Int) -> Self { Self(max: max) { $0.bodyLeavesOrigin ? nil : $0.proposed } }

    /// Sends what `decide` returns; `nil` makes the 3xx the answer.
    ///
    /// What it returns keeps the same rules as what the server asked for: where it leads to another origin, the caller's
    /// credentials and headers are taken off, but not what `decide` has put there itself; and to take the body along is
    /// an error of kind `redirect`, except to the origin that the server named.
    public init(max: Int = 10, _ decide: @escaping @Sendable (Hop) -> URLRequest?) {
        self.max = max
        self.decide = decide
    }

    /// One redirect on the way.
    public struct Hop: Sendable {
        /// 1 for the first.
        public var number: Int
        /// The status that brought it.
        public var status: HTTPStatus
        /// The URL that answered with it.
        public var from: URL
        /// What is sent if the policy agrees. Safe to send: resolved (RFC 3986, section 5), with the method and body
        /// that the status calls for (RFC 9110, section 15.4), without credentials and the caller's headers when
        /// the origin changes.
        public var proposed: URLRequest
        /// Whether the body goes along.
        public var keepsBody: Bool
        /// Whether `proposed` takes a body to another origin.
        public var bodyLeavesOrigin: Bool
    }
}

extension RedirectPolicy.Hop: CustomStringConvertible, CustomReflectable {
    /// The status and where it leads, secrets masked.
    public var description: String {
        "\(status) from \(Redaction.url(from)) to \(proposed.redactedDescription)"
    }

    /// Shows to `dump` what `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["hop": description]) }
}
