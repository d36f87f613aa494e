import Foundation
import RESTClientHTTP

/// The state of one request, across all of its attempts, waits and redirects: cancellation, deadline, attempts and
/// events.
final class RequestTask: DeadlineHandler {
    private struct State {
        var isCancelled = false
        /// `true` if the task was cancelled because its deadline elapsed.
        var didTimeOut = false
        /// `true` after `run` has ended, when the deadline no longer applies.
        var hasRun = false
        var lastToken = 0
        /// The handlers that cancel the work in progress, by token.
        var cancellationHandlers: [Int: @Sendable () -> Void] = [:]
        var attempts: [Attempt] = []
    }

    let number: Int
    let clock: AnyClock
    /// The time at which the request was created.
    let created: Duration
    /// The time at which the request must have ended.
    let deadline: Duration?
    /// The request task that created this one, for example through an interceptor.
    let parent = RequestTask.current
    private let events: EventBroadcaster?
    private let state = LockedState(State())

    /// The request task of the current Swift task.
    @TaskLocal static var current: RequestTask?

    init(
        number: Int, clock: AnyClock, created: Duration? = nil, timeout: Duration?, events: EventBroadcaster?
    ) {
        self.number = number
        self.clock = clock
        self.events = events
        let created = created ?? clock.now
        self.created = created
        deadline = timeout.map { AnyClock.deadline($0, after: created) }
    }

    func report(_ kind: @autoclosure () -> SessionEvent.Kind) {
        events?.report { SessionEvent(request: number, time: clock.now - created, kind: kind().masked) }
    }

    // MARK: Attempts

    var attempts: [Attempt] { state.withLock { $0.attempts } }

    /// Adds an attempt and returns its index.
    @discardableResult func addAttempt(_ attempt: Attempt) -> Int {
        state.withLock { state in
            state.attempts.append(attempt)
            return state.attempts.count - 1
        }
    }

    /// Updates the attempt at `index` when its streamed body has ended.
    func finishAttempt(_ index: Int, total: Duration, failure: RESTClientError?) {
        state.withLock { state in
            state.attempts[index].duration = total
            if let failure { state.attempts[index].outcome = .failure(failure) }
        }
    }

    /// Returns the error to throw: `error` with the attempts, or a timeout error if the deadline caused `error`.
    func completed(_ error: any Error, for request: URLRequest) -> any Error {
        let didTimeOut = state.withLock { $0.didTimeOut } && error is CancellationError && !Task.isCancelled
        let error =
            didTimeOut || error is DeadlineExceeded ? RESTClientError(.timedOut(.total), request) : error
        guard var failure = error as? RESTClientError else { return error }
        failure.attempts = attempts
        return failure
    }

    // MARK: Cancellation

    /// Cancels the work in progress; all further work throws `CancellationError`.
    func cancel() { cancel(didTimeOut: false) }

    private func cancel(didTimeOut: Bool) {
        let handlers = state.withLock { state in
            if !state.isCancelled { state.didTimeOut = didTimeOut }
            state.isCancelled = true
            defer { state.cancellationHandlers = [:] }
            return state.cancellationHandlers.sorted { $0.key > $1.key }
        }
        // The handlers are called in reverse order: the error of an inner operation is more specific than that of the
        // Swift task that awaits it.
        for (_, cancel) in handlers { cancel() }
    }

    /// Adds a handler that is called on cancellation, and returns a token for `removeCancellationHandler`.
    ///
    /// - Throws: `CancellationError` if the request task has already been cancelled.
    func addCancellationHandler(_ handler: @escaping @Sendable () -> Void) throws -> Int {
        let token: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.lastToken += 1
            state.cancellationHandlers[state.lastToken] = handler
            return state.lastToken
        }
        guard let token else { throw CancellationError() }
        return token
    }

    func removeCancellationHandler(_ token: Int) {
        // Objects captured by the handler must not be released under the lock.
        _ = state.withLock { $0.cancellationHandlers.removeValue(forKey: token) }
    }

    /// Runs `work` in a Swift task, which is cancelled at the deadline, and when this request task or the caller is
    /// cancelled.
    ///
    /// The cancellation ends interceptors and the encoding of bodies. Network transfers have their own deadline.
    func run<Result: Sendable>(
        deadlines: DeadlineScheduler, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let task = Self.$current.withValue(self) { Task { try await work() } }
        let token = try? addCancellationHandler { task.cancel() }
        if token == nil { task.cancel() }
        defer { if let token { removeCancellationHandler(token) } }
        let deadlineToken = deadline.map { deadlines.add(self, due: $0) }
        defer {
            if let deadlineToken {
                state.withLock { $0.hasRun = true }
                deadlines.remove(deadlineToken)
            }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Waits on the manager's clock; throws `CancellationError` if the Swift task or this request task is cancelled.
    func wait(_ duration: Duration) async throws {
        let end = AnyClock.deadline(duration, after: clock.now)
        let sleep = Task { [clock] in try await clock.sleep(until: end) }
        defer { sleep.cancel() }
        let token = try addCancellationHandler { sleep.cancel() }
        defer { removeCancellationHandler(token) }
        try await withTaskCancellationHandler {
            try await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }

    // MARK: Deadline

    private var hasEnded: Bool { state.withLock { $0.isCancelled || $0.hasRun } }

    func deadlineReached() -> Duration? {
        guard let deadline, !hasEnded else { return nil }
        guard deadline <= clock.now else { return deadline }
        cancel(didTimeOut: true)
        return nil
    }
}

/// The error of a wait that would exceed the total timeout. `RequestTask.completed` converts it to a `RESTClientError`.
struct DeadlineExceeded: Error {}
