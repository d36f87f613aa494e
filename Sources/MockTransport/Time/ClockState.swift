/// Work that takes no virtual time: the clock does not advance while it runs, unless it waits on the clock itself.
struct ClockHold: Hashable, Sendable {
    let clock: ObjectIdentifier
    let key: Int
}

/// The state of a virtual clock: the current time, suspended sleeps, holds and pending calls of `advance`.
final class ClockState: Sendable {
    private struct Suspension: Sendable {
        let deadline: Duration
        /// `false` for a sleep with a tolerance, such as a timeout.
        let isWait: Bool
        /// The hold that is suspended during this sleep.
        let hold: Int?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var nextKey = 0
        var suspensions: [Int: Suspension] = [:]
        /// The holds, each with the number of sleeps and requests that suspend it.
        var holds: [Int: Int] = [:]
        /// The holds of handlers that wait for the work of another hold, by the key of that hold.
        var senders: [Int: Int] = [:]
        /// The calls of `advance` that wait for a sleep.
        var advanceWaiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        /// The number of changes so far.
        var changes = 0

        /// The end of the next wait, or of the next timeout if all waits are endless.
        var nextDeadline: Duration? {
            var wait: Duration?
            var timeout: Duration?
            var hasWait = false
            for suspension in suspensions.values {
                if !suspension.isWait {
                    timeout = min(timeout ?? suspension.deadline, suspension.deadline)
                } else {
                    hasWait = true
                    if suspension.deadline < ClockState.endless {
                        wait = min(wait ?? suspension.deadline, suspension.deadline)
                    }
                }
            }
            return hasWait ? wait ?? timeout : nil
        }

        /// `true` if a task waits and every hold is suspended.
        var isReady: Bool { nextDeadline != nil && !holds.values.contains(0) }

        mutating func newKey() -> Int {
            nextKey += 1
            return nextKey
        }

        mutating func add(_ suspension: Suspension, _ key: Int) {
            changes += 1
            suspensions[key] = suspension
            if let hold = suspension.hold { holds[hold]? += 1 }
        }

        mutating func remove(_ key: Int) -> Suspension? {
            guard let suspension = suspensions.removeValue(forKey: key) else { return nil }
            changes += 1
            if let hold = suspension.hold { holds[hold]? -= 1 }
            return suspension
        }

        /// Removes the sleeps that end by `end`, in order of their deadlines, then of their start.
        mutating func advance(to end: Duration) -> [Suspension] {
            let ended = suspensions.filter { $0.value.deadline <= end }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            now = max(now, end)
            return ended.compactMap { remove($0.key) }
        }

        var firstDeadline: Duration? { suspensions.values.map(\.deadline).min() }
    }

    /// The length of a sleep that never ends.
    static let endless = Duration.seconds(1 << 40)

    private let state = LockedState(State())

    var now: Duration {
        state.withLock { state in
            state.changes += 1
            return state.now
        }
    }

    /// The number of changes so far.
    var changes: Int { state.withLock { $0.changes } }

    // MARK: Sleeping

    func sleep(until deadline: Duration, isWait: Bool, onSuspend: () -> Void) async throws {
        try Task.checkCancellation()
        let key = state.withLock { $0.newKey() }
        let hold = VirtualClock.currentHold.flatMap { $0.clock == ObjectIdentifier(self) ? $0.key : nil }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Outcome { case ended, cancelled, suspended([CheckedContinuation<Bool, Never>]) }
                let outcome = state.withLock { state -> Outcome in
                    if deadline <= state.now { return .ended }
                    // Cancelled before it was registered: the handler below ran too early.
                    if Task.isCancelled { return .cancelled }
                    state.add(
                        Suspension(
                            deadline: deadline, isWait: isWait, hold: isWait ? hold : nil,
                            continuation: continuation), key)
                    guard state.nextDeadline != nil else { return .suspended([]) }
                    defer { state.advanceWaiters = [:] }
                    return .suspended(Array(state.advanceWaiters.values))
                }
                switch outcome {
                case .ended: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .suspended(let waiters):
                    for waiter in waiters { waiter.resume(returning: true) }
                    onSuspend()
                }
            }
        } onCancel: {
            state.withLock { $0.remove(key) }?.continuation.resume(throwing: CancellationError())
        }
    }

    // MARK: Holding

    /// - Parameter sender: The hold of the handler that sent the request. It is suspended until the new one is released.
    func hold(sender: ClockHold?) -> ClockHold {
        let clock = ObjectIdentifier(self)
        let sender = sender?.clock == clock ? sender?.key : nil
        return state.withLock { state in
            state.changes += 1
            let key = state.newKey()
            state.holds[key] = 0
            if let sender, state.holds[sender] != nil {
                state.holds[sender]? += 1
                state.senders[key] = sender
            }
            return ClockHold(clock: clock, key: key)
        }
    }

    func release(_ hold: ClockHold) {
        state.withLock { state in
            state.changes += 1
            state.holds[hold.key] = nil
            if let sender = state.senders.removeValue(forKey: hold.key) { state.holds[sender]? -= 1 }
        }
    }

    // MARK: Advancing

    /// Returns when a task waits on the clock.
    func waitForSleep(within limit: Duration) async throws {
        let key = state.withLock { $0.newKey() }
        let hasWait = await Timeout.wait(limit) { continuation in
            state.withLock { state -> Bool? in
                if state.nextDeadline != nil { return true }
                if Task.isCancelled { return false }
                state.advanceWaiters[key] = continuation
                return nil
            }
        } onTimeout: { [weak self] in
            self?.stopWaiting(key)
        }
        guard !hasWait else { return }
        try Task.checkCancellation()
        let timeouts = state.withLock { $0.suspensions.values.filter { !$0.isWait }.map(\.deadline).sorted() }
        throw VirtualClockError(limit: limit, timeouts: timeouts)
    }

    private func stopWaiting(_ key: Int) {
        let waiter = state.withLock { $0.advanceWaiters.removeValue(forKey: key) }
        waiter?.resume(returning: false)
    }

    /// Ends the next wait and returns the distance the clock advanced.
    func endNextWait() -> Duration {
        let (distance, ended) = state.withLock { state -> (Duration, [Suspension]) in
            guard let deadline = state.nextDeadline else { return (.zero, []) }
            let distance = max(deadline - state.now, .zero)
            return (distance, state.advance(to: deadline))
        }
        resume(ended)
        return distance
    }

    /// Ends the sleeps with the first deadline up to `end`. Returns `false` if there were none.
    func endNextSleep(until end: Duration) -> Bool {
        let ended = state.withLock { state -> [Suspension] in
            guard let first = state.firstDeadline, first <= end else { return [] }
            return state.advance(to: first)
        }
        resume(ended)
        return !ended.isEmpty
    }

    func advance(to end: Duration) { resume(state.withLock { $0.advance(to: end) }) }

    /// `true` if the clock may advance automatically: a task waits and no work holds the clock.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Advances to the first deadline if nothing has changed since `changes` and the clock is ready.
    func advance(ifUnchangedSince changes: Int) {
        let ended = state.withLock { state -> [Suspension] in
            guard state.changes == changes, state.isReady, let next = state.nextDeadline,
                let first = state.firstDeadline
            else { return [] }
            return state.advance(to: min(first, next))
        }
        resume(ended)
    }

    private func resume(_ ended: [Suspension]) {
        for suspension in ended { suspension.continuation.resume() }
    }
}

/// A limit in real time that counts only while the process is scheduled.
///
/// With hundreds of tests on two cores a process may not run for seconds, and a plain timer would fire although
/// nothing is wrong. This one sleeps in many short steps.
enum Timeout {
    private static let steps = 50

    /// Waits until the continuation is resumed.
    ///
    /// - Parameters:
    ///   - register: Stores the continuation, or returns the result if it is already known.
    ///   - onTimeout: Resumes the continuation if it is still stored. Called after `limit` and on cancellation.
    static func wait(
        _ limit: Duration, register: (CheckedContinuation<Bool, Never>) -> Bool?,
        onTimeout: @escaping @Sendable () -> Void
    ) async -> Bool {
        let timer = Task {
            for _ in 0..<steps {
                guard (try? await Task.sleep(for: limit / steps)) != nil else { return }
            }
            onTimeout()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let result = register(continuation) { continuation.resume(returning: result) }
            }
        } onCancel: {
            onTimeout()
        }
    }
}
