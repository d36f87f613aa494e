import RESTClientHTTP

/// What an interceptor may know, and do, about the request it stands in.
public struct RequestContext: Sendable {
    /// How `next` delivers the body.
    public enum Delivery: Sendable {
        /// `next` returns with the whole body and throws its failures.
        case buffered
        /// `next` returns with the head; the body is still arriving.
        case streamed
    }

    /// How `next` delivers the body.
    public let delivery: Delivery

    /// The recipe of a body too large for `httpBody`; it is sent each time unless `httpBody` is set.
    public let body: RequestBody?

    let flight: Flight
    /// The manager that sends the request; `nil` in a context made by hand.
    let manager: SessionManager?

    /// A context of its own, to test an interceptor alone.
    public init(delivery: Delivery = .buffered, clock: any Clock<Duration> = ContinuousClock()) {
        self.init(
            delivery: delivery, body: nil, manager: nil,
            flight: Flight(number: 1, timeline: AnyClock(clock), total: nil, events: nil))
    }

    init(delivery: Delivery, body: RequestBody?, manager: SessionManager?, flight: Flight) {
        self.delivery = delivery
        self.body = body
        self.manager = manager
        self.flight = flight
    }

    /// The number of the request, as in `SessionEvent.request`.
    public var number: Int { flight.number }

    /// The exchanges so far, counted by the manager, whoever caused them.
    public var attempts: [Attempt] { flight.attempts }

    /// The time before the total timeout; `nil` where there is none.
    public var remaining: Duration? { flight.deadline.map { $0 - flight.timeline.now } }

    /// The time since the request was made.
    var elapsed: Duration { flight.timeline.now - flight.created }

    /// Waits on the manager's clock, and says why in the events, with the duration in front unless `reason` names it.
    ///
    /// - Throws: `RESTClientError` of kind `timedOut(.total)` at once if that timeout would end the wait;
    ///   `CancellationError` when the request is cancelled.
    public func wait(_ duration: Duration, because reason: String) async throws {
        if let remaining, remaining < duration {
            flight.report(.note("no time to wait \(duration.secondsText): \(reason)"))
            throw DeadlineFailure()
        }
        flight.report(.waiting(duration, because: reason))
        try await flight.wait(duration)
    }

    /// Adds a line to the events.
    public func note(_ text: String) { flight.report(.note(text)) }
}

/// The total timeout would end a wait; becomes an error about the request where that is known.
struct DeadlineFailure: Error {}
