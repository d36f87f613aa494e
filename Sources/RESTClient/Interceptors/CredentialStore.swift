import Foundation
import RESTClientHTTP

/// A credential as it was at one time, with the number of its refresh.
struct CredentialSnapshot: Sendable {
    let credential: Credential
    /// The number of refreshes that had ended when the snapshot was taken.
    let generation: Int
    /// `true` if the request waited for the refresh that returned this credential, so another refresh is pointless.
    var isFresh = false
}

/// Stores a credential, and refreshes it only once for all requests that need it.
///
/// A request keeps the generation of the credential that it was sent with. If a 401 refers to an older generation, the
/// request is repeated with the current credential, without another refresh.
final class CredentialStore: Sendable {
    typealias Refresh = @Sendable (_ refused: Credential?) async throws -> Credential

    private struct State {
        var credential: Credential?
        /// The number of refreshes that have ended, with success or failure.
        var generation = 0
        /// The error of the last refresh, if it failed.
        var failure: RefreshFailure?
        var isRefreshing = false
        /// `true` after `signOut`, until a credential is set.
        var isSignedOut = false
        /// The number of calls of `set`. The result of a refresh is discarded if it has changed since its start.
        var changes = 0
        var lastWaiter = 0
        /// The requests that wait for the refresh.
        var waiters: [Int: Waiter] = [:]
    }

    /// The continuation of a stream with one element, the refreshed credential.
    private typealias Waiter = AsyncThrowingStream<CredentialSnapshot, any Error>.Continuation

    let refresh: @Sendable (Credential?, SessionManager) async throws -> Credential
    /// The time before the expiry of a credential at which it is refreshed, in seconds.
    private let leeway: Double
    private let now: @Sendable () -> Date
    private let state: LockedState<State>

    init(
        _ credential: Credential?, leeway: Duration = .zero, now: @escaping @Sendable () -> Date,
        refresh: @escaping @Sendable (Credential?, SessionManager) async throws -> Credential
    ) {
        self.leeway = max(leeway, .zero) / .seconds(1)
        self.now = now
        self.refresh = refresh
        state = LockedState(State(credential: credential))
    }

    var credential: Credential? { state.withLock { $0.credential } }

    /// Replaces the credential, and ends the refresh in progress for its waiters. Without a credential, they and all later
    /// requests fail.
    func set(_ credential: Credential?) {
        state.withLock { state in
            let signedOut = RefreshFailure(reason: .signedOut)
            state.credential = credential
            state.isSignedOut = credential == nil
            state.failure = credential == nil ? signedOut : nil
            state.isRefreshing = false
            state.changes += 1
            state.generation += 1
            let snapshot = credential.map { CredentialSnapshot(credential: $0, generation: state.generation) }
            Self.resume(&state.waiters, with: snapshot.map { .success($0) } ?? .failure(signedOut))
        }
    }

    /// Forgets the credential: the next request starts a refresh.
    func clear() { state.withLock { $0.credential = nil } }

    /// Returns the current credential, after a refresh if it is missing or has expired.
    ///
    /// - Throws: `RefreshFailure`, or the error that ends the wait of `requestTask`.
    func current(_ requestTask: RequestTask, _ refresh: @escaping Refresh) async throws -> CredentialSnapshot
    {
        let now = now().addingTimeInterval(leeway)
        return try await snapshot(requestTask, refresh) { state in
            guard !state.isRefreshing, let credential = state.credential,
                credential.expires.map({ $0 > now }) ?? true
            else { return nil }
            return CredentialSnapshot(credential: credential, generation: state.generation)
        }
    }

    /// Returns the credential to send after a 401 for `refused`: a newer one if there is one, otherwise a refreshed one.
    ///
    /// - Throws: `RefreshFailure` if this refresh fails, or if a refresh has failed since `refused` was read; otherwise
    ///   the error that ends the wait of `requestTask`.
    func replacement(
        for refused: CredentialSnapshot, _ requestTask: RequestTask, _ refresh: @escaping Refresh
    ) async throws -> CredentialSnapshot {
        try await snapshot(requestTask, refresh) { state in
            guard state.generation != refused.generation else { return nil }
            if let failure = state.failure { throw failure }
            return state.credential.map { CredentialSnapshot(credential: $0, generation: state.generation) }
        }
    }

    /// Returns the snapshot from `stored`. If it is `nil`, waits for the refresh in progress, or starts one.
    private func snapshot(
        _ requestTask: RequestTask, _ refresh: @escaping Refresh,
        _ stored: @Sendable (State) throws -> CredentialSnapshot?
    ) async throws -> CredentialSnapshot {
        let (refreshed, waiter) = AsyncThrowingStream.makeStream(of: CredentialSnapshot.self)
        let (snapshot, number) = try state.withLock { state -> (CredentialSnapshot?, Int) in
            if state.isSignedOut { throw RefreshFailure(reason: .signedOut) }
            if let snapshot = try stored(state) { return (snapshot, 0) }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = waiter
            if !state.isRefreshing {
                state.isRefreshing = true
                // An unstructured task: cancelling the request must not cancel the refresh.
                Task { [refused = state.credential, changes = state.changes] in
                    await performRefresh(refused, refresh, after: changes)
                }
            }
            return (nil, state.lastWaiter)
        }
        if let snapshot { return snapshot }
        defer { _ = state.withLock { $0.waiters.removeValue(forKey: number) } }
        let token = try requestTask.addCancellationHandler { waiter.finish(throwing: CancellationError()) }
        defer { requestTask.removeCancellationHandler(token) }
        for try await snapshot in refreshed { return snapshot }
        // The stream ends without an element if the Swift task is cancelled.
        throw CancellationError()
    }

    /// Refreshes the credential, and resumes all waiters with the result, unless `set` was called since `changes`.
    private func performRefresh(_ refused: Credential?, _ refresh: Refresh, after changes: Int) async {
        let result = await Result { try await refresh(refused).keepingRefreshToken(of: refused) }
            .mapError { RefreshFailure(reason: .refreshFailed, underlying: $0) }
        state.withLock { state in
            guard state.changes == changes else { return }
            state.isRefreshing = false
            state.generation += 1
            switch result {
            case .success(let credential): (state.credential, state.failure) = (credential, nil)
            case .failure(let failure): state.failure = failure
            }
            let snapshot = result.map {
                CredentialSnapshot(credential: $0, generation: state.generation, isFresh: true)
            }
            Self.resume(&state.waiters, with: snapshot)
        }
    }

    /// Removes the waiters and resumes them.
    private static func resume(
        _ waiters: inout [Int: Waiter], with result: Result<CredentialSnapshot, RefreshFailure>
    ) {
        for waiter in waiters.values {
            waiter.yield(with: result.mapError { $0 as any Error })
            waiter.finish()
        }
        waiters = [:]
    }
}

/// The error of a missing credential, without the request that needed it.
struct RefreshFailure: Error {
    let reason: RESTClientError.AuthenticationFailure
    var underlying: (any Error)?

    /// The error to throw to the caller of `request`.
    func error(for request: URLRequest) -> any Error {
        if let underlying, underlying is CancellationError { return underlying }
        return RESTClientError(.authentication(reason), request, underlying: underlying)
    }
}
