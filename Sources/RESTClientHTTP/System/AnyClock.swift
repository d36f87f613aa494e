package import Foundation

/// A type-erased clock whose instants are durations since its creation.
package struct AnyClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let currentDate: @Sendable () -> Date
    private let suspend: @Sendable (_ until: Duration, _ tolerance: Duration?) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        let elapsed: @Sendable () -> Duration = { start.duration(to: clock.now) }
        self.elapsed = elapsed
        let isSystemClock = clock is ContinuousClock || clock is SuspendingClock
        let startDate = Date()
        currentDate = {
            isSystemClock ? Date() : startDate.addingTimeInterval(elapsed() / .seconds(1))
        }
        suspend = { try await clock.sleep(until: start.advanced(by: $0), tolerance: $1) }
    }

    /// The longest supported timeout, a hundred years: sums of durations stay in range, and the system's clocks trap on
    /// seconds that do not fit into 64 bits.
    private static let maxTimeout = Duration.seconds(3_155_695_200)

    /// Returns the instant `timeout` after `start`. `timeout` can be negative or of any length.
    package static func deadline(_ timeout: Duration, after start: Duration) -> Duration {
        start + min(max(timeout, .zero - maxTimeout), maxTimeout)
    }

    /// The time since the clock was created.
    package var now: Duration { elapsed() }

    /// The current date: for a virtual clock, the date of its creation plus the time that has passed on it.
    package var date: Date { currentDate() }

    /// Sleeps until `deadline`.
    ///
    /// A sleep with a tolerance is a timeout that may never be reached. A sleep without one is a wait that must end
    /// before its caller continues. A virtual clock advances automatically only for the second kind.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until deadline: Duration, tolerance: Duration? = nil) async throws {
        try await suspend(deadline, tolerance)
    }
}
