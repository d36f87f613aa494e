import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// The response of one transfer.
struct TransportResponse: Sendable {
    let head: ReceivedHead
    /// The complete body, also a short one of a streamed transfer; `nil` if it is read from the transfer with
    /// `TransportTask.read(after:)`.
    let body: Data?
    /// The time on the manager's clock at which the head was received.
    let headTime: Duration?
    let connection: ConnectionMetrics?
}

/// The events of one transfer so far, and their consequences.
///
/// A value without a session, a clock or a lock: each event changes it and returns what is to be done without the lock. The
/// transfer ends once: on completion, at a deadline, at a limit or when it is cancelled, and the first of these resumes the
/// caller.
struct TransferState {
    typealias Caller = @Sendable (Result<TransportResponse, any Error>) -> Void

    /// The reader of a streamed body, which waits for the next chunks.
    struct Reader: Sendable {
        /// The number of unread chunks before those for the reader, which stay unread; `nil` to remove all.
        let count: Int?
        let resume: @Sendable (Result<[Data], any Error>) -> Void
    }

    /// The work that an event leaves to be done without the lock.
    struct Effects: Sendable {
        /// Resumes the reader of the body. It comes before the caller is resumed.
        var wake: (@Sendable () -> Void)?
        /// Resumes the caller.
        var resume: (@Sendable () -> Void)?
        /// `true` if the transfer has ended with this event.
        var hasEnded = false

        func perform() {
            wake?()
            resume?()
        }
    }

    enum Phase { case created, running, ended }

    private(set) var phase = Phase.created
    private(set) var head: ReceivedHead?
    private(set) var sent: Int64 = 0
    private(set) var received: Int64 = 0
    private(set) var connection: ConnectionMetrics?
    /// Lets the transfer wait for its reader, or go on; `nil` if it cannot wait. It also keeps what the protocol knows of the
    /// task.
    private var setPaused: (@Sendable (Bool) -> Void)?
    private var caller: Caller?
    /// The body, if it is buffered or short. For a streamed body, the data that was received before its stream.
    private var body = Data()
    /// The unread part of a streamed body, after the caller has received its head.
    private var unread: UnreadBody?
    private var reader: Reader?
    /// `true` after the head of a short body was received, until the caller receives it.
    private var isAwaitingBody = false
    private var isPaused = false
    /// `true` if nothing is received: the transfer has ended, or waits for its reader.
    var isAtRest: Bool { phase == .ended || isPaused }
    /// `true` if the transfer has waited for its reader since the deadline was last examined.
    private var hasPaused = false
    private var headTime: Duration?
    private var lastByte: Duration = .zero
    private var isChallenged = false
    /// `true` unless the task may wait for one of the connections to its host, which is not idle time.
    private var hasBegun = false
    /// `true` if a part of the body of the request was sent, and a part was not.
    private var isSending = false
    /// The time at which the request was about to be sent on the connection.
    private var connectionTime: Duration = .zero

    private let isStreamed: Bool
    /// `true` if a streamed response is not needed before the first bytes of its body. A short one is then delivered as data.
    private let awaitsShortBody: Bool
    private let options: RequestOptions
    /// The time on the manager's clock at which the transfer must have ended.
    private let deadline: Duration?

    init(
        isStreamed: Bool, awaitsShortBody: Bool = false, options: RequestOptions = RequestOptions(),
        deadline: Duration? = nil
    ) {
        (self.isStreamed, self.awaitsShortBody) = (isStreamed, awaitsShortBody)
        (self.options, self.deadline) = (options, deadline)
    }

    // MARK: Events of the transfer

    /// Starts the transfer, unless it was cancelled. `hasBegun` is `true` if its connection is not reported.
    mutating func start(
        at now: Duration, hasBegun: Bool, setPaused: (@Sendable (Bool) -> Void)?, _ caller: @escaping Caller
    ) -> Bool {
        guard phase == .created else { return false }
        (phase, self.caller, self.setPaused, lastByte) = (.running, caller, setPaused, now)
        self.hasBegun = self.hasBegun || hasBegun
        return true
    }

    mutating func recordActivity(at now: Duration) { (lastByte, hasBegun) = (now, true) }

    mutating func connect(_ connection: ConnectionMetrics, at now: Duration) {
        // The time to connect is idle time.
        if !hasBegun { recordActivity(at: now) }
        (self.connection, connectionTime) = (connection, now)
    }

    /// Records that `bytes` of the request body were sent. `length` is `nil` for no body and for a stream of the caller.
    mutating func send(_ bytes: Int64, of length: Int64?, at now: Duration) -> Effects {
        guard phase != .ended else { return Effects() }
        recordActivity(at: now)
        sent = bytes
        isSending = length.map { bytes < $0 } ?? false
        // An early response does not end before the request.
        return isSending && isAwaitingBody ? startStream() : Effects()
    }

    /// Records that the whole request body was sent, unless its parts are reported. Returns `false` if nothing changes.
    mutating func sendWholeBody(of length: Int64?) -> Bool {
        guard phase == .running, sent == 0, let length else { return false }
        sent = length
        return true
    }

    mutating func receive(_ head: ReceivedHead, at now: Duration) -> Effects {
        guard phase == .running else { return Effects() }
        if head.contentLength == nil, let text = head.value(of: .contentLength), !Self.isValidLength(text) {
            return end(TransportError(kind: .invalidResponse(.invalidContentLength(text)), head: head))
        }
        recordActivity(at: now)
        if headTime == nil, connection != nil {
            connection?.wait = now - connectionTime
            connection?.httpVersion = head.version
        }
        headTime = headTime ?? now
        self.head = head
        let isStarting = isStreamed && unread == nil
        let length = head.contentLength ?? 0
        let isShort = 1...Int64(Self.maxShortBodyBytes) ~= length
        isAwaitingBody = isStarting && awaitsShortBody && isShort && body.isEmpty
        if isStarting, !isAwaitingBody { return startStream() }
        body.reserveCapacity(Int(min(length, Int64(Self.maxReservedBytes))))
        return Effects()
    }

    /// Receives data of the body. A mock protocol may deliver data before its response.
    mutating func receive(_ data: Data, at now: Duration) -> Effects {
        guard phase == .running else { return Effects() }
        recordActivity(at: now)
        received += Int64(data.count)
        var effects = Effects()
        let isExcess =
            discardsBody
            && (received > Self.maxDiscardedBytes || now - (headTime ?? now) > Self.maxDiscardTime)
        // URLSession is about to report the end of a response that is complete, which needs no stream.
        let isComplete = hasWholeBody && !isSending && received <= options.maxStreamBytes
        if isAwaitingBody, !isComplete { effects = startStream() }
        if unread != nil {
            guard received <= options.maxStreamBytes else {
                return end(error(.limit(.streamBytes(options.maxStreamBytes))), after: effects)
            }
            unread?.append(data)
            effects.wake = wakeReader()
            let isUnread = unread.map { $0.byteCount > UnreadBody.maxBytes } ?? false
            if isUnread { return end(error(.limit(.unreadBytes(UnreadBody.maxBytes))), after: effects) }
            return isExcess ? end(nil, after: effects) : effects
        }
        guard isAwaitingBody || data.count <= options.maxBodyBytes - body.count else {
            return end(TransportError(kind: .limit(.bodyBytes(options.maxBodyBytes)), head: head))
        }
        body.append(data)
        return isExcess ? end(nil) : effects
    }

    /// Receives a challenge, and the head of the response that carried it.
    mutating func receiveChallenge(_ head: ReceivedHead?) {
        guard phase == .running else { return }
        isChallenged = true
        self.head = self.head ?? head
    }

    /// Ends the transfer with the result of its task. `limitsConnectTime` is `true` if an option limits the time to connect:
    /// other timeouts are those of this type.
    mutating func complete(
        _ head: ReceivedHead?, _ error: (any Error)?, limitsConnectTime: Bool
    ) -> Effects {
        guard phase != .ended else { return Effects() }
        // The response of a redirect or a challenge is delivered only here.
        self.head = self.head ?? head
        guard let error = error.map(ErrorBox.unboxed),
            !(isChallenged && (error as? URLError)?.code == .cancelled)
        else { return end(nil) }
        var kind = RESTClientError.Kind(error, head: self.head, received: received)
        if kind == .timedOut(.idle), limitsConnectTime { kind = .timedOut(.connect) }
        return end(self.error(kind, underlying: error))
    }

    /// Ends the transfer with `error`, or with the received response if it is `nil`.
    mutating func end(_ error: (any Error)?, after effects: Effects = Effects()) -> Effects {
        guard phase != .ended else { return effects }
        var effects = effects
        phase = .ended
        var result = error.map { Result<TransportResponse, any Error>.failure($0) }
        // A short body that breaks off is a stream, so that its items come before the error.
        if error != nil, isAwaitingBody, !Self.endsRequest(error) {
            result = response(nil).map { .success($0) } ?? result
        }
        if result == nil { result = response(body).map { .success($0) } }
        let final = result ?? .failure(TransportError(kind: .invalidResponse(.notHTTP)))
        if case .success(let response) = final, response.body == nil { moveBodyToStream() }
        unread?.finish(error)
        effects.wake = effects.wake ?? wakeReader()
        if let caller { effects.resume = { caller(final) } }
        (caller, setPaused, head, body, effects.hasEnded) = (nil, nil, nil, Data(), true)
        return effects
    }

    // MARK: The reader of a streamed body

    /// Returns the unread chunks, or those after the first `count`, which all stay unread; `nil` if the reader must wait.
    mutating func read(after count: Int?) throws -> [Data]? {
        defer { updatePause() }
        return try unread?.read(after: count)
    }

    /// Adds a reader that waits. A second one gets an error, so that the first one is still resumed: copies of an iterator can
    /// wait concurrently.
    mutating func wait(_ reader: Reader) -> Effects {
        guard self.reader == nil else {
            return Effects(wake: { reader.resume(.failure(BodyAlreadyRead())) })
        }
        self.reader = reader
        return Effects(wake: wakeReader())
    }

    /// Discards all unread bytes, and ends the transfer.
    mutating func abandon() -> Effects {
        unread?.abandon()
        return end(CancellationError(), after: Effects(wake: wakeReader()))
    }

    private mutating func startStream() -> Effects {
        guard let response = response(nil), let caller = caller.take() else { return Effects() }
        moveBodyToStream()
        return Effects(resume: { caller(.success(response)) })
    }

    /// Starts the stream of the body with the data that was received before.
    private mutating func moveBodyToStream() {
        var unread = UnreadBody()
        if !body.isEmpty { unread.append(body) }
        (self.unread, isAwaitingBody, body) = (unread, false, Data())
    }

    /// Returns a function that resumes the reader, if what it waits for has been received.
    private mutating func wakeReader() -> (@Sendable () -> Void)? {
        defer { updatePause() }
        guard let reader else { return nil }
        // The chunks are read under the lock, see `LockedState.synchronizeForSanitizer`.
        let result = Result { try unread?.read(after: reader.count) }
        if case .success(nil) = result { return nil }
        self.reader = nil
        return { reader.resume(result.map { $0 ?? [] }) }
    }

    /// Lets the transfer wait when too many bytes are unread, and go on when they were read, or when a reader waits for the bytes
    /// after them. Called under the lock, so that both follow each other in the right order.
    private mutating func updatePause() {
        let isFull = reader == nil && unread?.isFull ?? false
        guard isFull != isPaused else { return }
        isPaused = isFull
        hasPaused = hasPaused || isFull
        setPaused?(isFull)
    }

    // MARK: Deadlines

    /// Returns the earliest time at which a timeout elapses, and ends the transfer if that time has come.
    mutating func checkDeadline(at now: Duration) -> (effects: Effects, next: Duration?) {
        if !hasBegun { lastByte = now }
        // The server is not idle while the consumer does not read.
        if hasPaused { recordActivity(at: now) }
        hasPaused = isPaused
        guard phase != .ended, let next = self.deadline(after: lastByte) else { return (Effects(), nil) }
        guard next <= now else { return (Effects(), next) }
        // A transfer that is being started ends when it runs.
        guard phase == .running else { return (Effects(), now + .milliseconds(1)) }
        let isTotal = deadline.map { $0 <= now } ?? false
        return (end(error(.timedOut(isTotal ? .total : .idle))), next)
    }

    /// Returns the earliest time at which a timeout elapses if no data is received after `lastByte`.
    func deadline(after lastByte: Duration) -> Duration? {
        let idle = options.timeouts.idle.map { AnyClock.deadline($0, after: lastByte) }
        guard let idle, let deadline else { return idle ?? deadline }
        return min(idle, deadline)
    }

    // MARK: The response

    private func response(_ body: Data?) -> TransportResponse? {
        head.map { TransportResponse(head: $0, body: body, headTime: headTime, connection: connection) }
    }

    private func error(_ kind: RESTClientError.Kind, underlying: (any Error)? = nil) -> TransportError {
        TransportError(
            kind: kind, underlying: underlying, head: head, body: isAwaitingBody ? Data() : body,
            connection: connection)
    }

    /// Returns `true` for an error after which nothing reads the body: the request is cancelled at the same time.
    private static func endsRequest(_ error: (any Error)?) -> Bool {
        if case .timedOut(.total) = (error as? TransportError)?.kind { return true }
        return error is CancellationError
    }

    /// `true` if at most the start of the body is read: the response leads to another URL, or its status is an error.
    private var discardsBody: Bool {
        guard let head else { return false }
        if let statuses = options.validation.statuses, !statuses.contains(HTTPStatus(rawValue: head.status)) {
            return true
        }
        return (300..<400).contains(head.status) && head.value(of: .location) != nil
    }

    /// `true` if all bytes of the body were received, as far as the head shows their number.
    private var hasWholeBody: Bool {
        guard let head, received == (head.status == 204 ? 0 : head.contentLength) else { return false }
        return head.value(of: .contentEncoding) == nil
    }

    /// Returns `true` for a valid length, or several equal ones. URLSession ignores an invalid length and would accept a body of
    /// any length, which RFC 9112, section 6.3, does not allow.
    private static func isValidLength(_ text: String) -> Bool {
        let values = Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        return values.count == 1 && values.first.flatMap(ReceivedHead.length) != nil
    }

    /// The `Content-Length` up to which a body is short: it is usually received at once, together with the head.
    private static let maxShortBodyBytes = 64 << 10
    /// The size and the time at which the rest of a body is not received of which at most the start is read: it may have no end.
    private static let maxDiscardedBytes = 1 << 20
    private static let maxDiscardTime = Duration.seconds(10)
    /// The maximum amount of memory that is reserved because of a `Content-Length`.
    private static let maxReservedBytes = 1 << 20
}
