import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The credential that a request was sent with.
struct CredentialSnapshot: Sendable {
    let credential: Credential
    /// The number of refreshes that had ended when the snapshot was taken.
    let generation: Int
    /// `true` if the request waited for this refresh, so that another refresh would bring nothing newer.
    var isFresh = false
}

/// Stores a credential and refreshes it with one task, however many requests need it.
///
/// A request keeps the generation of the credential that it was sent with. A late 401 for an older generation is
/// answered with the current credential, without another refresh.
final class CredentialStore: Sendable {
    typealias Refresh = @Sendable (_ refused: Credential?) async throws -> Credential

    private struct State {
        var credential: Credential?
        /// The number of refreshes that have ended, with success or failure.
        var generation = 0
        /// The error of the last refresh, if it failed.
        var failure: RefreshFailure?
        var refreshTask: RefreshTask?
    }

    private enum Source {
        case snapshot(CredentialSnapshot)
        case refresh(RefreshTask)
    }

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
            guard state.refreshTask == nil, let credential = state.credential,
                credential.expires.map({ $0 > now }) ?? true
            else { return nil }
            return CredentialSnapshot(credential: credential, generation: state.generation)
        }
    }

    /// Returns the credential to send after a 401 for `refused`: a newer one if there is one, otherwise a refreshed one.
    ///
    /// - Throws: `RefreshFailure`, also that of a refresh that failed after `refused` was taken, or the error that ends
    ///   the wait of `requestTask`.
    func replacement(
        for refused: CredentialSnapshot, _ requestTask: RequestTask, _ refresh: @escaping Refresh
    ) async throws -> CredentialSnapshot {
        try await snapshot(requestTask, refresh) { state in
            guard state.generation != refused.generation else { return nil }
            if let failure = state.failure { throw failure }
            return state.credential.map { CredentialSnapshot(credential: $0, generation: state.generation) }
        }
    }

    /// Returns the snapshot from `stored`, or, if that is `nil`, waits for the running or a new refresh.
    private func snapshot(
        _ requestTask: RequestTask, _ refresh: @escaping Refresh,
        _ stored: @Sendable (State) throws -> CredentialSnapshot?
    ) async throws -> CredentialSnapshot {
        let source: Source = try state.withLock { state in
            if let snapshot = try stored(state) { return .snapshot(snapshot) }
            if let task = state.refreshTask { return .refresh(task) }
            let task = RefreshTask()
            state.refreshTask = task
            // An unstructured task: cancelling the request must not cancel the refresh.
            Task { [refused = state.credential] in await run(task, refused: refused, refresh) }
            return .refresh(task)
        }
        switch source {
        case .snapshot(let snapshot): return snapshot
        case .refresh(let task): return try await task.value(for: requestTask)
        }
    }

    private func run(_ task: RefreshTask, refused: Credential?, _ refresh: Refresh) async {
        let result: Result<Credential, RefreshFailure>
        do { result = .success(try await refresh(refused)) } catch {
            result = .failure(RefreshFailure(underlying: error))
        }
        let outcome: Result<CredentialSnapshot, any Error> = state.withLock { state in
            state.refreshTask = nil
            state.generation += 1
            switch result {
            case .success(let credential):
                state.credential = credential
                state.failure = nil
                return .success(
                    CredentialSnapshot(credential: credential, generation: state.generation, isFresh: true))
            case .failure(let failure):
                state.failure = failure
                return .failure(failure)
            }
        }
        task.finish(outcome)
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

/// One refresh of a credential and the requests that wait for it.
final class RefreshTask: Sendable {
    private typealias Continuation = CheckedContinuation<CredentialSnapshot, any Error>

    private struct State {
        var result: Result<CredentialSnapshot, any Error>?
        var lastID = 0
        /// The requests that wait, each with its continuation once it is suspended. A cancelled request is removed,
        /// possibly before it is suspended (PLATFORM A17).
        var waiters: [Int: Continuation?] = [:]
    }

    private let state = LockedState(State())

    /// Ends the refresh with `result`, for all current and later waiters.
    func finish(_ result: Result<CredentialSnapshot, any Error>) {
        let continuations = state.withLock { state in
            state.result = result
            defer { state.waiters = state.waiters.mapValues { _ in nil } }
            return state.waiters.values.compactMap { $0 }
        }
        for continuation in continuations { continuation.resume(with: result) }
    }

    /// Returns the refreshed credential.
    ///
    /// - Throws: The error of the refresh; `CancellationError` as soon as the task or `requestTask` is cancelled or times out.
    func value(for requestTask: RequestTask) async throws -> CredentialSnapshot {
        let id = state.withLock { state in
            state.lastID += 1
            state.waiters.updateValue(nil, forKey: state.lastID)
            return state.lastID
        }
        defer { _ = state.withLock { $0.waiters.removeValue(forKey: id) } }
        let token = try requestTask.addCancellationHandler { self.cancel(id) }
        defer { requestTask.removeCancellationHandler(token) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { suspend(id, $0) }
        } onCancel: {
            cancel(id)
        }
    }

    private func suspend(_ id: Int, _ continuation: Continuation) {
        let result: Result<CredentialSnapshot, any Error>? = state.withLock { state in
            guard state.waiters.keys.contains(id) else { return .failure(CancellationError()) }
            if state.result == nil { state.waiters[id] = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    private func cancel(_ id: Int) {
        let continuation = state.withLock { $0.waiters.removeValue(forKey: id) } ?? nil
        continuation?.resume(throwing: CancellationError())
    }
}
