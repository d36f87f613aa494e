/// A clock of any kind as durations since the timeline was made.
///
/// Opening `any Clock<Duration>` at each call costs, and its instants cannot be stored: a timeline does it once.
/// A sleep with a tolerance is a guard, one without is a wait: that is all a virtual clock must know.
package struct Timeline: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (_ deadline: Duration, _ tolerance: Duration?) async throws -> Void

    package init(_ clock: any Clock<Duration>) {
        self.init(opening: clock)
    }

    private init<Opened: Clock>(opening clock: Opened) where Opened.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: $1) }
    }

    /// How long ago the timeline was made.
    package var now: Duration { elapsed() }

    /// Returns when `now` has reached `deadline`, or throws when the task is cancelled.
    package func sleep(until deadline: Duration, tolerance: Duration?) async throws {
        try await sleep(deadline, tolerance)
    }
}
