import RESTClientHTTP

/// One renewal of a credential, and those who wait for it.
final class Renewal: Sendable {
    private typealias Grant = RenewableCredential.Grant

    private enum Waiter {
        /// On its way; may be gone before it comes (PLATFORM A17).
        case coming
        case waiting(CheckedContinuation<Grant, any Error>)
        case gone
    }

    private struct State {
        var result: Result<Grant, any Error>?
        var next = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state = LockedState(State())

    /// Ends the renewal, for all who wait and all who will ask.
    func end(_ result: Result<RenewableCredential.Grant, any Error>) {
        let waiters = state.withLock { state in
            state.result = result
            defer {
                state.waiters = state.waiters.filter { if case .waiting = $0.value { false } else { true } }
            }
            return Array(state.waiters.values)
        }
        for case .waiting(let continuation) in waiters { continuation.resume(with: result) }
    }

    /// What the renewal brings.
    ///
    /// - Throws: what the renewal throws; `CancellationError` at once when the task or `task` is cancelled, or late.
    func grant(for task: RequestTask) async throws -> RenewableCredential.Grant {
        let number = state.withLock { state in
            state.next += 1
            state.waiters[state.next] = .coming
            return state.next
        }
        defer { _ = state.withLock { $0.waiters.removeValue(forKey: number) } }
        let token = try task.addCancellationHandler { self.leave(number) }
        defer { task.removeCancellationHandler(token) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(number, $0) }
        } onCancel: {
            leave(number)
        }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<Grant, any Error>) {
        let result: Result<Grant, any Error>? = state.withLock { state in
            if case .gone = state.waiters[number] { return .failure(CancellationError()) }
            if state.result == nil { state.waiters[number] = .waiting(continuation) }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    private func leave(_ number: Int) {
        let continuation: CheckedContinuation<Grant, any Error>? = state.withLock { state in
            switch state.waiters[number] {
            case .coming: state.waiters[number] = .gone
            case .waiting(let continuation):
                state.waiters[number] = nil
                return continuation
            case .gone, nil: break
            }
            return nil
        }
        continuation?.resume(throwing: CancellationError())
    }
}
