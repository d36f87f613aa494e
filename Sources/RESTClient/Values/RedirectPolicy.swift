public import Foundation
public import RESTClientHTTP

/// The policy that decides which redirects a request follows.
///
/// With every policy, the following are errors of kind `redirect`: a target that is neither `http` nor `https`, a
/// redirect from `https` to `http`, a request that cannot be sent, an `httpBodyStream` that would be sent again, and too
/// many redirects. A 3xx without `Location` is returned as the response.
public struct RedirectPolicy: Sendable {
    let max: Int
    let decide: @Sendable (Redirect) -> URLRequest?

    /// Follows up to ten redirects, but not those that would send a body to another origin.
    public static let follow = follow(max: 10)

    /// Follows no redirects, and returns the 3xx as the response.
    public static let doNotFollow = RedirectPolicy(max: 0) { _ in nil }

    /// Follows up to `max` redirects. A redirect that would send a body to another origin is not followed: the 3xx is
    /// returned as the response.
    public static func follow(max: Int) -> Self { Self(max: max) { $0.bodyLeavesOrigin ? nil : $0.proposed } }

    /// Creates a policy that sends the request returned by `decide`. If `decide` returns `nil`, the 3xx is returned as
    /// the response.
    ///
    /// If the returned request has another origin, the caller's credentials and headers are removed, except `Accept`,
    /// `Accept-Encoding`, `Accept-Language`, `User-Agent`, `Range` and `If-Range`; fields that `decide` has changed are kept. A
    /// request that sends the body to an origin other than that of `Location` fails with an error of kind `redirect`.
    public init(max: Int = 10, _ decide: @escaping @Sendable (Redirect) -> URLRequest?) {
        (self.max, self.decide) = (max, decide)
    }

    /// One redirect.
    public struct Redirect: Sendable {
        /// The number of the redirect, beginning with 1.
        public var number: Int
        /// The status of the redirect.
        public var status: HTTPStatus
        /// The header fields of the redirect, such as `Set-Cookie`.
        public var headers: HTTPHeaders
        /// The URL of the redirected request.
        public var from: URL
        /// The request that follows the redirect: with the resolved URL (RFC 3986, section 5), the method and body that the
        /// status requires (RFC 9110, section 15.4), and without credentials and headers of the caller, except `Accept`,
        /// `Accept-Encoding`, `Accept-Language`, `User-Agent`, `Range` and `If-Range`, if the origin changes.
        public var proposed: URLRequest
        /// A Boolean value that indicates whether `proposed` has the body.
        public var keepsBody: Bool
        /// A Boolean value that indicates whether `proposed` sends a body to another origin.
        public var bodyLeavesOrigin: Bool
    }
}

extension RedirectPolicy.Redirect: CustomStringConvertible, CustomReflectable {
    /// The status, the URL and the target, with secrets masked.
    public var description: String {
        "\(status) from \(Redaction.url(from)) to \(proposed.maskedDescription)"
    }

    /// The description, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["redirect": description]) }
}
