import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The clock of a server: arrival times, and waiting.
///
/// The server holds a virtual clock while it works on a request, so that the work takes no virtual time. The hold is
/// suspended while the work itself waits on that clock.
struct ServerClock: Sendable {
    private let clock: AnyClock
    private let virtualClock: VirtualClock?
    /// The date at which the clock was zero: for a virtual clock 1970, so that recordings are reproducible.
    let epoch: Date

    init(_ clock: any Clock<Duration>) {
        self.clock = AnyClock(clock)
        virtualClock = clock as? VirtualClock
        epoch = virtualClock == nil ? Date() : Date(timeIntervalSince1970: 0)
    }

    /// The time since the server was created.
    var now: Duration { clock.now }

    /// Holds a virtual clock from the arrival of a request.
    ///
    /// - Parameter sender: The hold of the handler that sent the request, if any.
    func hold(sender: @autoclosure () -> ClockHold? = nil) -> ClockHold? {
        virtualClock?.hold(sender: sender())
    }

    /// Releases the hold of a request that was answered or cancelled.
    func release(_ hold: ClockHold?) {
        if let hold { virtualClock?.release(hold) }
    }

    /// Waits for a duration. A virtual clock advances for this wait.
    func wait(for duration: Duration) async throws {
        try await clock.sleep(until: AnyClock.deadline(duration, after: clock.now), tolerance: nil)
    }

    /// Waits until the task is cancelled. On a virtual clock this counts as a wait, so that timeouts can fire.
    func waitForever() async throws {
        if virtualClock != nil {
            return try await clock.sleep(until: clock.now + ClockState.endless, tolerance: nil)
        }
        let endless = AsyncStream<Never> { _ in }
        for await _ in endless {}
        try Task.checkCancellation()
    }
}

/// The requests that handlers have sent and that have not arrived at their server yet.
///
/// The hold of a handler is suspended while such a request is answered. Otherwise a handler that sends a request to a
/// server on its own virtual clock would stop the clock for which the answer waits.
enum PendingRequests {
    private struct Key: Hashable {
        let protocolClass: ObjectIdentifier
        let url: URL
    }

    /// The maximum number of entries: some requests are never sent.
    private static let limit = 1_000

    private static let holds = LockedState<[Key: [ClockHold]]>([:])

    /// Adds a request for `url` that was created under `hold`.
    static func add(_ url: URL, _ protocolClass: URLProtocol.Type, _ hold: ClockHold) {
        holds.withLock { holds in
            if holds.count >= limit { holds = [:] }
            holds[Key(protocolClass: ObjectIdentifier(protocolClass), url: url), default: []].append(hold)
        }
    }

    /// Removes a request that has arrived and returns the hold of the handler that sent it, if any.
    static func remove(_ url: URL, _ protocolClass: URLProtocol.Type) -> ClockHold? {
        holds.withLock { holds in
            guard !holds.isEmpty else { return nil }
            let key = Key(protocolClass: ObjectIdentifier(protocolClass), url: url)
            guard let hold = holds[key]?.first else { return nil }
            holds[key]?.removeFirst()
            if holds[key]?.isEmpty == true { holds[key] = nil }
            return hold
        }
    }
}
