import Foundation
import RESTClientHTTP

/// The state of one request, across all of its attempts, waits and redirects: cancellation, deadline, attempts and
/// events.
final class RequestTask: DeadlineHandler {
    private struct State {
        var isCancelled = false
        /// The timeout that cancelled the task.
        var timeout: RESTClientError.Timeout?
        /// `true` after `run` has ended, when the deadline no longer applies.
        var hasRun = false
        var lastToken = 0
        /// The handlers that cancel the work in progress, by token.
        var cancellationHandlers: [Int: @Sendable () -> Void] = [:]
        var attempts: [Attempt] = []
        /// The remark for the error of the request.
        var remark: String?
        /// Ends `run` with an error.
        var fail: (@Sendable (any Error) -> Void)?
        /// `true` if a transfer was ended by the total timeout or a cancellation, and the attempt will fail.
        var awaitsAttempt = false
        /// The last transfer, whose bytes are reported in events.
        var transfer: TransportTask?
        /// The last event, whose properties the next one has unless they change. It is updated only while events are observed.
        var lastEvent: SessionEvent?
        /// The event that is being delivered, and those after it.
        var undelivered: [SessionEvent] = []
        /// The number of attempts that have begun.
        var begun = 0
        /// The start of the current attempt, after the creation of the request.
        var attemptStart: Duration?
    }

    let number: Int
    let clock: AnyClock
    let created: Duration
    /// The time at which the request must have ended.
    let deadline: Duration?
    /// The request task that created this one, for example through an interceptor.
    let parent = RequestTask.current
    /// The sessions of users to which the request belongs.
    let sessions: UserSessions
    private let request: URLRequest?
    private let events: EventBroadcaster?
    private let state = LockedState(State())

    /// The request task of the current Swift task.
    @TaskLocal static var current: RequestTask?

    init(
        number: Int, clock: AnyClock, created: Duration? = nil, timeout: Duration?,
        events: EventBroadcaster?, request: URLRequest? = nil, sessions: UserSessions = UserSessions()
    ) {
        let created = created ?? clock.now
        (self.number, self.clock, self.created) = (number, clock, created)
        (self.events, self.request, self.sessions) = (events, request, sessions)
        deadline = timeout.map { AnyClock.deadline($0, after: created) }
    }

    // MARK: Events

    /// Reports an event, unless the end of the request was reported.
    ///
    /// The observers are called in the order of the events, and without a lock. The event of a thread that reports it while
    /// another event is delivered, or of an observer, follows that event.
    ///
    /// - Parameter time: The time of the event on the clock, if it is not now.
    func report(_ kind: @autoclosure () -> SessionEvent.Kind, at time: Duration? = nil) {
        guard let events, events.isObserved else { return }
        let kind = kind().masked
        let time = (time ?? clock.now) - created
        var next = state.withLock { state -> SessionEvent? in
            if case .finished = state.lastEvent?.kind { return nil }
            let event = event(kind, at: time, &state)
            state.lastEvent = event
            state.undelivered.append(event)
            return state.undelivered.count == 1 ? event : nil
        }
        while let event = next {
            events.deliver(event)
            next = state.withLock { state in
                state.undelivered.removeFirst()
                return state.undelivered.first
            }
        }
    }

    private func event(_ kind: SessionEvent.Kind, at time: Duration, _ state: inout State) -> SessionEvent {
        var event =
            state.lastEvent
            ?? SessionEvent(
                request: number, time: time, kind: kind, method: request?.method ?? .get,
                url: request?.url.flatMap { Redaction.masked($0) })
        (event.time, event.kind) = (time, kind)
        if let transfer = state.transfer {
            (event.sent, event.received, event.connection) = transfer.facts
        }
        switch kind {
        case .attempt(let number):
            (event.attempt, event.firstByte, event.status) = (number, nil, nil)
            (event.sent, event.received, event.connection) = (0, 0, nil)
            state.transfer = nil
            state.attemptStart = time
        case .responseHead(let status):
            // A short body is reported later than its head, but may have arrived with it.
            event.received = 0
            event.status = status
            event.firstByte = state.attemptStart.map { time - $0 }
        default: break
        }
        event.attemptTime = state.attemptStart.map { time - $0 }
        return event
    }

    // MARK: Attempts

    var attempts: [Attempt] { state.withLock { $0.attempts } }

    /// Counts an attempt that begins, and returns its number. An interceptor can send several at the same time.
    func beginAttempt() -> Int {
        state.withLock { state in
            state.begun += 1
            return state.begun
        }
    }

    /// Adds an attempt that has ended, or whose body is streamed. Returns its index.
    @discardableResult func addAttempt(_ attempt: Attempt) -> Int {
        state.withLock { state in
            state.attempts.append(attempt)
            state.remark = nil
            return state.attempts.count - 1
        }
    }

    /// Updates the attempt at `index` when its streamed body has ended.
    func finishAttempt(_ index: Int, total: Duration, failure: RESTClientError?) {
        state.withLock { state in
            state.attempts[index].duration = total
            if let failure { state.attempts[index].outcome = .failure(failure) }
            // On Apple platforms, the connection is known at the end of the body.
            guard index == state.attempts.count - 1, state.attempts[index].connection == nil else { return }
            state.attempts[index].connection = state.transfer?.facts.connection
        }
    }

    /// Sets what the error of the request says about it in addition, until the next attempt has ended.
    func remark(_ text: String?) { state.withLock { $0.remark = text } }

    /// Returns the error to throw: `error` with the attempts, or a timeout error if the deadline caused `error`.
    func completed(_ error: any Error, for request: URLRequest, _ timeouts: Timeouts) -> any Error {
        var timeout: RESTClientError.Timeout?
        if error is DeadlineExceeded { timeout = .total }
        if error is CancellationError, !Task.isCancelled { timeout = state.withLock { $0.timeout } }
        let error = timeout.map { RESTClientError(.timedOut($0), request) } ?? error
        guard var failure = error as? RESTClientError else { return error }
        (failure.attempts, failure.remark) = state.withLock { ($0.attempts, $0.remark) }
        switch failure.kind {
        case .timedOut(.idle): failure.timeLimit = timeouts.idle
        case .timedOut(.total): failure.timeLimit = timeouts.total
        default: break
        }
        return failure
    }

    // MARK: Cancellation

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the work in progress; all further work throws `CancellationError`.
    func cancel(because timeout: RESTClientError.Timeout? = nil) {
        let handlers = state.withLock { state in
            if !state.isCancelled { state.timeout = timeout }
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
    /// - Parameters:
    ///   - isOutermost: `true` for a handler to call after all others.
    ///   - transfer: The transfer that begins, whose bytes are reported in events.
    /// - Throws: `CancellationError` if the request task has already been cancelled.
    func addCancellationHandler(
        isOutermost: Bool = false, for transfer: TransportTask? = nil,
        _ handler: @escaping @Sendable () -> Void
    ) throws -> Int {
        let token: Int? = state.withLock { state in
            if let transfer { state.transfer = transfer }
            guard !state.isCancelled else { return nil }
            state.lastToken += 1
            let token = isOutermost ? 0 : state.lastToken
            state.cancellationHandlers[token] = handler
            return token
        }
        guard let token else { throw CancellationError() }
        return token
    }

    /// Removes a handler. Returns `false` if it was, or is about to be, called.
    @discardableResult func removeCancellationHandler(_ token: Int) -> Bool {
        // Objects captured by the handler must not be released under the lock.
        let handler = state.withLock { $0.cancellationHandlers.removeValue(forKey: token) }
        return handler != nil
    }

    /// Replaces a handler.
    ///
    /// - Throws: `CancellationError` if the earlier handler was, or is about to be, called.
    func replaceCancellationHandler(_ token: Int, with handler: @escaping @Sendable () -> Void) throws {
        // Objects captured by the earlier handler must not be released under the lock.
        let replaced = state.withLock { state in
            state.cancellationHandlers[token].map { earlier in
                state.cancellationHandlers[token] = handler
                return earlier
            }
        }
        if replaced == nil { throw CancellationError() }
    }

    /// Makes the error of the attempt in progress, which contains its response, the error of a timeout.
    func awaitAttempt() { state.withLock { $0.awaitsAttempt = true } }

    /// Ends the request with the error of an attempt after a timeout. Interceptors get the error, but cannot replace it.
    func attemptHasFailed(_ error: any Error) {
        let isTimeout = (error as? RESTClientError)?.kind == .timedOut(.total)
        state.withLock { isTimeout || $0.timeout != nil ? $0.fail : nil }?(error)
        if isTimeout { cancel(because: .total) }
    }

    var hasTimedOut: Bool { state.withLock { $0.timeout != nil } }

    /// Runs `work` in a Swift task, which is cancelled at the deadline, and when this request task or the caller is
    /// cancelled.
    ///
    /// The method returns at once, even if an interceptor or the encoding of a body ignores the cancellation. Network
    /// transfers have their own deadline.
    func run<Success: Sendable>(
        deadlines: DeadlineScheduler, _ work: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        try Task.checkCancellation()
        let result = FirstResult<Success>()
        state.withLock { $0.fail = { result.set(.failure($0)) } }
        let task = Self.$current.withValue(self) {
            Task { result.set(await Result { try await work() }) }
        }
        let cancel: @Sendable () -> Void = { [self] in
            let awaitsAttempt = state.withLock { $0.timeout != nil && $0.awaitsAttempt }
            if !awaitsAttempt { result.set(.failure(CancellationError())) }
            task.cancel()
        }
        let token = try? addCancellationHandler(isOutermost: true, cancel)
        if token == nil { cancel() }
        defer {
            if let token { removeCancellationHandler(token) }
            _ = state.withLock { $0.fail.take() }
        }
        let deadlineToken = deadline.map { deadlines.add(self, due: $0) }
        defer {
            if let deadlineToken {
                state.withLock { $0.hasRun = true }
                deadlines.remove(deadlineToken)
            }
        }
        return try await withTaskCancellationHandler {
            try await result.value
        } onCancel: {
            self.cancel()
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

    /// Cancels the request at its deadline while its body is read from a stream without one. Returns a token of the scheduler.
    func addDeadlineOfBody(to deadlines: DeadlineScheduler) -> Int? {
        state.withLock { $0.hasRun = false }
        return deadline.map { deadlines.add(self, due: $0) }
    }

    func deadlineReached() -> Duration? {
        guard let deadline, !state.withLock({ $0.isCancelled || $0.hasRun }) else { return nil }
        guard deadline <= clock.now else { return deadline }
        cancel(because: .total)
        return nil
    }
}

/// The first of several results, for one waiting caller.
private final class FirstResult<Success: Sendable>: Sendable {
    private struct State {
        var result: Result<Success, any Error>?
        var caller: CheckedContinuation<Success, any Error>?
    }

    private let state = LockedState(State())

    /// Sets the result; later ones are ignored.
    func set(_ result: Result<Success, any Error>) {
        let caller = state.withLock { state -> CheckedContinuation<Success, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.caller.take()
        }
        caller?.resume(with: result)
    }

    var value: Success {
        get async throws {
            defer { state.synchronizeForSanitizer() }
            return try await withCheckedThrowingContinuation { caller in
                let result = state.withLock { state in
                    if state.result == nil { state.caller = caller }
                    return state.result
                }
                if let result { caller.resume(with: result) }
            }
        }
    }
}

/// The error of a wait that would exceed the total timeout. `RequestTask.completed` converts it to a `RESTClientError`.
struct DeadlineExceeded: Error {}
