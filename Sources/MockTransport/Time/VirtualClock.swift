/// Time that costs nothing: it moves by itself when everyone waits, or step by step when a test says so.
///
/// A sleep without tolerance is a *wait*: someone cannot go on before it ends. A sleep with a tolerance is a
/// *guard*, such as a timeout: nobody minds if it never ends. Time moves only for waits; guards fire only when it
/// passes them.
///
/// ```swift
/// let clock = VirtualClock(.stepped)
/// let answer = Task { try await client.load(clock: clock) }
/// #expect(try await clock.advance() == .seconds(1))   // ends the next wait, says how long it was
/// ```
public final class VirtualClock: Clock, Sendable {
    /// How time moves.
    public enum Mode: Sendable {
        /// By itself, when nobody can go on before it does.
        case automatic
        /// Only when `advance` is called.
        case stepped
    }

    /// A moment on a virtual clock, counted from when the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// A moment later by `duration`.
        public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

        /// How much later `other` is.
        public func duration(to other: Self) -> Duration { other.offset - offset }

        /// The earlier is the lesser.
        public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    /// Work that takes no time: while it goes on and does not itself wait on the clock, time stands still.
    struct Hold: Hashable, Sendable {
        let sleepers: ObjectIdentifier
        let key: Int
    }

    /// The hold that the current task works under.
    @TaskLocal static var currentHold: Hold?

    private let sleepers: Sleepers
    private let settler: Settler?

    /// A clock at zero.
    public init(_ mode: Mode = .automatic) {
        sleepers = Sleepers()
        settler = mode == .automatic ? Settler(sleepers) : nil
    }

    /// The moment that the clock shows.
    public var now: Instant { Instant(offset: sleepers.now) }

    /// Any moment can be shown.
    public var minimumResolution: Duration { .zero }

    /// Returns when the clock has come to `deadline`, or throws `CancellationError`.
    ///
    /// Without a `tolerance` it is a wait, for which time may move; with one it is a guard.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await sleepers.sleep(until: deadline.offset, isWait: tolerance == nil) { self.settler?.look() }
    }

    /// Waits until someone waits, ends that wait, and returns how far the time moved.
    ///
    /// Guards on the way fire first, in order. A wait without an end (a stalled reply) ends at the next guard.
    /// - Throws: ``VirtualClockError`` when nobody waits within `limit` of real time.
    @discardableResult
    public func advance(within limit: Duration = .seconds(5)) async throws -> Duration {
        try await sleepers.someoneWaits(within: limit)
        return sleepers.endNextWait()
    }

    /// Waits until someone waits, then moves on by `duration`, ending the sleeps on the way in order.
    /// - Throws: ``VirtualClockError`` when nobody waits within `limit` of real time.
    public func advance(by duration: Duration, within limit: Duration = .seconds(5)) async throws {
        try await sleepers.someoneWaits(within: limit)
        let end = sleepers.now + duration
        while sleepers.wakeNext(until: end) {
            // Whoever wakes may sleep again before `end`: let them come to it.
            for _ in 0..<20 { await Task.yield() }
        }
        sleepers.move(to: end)
    }

    /// Time stands still from now on; a mock server says so from a request's arrival to its reply.
    ///
    /// - Parameter asker: The hold of the handler that made the request: it waits until this one is released.
    func hold(for asker: Hold?) -> Hold {
        let id = ObjectIdentifier(sleepers)
        return Hold(sleepers: id, key: sleepers.hold(for: asker?.sleepers == id ? asker?.key : nil))
    }

    /// The work is done.
    func release(_ hold: Hold) {
        sleepers.release(hold.key)
        settler?.look()
    }
}

/// Nobody waited on a virtual clock that was told to advance.
public struct VirtualClockError: Error, CustomStringConvertible {
    /// What was looked for, and who was asleep instead.
    public let description: String
}
