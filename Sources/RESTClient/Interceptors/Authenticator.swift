public import Foundation
import HTTPCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Puts a credential on the requests of one origin, and on no others.
///
/// An `Authorization` that a request brings itself stays.
public final class Authenticator: RequestInterceptor {
    private let origin: Origin?
    private let credential: Credential

    /// An authenticator for the scheme, host and port of `origin`.
    init(for origin: URL, credential: Credential) {
        self.origin = Origin(origin)
        self.credential = credential
    }

    /// Sends `request` on, with the credential if it goes to the origin.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        guard let origin, Origin(request.url) == origin,
            request.value(forHTTPHeaderField: credential.header.rawValue) == nil
        else { return try await next(request) }
        var request = request
        request.setValue(credential.value, forHTTPHeaderField: credential.header.rawValue)
        return try await next(request)
    }
}

extension RequestInterceptor where Self == Authenticator {
    /// Puts `credential` on the requests to `origin`.
    public static func credential(_ credential: Credential, for origin: URL) -> Self {
        Authenticator(for: origin, credential: credential)
    }

    /// Puts a bearer token (RFC 6750) on the requests to `origin`.
    public static func bearer(_ token: String, for origin: URL) -> Self {
        .credential(.bearer(token), for: origin)
    }

    /// Puts a user and a password (RFC 7617) on the requests to `origin`.
    public static func basic(user: String, password: String, for origin: URL) -> Self {
        .credential(.basic(user: user, password: password), for: origin)
    }
}
