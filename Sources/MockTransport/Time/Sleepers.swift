/// Those who sleep on a virtual clock, those who hold it, and those who want someone to sleep.
final class Sleepers: Sendable {
    struct Sleeper: Sendable {
        let deadline: Duration
        let isWait: Bool
        /// The hold that is let go while this one sleeps.
        let hold: Int?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var nextKey = 0
        var asleep: [Int: Sleeper] = [:]
        /// Each hold, and how many wait under it, or are asked for something under it.
        var holds: [Int: Int] = [:]
        /// The hold of the handler that waits for what is done under a hold.
        var askers: [Int: Int] = [:]
        var watchers: [Int: CheckedContinuation<Bool, Never>] = [:]
        /// Counts whatever happens here.
        var events = 0

        /// The next end of a wait; where all waits are endless, the next guard.
        var nextStop: Duration? {
            var ending: Duration?
            var guarding: Duration?
            var isAnyoneWaiting = false
            for sleeper in asleep.values {
                if !sleeper.isWait {
                    guarding = min(guarding ?? sleeper.deadline, sleeper.deadline)
                } else {
                    isAnyoneWaiting = true
                    if sleeper.deadline < Sleepers.endless {
                        ending = min(ending ?? sleeper.deadline, sleeper.deadline)
                    }
                }
            }
            return isAnyoneWaiting ? ending ?? guarding : nil
        }

        /// Someone waits, and nobody works without waiting.
        var isReady: Bool { nextStop != nil && !holds.values.contains(0) }

        mutating func newKey() -> Int {
            nextKey += 1
            return nextKey
        }

        mutating func add(_ sleeper: Sleeper, _ key: Int) {
            events += 1
            asleep[key] = sleeper
            if let hold = sleeper.hold { holds[hold]? += 1 }
        }

        mutating func remove(_ key: Int) -> Sleeper? {
            guard let sleeper = asleep.removeValue(forKey: key) else { return nil }
            events += 1
            if let hold = sleeper.hold { holds[hold]? -= 1 }
            return sleeper
        }

        /// In order of their time, then of their coming.
        mutating func wake(until end: Duration) -> [Sleeper] {
            let due = asleep.filter { $0.value.deadline <= end }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            now = max(now, end)
            return due.compactMap { remove($0.key) }
        }
    }

    /// Sleeping for so long means: for ever.
    static let endless = Duration.seconds(1 << 40)

    private let state = LockedState(State())

    var now: Duration {
        state.withLock { state in
            state.events += 1
            return state.now
        }
    }

    /// How much has happened so far.
    var events: Int { state.withLock { $0.events } }

    // MARK: Sleeping

    func sleep(until deadline: Duration, isWait: Bool, asleep: () -> Void) async throws {
        try Task.checkCancellation()
        let key = state.withLock { $0.newKey() }
        let hold = VirtualClock.currentHold.flatMap { $0.sleepers == ObjectIdentifier(self) ? $0.key : nil }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Next { case slept, cancelled, asleep([CheckedContinuation<Bool, Never>]) }
                let next = state.withLock { state -> Next in
                    if deadline <= state.now { return .slept }
                    // Cancelled before it was registered: the handler below came too early.
                    if Task.isCancelled { return .cancelled }
                    state.add(
                        Sleeper(
                            deadline: deadline, isWait: isWait, hold: isWait ? hold : nil,
                            continuation: continuation), key)
                    guard state.nextStop != nil else { return .asleep([]) }
                    defer { state.watchers = [:] }
                    return .asleep(Array(state.watchers.values))
                }
                switch next {
                case .slept: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .asleep(let watchers):
                    for watcher in watchers { watcher.resume(returning: true) }
                    asleep()
                }
            }
        } onCancel: {
            state.withLock { $0.remove(key) }?.continuation.resume(throwing: CancellationError())
        }
    }

    // MARK: Holding

    /// - Parameter asker: A hold that is let go until this one is released.
    func hold(for asker: Int?) -> Int {
        state.withLock { state in
            state.events += 1
            let key = state.newKey()
            state.holds[key] = 0
            if let asker, state.holds[asker] != nil {
                state.holds[asker]? += 1
                state.askers[key] = asker
            }
            return key
        }
    }

    func release(_ key: Int) {
        state.withLock { state in
            state.events += 1
            state.holds[key] = nil
            if let asker = state.askers.removeValue(forKey: key) { state.holds[asker]? -= 1 }
        }
    }

    // MARK: Moving

    /// Returns when there is a reason for time to move.
    func someoneWaits(within limit: Duration) async throws {
        let key = state.withLock { $0.newKey() }
        let patience = LockedState<Patience?>(nil)
        defer { patience.withLock { $0 }?.end() }
        let isThere = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer = state.withLock { state -> Bool? in
                    if state.nextStop != nil { return true }
                    if Task.isCancelled { return false }
                    state.watchers[key] = continuation
                    return nil
                }
                if let answer { return continuation.resume(returning: answer) }
                patience.withLock { $0 = Patience(limit) { [weak self] in self?.giveUp(key) } }
            }
        } onCancel: {
            giveUp(key)
        }
        guard !isThere else { return }
        try Task.checkCancellation()
        let guards = state.withLock { $0.asleep.values.filter { !$0.isWait }.map(\.deadline).sorted() }
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
        resume(woken)
        return moved
    }

    /// Wakes whoever is first to wake before `end`; says whether there was someone.
    func wakeNext(until end: Duration) -> Bool {
        let woken = state.withLock { state -> [Sleeper] in
            guard let first = state.asleep.values.map(\.deadline).min(), first <= end else { return [] }
            return state.wake(until: first)
        }
        resume(woken)
        return !woken.isEmpty
    }

    func move(to end: Duration) { resume(state.withLock { $0.wake(until: end) }) }

    /// Whether time may move by itself: someone waits, and nobody works meanwhile.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Moves to the first end of a sleep, if nothing has happened since `events`; false if it may not move.
    func moveByItself(ifStillAt events: Int) -> Bool {
        let woken = state.withLock { state -> [Sleeper]? in
            guard state.events == events, state.isReady, let stop = state.nextStop,
                let first = state.asleep.values.map(\.deadline).min()
            else { return nil }
            return state.wake(until: min(first, stop))
        }
        resume(woken ?? [])
        return woken != nil
    }

    private func resume(_ woken: [Sleeper]) {
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
