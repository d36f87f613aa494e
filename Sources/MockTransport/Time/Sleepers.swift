import Dispatch

/// Those who sleep on a virtual clock, and those who want someone to.
final class Sleepers: Sendable {
    private struct Sleeper: Sendable {
        let deadline: Duration
        let isWait: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var nextKey = 0
        var asleep: [Int: Sleeper] = [:]
        var watchers: [Int: CheckedContinuation<Bool, Never>] = [:]

        /// Waits that end; or, where all waits are endless, guards.
        var canAdvance: Bool { nextStop != nil }

        var nextStop: Duration? {
            let waits = asleep.values.filter(\.isWait)
            guard !waits.isEmpty else { return nil }
            let ending = waits.map(\.deadline).filter { $0 < Sleepers.endless }.min()
            return ending ?? asleep.values.filter { !$0.isWait }.map(\.deadline).min()
        }

        mutating func newKey() -> Int {
            defer { nextKey += 1 }
            return nextKey
        }

        /// In order of their time, then of their coming.
        mutating func wake(until end: Duration) -> [Sleeper] {
            let due = asleep.filter { $0.value.deadline <= end }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for (key, _) in due { asleep[key] = nil }
            now = max(now, end)
            return due.map(\.value)
        }
    }

    /// Sleeping until here means: for ever.
    static let endless = Duration.seconds(1 << 40)

    private let state = Lock(State())

    var now: Duration { state.withLock { $0.now } }

    func sleep(until deadline: Duration, isWait: Bool) async throws {
        try Task.checkCancellation()
        let key = state.withLock { $0.newKey() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Next { case slept, cancelled, asleep([CheckedContinuation<Bool, Never>]) }
                let next = state.withLock { state -> Next in
                    if deadline <= state.now { return .slept }
                    // Cancelled before it was registered: the handler below came too early.
                    if Task.isCancelled { return .cancelled }
                    state.asleep[key] = Sleeper(
                        deadline: deadline, isWait: isWait, continuation: continuation)
                    guard state.canAdvance else { return .asleep([]) }
                    defer { state.watchers = [:] }
                    return .asleep(Array(state.watchers.values))
                }
                switch next {
                case .slept: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .asleep(let watchers): for watcher in watchers { watcher.resume(returning: true) }
                }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.asleep.removeValue(forKey: key) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns when there is a reason for time to move.
    func someoneWaits(within limit: Duration) async throws {
        let key = state.withLock { $0.newKey() }
        let isThere = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer = state.withLock { state -> Bool? in
                    if state.canAdvance { return true }
                    if Task.isCancelled { return false }
                    state.watchers[key] = continuation
                    return nil
                }
                if let answer { return continuation.resume(returning: answer) }
                DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) { [weak self] in
                    self?.giveUp(key)
                }
            }
        } onCancel: {
            giveUp(key)
        }
        guard !isThere else { return }
        try Task.checkCancellation()
        let guards = state.withLock { $0.asleep.values.map(\.deadline).sorted() }
        throw VirtualClockError(
            description: "nobody waited on the virtual clock within \(limit)"
                + (guards.isEmpty
                    ? "" : "; guards are set for \(guards.map { "\($0)" }.joined(separator: ", "))"))
    }

    private func giveUp(_ key: Int) {
        let watcher = state.withLock { $0.watchers.removeValue(forKey: key) }
        watcher?.resume(returning: false)
    }

    func endNextWait() -> Duration {
        let (moved, woken) = state.withLock { state -> (Duration, [Sleeper]) in
            guard let stop = state.nextStop else { return (.zero, []) }
            let moved = max(stop - state.now, .zero)
            return (moved, state.wake(until: stop))
        }
        for sleeper in woken { sleeper.continuation.resume() }
        return moved
    }

    /// Wakes whoever is first to wake before `end`; says whether there was someone.
    func wakeNext(until end: Duration) -> Bool {
        let woken = state.withLock { state -> [Sleeper] in
            guard let first = state.asleep.values.map(\.deadline).min(), first <= end else { return [] }
            return state.wake(until: first)
        }
        for sleeper in woken { sleeper.continuation.resume() }
        return !woken.isEmpty
    }

    func move(to end: Duration) {
        for sleeper in state.withLock({ $0.wake(until: end) }) { sleeper.continuation.resume() }
    }
}
