// An account with an access token, which is refreshed, stored and removed.

import Foundation
import RESTClient

// snippet.hide
func makeManager(api: URL) -> SessionManager {
    // snippet.show
    let manager = SessionManager(baseURL: api, interceptors: [.retry(), .bearer("secret")])
    // snippet.hide
    return manager
}

// snippet.show
/// The tokens of an account, which an app keeps, for example in the keychain.
struct Tokens: Codable, Equatable, Sendable {
    var access: String
    var refresh: String?
    var expires: Date

    var credential: Credential { .bearer(access, expires: expires, refreshToken: refresh) }
}

final class Account: Sendable {
    struct SignInRequired: Error {}

    /// Sends the requests of the account.
    let manager: SessionManager
    private let authenticator: Authenticator
    private let server: TokenServer
    private let store: @Sendable (Tokens?) -> Void
    /// Held while the session and the stored tokens change, so that both belong to the same user.
    private let lock: NSLock

    init(
        api: URL, tokens: Tokens?, configuration: URLSessionConfiguration = .ephemeral,
        clock: any Clock<Duration> = ContinuousClock(), store: @escaping @Sendable (Tokens?) -> Void
    ) {
        let lock = NSLock()
        let server = TokenServer(
            manager: SessionManager(
                baseURL: api, configuration: configuration, interceptors: [RetryPolicy(methods: .all)],
                clock: clock))
        authenticator = Authenticator(credential: tokens?.credential, leeway: .seconds(60)) { refused, _ in
            guard let token = refused?.refreshToken else { throw SignInRequired() }
            let tokens = try await server.tokens(for: ["grant_type": "refresh_token", "refresh_token": token])
            return try lock.withLock {
                // A sign-in or sign-out has cancelled this refresh if it has begun another session.
                try Task.checkCancellation()
                store(tokens)
                return tokens.credential
            }
        }
        manager = SessionManager(
            baseURL: api, configuration: configuration, interceptors: [.retry(), authenticator], clock: clock)
        (self.server, self.store, self.lock) = (server, store, lock)
    }

    func signIn(user: String, password: String) async throws {
        let tokens = try await server.tokens(
            for: ["grant_type": "password", "username": user, "password": password])
        lock.withLock {
            authenticator.signIn(tokens.credential)
            store(tokens)
        }
    }

    func signOut() {
        lock.withLock {
            authenticator.signOut()
            store(nil)
        }
    }
}

/// The token endpoint (RFC 6749), whose requests have no credential.
struct TokenServer: Sendable {
    let manager: SessionManager

    func tokens(for form: QueryItems) async throws -> Tokens {
        struct Answer: Decodable {
            var access_token: String
            var refresh_token: String?
            var expires_in: Double
        }
        let answer = try await manager.request("oauth/token", method: .post, body: .form(form))
            .decode(Answer.self)
        return Tokens(
            access: answer.access_token, refresh: answer.refresh_token ?? form["refresh_token"],
            expires: Date(timeIntervalSinceNow: answer.expires_in))
    }
}

extension RESTClientError {
    /// `true` if there are no tokens, or if the refresh token was refused. Any other failure is temporary.
    var requiresSignIn: Bool {
        guard case .authentication(let failure) = kind else { return false }
        switch (underlying as? RESTClientError)?.kind {
        case .status(400)?, .status(401)?: return true
        default: return failure == .signedOut || underlying is Account.SignInRequired
        }
    }
}
// snippet.hide

func show(_ account: Account) async throws -> String {
    // snippet.show
    do {
        return try await account.manager.request("profile").string()
    } catch let error as RESTClientError where error.requiresSignIn {
        return "sign in, please"
    }
    // snippet.hide
}
