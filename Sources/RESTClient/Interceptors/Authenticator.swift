public import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Puts a credential on the requests of one origin; renews it once when refused, however many requests wait.
///
/// ```swift
/// let session = Authenticator(for: api) { _, manager in
///     struct Token: Decodable { var value: String }
///     let token = try await manager.request(login, method: .post, body: .form(form)).decode(Token.self)
///     return .bearer(token.value)
/// }
/// let manager = SessionManager(interceptors: [.retry(), session])
/// ```
///
/// An origin is a scheme, a host and a port. Other requests pass as they are, and a redirect to another origin loses
/// the credential. A request that brings the header itself, such as `Authorization`, keeps its own and is never
/// tried again.
///
/// **Renewing.** A credential is renewed when there is none yet, when it has expired, and when the server answers 401.
/// All requests that need it wait for the same renewal. One that was sent with an older credential is sent again with
/// the newer one, without another renewal. After a renewal a second 401 is the answer.
///
/// A renewal that fails is an error of kind `authentication` for all who wait for it, and for those that were under way
/// with the refused credential meanwhile; the request after them may try again. One that ends with `CancellationError`
/// ends them with the same.
///
/// A renewal runs in a task of its own. A request that is cancelled or meets its total timeout leaves at once; the
/// renewal goes on, even when nobody waits any more, and its result is kept: a refresh token that is used up by one
/// request must not get lost because another one was cancelled. `SessionManager.cancelAll()` ends the requests that
/// the renewal itself makes.
public final class Authenticator: RequestInterceptor {
    private enum Source: Sendable {
        case fixed(Credential, for: Origin?)
        case renewed(RenewableCredential, for: Origin?)
        case netrc(Netrc)
    }

    private let source: Source

    /// An authenticator that gets its credentials from `renew`.
    ///
    /// - Parameters:
    ///   - origin: any URL of the server, `http` or `https`; of another one there are no requests to serve.
    ///   - credential: the one to begin with; without one, the first request gets one first.
    ///   - now: the time, against which `Credential.bearer(_:expires:)` is held.
    ///   - renew: gets the credential that was refused or has expired, `nil` if there was none, and a manager that
    ///     shares everything with the one whose request needs the credential, except that its requests bypass this
    ///     authenticator and so cannot wait for themselves. A request that `renew` sends through any other manager
    ///     bypasses it, too, as long as it is sent in its task or in a child of it.
    public init(
        for origin: URL, credential: Credential? = nil, now: @escaping @Sendable () -> Date = { Date() },
        renew:
            @escaping @Sendable (_ refused: Credential?, _ manager: SessionManager) async throws -> Credential
    ) {
        source = .renewed(RenewableCredential(credential, now: now, renew: renew), for: Origin(origin))
    }

    init(_ credential: Credential, for origin: URL) { source = .fixed(credential, for: Origin(origin)) }

    init(_ netrc: Netrc) { source = .netrc(netrc) }

    /// Sends `request` on, with the credential if it goes to the origin.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        guard let target = Origin(request.url) else { return try await next(request) }
        switch source {
        case .fixed(let credential, let origin) where origin == target:
            return try await next(request.carrying(credential) ?? request)
        case .netrc(let netrc):
            let credential = netrc.credential(for: target.host)
            return try await next(credential.flatMap { request.carrying($0) } ?? request)
        case .renewed(let credential, let origin) where origin == target && !Self.renewing.contains(id):
            return try await send(request, with: credential, context, next)
        case .fixed, .renewed:
            return try await next(request)
        }
    }
}

extension RequestInterceptor where Self == Authenticator {
    /// Puts `credential` on the requests to `origin`.
    public static func credential(_ credential: Credential, for origin: URL) -> Self {
        Authenticator(credential, for: origin)
    }

    /// Puts a bearer token (RFC 6750) on the requests to `origin`.
    public static func bearer(_ token: String, for origin: URL) -> Self {
        .credential(.bearer(token), for: origin)
    }

    /// Puts a user and a password (RFC 7617) on the requests to `origin`.
    public static func basic(user: String, password: String, for origin: URL) -> Self {
        .credential(.basic(user: user, password: password), for: origin)
    }

    /// Puts the user and the password that a netrc file has for a request's host on it, as Basic (RFC 7617).
    ///
    /// The file is read once, here, the way curl reads it: `machine` entries in order, then `default`, whatever the
    /// scheme and the port, so over plain `http`, too. A redirect to another origin takes nothing along, even to
    /// a host that the file has.
    ///
    /// - Parameter file: by default what the environment variable `NETRC` names, else `~/.netrc`.
    /// - Throws: when the file cannot be read, or a quote in it is not closed.
    public static func netrc(_ file: URL? = nil) throws -> Self {
        Authenticator(try Netrc(contentsOf: file ?? Netrc.defaultFile()))
    }
}

// MARK: Renewing

extension Authenticator {
    /// The authenticators whose renewals the task is part of.
    @TaskLocal private static var renewing: Set<ObjectIdentifier> = []

    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    private func send(
        _ request: URLRequest, with credential: RenewableCredential, _ context: RequestContext, _ next: Next
    ) async throws -> Response<ResponseBody> {
        let header = credential.header ?? .authorization
        guard request.value(forHTTPHeaderField: header.rawValue) == nil else {
            return try await next(request)
        }
        let id = self.id
        let manager = context.manager?.without(self) ?? .default
        let renew: RenewableCredential.Renew = { [renew = credential.renew] refused in
            context.note("renewing the credential")
            return try await Self.$renewing.withValue(Self.renewing.union([id])) {
                try await renew(refused, manager)
            }
        }
        do {
            var grant = try await credential.current(context.flight, renew)
            var refusals = 0
            while true {
                if let response = try await answer(to: request, with: grant, refusals, next) {
                    return response
                }
                refusals += 1
                grant = try await credential.replacement(for: grant, context.flight, renew)
            }
        } catch let failure as RenewalFailure {
            throw failure.error(for: request)
        }
    }

    /// The answer, or `nil` when the credential was refused and another may do better: then nothing of it is kept while
    /// that one is fetched.
    ///
    /// `refusals` counts those before: the first may be of what was current, the second of what another request's
    /// renewal had brought meanwhile.
    private func answer(
        to request: URLRequest, with grant: RenewableCredential.Grant, _ refusals: Int, _ next: Next
    ) async throws -> Response<ResponseBody>? {
        let response = try await next(request.carrying(grant.credential) ?? request)
        let mayDoBetter = response.status == 401 && !grant.isFresh && refusals < 2
        // A body that a caller brought as a stream was read, and is gone.
        return mayDoBetter && request.httpBodyStream == nil ? nil : response
    }
}

extension URLRequest {
    /// A copy with `credential`, or `nil` where the header is taken.
    fileprivate func carrying(_ credential: Credential) -> URLRequest? {
        guard value(forHTTPHeaderField: credential.header.rawValue) == nil else { return nil }
        var copy = self
        copy.setValue(credential.value, forHTTPHeaderField: credential.header.rawValue)
        return copy
    }
}
