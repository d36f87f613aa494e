/// A handle for work during which a virtual clock does not advance, unless the work itself waits: on the clock, or for the
/// next part of a body.
struct ClockHold: Hashable, Sendable {
    let clock: ObjectIdentifier
    let key: Int
}

/// The state of a virtual clock: the current time, suspended sleeps and holds.
final class ClockState: Sendable {
    private struct Suspension: Sendable {
        let deadline: Duration
        /// `false` for a sleep with a tolerance, such as a timeout.
        let isWait: Bool
        /// The hold that is suspended during this sleep.
        let hold: Int?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Hold {
        /// The number of sleeps, requests and streams that suspend it.
        var suspensions = 0
        /// The number of changes of `suspensions` so far.
        var changes = 0
    }

    /// The progress of the work of a hold: it has made some if this has changed.
    struct Progress: Equatable {
        fileprivate let changes: Int
        fileprivate let now: Duration
    }

    private struct State {
        var now = Duration.zero
        var nextKey = 0
        var suspensions: [Int: Suspension] = [:]
        var holds: [Int: Hold] = [:]
        /// The holds of handlers that sent a request, by the key of the hold for the work on that request.
        var senders: [Int: [Int]] = [:]
        /// The number of changes so far.
        var changes = 0

        /// The end of the next wait, or of the next timeout if all waits are endless.
        var nextDeadline: Duration? {
            guard suspensions.values.contains(where: \.isWait) else { return nil }
            return suspensions.values.lazy.filter { $0.isWait && $0.deadline < endless }.map(\.deadline).min()
                ?? suspensions.values.lazy.filter { !$0.isWait }.map(\.deadline).min()
        }

        /// `true` if a task waits and every hold is suspended.
        var isReady: Bool { nextDeadline != nil && !holds.values.contains { $0.suspensions == 0 } }

        mutating func newKey() -> Int {
            nextKey += 1
            return nextKey
        }

        /// Suspends or resumes a hold.
        mutating func add(_ count: Int, to hold: Int?) {
            guard let hold else { return }
            holds[hold]?.suspensions += count
            holds[hold]?.changes += 1
        }

        mutating func add(_ suspension: Suspension, _ key: Int) {
            changes += 1
            suspensions[key] = suspension
            add(1, to: suspension.hold)
        }

        mutating func remove(_ key: Int) -> Suspension? {
            guard let suspension = suspensions.removeValue(forKey: key) else { return nil }
            changes += 1
            add(-1, to: suspension.hold)
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

    private let state = WaitableState(State())

    var now: Duration {
        state.withLock { state in
            state.changes += 1
            return state.now
        }
    }

    /// The number of changes so far.
    var changes: Int { state.withLock { $0.changes } }

    // MARK: Sleeping

    /// The number of suspended sleeps.
    var sleepCount: Int { state.withLock { $0.suspensions.count } }

    func sleep(until deadline: Duration, isWait: Bool, onSuspend: () -> Void) async throws {
        try Task.checkCancellation()
        let key = state.withLock { $0.newKey() }
        let hold = VirtualClock.currentHold.flatMap { $0.clock == ObjectIdentifier(self) ? $0.key : nil }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if deadline <= state.now { return .success(()) }
                    // If the task was cancelled before the sleep is registered, the cancellation handler below has
                    // already run.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    let suspension = Suspension(
                        deadline: deadline, isWait: isWait, hold: isWait ? hold : nil,
                        continuation: continuation)
                    state.add(suspension, key)
                    return nil
                }
                if let result { continuation.resume(with: result) } else { onSuspend() }
            }
        } onCancel: {
            state.withLock { $0.remove(key) }?.continuation.resume(throwing: CancellationError())
        }
    }

    // MARK: Holding

    /// The handlers that may have sent a request.
    enum Senders {
        case none
        case one(ClockHold)
        /// Any handler at work: the platform does not tell which task has sent the request.
        case unknown
    }

    /// - Parameter senders: Their holds are suspended until the new one is released.
    func hold(senders: Senders) -> ClockHold {
        let clock = ObjectIdentifier(self)
        return state.withLock { state in
            state.changes += 1
            let senders: [Int] =
                switch senders {
                case .one(let sender) where sender.clock == clock && state.holds[sender.key] != nil:
                    [sender.key]
                case .none, .one: []
                case .unknown: Array(state.holds.keys)
                }
            let key = state.newKey()
            state.holds[key] = Hold()
            for sender in senders { state.add(1, to: sender) }
            if !senders.isEmpty { state.senders[key] = senders }
            return ClockHold(clock: clock, key: key)
        }
    }

    func release(_ hold: ClockHold) {
        state.withLock { state in
            state.changes += 1
            state.holds[hold.key] = nil
            for sender in state.senders.removeValue(forKey: hold.key) ?? [] { state.add(-1, to: sender) }
        }
    }

    /// Lets the clock advance before the hold is released. Has no effect on a released hold, or one of another clock.
    func suspend(_ hold: ClockHold) { add(1, to: hold) }

    /// Reverses one call of `suspend`.
    func resume(_ hold: ClockHold) { add(-1, to: hold) }

    private func add(_ count: Int, to hold: ClockHold) {
        state.withLock { state in
            guard hold.clock == ObjectIdentifier(self) else { return }
            state.changes += 1
            state.add(count, to: hold.key)
        }
    }

    /// Returns the progress of the work of a hold, or `nil` if it waits or has ended.
    func progress(of hold: ClockHold) -> Progress? {
        state.withLock { state in
            guard let work = state.holds[hold.key], work.suspensions == 0 else { return nil }
            return Progress(changes: work.changes, now: state.now)
        }
    }

    // MARK: Advancing

    /// Returns when a task waits on the clock.
    func waitForSleep(within limit: Duration) async throws {
        if await state.wait(within: limit, until: { $0.nextDeadline != nil }) { return }
        try Task.checkCancellation()
        let timeouts = state.withLock { $0.suspensions.values.filter { !$0.isWait }.map(\.deadline).sorted() }
        throw VirtualClockError(limit: limit, timeouts: timeouts)
    }

    /// Ends the next wait and returns the distance the clock advanced.
    func endNextWait() -> Duration {
        var distance = Duration.zero
        resume { state in
            guard let deadline = state.nextDeadline else { return [] }
            distance = max(deadline - state.now, .zero)
            return state.advance(to: deadline)
        }
        return distance
    }

    /// Ends the sleeps with the first deadline up to `end`. Returns `false` if there were none.
    func endNextSleep(until end: Duration) -> Bool {
        resume { state in
            guard let first = state.firstDeadline, first <= end else { return [] }
            return state.advance(to: first)
        }
    }

    func advance(to end: Duration) { resume { $0.advance(to: end) } }

    /// `true` if the clock may advance automatically: a task waits and no work holds the clock.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Advances to the first deadline if nothing has changed since `changes` and the clock is ready.
    func advance(ifUnchangedSince changes: Int) {
        resume { state in
            guard state.changes == changes, state.isReady, let next = state.nextDeadline,
                let first = state.firstDeadline
            else { return [] }
            return state.advance(to: min(first, next))
        }
    }

    /// Resumes the sleeps that `body` ends. Returns `false` if there were none.
    @discardableResult private func resume(_ body: (inout State) -> [Suspension]) -> Bool {
        let ended = state.withLock(body)
        for suspension in ended { suspension.continuation.resume() }
        return !ended.isEmpty
    }
}
