import RESTClientHTTP

/// One logical request from its creation to its end, over all its attempts, waits and redirects.
final class Flight: Expiring {
    private struct State {
        var isCancelled = false
        /// Whether that was because its deadline has passed.
        var isLate = false
        /// Whether its deadline is nobody's business any more.
        var isUnwatched = false
        var next = 0
        /// What ends what is going on.
        var cancels: [Int: @Sendable () -> Void] = [:]
        var attempts: [Attempt] = []
    }

    let number: Int
    let timeline: AnyClock
    /// When the request was created, on the timeline.
    let created: Duration
    /// When all must have ended, on the timeline.
    let deadline: Duration?
    /// The one inside which it was created: by an interceptor, by a renewal.
    let outer = Flight.current
    private let events: EventHub?
    private let state = LockedState(State())

    /// The one that the task is part of.
    @TaskLocal static var current: Flight?

    init(number: Int, timeline: AnyClock, created: Duration? = nil, total: Duration?, events: EventHub?) {
        self.number = number
        self.timeline = timeline
        self.events = events
        let created = created ?? timeline.now
        self.created = created
        deadline = total.map { AnyClock.deadline($0, after: created) }
    }

    // MARK: Attempts

    var attempts: [Attempt] { state.withLock { $0.attempts } }

    /// Adds an attempt; the result is its index.
    @discardableResult func add(_ attempt: Attempt) -> Int {
        state.withLock { state in
            state.attempts.append(attempt)
            return state.attempts.count - 1
        }
    }

    /// Adds to the attempt at `index` what is known at its end.
    func conclude(_ index: Int, total: Duration, failure: RESTClientError?) {
        state.withLock { state in
            state.attempts[index].total = total
            if let failure { state.attempts[index].outcome = .failure(failure) }
        }
    }

    // MARK: Events

    func report(_ kind: @autoclosure () -> SessionEvent.Kind) {
        events?.report { SessionEvent(request: number, time: timeline.now - created, kind: kind().masked) }
    }

    // MARK: Cancellation

    /// Ends what is going on in it, and all that would begin, with `CancellationError`.
    func cancel() { cancel(asLate: false) }

    private func cancel(asLate isLate: Bool) {
        let cancels = state.withLock { state in
            if !state.isCancelled { state.isLate = isLate }
            state.isCancelled = true
            defer { state.cancels = [:] }
            return state.cancels.sorted { $0.key > $1.key }
        }
        // The innermost first: an exchange says more about its end than the task that waits for it.
        for (_, cancel) in cancels { cancel() }
    }

    /// Lets something begin that `cancel` ends; the result is for `detach`, when it has ended.
    ///
    /// - Throws: `CancellationError` if the flight was cancelled before.
    func attach(_ cancel: @escaping @Sendable () -> Void) throws -> Int {
        let ticket: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.next += 1
            state.cancels[state.next] = cancel
            return state.next
        }
        guard let ticket else { throw CancellationError() }
        return ticket
    }

    func detach(_ ticket: Int) {
        // What the closure holds must not be released under the lock.
        _ = state.withLock { $0.cancels.removeValue(forKey: ticket) }
    }

    /// Runs `work` in a task that `cancel` cancels: it must reach interceptors, and bodies that are being made.
    /// It ends at the deadline, too.
    func run<Result: Sendable>(
        watchedBy deadlines: Deadlines, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let task = Self.$current.withValue(self) { Task { try await work() } }
        let ticket = try? attach { task.cancel() }
        if ticket == nil { task.cancel() }
        defer { if let ticket { detach(ticket) } }
        let watch = deadline.map { deadlines.watch(self, due: $0) }
        defer {
            if let watch {
                state.withLock { $0.isUnwatched = true }
                deadlines.unwatch(watch)
            }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Waits on the timeline; ends early when the task or the flight is cancelled.
    func wait(_ duration: Duration) async throws {
        let wake = AnyClock.deadline(duration, after: timeline.now)
        let sleep = Task { [timeline] in try await timeline.sleep(until: wake) }
        defer { sleep.cancel() }
        let ticket = try attach { sleep.cancel() }
        defer { detach(ticket) }
        try await withTaskCancellationHandler {
            try await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }

    // MARK: Deadline

    /// Whether it was ended because its deadline has passed.
    var isLate: Bool { state.withLock { $0.isLate } }

    var hasEnded: Bool { state.withLock { $0.isCancelled || $0.isUnwatched } }

    /// Ends what no exchange is there to end in time: a body that is being made, an interceptor that is stuck.
    func expire() -> Duration? {
        guard let deadline, !hasEnded else { return nil }
        guard deadline <= timeline.now else { return deadline }
        cancel(asLate: true)
        return nil
    }
}
