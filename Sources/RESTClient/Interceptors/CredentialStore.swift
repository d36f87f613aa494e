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
        var lastWaiter = 0
        /// The requests that wait for the refresh.
        var waiters: [Int: Waiter] = [:]
    }

    /// The continuation of a stream with one element, the refreshed credential.
    private typealias Waiter = AsyncThrowingStream<CredentialSnapshot, any Error>.Continuation

    let refresh: @Sendable (Credential?, SessionManager) async throws -> Credential
    private let now: @Sendable () -> Date
    private let state: LockedState<State>

    init(
        _ credential: Credential?, now: @escaping @Sendable () -> Date,
        refresh: @escaping @Sendable (Credential?, SessionManager) async throws -> Credential
    ) {
        self.now = now
        self.refresh = refresh
        state = LockedState(State(credential: credential))
    }

    /// The header field of the credential, or `nil` if there is no credential yet.
    var header: HTTPHeaders.Name? { state.withLock { $0.credential?.header } }

    /// Returns the current credential, after a refresh if it is missing or has expired.
    ///
    /// - Throws: `RefreshFailure`, or the error that ends the wait of `requestTask`.
    func current(_ requestTask: RequestTask, _ refresh: @escaping Refresh) async throws -> CredentialSnapshot
    {
        let now = now()
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
            if let snapshot = try stored(state) { return (snapshot, 0) }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = waiter
            if !state.isRefreshing {
                state.isRefreshing = true
                // An unstructured task: cancelling the request must not cancel the refresh.
                Task { [refused = state.credential] in await performRefresh(refused, refresh) }
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

    /// Refreshes the credential, and resumes all waiters with the result.
    private func performRefresh(_ refused: Credential?, _ refresh: Refresh) async {
        let result = await Result { try await refresh(refused) }.mapError { RefreshFailure(underlying: $0) }
        let (waiters, snapshot) = state.withLock { state in
            state.isRefreshing = false
            state.generation += 1
            switch result {
            case .success(let credential): (state.credential, state.failure) = (credential, nil)
            case .failure(let failure): state.failure = failure
            }
            let snapshot = result.map {
                CredentialSnapshot(credential: $0, generation: state.generation, isFresh: true)
            }
            defer { state.waiters = [:] }
            return (Array(state.waiters.values), snapshot.mapError { $0 as any Error })
        }
        for waiter in waiters {
            waiter.yield(with: snapshot)
            waiter.finish()
        }
    }
}

/// The error of a failed refresh, without the request that waited for it.
struct RefreshFailure: Error {
    let underlying: any Error

    /// The error to throw to the caller of `request`.
    func error(for request: URLRequest) -> any Error {
        if underlying is CancellationError { return underlying }
        return RESTClientError(.authentication(.refreshFailed), request, underlying: underlying)
    }
}
