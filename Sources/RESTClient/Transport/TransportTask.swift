import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// The response of one transfer.
struct TransportResponse: Sendable {
    enum Body: Sendable {
        case data(Data)
        case stream(ByteBuffer)
    }

    let head: HTTPURLResponse
    let body: Body
    /// The time on the manager's clock at which the head was received.
    let headTime: Duration?
    let connection: ConnectionMetrics?
}

/// One URLSessionTask and its response.
///
/// The task can be ended by URLSession, a deadline, a size limit or cancellation. The first of these removes the
/// continuation from the state under the lock, so that the caller is resumed exactly once.
final class TransportTask: DeadlineHandler, TransferObserver {
    private struct State {
        var phase = Phase.created
        var task: URLSessionTask?
        var deadlineToken: Int?
        var caller: CheckedContinuation<TransportResponse, any Error>?
        var head: HTTPURLResponse?
        /// The body, if it is buffered. For a streamed body, the data that was received before the head.
        var body = Data()
        var stream: ByteBuffer?
        /// `true` after the head of a short body was received, until the stream of the body is created.
        var isAwaitingBody = false
        var sent: Int64 = 0
        var received: Int64 = 0
        var headTime: Duration?
        var lastByte: Duration = .zero
        var isChallenged = false
        /// `true` unless the task may wait for one of the connections to its host, which is not idle time.
        var hasBegun = false
        /// `true` if a part of the body of the request was sent.
        var isSending = false
        var connection: ConnectionMetrics?
        /// The time at which the request was about to be sent on the connection.
        var connectionTime: Duration = .zero
        /// Lets the transfer wait for the reader of its stream, or go on; `nil` if it cannot wait. It also keeps what the
        /// protocol knows of the task.
        var setPaused: (@Sendable (Bool) -> Void)?

        func error(_ kind: RESTClientError.Kind, underlying: (any Error)? = nil) -> TransportError {
            TransportError(
                kind: kind, underlying: underlying, head: head, body: isAwaitingBody ? Data() : body,
                connection: connection)
        }

        /// The result of a transfer that ends with `error`, or without one.
        func result(_ error: (any Error)?) -> Result<TransportResponse, any Error> {
            if isAwaitingBody, let head, !Self.endsRequest(error) {
                return .success(response(head, .stream(ByteBuffer(body, endingWith: error))))
            }
            if let error { return .failure(error) }
            guard let head else { return .failure(TransportError(kind: .invalidResponse(.notHTTP))) }
            return .success(response(head, .data(body)))
        }

        func response(_ head: HTTPURLResponse, _ body: TransportResponse.Body) -> TransportResponse {
            TransportResponse(head: head, body: body, headTime: headTime, connection: connection)
        }

        /// Returns `true` for an error after which nothing reads the body: the request is cancelled at the same time.
        private static func endsRequest(_ error: (any Error)?) -> Bool {
            if case .timedOut(.total) = (error as? TransportError)?.kind { return true }
            return error is CancellationError
        }

        /// `true` if the response leads to another URL, so that its body is usually not read.
        var isRedirect: Bool {
            head.map {
                (300..<400).contains($0.statusCode) && $0.value(forHTTPHeaderField: "Location") != nil
            } ?? false
        }

        /// `true` if all bytes of the body were received, as far as the head shows their number.
        var hasWholeBody: Bool {
            guard let head, received == (head.statusCode == 204 ? 0 : head.expectedContentLength) else {
                return false
            }
            return head.value(forHTTPHeaderField: "Content-Encoding") == nil
        }
    }

    private enum Phase { case created, running, ended }

    private let request: URLRequest
    private let file: BodyFile?
    private let progress: ProgressReporter?
    private let transport: URLSessionTransport
    private let delivery: BodyDelivery
    /// `true` if a streamed response is not needed before the first bytes of its body.
    private let awaitsShortBody: Bool
    private let options: RequestOptions
    /// The time on the manager's clock at which the transfer must have ended.
    private let deadline: Duration?
    private let state = LockedState(State())

    init(
        _ request: URLRequest, file: BodyFile? = nil, progress: ProgressReporter? = nil,
        over transport: URLSessionTransport, delivery: BodyDelivery = .buffered,
        awaitsShortBody: Bool = false, options: RequestOptions, deadline: Duration?
    ) {
        self.request = request
        self.file = file
        self.progress = progress
        self.transport = transport
        self.delivery = delivery
        self.awaitsShortBody = awaitsShortBody
        self.options = options
        self.deadline = deadline
        progress?.begin()
    }

    /// The numbers of bytes of the bodies that were sent and received, and the connection, also after the end.
    var facts: (sent: Int64, received: Int64, connection: ConnectionMetrics?) {
        state.withLock { ($0.sent, $0.received, $0.connection) }
    }

    /// Sends the request, and returns when the body is complete or, if it is streamed, when the head was received.
    ///
    /// - Throws: `TransportError`, or `CancellationError` as soon as the Swift task is cancelled.
    func response() async throws -> TransportResponse {
        defer { state.synchronizeForSanitizer() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { start($0) }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the transfer with `CancellationError`, even if it has not been started (PLATFORM A17).
    func cancel() { end(CancellationError()) }

    private func start(_ caller: CheckedContinuation<TransportResponse, any Error>) {
        let starts = state.withLock { state in
            guard state.phase == .created else { return false }
            state.phase = .running
            state.caller = caller
            state.lastByte = transport.clock.now
            return true
        }
        guard starts else { return caller.resume(throwing: CancellationError()) }
        if let refusal = transport.refusal {
            return end(TransportError(kind: .invalidRequest(.rejected(refusal))))
        }
        // URLSession waits for its work queue here. Callbacks on that queue acquire locks of this package, so no lock may be
        // held.
        let (task, setPaused) = transport.makeTask(for: request, file: file, self)
        transport.delegate.add(self, for: task.taskIdentifier)
        let token = nextDeadline(after: transport.clock.now).map { transport.deadlines.add(self, due: $0) }
        let isRunning = state.withLock { state in
            guard state.phase == .running else { return false }
            (state.task, state.deadlineToken, state.setPaused) = (task, token, setPaused)
            // A protocol of the caller does not report when a task has a connection.
            state.hasBegun = state.hasBegun || transport.hasCustomProtocols
            return true
        }
        if isRunning { task.resume() } else { release(task, token, cancelling: true) }
    }

    /// Returns the earliest time at which a timeout elapses if no data is received after `lastByte`.
    private func nextDeadline(after lastByte: Duration) -> Duration? {
        let idle = options.timeouts.idle.map { AnyClock.deadline($0, after: lastByte) }
        guard let idle, let deadline else { return idle ?? deadline }
        return min(idle, deadline)
    }

    /// Ends the transfer with `error`, or with the received response if `error` is `nil`.
    private func end(_ error: (any Error)?, taskHasEnded: Bool = false) {
        // The result is created under the lock, see `LockedState.synchronizeForSanitizer`.
        let ended = state.withLock { state -> (State, Result<TransportResponse, any Error>)? in
            guard state.phase != .ended else { return nil }
            let last = state
            state = State(
                phase: .ended, sent: last.sent, received: last.received, connection: last.connection)
            return (last, last.result(error))
        }
        guard let (last, result) = ended else { return }
        last.stream?.finish(error)
        if let task = last.task { release(task, last.deadlineToken, cancelling: !taskHasEnded) }
        last.caller?.resume(with: result)
    }

    private func release(_ task: URLSessionTask, _ deadlineToken: Int?, cancelling: Bool) {
        transport.delegate.remove(task.taskIdentifier)
        if let deadlineToken { transport.deadlines.remove(deadlineToken) }
        if cancelling { URLSessionTransport.cancelQueue.async { task.cancel() } }
    }
}

// MARK: - Callbacks

extension TransportTask {
    private func recordActivity(_ state: inout State, at time: Duration) {
        (state.lastByte, state.hasBegun) = (time, true)
    }

    func didReceive(_ response: URLResponse) {
        // The interim responses 100 and 103 are delivered like final ones (PLATFORM B).
        guard let head = response as? HTTPURLResponse, !(100..<200).contains(head.statusCode) else { return }
        if head.expectedContentLength < 0, let text = head.value(forHTTPHeaderField: "Content-Length"),
            !Self.isValidLength(text)
        {
            return end(TransportError(kind: .invalidResponse(.invalidContentLength(text)), head: head))
        }
        let now = transport.clock.now
        let delivery: StreamDelivery? = state.withLock { state in
            guard state.phase == .running else { return nil }
            recordActivity(&state, at: now)
            if state.headTime == nil, state.connection != nil {
                state.connection?.wait = now - state.connectionTime
                state.connection?.httpVersion = PlatformSession.httpVersion(of: head)
            }
            state.headTime = state.headTime ?? now
            state.head = head
            // A custom protocol cannot report the bytes that it has received.
            if transport.hasCustomProtocols, state.sent == 0, let length = bodyLength {
                state.sent = length
                progress?.sent(length, of: length)
            }
            let isStarting = self.delivery == .streamed && state.stream == nil
            let isShort = 1...Int64(Self.maxShortBodyBytes) ~= head.expectedContentLength
            state.isAwaitingBody = isStarting && awaitsShortBody && isShort && state.body.isEmpty
            guard isStarting, !state.isAwaitingBody else {
                let expected = min(max(0, head.expectedContentLength), Int64(Self.maxReservedBytes))
                state.body.reserveCapacity(Int(expected))
                return nil
            }
            return startStream(&state)
        }
        delivery?.resume()
    }

    /// A caller to resume with its stream, after the lock was released.
    private struct StreamDelivery {
        let caller: CheckedContinuation<TransportResponse, any Error>?
        let response: TransportResponse

        func resume() { caller?.resume(returning: response) }
    }

    /// Returns `true` if URLSession is about to report the end of the response, which needs no stream.
    private func endsWithShortBody(_ state: State) -> Bool {
        state.hasWholeBody && !state.isSending && state.received <= options.maxStreamBytes
    }

    /// Creates the stream of the body, with the data that was received before.
    private func startStream(_ state: inout State) -> StreamDelivery? {
        guard let head = state.head else { return nil }
        let stream = ByteBuffer(setPaused: state.setPaused) { [weak self] in self?.cancel() }
        if !state.body.isEmpty { stream.append(state.body) }
        (state.stream, state.isAwaitingBody, state.body) = (stream, false, Data())
        return StreamDelivery(
            caller: state.caller.take(),
            response: state.response(head, .stream(stream)))
    }

    /// Appends data to the body. A mock protocol may deliver data before its response.
    func didReceive(_ data: Data) {
        let now = transport.clock.now
        var delivery: StreamDelivery?
        var isLongRedirect = false
        let (limit, stream) = state.withLock { state -> (RESTClientError.Limit?, ByteBuffer?) in
            guard state.phase == .running else { return (nil, nil) }
            recordActivity(&state, at: now)
            state.received += Int64(data.count)
            progress?.received(state.received, of: state.head?.expectedContentLength)
            if state.isAwaitingBody, !endsWithShortBody(state) { delivery = startStream(&state) }
            if let stream = state.stream {
                let isTooLong = state.received > options.maxStreamBytes
                return isTooLong ? (.streamBytes(options.maxStreamBytes), nil) : (nil, stream)
            }
            guard state.isAwaitingBody || data.count <= options.maxBodyBytes - state.body.count else {
                return (.bodyBytes(options.maxBodyBytes), nil)
            }
            state.body.append(data)
            isLongRedirect = state.body.count > Self.maxRedirectBytes && state.isRedirect
            return (nil, nil)
        }
        if isLongRedirect { return end(nil) }
        // The stream has the data before its reader is resumed.
        defer { delivery?.resume() }
        let isUnread = stream.map { !$0.append(data) } ?? false
        if let limit = limit ?? (isUnread ? .unreadBytes(ByteBuffer.maxUnreadBytes) : nil) {
            end(TransportError(kind: .limit(limit), head: state.withLock { $0.head }))
        }
    }

    func transferDidBegin() {
        let now = transport.clock.now
        state.withLock { recordActivity(&$0, at: now) }
    }

    func transferDidConnect(_ connection: ConnectionMetrics) {
        let now = transport.clock.now
        state.withLock { state in
            // The time to connect is idle time.
            if !state.hasBegun { recordActivity(&state, at: now) }
            (state.connection, state.connectionTime) = (connection, now)
        }
    }

    func transferDidSend(total: Int64) { didSend(total) }

    func didSend(_ bytes: Int64) {
        let now = transport.clock.now
        var delivery: StreamDelivery?
        let isRunning = state.withLock { state in
            recordActivity(&state, at: now)
            guard state.phase == .running else { return false }
            state.sent = bytes
            state.isSending = bodyLength.map { bytes < $0 } ?? false
            // An early response does not end before the request.
            if state.isSending, state.isAwaitingBody { delivery = startStream(&state) }
            return true
        }
        delivery?.resume()
        if isRunning { progress?.sent(bytes, of: bodyLength) }
    }

    /// The length of the request body, or `nil` for no body and for a stream of the caller.
    private var bodyLength: Int64? { file?.length ?? request.httpBody.map { Int64($0.count) } }

    func didReceiveChallenge(_ response: URLResponse?) {
        state.withLock { state in
            guard state.phase == .running else { return }
            state.isChallenged = true
            state.head = state.head ?? response as? HTTPURLResponse
        }
    }

    func didComplete(_ response: URLResponse?, _ error: (any Error)?) {
        let failure: TransportError? = state.withLock { state in
            // The response of a redirect or a challenge is delivered only here.
            state.head = state.head ?? response as? HTTPURLResponse
            guard let error = error.map(ErrorBox.unboxed),
                !(state.isChallenged && (error as? URLError)?.code == .cancelled)
            else {
                return nil
            }
            var kind = RESTClientError.Kind(error, head: state.head, received: state.received)
            // Other timeouts are those of this class.
            if kind == .timedOut(.idle), transport.limitsConnectTime { kind = .timedOut(.connect) }
            return state.error(kind, underlying: error)
        }
        end(failure, taskHasEnded: true)
    }

    func deadlineReached() -> Duration? {
        let now = transport.clock.now
        let (failure, next) = state.withLock { state -> (TransportError?, Duration?) in
            if !state.hasBegun { state.lastByte = now }
            // The server is not idle while the consumer does not read.
            if state.stream?.wasFull() == true { recordActivity(&state, at: now) }
            guard state.phase == .running, let next = nextDeadline(after: state.lastByte) else {
                return (nil, nil)
            }
            guard next <= now else { return (nil, next) }
            let isTotal = deadline.map { $0 <= now } ?? false
            return (state.error(.timedOut(isTotal ? .total : .idle)), nil)
        }
        if let failure { end(failure) }
        return next
    }

    /// Returns `true` if URLSession can parse the length. It ignores an invalid length and would accept a body of any
    /// length, which RFC 9112, section 6.3, does not allow.
    private static func isValidLength(_ text: String) -> Bool {
        let values = Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        guard values.count == 1, let value = values.first, let length = Int64(value) else { return false }
        return length >= 0
    }

    /// The `Content-Length` up to which a body is short: it is usually received at once, together with the head.
    private static let maxShortBodyBytes = 64 << 10
    /// The size at which the rest of the body of a redirect is not received, which may have no end.
    private static let maxRedirectBytes = 1 << 20
    /// The maximum amount of memory that is reserved because of a `Content-Length`.
    private static let maxReservedBytes = 1 << 20
}
