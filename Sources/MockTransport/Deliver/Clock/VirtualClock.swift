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

    let state: ClockState
    /// The real time after which a handler that holds the clock is treated as one that never returns.
    let handlerLimit: Duration
    private let autoAdvancer: AutoAdvancer?

    /// Creates a clock at time zero.
    ///
    /// - Parameters:
    ///   - mode: The way the clock advances.
    ///   - handlerLimit: The real time after which a request fails if its handler neither returns nor waits on the clock, which
    ///     cannot advance before. Time in which the process is stopped or busy does not count, or counts less. Defaults to
    ///     five seconds.
    public init(_ mode: Mode = .automatic, handlerLimit: Duration = .seconds(5)) {
        state = ClockState()
        self.handlerLimit = handlerLimit
        autoAdvancer = mode == .automatic ? AutoAdvancer(state) : nil
    }

    /// The current time of the clock.
    public var now: Instant { Instant(offset: state.now) }

    /// Zero: the clock can represent any instant.
    public var minimumResolution: Duration { .zero }

    /// Returns when the clock has reached `deadline`, or throws `CancellationError`.
    ///
    /// Without a `tolerance` the sleep is a wait, for which the clock advances. With one it is a timeout.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await state.sleep(until: deadline.offset, isWait: tolerance == nil) { self.autoAdvancer?.start() }
    }

    /// Waits until a task waits on the clock, ends that wait, and returns the distance the clock advanced.
    ///
    /// Timeouts before the end of the wait fire first, in order. An endless wait (a stalled reply) ends at the next
    /// timeout.
    /// - Throws: ``VirtualClockError`` if no task waits within `limit` of real time.
    @discardableResult public func advance(within limit: Duration = .seconds(30)) async throws -> Duration {
        try await state.waitForSleep(within: limit)
        return state.endNextWait()
    }

    /// Waits until a task waits on the clock, then advances by `duration` and ends the sleeps up to then in order.
    /// - Throws: ``VirtualClockError`` if no task waits within `limit` of real time.
    public func advance(by duration: Duration, within limit: Duration = .seconds(30)) async throws {
        try await state.waitForSleep(within: limit)
        let end = state.now + duration
        while state.endNextSleep(until: end) { await waitForResumedTasks() }
        state.advance(to: end)
    }

    /// Waits until the tasks that were resumed have no more work: they may sleep again.
    private func waitForResumedTasks() async {
        for _ in 0..<Self.maxChanges {
            for _ in 0..<20 { await Task.yield() }
            let changes = state.changes
            if await IdleDetector.isIdle(while: { state.changes == changes }) { return }
        }
    }

    /// The number of changes of the clock after which tasks that sleep and resume without end are not waited for.
    private static let maxChanges = 100

    /// Stops the clock until the hold is released. A mock server holds it from a request's arrival to its reply.
    ///
    /// - Parameter senders: The handlers that may have sent the request.
    func hold(senders: ClockState.Senders = .none) -> ClockHold { state.hold(senders: senders) }

    /// Lets the clock advance while the work of a hold waits for another part of the program.
    func suspend(_ hold: ClockHold) {
        state.suspend(hold)
        autoAdvancer?.start()
    }

    func resume(_ hold: ClockHold) { state.resume(hold) }

    func release(_ hold: ClockHold) {
        state.release(hold)
        autoAdvancer?.start()
    }

    /// Waits until the work of a hold has made no progress for `handlerLimit` of real time: it has neither ended nor waited on
    /// the clock, and the clock has not advanced.
    func waitForHang(of hold: ClockHold) async throws {
        let (steps, weight) = (50, 4)
        var (stillness, last) = (0, state.progress(of: hold))
        while stillness < steps * weight {
            try await Task.sleep(for: handlerLimit / steps)
            let progress = state.progress(of: hold)
            if progress == nil || progress != last {
                (stillness, last) = (0, progress)
            } else {
                // While another thread works, so does possibly the handler.
                let isBusy = ThreadState.others()?.contains(where: \.isAwake) ?? false
                stillness += isBusy ? 1 : weight
            }
        }
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
