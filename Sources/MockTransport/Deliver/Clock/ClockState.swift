/// The state of a virtual clock: the current time, suspended sleeps and holds.
struct ClockState: Sendable {
    struct Sleep: Sendable {
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
        var changes = 0
        /// The holds of handlers that sent the request for whose work this one is.
        let senders: [Int]
    }

    /// The length of a sleep that never ends.
    static let endless = Duration.seconds(1 << 40)

    private(set) var now = Duration.zero
    private var nextKey = 0
    private(set) var sleeps: [Int: Sleep] = [:]
    private var holds: [Int: Hold] = [:]
    /// The number of changes so far, including those that only a reader of the time has noticed.
    private(set) var changes = 0
    private var advances = 0

    mutating func newKey() -> Int {
        nextKey += 1
        return nextKey
    }

    /// Returns the time, which counts as a change: the caller works.
    mutating func readTime() -> Duration {
        changes += 1
        return now
    }

    // MARK: Sleeping

    mutating func add(_ sleep: Sleep, _ key: Int) {
        changes += 1
        sleeps[key] = sleep
        if let hold = sleep.hold { change(hold, by: 1) }
    }

    mutating func removeSleep(_ key: Int) -> Sleep? {
        guard let sleep = sleeps.removeValue(forKey: key) else { return nil }
        changes += 1
        if let hold = sleep.hold { change(hold, by: -1) }
        return sleep
    }

    // MARK: Holding

    /// - Parameter candidates: The holds of handlers that may have sent the request, which are suspended until the new hold is
    ///   released, or `nil` for all.
    mutating func hold(senders candidates: [Int]?) -> Int {
        changes += 1
        let sending = candidates?.filter { holds[$0] != nil } ?? Array(holds.keys)
        let key = newKey()
        holds[key] = Hold(senders: sending)
        for sender in sending { change(sender, by: 1) }
        return key
    }

    mutating func release(_ hold: Int) {
        changes += 1
        for sender in holds.removeValue(forKey: hold)?.senders ?? [] { change(sender, by: -1) }
    }

    mutating func change(_ hold: Int, by count: Int) {
        changes += 1
        holds[hold]?.suspensions += count
        holds[hold]?.changes += 1
    }

    /// Returns a number that changes when the work of a hold makes progress, or `nil` if it waits or has ended.
    func progress(of hold: Int) -> Int? {
        holds[hold].flatMap { $0.suspensions == 0 ? $0.changes + advances : nil }
    }

    // MARK: Advancing

    private var timeouts: [Duration] { sleeps.values.filter { !$0.isWait }.map(\.deadline) }

    /// The end of the next wait, or of the next timeout if all waits are endless.
    var nextDeadline: Duration? {
        let waits = sleeps.values.filter(\.isWait).map(\.deadline)
        return waits.isEmpty ? nil : waits.filter { $0 < Self.endless }.min() ?? timeouts.min()
    }

    /// `true` if a task waits and every hold is suspended, so that the clock may advance automatically.
    var isReady: Bool { nextDeadline != nil && !holds.values.contains { $0.suspensions == 0 } }

    func error(after limit: Duration) -> VirtualClockError {
        VirtualClockError(limit: limit, timeouts: timeouts.sorted())
    }

    /// Removes the sleeps that end by `end`, in order of their deadlines, then of their start.
    mutating func advance(to end: Duration) -> [Sleep] {
        let ended = sleeps.filter { $0.value.deadline <= end }
            .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        if end > now { (now, advances) = (end, advances + 1) }
        return ended.compactMap { removeSleep($0.key) }
    }

    /// Removes the sleeps with the first deadline up to `end`.
    mutating func endFirst(upTo end: Duration) -> [Sleep] {
        guard let first = sleeps.values.map(\.deadline).min(), first <= end else { return [] }
        return advance(to: first)
    }
}

/// A handle for work during which a virtual clock does not advance, unless the work itself waits: on the clock, or for the
/// next part of a body.
struct ClockHold: Sendable {
    let clock: VirtualClock
    fileprivate let key: Int

    /// Lets the clock advance before the hold is released. Has no effect on a released hold.
    func suspend() {
        clock.state.withLock { $0.change(key, by: 1) }
        clock.advanceWhenIdle()
    }

    /// Reverses one call of `suspend`.
    func resume() { clock.state.withLock { $0.change(key, by: -1) } }

    func release() {
        clock.state.withLock { $0.release(key) }
        clock.advanceWhenIdle()
    }

    /// A number that changes when the work makes progress or the clock advances, or `nil` if the work waits or has ended.
    var progress: Int? { clock.state.withLock { $0.progress(of: key) } }
}

extension VirtualClock {
    /// Waits until `progress` has been the same for `limit`. Counts only the real time during which the process runs, and that in
    /// which other threads work less than other time.
    static func waitForHang(longerThan limit: Duration, progress: () -> Int?) async throws {
        let (steps, weight) = (50, 4)
        var (stillness, last) = (0, progress())
        while stillness < steps * weight {
            try await Task.sleep(for: limit / steps)
            let progress = progress()
            if progress == nil || progress != last {
                (stillness, last) = (0, progress)
            } else {
                // While another thread works, so does possibly the handler.
                let isBusy = ThreadState.others()?.contains(where: \.isAwake) ?? false
                stillness += isBusy ? 1 : weight
            }
        }
    }

    /// Stops the clock until the hold is released. A mock server holds it from a request's arrival to its reply.
    ///
    /// - Parameter senders: The handlers that may have sent the request, or `nil` for any: the platform does not always tell
    ///   which task has sent it.
    func hold(senders: [ClockHold]? = []) -> ClockHold {
        let senders = senders?.filter { $0.clock === self }.map(\.key)
        return ClockHold(clock: self, key: state.withLock { $0.hold(senders: senders) })
    }

    var currentHoldKey: Int? { Self.currentHold.flatMap { $0.clock === self ? $0.key : nil } }
}
