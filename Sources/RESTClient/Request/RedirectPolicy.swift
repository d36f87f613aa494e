public import Foundation
public import RESTClientHTTP

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The redirects that a request follows.
///
/// With every policy, these are errors of kind `redirect`: a target that is not `http` or `https`, a redirect from `https` to
/// `http`, a request that cannot be sent, and too many redirects. A 3xx without `Location` is the response.
public struct RedirectPolicy: Sendable {
    let max: Int
    let decide: @Sendable (Hop) -> URLRequest?

    /// Follows up to ten redirects; does not send a body to another origin.
    public static let follow = follow(max: 10)

    /// Follows no redirects: the 3xx is the response.
    public static let refuse = RedirectPolicy(max: 0) { _ in nil }

    /// Follows up to `max` redirects; does not send a body to another origin: the 3xx is then the response.
    public static func follow(max: Int) -> Self { Self(max: max) { $0.bodyLeavesOrigin ? nil : $0.proposed } }

    /// Creates a policy that sends the request returned by `decide`; if it returns `nil`, the 3xx is the response.
    ///
    /// If the returned request leads to another origin, credentials and headers of the caller are removed, but not those
    /// that `decide` has set. It must not send the body to an origin that the server did not name, which is an error of
    /// kind `redirect`.
    public init(max: Int = 10, _ decide: @escaping @Sendable (Hop) -> URLRequest?) {
        self.max = max
        self.decide = decide
    }

    /// One redirect.
    public struct Hop: Sendable {
        /// 1 for the first.
        public var number: Int
        /// The status of the redirect.
        public var status: HTTPStatus
        /// The URL of the redirected request.
        public var from: URL
        /// The request that follows the redirect: with the resolved URL (RFC 3986, section 5), the method and body that the
        /// status requires (RFC 9110, section 15.4), and without credentials and headers of the caller if the origin
        /// changes.
        public var proposed: URLRequest
        /// A Boolean value that indicates whether `proposed` has the body.
        public var keepsBody: Bool
        /// A Boolean value that indicates whether `proposed` sends a body to another origin.
        public var bodyLeavesOrigin: Bool
    }
}

extension RedirectPolicy.Hop: CustomStringConvertible, CustomReflectable {
    /// The status, the URL and the target, with secrets masked.
    public var description: String {
        "\(status) from \(Redaction.url(from)) to \(proposed.redactedDescription)"
    }

    /// The description, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["hop": description]) }
}
