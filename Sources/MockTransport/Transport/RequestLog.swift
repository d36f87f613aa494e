/// The requests that came, and those who wait for some number of them.
final class RequestLog: Sendable {
    private struct Waiter: Sendable {
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var takes: [Take] = []
        /// How many came, also of those that are no longer kept.
        var count = 0
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = LockedState(State())

    /// For the bodies of what was answered.
    let budget = Take.Budget(64 << 20)

    var requests: [ReceivedRequest] { takes.map(\.request) }
    var takes: [Take] { state.withLock { $0.takes } }

    func append(_ take: Take, keeping limit: Int) {
        let served = state.withLock { state -> [Waiter] in
            state.takes.append(take)
            state.count += 1
            // Rarely, because it moves all that stay.
            if state.takes.count / 2 >= max(limit, 1) {
                state.takes.removeFirst(state.takes.count - limit)
            }
            guard !state.waiters.isEmpty else { return [] }
            let ready = state.waiters.filter { $0.value.count <= state.count }
            for key in ready.keys { state.waiters[key] = nil }
            return Array(ready.values)
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
    }

    /// Whether `count` requests came within `limit` of real time.
    func wait(for count: Int, within limit: Duration) async -> Bool {
        let key = state.withLock { state -> Int in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        let patience = LockedState<Patience?>(nil)
        defer { patience.withLock { $0 }?.end() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state -> Bool in
                    if state.count >= count || Task.isCancelled { return true }
                    state.waiters[key] = Waiter(count: count, continuation: continuation)
                    return false
                }
                if isThere { return continuation.resume(returning: state.withLock { $0.count >= count }) }
                patience.withLock { $0 = Patience(limit) { [weak self] in self?.giveUp(key) } }
            }
        } onCancel: {
            giveUp(key)
        }
    }

    private func giveUp(_ key: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
        waiter?.continuation.resume(returning: false)
    }
}
