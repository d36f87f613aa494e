/// A value protected by a lock, for whose changes tasks can wait.
final class WaitableState<Value: Sendable>: Sendable {
    private typealias Condition = @Sendable (Value) -> Bool
    private typealias Waiter = (condition: Condition, continuation: CheckedContinuation<Bool, Never>)

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextKey = 0
    }

    private let state: LockedState<State>

    init(_ value: Value) { state = LockedState(State(value: value)) }

    /// Runs `body` while the lock is held, then resumes the tasks whose condition has become true.
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, ready) = state.withLock { state -> (Result, [Waiter]) in
            let result = body(&state.value)
            guard !state.waiters.isEmpty else { return (result, []) }
            let ready = state.waiters.filter { $0.value.condition(state.value) }
            for key in ready.keys { state.waiters[key] = nil }
            return (result, Array(ready.values))
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
        return result
    }

    /// Waits until `condition` is true. Returns `false` after `limit` of real time, or if the task is cancelled.
    ///
    /// Only time in which the process is scheduled counts. With hundreds of tests on two cores a process may not run
    /// for seconds, and a plain timer would fire although nothing is wrong. This one sleeps in many short steps.
    func wait(within limit: Duration, until condition: @escaping @Sendable (Value) -> Bool) async -> Bool {
        let key = state.withLock { state -> Int in
            defer { state.nextKey += 1 }
            return state.nextKey
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Bool? in
                    if condition(state.value) { return true }
                    if Task.isCancelled { return false }
                    state.waiters[key] = (condition, continuation)
                    return nil
                }
                if let result { return continuation.resume(returning: result) }
                timer = Task { [weak self] in
                    let steps = 50
                    for _ in 0..<steps {
                        guard (try? await Task.sleep(for: limit / steps)) != nil else { return }
                    }
                    self?.stopWaiting(key)
                }
            }
        } onCancel: {
            stopWaiting(key)
        }
    }

    private func stopWaiting(_ key: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
        waiter?.continuation.resume(returning: false)
    }
}
