public import Foundation
public import RESTClientHTTP

/// A secret and the header field that carries it. Its description never contains the secret.
public struct Credential: Hashable, Sendable {
    let header: HTTPHeaders.Name
    let value: String
    /// The time after which the server refuses the credential, if it is known.
    public let expires: Date?
    /// The token with which the credential can be refreshed (RFC 6749, section 6), if there is one. It is never sent
    /// automatically: use it in the `refresh` closure of an ``Authenticator``.
    public private(set) var refreshToken: String?
    private let kind: String

    /// Returns a credential for Basic authentication (RFC 7617), encoded as UTF-8.
    public static func basic(user: String, password: String) -> Self {
        basic(pair: Data("\(user):\(password)".utf8))
    }

    /// Returns a credential for Basic authentication whose user and password may be in another encoding.
    static func basic(pair: Data) -> Self {
        Self(
            header: .authorization, value: "Basic \(pair.base64EncodedString())", expires: nil, kind: "basic")
    }

    /// Returns a bearer token (RFC 6750). A token that has expired is refreshed before it is sent; see ``Authenticator``.
    public static func bearer(_ token: String, expires: Date? = nil, refreshToken: String? = nil) -> Self {
        Self(
            header: .authorization, value: "Bearer \(token)", expires: expires, refreshToken: refreshToken,
            kind: "bearer")
    }

    /// Returns a credential in a custom header field, such as `X-Api-Key`. After this call, values of the field are
    /// masked in all descriptions, events and cURL descriptions.
    public static func header(
        _ name: HTTPHeaders.Name, _ value: String, expires: Date? = nil, refreshToken: String? = nil
    ) -> Self {
        Redaction.addSecretHeader(name)
        return Self(
            header: name, value: value, expires: expires, refreshToken: refreshToken, kind: "header \(name)")
    }

    /// Returns the credential with the refresh token of `earlier` if it has none: a server may omit an unchanged token.
    func keepingRefreshToken(of earlier: Credential?) -> Self {
        var copy = self
        copy.refreshToken = refreshToken ?? earlier?.refreshToken
        return copy
    }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    /// The kind of the credential, without the secret.
    public var description: String { "\(kind) credential" }

    /// An empty mirror, so that `dump` does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
