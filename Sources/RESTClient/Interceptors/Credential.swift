public import Foundation
public import RESTClientHTTP

/// A secret and how it goes onto a request; prints as its kind only.
public struct Credential: Hashable, Sendable {
    let header: HTTPHeaders.Name
    let value: String
    let expires: Date?
    private let kind: String

    /// A user and a password (RFC 7617), in UTF-8.
    public static func basic(user: String, password: String) -> Self {
        let pair = Data("\(user):\(password)".utf8).base64EncodedString()
        return Self(header: .authorization, value: "Basic \(pair)", expires: nil, kind: "basic")
    }

    /// A token (RFC 6750); one that has expired is renewed before it is sent.
    public static func bearer(_ token: String, expires: Date? = nil) -> Self {
        Self(header: .authorization, value: "Bearer \(token)", expires: expires, kind: "bearer")
    }

    /// A header of its own, such as `X-Api-Key`; its value is masked from now on, as a secret, wherever it is shown.
    public static func header(_ name: HTTPHeaders.Name, _ value: String) -> Self {
        Redaction.declareSecret(header: name)
        return Self(header: name, value: value, expires: nil, kind: "header \(name)")
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of credential, never the secret.
    public var description: String { "\(kind) credential" }

    /// The kind of credential, never the secret.
    public var debugDescription: String { description }

    /// Shows nothing to `dump`.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
