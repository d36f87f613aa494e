import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// One URLSessionTask, its response, and the part of a streamed body that has not been read.
///
/// A streamed body has one reader. While too many bytes are unread, the transfer waits, unless a protocol of the caller or
/// URLSession's own protocol on Linux sends it, which cannot wait.
final class TransportTask: DeadlineHandler, TransferObserver {
    private struct State {
        var transfer: TransferState
        var task: URLSessionTask?
        var deadlineToken: Int?
        /// The functions to call when the transfer has ended or waits for its reader.
        var restHandlers: [@Sendable () -> Void] = []
    }

    private let request: URLRequest
    private let file: BodyFile?
    private let progress: ProgressReporter?
    private let transport: URLSessionTransport
    private let state: LockedState<State>

    init(
        _ request: URLRequest, file: BodyFile? = nil, progress: ProgressReporter? = nil,
        over transport: URLSessionTransport, isStreamed: Bool = false,
        awaitsShortBody: Bool = false, options: RequestOptions, deadline: Duration?
    ) {
        (self.request, self.file, self.progress, self.transport) = (request, file, progress, transport)
        let transfer = TransferState(
            isStreamed: isStreamed, awaitsShortBody: awaitsShortBody, options: options, deadline: deadline)
        state = LockedState(State(transfer: transfer))
        progress?.begin()
    }

    /// The length of the request body, or `nil` for no body and for a stream of the caller.
    private var bodyLength: Int64? { file?.length ?? request.httpBody.map { Int64($0.count) } }

    /// The numbers of bytes of the bodies that were sent and received, and the connection, also after the end.
    var facts: (sent: Int64, received: Int64, connection: ConnectionMetrics?) {
        state.withLock { ($0.transfer.sent, $0.transfer.received, $0.transfer.connection) }
    }

    /// Sends the request, and returns when the body is complete or, if it is streamed, when the head was received.
    ///
    /// - Throws: `TransportError`, or `CancellationError` as soon as the Swift task is cancelled.
    func response() async throws -> TransportResponse {
        defer { state.synchronizeForSanitizer() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in start { caller.resume(with: $0) } }
        } onCancel: {
            cancel()
        }
    }

    private func start(_ caller: @escaping TransferState.Caller) {
        if let refusal = transport.session.refusal {
            return caller(.failure(TransportError(kind: .invalidRequest(.rejected(refusal)))))
        }
        // URLSession waits for its work queue here. Callbacks on that queue acquire locks of this package, so no lock may be
        // held.
        let (task, setPaused) = transport.session.makeTask(
            for: request, file: file.map { ($0.url, $0.length) }, self)
        transport.delegate.add(self, for: task.taskIdentifier)
        let now = transport.clock.now
        let due = state.withLock { $0.transfer.deadline(after: now) }
        // Without the lock, because a sleep of the caller's clock can be cancelled here.
        let token = due.map { transport.deadlines.add(self, due: $0) }
        let starts = state.withLock { state in
            // A protocol of the caller does not report when a task has a connection.
            let starts = state.transfer.start(
                at: now, hasBegun: transport.session.hasCustomProtocols, setPaused: setPaused, caller)
            if starts { (state.task, state.deadlineToken) = (task, token) }
            return starts
        }
        if starts { return task.resume() }
        release(task, token, cancelling: true)
        caller(.failure(CancellationError()))
    }

    /// Ends the transfer with `CancellationError`, even if it has not been started (PLATFORM A17).
    func cancel() { change { $0.end(CancellationError()) } }

    /// Calls `handler` once, when the transfer has ended or waits for its reader.
    func whenAtRest(_ handler: @escaping @Sendable () -> Void) {
        let isAtRest = state.withLock { state in
            if !state.transfer.isAtRest { state.restHandlers.append(handler) }
            return state.transfer.isAtRest
        }
        if isAtRest { handler() }
    }

    /// Changes the state, and performs what follows from the change.
    private func change(
        taskHasEnded: Bool = false, _ change: (inout TransferState) -> TransferState.Effects
    ) {
        // The results are created under the lock, see `LockedState.synchronizeForSanitizer`.
        let (effects, task, token, restHandlers) = state.withLock { state in
            let effects = change(&state.transfer)
            var restHandlers: [@Sendable () -> Void] = []
            if !state.restHandlers.isEmpty, state.transfer.isAtRest {
                swap(&restHandlers, &state.restHandlers)
            }
            return effects.hasEnded
                ? (effects, state.task.take(), state.deadlineToken, restHandlers)
                : (effects, nil, nil, restHandlers)
        }
        if let task { release(task, token, cancelling: !taskHasEnded) }
        effects.perform()
        for handler in restHandlers { handler() }
    }

    private func release(_ task: URLSessionTask, _ deadlineToken: Int?, cancelling: Bool) {
        if let deadlineToken { transport.deadlines.remove(deadlineToken) }
        guard cancelling else { return }
        transport.delegate.remove(task.taskIdentifier)
        URLSessionTransport.cancelQueue.async { task.cancel() }
    }

    func deadlineReached() -> Duration? {
        let now = transport.clock.now
        var next: Duration?
        change { state in
            let check = state.checkDeadline(at: now)
            next = check.next
            return check.effects
        }
        return next
    }
}

// MARK: - The reader of a streamed body

extension TransportTask {
    /// Returns the whole body if it has at most `limit` bytes; otherwise returns `nil`, and all bytes stay unread.
    func collect(upTo limit: Int) async throws -> Data? {
        var body = Data()
        var count = 0
        while body.count <= limit {
            let more = try await read(after: count)
            if more.isEmpty { return body }
            count += more.count
            for chunk in more { body += chunk }
        }
        return nil
    }

    /// Discards all unread bytes, and cancels the transfer if it has not ended.
    func abandon() { change { $0.abandon() } }

    /// Removes and returns the unread chunks, or returns those after the first `count` and removes none. Waits if there are none;
    /// returns an empty array at the end of the body.
    ///
    /// - Throws: the error of the transfer after all bytes before it were returned; `CancellationError` immediately if the
    ///   task is cancelled or the body was abandoned.
    func read(after count: Int? = nil) async throws -> [Data] {
        let available = state.withLock { state in Result { try state.transfer.read(after: count) } }
        if let chunks = try available.get() { return chunks }
        defer { state.synchronizeForSanitizer() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reader in
                let reader = TransferState.Reader(count: count) { reader.resume(with: $0) }
                change { $0.wait(reader) }
            }
        } onCancel: {
            abandon()
        }
    }
}

// MARK: - Callbacks

extension TransportTask {
    func didReceive(_ response: URLResponse) {
        // The interim responses 100 and 103 are delivered like final ones (PLATFORM B).
        guard let head = ReceivedHead(of: response), !head.isInterim else { return }
        let now = transport.clock.now
        change { state in
            // A protocol of the caller cannot report the bytes that it has received.
            if transport.session.hasCustomProtocols, state.sendWholeBody(of: bodyLength) {
                progress?.sent(state.sent, of: bodyLength)
            }
            return state.receive(head, at: now)
        }
    }

    func didReceive(_ data: Data) {
        let now = transport.clock.now
        change { state in
            guard state.phase == .running else { return TransferState.Effects() }
            let head = state.head
            let effects = state.receive(data, at: now)
            progress?.received(state.received, of: head?.contentLength)
            return effects
        }
    }

    func transferDidBegin() {
        let now = transport.clock.now
        state.withLock { $0.transfer.recordActivity(at: now) }
    }

    func transferDidConnect(_ connection: ConnectionMetrics) {
        let now = transport.clock.now
        state.withLock { $0.transfer.connect(connection, at: now) }
    }

    func transferDidSend(total bytes: Int64) {
        let now = transport.clock.now
        var isActive = false
        change { state in
            isActive = state.phase != .ended
            return state.send(bytes, of: bodyLength, at: now)
        }
        if isActive { progress?.sent(bytes, of: bodyLength) }
    }

    func didReceiveChallenge(_ response: URLResponse?) {
        let head = ReceivedHead(of: response)
        state.withLock { $0.transfer.receiveChallenge(head) }
    }

    func didComplete(_ response: URLResponse?, _ error: (any Error)?) {
        change(taskHasEnded: true) {
            $0.complete(
                $0.head ?? ReceivedHead(of: response), error, limitsConnectTime: transport.limitsConnectTime)
        }
    }
}
