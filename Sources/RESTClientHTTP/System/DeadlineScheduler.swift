/// A type that a `DeadlineScheduler` calls at its deadline, to end an operation.
package protocol DeadlineHandler: Sendable {
    /// Ends the operation and returns `nil` if its deadline has passed. Otherwise, returns the next deadline.
    func deadlineReached() -> Duration?
}

/// Calls deadline handlers at their deadlines, with one sleeping Swift task for all requests of a manager or server.
///
/// A sleeping task for each request would be expensive: a cancelled `Task.sleep` holds about 740 bytes until its
/// deadline. The sleeps have a tolerance, so that a virtual clock treats them as timeouts and does not advance for them.
package final class DeadlineScheduler: Sendable {
    private struct Entry {
        /// `nil` while the handler is called.
        var due: Duration?
        let handler: any DeadlineHandler
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var wakeTime: Duration?
        var sleeper: Task<Void, Never>?
        var lastToken = 0
    }

    private static let tolerance = Duration.milliseconds(2)
    /// The poll interval for a clock whose sleep fails.
    private static let pollInterval = Duration.milliseconds(100)

    private let clock: AnyClock
    private let state = LockedState(State())

    package init(clock: AnyClock) { self.clock = clock }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    /// Schedules a call of `handler` at `due`, and returns a token for `remove`. If the handler returns another
    /// deadline, it is called again then.
    package func add(_ handler: any DeadlineHandler, due: Duration) -> Int {
        let (token, replaced) = state.withLock { state in
            state.lastToken += 1
            state.entries[state.lastToken] = Entry(due: due, handler: handler)
            return (state.lastToken, sleep(until: due, &state))
        }
        replaced?.cancel()
        return token
    }

    package func remove(_ token: Int) {
        // The handler must not be released under the lock.
        _ = state.withLock { $0.entries.removeValue(forKey: token) }
    }

    /// Wakes up at `time`. Returns a sleep that ends later, which is replaced and must be cancelled.
    private func sleep(until time: Duration, _ state: inout State) -> Task<Void, Never>? {
        if let wakeTime = state.wakeTime, wakeTime <= time { return nil }
        let old = state.sleeper
        state.wakeTime = time
        // Detached, because the task outlives the request that started it, and must not keep the task-local values of that
        // request.
        state.sleeper = Task.detached { [weak self, clock] in
            do {
                try await clock.sleep(until: time, tolerance: Self.tolerance)
            } catch {
                // The sleep was replaced, or the clock cannot sleep and is polled instead.
                guard (try? await Task.sleep(for: Self.pollInterval)) != nil else { return }
            }
            self?.wakeUp(at: time)
        }
        return old
    }

    /// Calls the handlers that are due. All entries are examined, which is fast enough: the sleeper wakes up only for a
    /// deadline, at most once within the tolerance, and most requests end before theirs.
    private func wakeUp(at time: Duration) {
        let now = clock.now
        let due = state.withLock { state -> [(token: Int, due: Duration, handler: any DeadlineHandler)] in
            guard state.wakeTime == time else { return [] }
            state.wakeTime = nil
            state.sleeper = nil
            return state.entries.compactMap { token, entry in
                guard let due = entry.due, due <= now else { return nil }
                state.entries[token]?.due = nil
                return (token, due, entry.handler)
            }
        }
        for (token, _, handler) in due.sorted(by: { $0.due < $1.due }) {
            if let next = handler.deadlineReached() {
                // Has no effect if the operation has ended and removed its token.
                state.withLock { $0.entries[token]?.due = next }
            } else {
                remove(token)
            }
        }
        let replaced = state.withLock { state in
            state.entries.values.compactMap(\.due).min().flatMap { sleep(until: $0, &state) }
        }
        replaced?.cancel()
    }
}
