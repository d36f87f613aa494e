/// Any clock as elapsed time: zero is when the timeline was made.
///
/// Opens the existential once, so that who keeps time need not be generic over its clock.
package struct AnyClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let suspend: @Sendable (_ until: Duration, _ tolerance: Duration?) async throws -> Void

    package init(_ clock: any Clock<Duration>) { self.init(opening: clock) }

    private init<C: Clock>(opening clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        suspend = { try await clock.sleep(until: start.advanced(by: $0), tolerance: $1) }
    }

    /// The longest span that counts, a hundred years: sums stay in range, and the system's clocks trap on seconds that
    /// do not fit into 64 bits.
    private static let longest = Duration.seconds(3_155_695_200)

    /// The moment `span` behind `start`, however long or negative `span` is.
    package static func deadline(_ span: Duration, after start: Duration) -> Duration {
        start + min(max(span, .zero - longest), longest)
    }

    /// The time since the timeline was made.
    package var now: Duration { elapsed() }

    /// Sleeps until `deadline`: with a tolerance as a *guard*, which nobody minds never ending; without one as
    /// a *wait*, which somebody cannot go on before. A virtual clock moves for waits only.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until deadline: Duration, tolerance: Duration? = nil) async throws {
        try await suspend(deadline, tolerance)
    }
}
