/// A clock whose time advances automatically when all tasks wait, or only when a test advances it.
///
/// A sleep without a tolerance is a *wait*: the task continues only when it ends. A sleep with a tolerance is a
/// *timeout*, which is usually cancelled before it ends. The clock advances only for waits. A timeout fires when the
/// clock passes it.
///
/// ```swift
/// let clock = VirtualClock(.stepped)
/// let answer = Task { try await client.load(clock: clock) }
/// #expect(try await clock.advance() == .seconds(1))   // ends the next wait and returns its length
/// ```
public final class VirtualClock: Clock, Sendable {
    /// The way the clock advances.
    public enum Mode: Sendable {
        /// Automatically, when no task can continue before it advances.
        ///
        /// The clock decides this from the states of the threads of the process. Where these cannot be read, such as
        /// without `/proc`, the clock advances after 20 ms without activity, even if work continues: use ``stepped``.
        case automatic
        /// Only when `advance` is called.
        case stepped
    }

    /// A point in time on a virtual clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Duration

        /// Returns the instant that is later by `duration`.
        public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

        /// Returns the time from this instant to `other`.
        public func duration(to other: Self) -> Duration { other.offset - offset }

        /// Returns `true` if the first instant is earlier.
        public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    /// The hold of the handler that the current task runs.
    @TaskLocal static var currentHold: ClockHold?

    let state = WaitableState(ClockState())
    /// The real time after which a handler that holds the clock is treated as one that never returns.
    let handlerLimit: Duration
    private let isAutomatic: Bool
    private let status = LockedState(Status.stopped)

    /// The status of the task that advances the clock automatically.
    private enum Status {
        case stopped, running
        /// Running, with another check requested before it stops.
        case checkAgain
    }

    /// Creates a clock at time zero.
    ///
    /// - Parameters:
    ///   - mode: What advances the clock.
    ///   - handlerLimit: The real time after which a request fails if its handler neither returns nor waits on the clock,
    ///     which cannot advance before. Time in which the process is stopped or busy does not count, or counts less. A stalled
    ///     reply fails after it, too, if the clock is not that of the server, so that no timeout would end the reply.
    public init(_ mode: Mode = .automatic, handlerLimit: Duration = .seconds(5)) {
        (isAutomatic, self.handlerLimit) = (mode == .automatic, handlerLimit)
    }

    /// The current time of the clock.
    public var now: Instant { Instant(offset: state.withLock { $0.readTime() }) }

    /// Zero: the clock can represent any instant.
    public var minimumResolution: Duration { .zero }

    /// Returns when the clock has reached `deadline`, or throws `CancellationError`.
    ///
    /// Without a `tolerance` the sleep is a wait, for which the clock advances. With one it is a timeout.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let key = state.withLock { $0.newKey() }
        let hold = tolerance == nil ? currentHoldKey : nil
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if deadline.offset <= state.now { return .success(()) }
                    // If the task was cancelled before the sleep is registered, the cancellation handler below has
                    // already run.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    let sleep = ClockState.Sleep(
                        deadline: deadline.offset, isWait: tolerance == nil, hold: hold,
                        continuation: continuation)
                    state.add(sleep, key)
                    return nil
                }
                if let result { continuation.resume(with: result) } else { advanceWhenIdle() }
            }
        } onCancel: {
            let sleep = state.withLock { $0.removeSleep(key) }
            sleep?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until a task waits on the clock, ends that wait, and returns the distance the clock advanced.
    ///
    /// Timeouts before the end of the wait fire first, in order. An endless wait (a stalled reply) ends at the next
    /// timeout.
    /// - Throws: ``VirtualClockError`` if no task waits within `limit` of real time.
    @discardableResult public func advance(within limit: Duration = .seconds(30)) async throws -> Duration {
        try await waitForSleep(within: limit)
        return endNextWait()
    }

    func endNextWait() -> Duration {
        var distance = Duration.zero
        resume { state in
            guard let deadline = state.nextDeadline else { return [] }
            distance = max(deadline - state.now, .zero)
            return state.advance(to: deadline)
        }
        return distance
    }

    /// Waits until a task waits on the clock, then advances by `duration` and ends the sleeps up to then in order.
    /// - Throws: ``VirtualClockError`` if no task waits within `limit` of real time.
    public func advance(by duration: Duration, within limit: Duration = .seconds(30)) async throws {
        try await waitForSleep(within: limit)
        let end = state.withLock { $0.now } + duration
        while resume({ $0.endFirst(upTo: end) }) { await waitForResumedTasks() }
        resume { $0.advance(to: end) }
    }

    private func waitForSleep(within limit: Duration) async throws {
        if await state.wait(within: limit, until: { $0.nextDeadline != nil }) { return }
        try Task.checkCancellation()
        throw state.withLock { $0.error(after: limit) }
    }

    /// Resumes the sleeps that `body` ends. Returns `false` if there were none.
    @discardableResult private func resume(_ body: (inout ClockState) -> [ClockState.Sleep]) -> Bool {
        let ended = state.withLock(body)
        for sleep in ended { sleep.continuation.resume() }
        return !ended.isEmpty
    }

    /// Waits until the tasks that were resumed have no more work: they may sleep again.
    private func waitForResumedTasks() async {
        for _ in 0..<Self.maxChanges {
            for _ in 0..<20 { await Task.yield() }
            let changes = changes
            if await IdleDetector.isIdle(while: { self.changes == changes }) { return }
        }
    }

    /// The number of changes of the clock after which tasks that sleep and resume without end are not waited for.
    private static let maxChanges = 100

    private var changes: Int { state.withLock { $0.changes } }

    // MARK: Advancing automatically

    /// Advances an automatic clock while a task waits on it, no work holds it, and the process is idle. Called after a change
    /// that may allow the clock to advance.
    func advanceWhenIdle() {
        guard isAutomatic else { return }
        let mustStart = status.withLock { status -> Bool in
            defer { status = status == .stopped ? .running : .checkAgain }
            return status == .stopped
        }
        guard mustStart else { return }
        Task.detached { [self] in
            while await advanceOnce() {}
        }
    }

    /// Advances the clock at most once. Returns `false` if no task waits on it.
    private func advanceOnce() async -> Bool {
        let (isReady, changes) = state.withLock { ($0.isReady, $0.changes) }
        guard isReady else {
            return status.withLock { status in
                defer { status = status == .checkAgain ? .running : .stopped }
                return status == .checkAgain
            }
        }
        if await IdleDetector.isIdle(while: { self.changes == changes }) {
            resume { state in
                guard state.changes == changes, state.isReady, let next = state.nextDeadline else {
                    return []
                }
                return state.endFirst(upTo: next)
            }
        }
        return true
    }
}

/// The error of a call of `advance` if no task waits on the clock.
public struct VirtualClockError: Error, CustomStringConvertible {
    /// The real time spent waiting.
    public let limit: Duration
    /// The timeouts that were set on the clock, in order of time.
    public let timeouts: [Duration]

    /// A message with the limit and the timeouts.
    public var description: String {
        let list = timeouts.map { "\($0)" }.joined(separator: ", ")
        return "no task waited on the virtual clock within \(limit)"
            + (list.isEmpty ? "" : "; timeouts are set for \(list)")
    }
}
