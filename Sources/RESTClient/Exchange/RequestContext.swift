import RESTClientHTTP

/// The context of an intercepted request: its delivery, attempts, remaining time and events.
public struct RequestContext: Sendable {
    /// The form in which the response body is delivered: as complete data or as a stream.
    public enum Delivery: Sendable {
        /// The next interceptor returns the response when its body is complete, and throws if the body fails.
        case buffered
        /// The next interceptor returns the response when its head was received; the body is a stream.
        case streamed
    }

    /// The form in which the response body is delivered: as complete data or as a stream.
    public let delivery: Delivery

    /// The body, if it is sent from a file and therefore not contained in `httpBody`. It is sent with each attempt
    /// unless the interceptor sets `httpBody`.
    public let body: RequestBody?

    /// The manager that sends the request; `nil` in a context that was created for a test.
    let manager: SessionManager?
    let task: RequestTask
}

extension RequestContext {
    /// Creates a context to test an interceptor.
    public init(delivery: Delivery = .buffered, clock: any Clock<Duration> = ContinuousClock()) {
        let task = RequestTask(number: 1, clock: AnyClock(clock), timeout: nil, events: nil)
        self.init(delivery: delivery, body: nil, manager: nil, task: task)
    }

    /// The number of the request, as in `SessionEvent.request`.
    public var number: Int { task.number }

    /// The attempts so far, including those of other interceptors.
    public var attempts: [Attempt] { task.attempts }

    /// The time until the total timeout elapses; `nil` without a timeout.
    public var remaining: Duration? { task.deadline.map { $0 - task.clock.now } }

    /// The time since the request was created.
    var elapsed: Duration { task.clock.now - task.created }

    /// Waits on the manager's clock, and reports `reason` as an event.
    ///
    /// The text of the event starts with "waiting 2 s" unless `reason` already contains that text.
    ///
    /// - Throws: `RESTClientError` of kind `timedOut(.total)` immediately if the total timeout would elapse during the wait;
    ///   `CancellationError` if the request is cancelled.
    public func wait(_ duration: Duration, because reason: String) async throws {
        if let remaining, remaining < duration {
            task.report(.note("waiting \(duration.secondsText) would exceed the total timeout: \(reason)"))
            throw DeadlineExceeded()
        }
        task.report(.waiting(duration, because: reason))
        try await task.wait(duration)
    }

    /// Reports `text` as an event.
    public func note(_ text: String) { task.report(.note(text)) }
}
