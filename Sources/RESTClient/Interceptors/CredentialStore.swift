import Foundation
import RESTClientHTTP

/// A credential as it was at one time, with its generation.
struct CredentialSnapshot: Sendable {
    let credential: Credential
    let generation: Int
    /// `true` if the request waited for the refresh that returned this credential, so another refresh is pointless.
    var isFresh = false
}

/// Stores a credential, and refreshes it only once for all requests that need it.
///
/// A request keeps the generation of the credential that it was sent with. If a 401 refers to an older generation, the
/// request is repeated with the current credential, without another refresh.
///
/// A sign-in or sign-out begins a new session. A request gets the credentials of the session in which it first needed
/// one, even in its retries and, for a list, in the requests for further pages.
final class CredentialStore: Sendable {
    typealias Refresh = @Sendable (_ refused: Credential?) async throws -> Credential

    private struct State {
        var credential: Credential?
        /// The time at which the credential is refreshed.
        var renewal: Date?
        /// The number of refreshes that have ended, with success or failure, and of calls of `set` and `clear`. The result
        /// of a refresh is discarded if it has changed since its start.
        var generation = 0
        /// The error of the last refresh, if it failed.
        var failure: RefreshFailure?
        var refresh: Task<Void, Never>?
        /// The number of calls of `set`.
        var session = 0
        /// `true` after `signOut`, until a credential is set.
        var isSignedOut = false
        var lastWaiter = 0
        var waiters: [Int: Waiter] = [:]

        var snapshot: CredentialSnapshot? {
            credential.map { CredentialSnapshot(credential: $0, generation: generation) }
        }
    }

    /// The continuation of a stream with one element, the refreshed credential.
    private typealias Waiter = AsyncThrowingStream<CredentialSnapshot, any Error>.Continuation

    let refresh: @Sendable (Credential?, SessionManager) async throws -> Credential
    /// The time before the expiry of a credential at which it is refreshed, in seconds.
    private let leeway: Double
    /// Returns the current date, or `nil` for that of the clock of a request.
    private let now: (@Sendable () -> Date)?
    private let state: LockedState<State>

    init(
        _ credential: Credential?, leeway: Duration = .zero, now: (@Sendable () -> Date)?,
        refresh: @escaping @Sendable (Credential?, SessionManager) async throws -> Credential
    ) {
        self.leeway = max(leeway, .zero) / .seconds(1)
        self.now = now
        self.refresh = refresh
        state = LockedState(State())
        state.withLock { set(credential, in: &$0) }
    }

    var credential: Credential? { state.withLock { $0.credential } }

    /// Replaces the credential, and begins a new session. Requests that need another credential of an earlier session fail,
    /// and so do all later requests if `credential` is `nil`.
    func set(_ credential: Credential?) {
        replace(credential) { state in
            state.isSignedOut = credential == nil
            state.session += 1
        }
    }

    /// Forgets the credential: the next request, or one that waits for a refresh, starts a new refresh.
    ///
    /// - Parameter duringRefresh: `true` if the refresh in progress calls this method. It is not started again.
    func clear(duringRefresh: Bool) {
        if duringRefresh {
            state.withLock { set(nil, in: &$0) }
        } else {
            replace(nil) { _ in }
        }
    }

    /// Replaces the credential, and cancels the refresh in progress. Its waiters read the state again.
    private func replace(_ credential: Credential?, _ change: (inout State) -> Void) {
        let refresh = state.withLock { state in
            set(credential, in: &state)
            change(&state)
            state.generation += 1
            state.failure = nil
            for waiter in state.waiters.values { waiter.finish() }
            state.waiters = [:]
            return state.refresh.take()
        }
        // Cancellation handlers must not be called under the lock.
        refresh?.cancel()
    }

    /// Sets the credential, and the time of its refresh. A credential that was refreshed at `start` is used for at least half
    /// of the time until its expiry. Otherwise, every request would refresh it if the leeway is as long as its lifetime.
    private func set(_ credential: Credential?, since start: Date? = nil, in state: inout State) {
        state.credential = credential
        state.renewal = credential?.expires.map { expiry in
            let half = start.map { $0.addingTimeInterval(expiry.timeIntervalSince($0) / 2) }
            return max(expiry.addingTimeInterval(-leeway), half ?? .distantPast)
        }
    }

    /// Returns the current credential, after a refresh if it is missing or has expired.
    ///
    /// - Throws: `RefreshFailure`, or the error that ends the wait of `requestTask`.
    func current(
        _ requestTask: RequestTask, _ refresh: @escaping Refresh
    ) async throws -> CredentialSnapshot {
        let now = date(requestTask.clock)
        return try await snapshot(requestTask, refresh) { state in
            guard state.refresh == nil, state.renewal.map({ $0 > now }) ?? true else { return nil }
            return state.snapshot
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
            return state.snapshot
        }
    }

    /// Returns the snapshot from `stored`. If it is `nil`, waits for the refresh in progress, or starts one.
    private func snapshot(
        _ requestTask: RequestTask, _ refresh: @escaping Refresh,
        _ stored: @Sendable (State) throws -> CredentialSnapshot?
    ) async throws -> CredentialSnapshot {
        while true {
            let (refreshed, waiter) = AsyncThrowingStream.makeStream(of: CredentialSnapshot.self)
            let (snapshot, number) = try state.withLock { state -> (CredentialSnapshot?, Int) in
                guard !state.isSignedOut,
                    requestTask.sessions.first(of: self, current: state.session) == state.session
                else { throw RefreshFailure(reason: .signedOut) }
                if let snapshot = try stored(state) { return (snapshot, 0) }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = waiter
                if state.refresh == nil {
                    // An unstructured task: cancelling the request must not cancel the refresh.
                    let (refused, generation) = (state.credential, state.generation)
                    state.refresh = Task { [clock = requestTask.clock] in
                        await performRefresh(refused, refresh, in: generation, clock)
                    }
                }
                return (nil, state.lastWaiter)
            }
            if let snapshot { return snapshot }
            defer { _ = state.withLock { $0.waiters.removeValue(forKey: number) } }
            let token = try requestTask.addCancellationHandler {
                waiter.finish(throwing: CancellationError())
            }
            defer { requestTask.removeCancellationHandler(token) }
            requestTask.remark("while waiting for the refresh of the credential")
            for try await snapshot in refreshed {
                requestTask.remark(nil)
                return snapshot
            }
            // The stream ends without an element if the Swift task is cancelled, or the credential was replaced.
            try Task.checkCancellation()
        }
    }

    private func date(_ clock: AnyClock) -> Date { now?() ?? clock.date }

    /// Refreshes the credential, and resumes all waiters with the result, unless the credential was replaced.
    private func performRefresh(
        _ refused: Credential?, _ refresh: Refresh, in generation: Int, _ clock: AnyClock
    ) async {
        let result = await Result { try await refresh(refused).keepingRefreshToken(of: refused) }
            .mapError { $0 as? RefreshFailure ?? RefreshFailure(reason: .refreshFailed, underlying: $0) }
        let now = date(clock)
        state.withLock { state in
            guard state.generation == generation else { return }
            state.refresh = nil
            state.generation += 1
            switch result {
            case .success(let credential):
                set(credential, since: now, in: &state)
                state.failure = nil
            case .failure(let failure): state.failure = failure
            }
            let snapshot = result.map {
                CredentialSnapshot(credential: $0, generation: state.generation, isFresh: true)
            }
            for waiter in state.waiters.values {
                waiter.yield(with: snapshot.mapError { $0 as any Error })
                waiter.finish()
            }
            state.waiters = [:]
        }
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
