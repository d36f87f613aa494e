import Foundation
import RESTClientHTTP

/// The clock of a server, used for arrival times and delays.
///
/// The server holds a virtual clock while it works on a request, so that the work takes no virtual time. The hold is
/// suspended while the work itself waits on that clock.
struct ServerClock: Sendable {
    private let clock: AnyClock
    /// The clock itself if it is virtual. It is held from the arrival of a request until its reply.
    let virtual: VirtualClock?
    /// The timeouts of requests on this clock.
    let deadlines: DeadlineScheduler
    /// The date at which the clock was zero: for a virtual clock 1970, so that recordings are reproducible.
    let epoch: Date

    init(_ clock: any Clock<Duration>) {
        self.clock = AnyClock(clock)
        deadlines = DeadlineScheduler(clock: self.clock)
        virtual = clock as? VirtualClock
        epoch = virtual == nil ? Date() : Date(timeIntervalSince1970: 0)
    }

    /// The time since the server was created.
    var now: Duration { clock.now }

    /// Waits for a duration. A virtual clock advances for this wait.
    func wait(for duration: Duration) async throws {
        try await clock.sleep(until: AnyClock.deadline(duration, after: clock.now), tolerance: nil)
    }

    /// Waits until the task is cancelled. On a virtual clock this counts as a wait, so that timeouts can fire.
    func waitForever() async throws {
        if virtual != nil {
            return try await clock.sleep(until: clock.now + ClockState.endless, tolerance: nil)
        }
        let endless = AsyncStream<Never> { _ in }
        for await _ in endless {}
        try Task.checkCancellation()
    }
}

/// The requests that handlers have sent and that have not arrived at their server yet.
///
/// The hold of a handler is suspended while such a request is answered. Otherwise, a handler could never receive the
/// reply to a request for a server on the same virtual clock: the reply waits for the clock, and the hold of the
/// handler stops it.
enum PendingRequests {
    private typealias Request = (url: URL, protocolClass: ObjectIdentifier, hold: ClockHold)

    /// The maximum number of entries: some requests are never sent.
    private static let limit = 1_000

    private static let requests = LockedState<[Request]>([])

    static func add(_ url: URL, _ protocolClass: URLProtocol.Type, _ hold: ClockHold) {
        requests.withLock { requests in
            if requests.count >= limit { requests = [] }
            requests.append((url, ObjectIdentifier(protocolClass), hold))
        }
    }

    /// Removes a request that has arrived and returns the hold of the handler that sent it, if any.
    static func remove(_ url: URL, _ protocolClass: URLProtocol.Type) -> ClockHold? {
        let protocolClass = ObjectIdentifier(protocolClass)
        return requests.withLock { requests in
            requests.firstIndex { $0.protocolClass == protocolClass && $0.url == url }
                .map { requests.remove(at: $0).hold }
        }
    }
}
