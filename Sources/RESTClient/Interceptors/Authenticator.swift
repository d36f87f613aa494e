public import Foundation
public import RESTClientHTTP

/// Adds a credential to the requests to one origin and refreshes it when it expires or the server answers 401.
///
/// ```swift
/// let authenticator = Authenticator { _, manager in
///     struct Token: Decodable { var value: String }
///     let token = try await manager.request("login", method: .post, body: .form(form)).decode(Token.self)
///     return .bearer(token.value)
/// }
/// let manager = SessionManager(baseURL: api, interceptors: [.retry(), authenticator])
/// ```
///
/// An origin is a scheme, a host and a port; by default, that of `SessionManager.baseURL`. Without either, requests throw an
/// error of kind `authentication(.missingOrigin)`. Requests to other origins are not changed, and the credential is removed
/// from redirects to other origins. A request that already has the header field, such as `Authorization`, keeps its
/// value and is never repeated.
///
/// **Refresh.** A credential is refreshed if there is none yet, if it has expired or expires within `leeway`, and if the
/// server answers 401 or another of the `statuses`. All requests that need the credential wait for the same refresh. A
/// request that was sent with an older credential is repeated with the current one, without another refresh. A second
/// 401 after a refresh is returned as the response. A credential that was refreshed is used for at least half of the time
/// until its expiry, even if `leeway` is longer.
///
/// If a refresh fails, or does not end within its timeout, all waiting requests throw an error of kind `authentication`, and
/// so do the requests that were sent with the refused credential while the refresh was running. A later request starts a new
/// refresh. If the refresh throws `CancellationError`, the waiting requests throw it, too.
///
/// A refresh runs in an unstructured task. A request that is cancelled or reaches its total timeout ends immediately,
/// but the refresh continues and its result is kept. Otherwise a one-time refresh token could be lost when a request is
/// cancelled. `SessionManager.cancelAll()` cancels the requests that the refresh makes.
///
/// **Users.** After ``signOut()``, requests throw an error of kind `authentication(.signedOut)` and are not sent, until
/// ``signIn(_:)`` sets a credential. Both end the session of the earlier user: its requests are never sent with the
/// credential of another user, unlike with `AuthenticationInterceptor` of Alamofire. A request that waits for a refresh, is
/// refused or repeated later, or gets the next page of a list, throws `authentication(.signedOut)`. A refresh in progress is
/// cancelled, and its result is discarded.
/// To replace a credential of the same user, return the new one from the refresh.
public final class Authenticator: RequestInterceptor {
    private enum Source: Sendable {
        case fixed(Credential)
        case netrc(Netrc)
        case refreshed(CredentialStore)
    }

    private let source: Source
    /// A URL of the origin, or `nil` for that of the manager's base URL.
    private let origin: URL?
    private let statuses: Set<HTTPStatus>
    private let timeout: Duration

    /// Creates an authenticator that gets its credentials from `refresh`.
    ///
    /// - Parameters:
    ///   - origin: Any `http` or `https` URL of the server, or `nil` for the base URL of the manager.
    ///   - credential: The initial credential. Without one, the first request starts a refresh.
    ///   - leeway: The time before its expiry at which a credential is refreshed, at most half of the time between a
    ///     refresh and the expiry. Defaults to zero.
    ///   - statuses: The statuses for which the credential is refreshed and the request repeated. Defaults to 401.
    ///   - timeout: The time on the clock of the manager in which a refresh must end. Defaults to 120 seconds, in which three
    ///     attempts can reach the idle timeout.
    ///   - now: The current time, compared with the expiry date of the credential. Defaults to the date, to which a virtual clock
    ///     of the manager adds the time that has passed on it.
    ///   - refresh: Returns a new credential. The first argument is the credential that was refused or expires, with its
    ///     refresh token, or `nil` if there was none. If the new credential has no refresh token, that of the earlier one
    ///     is kept. The second is the manager of the waiting request without this authenticator, so
    ///     that a refresh does not wait for itself. Requests through other managers bypass the authenticator, too, if
    ///     they are sent in the same task, a child task or a `Task { }`. From a `Task.detached` or a dispatch queue, they
    ///     would wait for the refresh until its timeout.
    public init(
        for origin: URL? = nil, credential: Credential? = nil, leeway: Duration = .zero,
        statuses: Set<HTTPStatus> = [401], timeout: Duration = .seconds(120),
        now: (@Sendable () -> Date)? = nil,
        refresh:
            @escaping @Sendable (_ refused: Credential?, _ manager: SessionManager) async throws -> Credential
    ) {
        source = .refreshed(CredentialStore(credential, leeway: leeway, now: now, refresh: refresh))
        (self.origin, self.statuses, self.timeout) = (origin, statuses, timeout)
    }

    /// Creates an authenticator with a credential that is never refreshed.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - origin: Any `http` or `https` URL of the server, or `nil` for the base URL of the manager.
    public init(_ credential: Credential, for origin: URL? = nil) {
        (source, self.origin, statuses, timeout) = (.fixed(credential), origin, [], .zero)
    }

    init(_ netrc: Netrc) { (source, origin, statuses, timeout) = (.netrc(netrc), nil, [], .zero) }

    /// The current credential; `nil` if there is none, or if it is not refreshed.
    public var credential: Credential? { store?.credential }

    /// Sets the credential for all further requests, after a user has signed in. Has no effect on a credential that is not
    /// refreshed.
    ///
    /// Requests in progress that need another credential throw an error of kind `authentication(.signedOut)`, because they
    /// may belong to another user.
    public func signIn(_ credential: Credential) { store?.set(credential) }

    /// Removes the credential, and cancels a refresh in progress. Further requests throw an error of kind
    /// `authentication(.signedOut)`, and so do requests in progress that need another credential. Has no effect on a
    /// credential that is not refreshed.
    public func signOut() { store?.set(nil) }

    /// Forgets the credential of the user, so that the next request starts a refresh without a credential. A refresh in
    /// progress is cancelled, and started again without a credential if requests wait for it, unless the refresh itself
    /// calls this method.
    public func clearCredential() { store?.clear(duringRefresh: Self.refreshing.contains(id)) }

    private var store: CredentialStore? {
        guard case .refreshed(let store) = source else { return nil }
        return store
    }

    /// Sends `request`, with the credential if it is for the origin.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        guard let target = Origin(request.url) else { return try await next(request) }
        switch source {
        case .netrc(let netrc) where context.task.sessions.origin?.includes(target) ?? true:
            return try await next(request.authorized(with: netrc.credential(for: target.host)))
        case .fixed(let credential) where try isFor(target, request, context):
            return try await next(request.authorized(with: credential))
        case .refreshed(let store) where try isFor(target, request, context) && !Self.refreshing.contains(id):
            return try await send(request, from: store, context, next)
        case .fixed, .netrc, .refreshed: return try await next(request)
        }
    }

    private func isFor(_ target: Origin, _ request: URLRequest, _ context: RequestContext) throws -> Bool {
        guard let url = origin ?? context.manager?.baseURL else {
            throw RESTClientError(.authentication(.missingOrigin), request)
        }
        return target == Origin(url)
    }
}

extension RequestInterceptor where Self == Authenticator {
    /// Adds `credential` to the requests to `origin`, by default that of the manager's base URL.
    public static func credential(_ credential: Credential, for origin: URL? = nil) -> Self {
        Authenticator(credential, for: origin)
    }

    /// Adds a bearer token (RFC 6750) to the requests to `origin`, by default that of the manager's base URL.
    public static func bearer(_ token: String, for origin: URL? = nil) -> Self {
        .credential(.bearer(token), for: origin)
    }

    /// Adds a user name and a password with Basic authentication (RFC 7617) to the requests to `origin`, by default that of
    /// the manager's base URL.
    public static func basic(user: String, password: String, for origin: URL? = nil) -> Self {
        .credential(.basic(user: user, password: password), for: origin)
    }

    /// Adds the user name and password from a netrc file to each request whose host is in the file, with Basic
    /// authentication (RFC 7617).
    ///
    /// The file is read once, by this call, with curl's rules: the first matching `machine` entry is used, otherwise
    /// `default`, for any scheme and port, including plain `http`. A host that the server chooses gets no credential, even
    /// if it is in the file: the target of a redirect to another origin, and a further page of a list at another origin.
    ///
    /// - Parameter file: The netrc file. Defaults to the file named by the environment variable `NETRC`, otherwise
    ///   `~/.netrc`.
    /// - Throws: An error if the file cannot be read or contains an unclosed quote.
    public static func netrc(_ file: URL? = nil) throws -> Self {
        Authenticator(try Netrc(contentsOf: file ?? Netrc.defaultFile()))
    }
}

// MARK: Refresh

extension Authenticator {
    /// The authenticators whose credentials are being refreshed by the current task.
    @TaskLocal private static var refreshing: Set<ObjectIdentifier> = []

    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    private func send(
        _ request: URLRequest, from store: CredentialStore, _ context: RequestContext, _ next: Next
    ) async throws -> Response<ResponseBody> {
        let header = store.credential?.header ?? .authorization
        guard request[header] == nil else { return try await next(request) }
        let id = self.id
        let manager = context.manager?.without(self) ?? .default
        let refresh: CredentialStore.Refresh = { [refresh = store.refresh, timeout] refused in
            context.note("refreshing the credential")
            let task = RequestTask(number: 0, clock: manager.clock, timeout: timeout, events: nil)
            do {
                return try await Self.$refreshing.withValue(Self.refreshing.union([id])) {
                    try await task.run(deadlines: manager.transport.deadlines) {
                        try await refresh(refused, manager)
                    }
                }
            } catch  where task.hasTimedOut { throw RefreshFailure(reason: .refreshTimedOut(after: timeout)) }
        }
        do {
            var snapshot = try await store.current(context.task, refresh)
            var refusals = 0
            while true {
                if let response = try await response(to: request, with: snapshot, refusals, next) {
                    return response
                }
                refusals += 1
                snapshot = try await store.replacement(for: snapshot, context.task, refresh)
            }
        } catch let failure as RefreshFailure {
            context.task.remark(nil)
            throw failure.error(for: request)
        }
    }

    /// Returns the response, or `nil` if the credential was refused and the request is to be sent again. The refused
    /// response is released on return, so that its transfer ends before a refresh.
    ///
    /// `refusals` is the number of earlier refusals. There can be two: of the credential that the request was first
    /// sent with, and of a newer one that another request had obtained.
    private func response(
        to request: URLRequest, with snapshot: CredentialSnapshot, _ refusals: Int, _ next: Next
    ) async throws -> Response<ResponseBody>? {
        let response = try await next(request.authorized(with: snapshot.credential))
        // After a redirect other than 307 and 308, the refusal is that of the target, when the request itself was executed.
        let isUnexecuted =
            request.isIdempotent || response.redirects.allSatisfy { [307, 308].contains($0.status) }
        let isOwnResponse =
            response.redirects.isEmpty
            || isUnexecuted && Origin(response.request.url) == Origin(request.url)
        let mayRepeat =
            statuses.contains(response.status) && !snapshot.isFresh && refusals < 2 && isOwnResponse
        // A caller's body stream can be read only once.
        return mayRepeat && request.httpBodyStream == nil ? nil : response
    }
}

extension URLRequest {
    /// Returns a copy with `credential`, unless the request already has the header field.
    ///
    /// - Throws: `RESTClientError` of kind `invalidRequest` if the credential contains a control character.
    fileprivate func authorized(with credential: Credential?) throws -> URLRequest {
        guard let credential, self[credential.header] == nil else { return self }
        var copy = self
        try copy.setHeader(credential.header, to: credential.value)
        return copy
    }
}

extension SessionManager {
    /// Returns a nested manager without `authenticator`, for the requests that refresh its credential.
    fileprivate func without(_ authenticator: Authenticator) -> SessionManager {
        SessionManager(
            nestedIn: self, interceptors: interceptors.filter { ($0 as? Authenticator) !== authenticator })
    }
}
