import Foundation

/// A server's clock: when things happened, and waiting on it.
///
/// While a server works on a request it holds a virtual clock, so that no time passes which the work does not
/// take; while the work itself waits on that clock, it does not hold it.
struct ServerTime: Sendable {
    private let timeline: AnyClock
    private let virtual: VirtualClock?
    /// When the clock was at zero. Virtual time began in 1970: the same each time.
    let birth: Date

    init(_ clock: any Clock<Duration>) {
        timeline = AnyClock(clock)
        virtual = clock as? VirtualClock
        birth = virtual == nil ? Date() : Date(timeIntervalSince1970: 0)
    }

    /// The time since the server was made.
    var now: Duration { timeline.now }

    /// A request has arrived; `asker` is what its sender works under, if that is a handler itself.
    func hold(for asker: @autoclosure () -> VirtualClock.Hold? = nil) -> VirtualClock.Hold? {
        virtual?.hold(for: asker())
    }

    /// Its reply is out, or nobody wants it any more.
    func release(_ hold: VirtualClock.Hold?) {
        if let hold { virtual?.release(hold) }
    }

    /// Waits; nobody can go on before it ends.
    func wait(for duration: Duration) async throws {
        try await timeline.sleep(until: AnyClock.deadline(duration, after: timeline.now), tolerance: nil)
    }

    /// Waits for ever; on a virtual clock that is a wait, too, so that guards may fire.
    func stall() async throws {
        if virtual != nil {
            return try await timeline.sleep(until: timeline.now + Sleepers.endless, tolerance: nil)
        }
        let forEver = AsyncStream<Never> { _ in }
        for await _ in forEver {}
        try Task.checkCancellation()
    }
}
