import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its answer on the wire: where caller, delegate and deadline meet.
///
/// Whoever is first to end it (the platform, a deadline, a limit, a cancelled task) takes the caller's
/// continuation with it under the lock, so that a call ends exactly once; whatever comes later finds it ended.
final class Exchange: Expiring {
    /// What came back.
    struct Arrival: Sendable {
        let head: HTTPURLResponse
        /// Whole, or with all that is still to come.
        let body: Body
        /// When the head came, on the manager's timeline.
        let firstByte: Duration?
    }

    enum Body: Sendable {
        case whole(Data)
        case arriving(ByteBuffer)
    }

    /// What the caller wants, and how much of it and for how long.
    struct Terms: Sendable {
        var delivery = RequestContext.Delivery.buffered
        /// Decoded bytes that a buffered body may have.
        var bodyBytes: Int
        /// Bytes that a streamed body may have on disk while nobody reads them.
        var spillBytes: Int64
        /// Without a byte in either direction.
        var idle: Duration?
        /// When all must have ended, on the manager's timeline.
        var deadline: Duration?
    }

    private struct State {
        var phase = Phase.new
        var task: URLSessionTask?
        var watch: Int?
        var caller: CheckedContinuation<Arrival, any Error>?
        var head: HTTPURLResponse?
        /// All of a buffered body; of a streamed one, what came before its head.
        var body = Data()
        var stream: ByteBuffer?
        var received: Int64 = 0
        var firstByte: Duration?
        var lastByte: Duration = .zero
        var challenged = false
    }

    private enum Phase { case new, running, ended }

    private let transport: Transport
    private let order: Order
    private let terms: Terms
    private let state = LockedState(State())

    init(_ order: Order, terms: Terms, over transport: Transport) {
        self.order = order
        self.terms = terms
        self.transport = transport
    }

    var hasEnded: Bool { state.withLock { $0.phase == .ended } }

    /// Sends the request; returns when the body is whole or, streamed, when the head is there.
    ///
    /// - Throws: `ExchangeFailure`, or `CancellationError` at once when the task is cancelled.
    func run() async throws -> Arrival {
        defer { state.synchronizeForSanitizer() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { start($0) }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the exchange with `CancellationError`, before it began, too (PLATFORM A17).
    func cancel() { end(CancellationError()) }

    private func start(_ caller: CheckedContinuation<Arrival, any Error>) {
        let begins = state.withLock { state in
            guard state.phase == .new else { return false }
            state.phase = .running
            state.caller = caller
            state.lastByte = transport.timeline.now
            return true
        }
        guard begins else { return caller.resume(throwing: CancellationError()) }

        StartQueue.run(isAlone: InFlight.begin()) { self.launch() }
    }

    private func launch() {
        guard !hasEnded else { return InFlight.end() }
        // The platform waits for its work queue in here, on which callbacks take our locks: hold none.
        let task = transport.makeTask(for: order)
        transport.delegate.route(task.taskIdentifier, to: self)
        let watch = nextDeadline(after: transport.timeline.now).map {
            transport.deadlines.watch(self, due: $0)
        }
        let goesOn = state.withLock { state in
            guard state.phase == .running else { return false }
            state.task = task
            state.watch = watch
            return true
        }
        if goesOn { task.resume() } else { release(task, watch, cancelling: true) }
    }

    /// The first moment after `lastByte` at which a deadline may have passed.
    private func nextDeadline(after lastByte: Duration) -> Duration? {
        let idle = terms.idle.map { AnyClock.deadline($0, after: lastByte) }
        guard let idle, let deadline = terms.deadline else { return idle ?? terms.deadline }
        return min(idle, deadline)
    }

    /// Ends the exchange with an error, or with all that came when there is none.
    private func end(_ error: (any Error)?, taskHasEnded: Bool = false) {
        let ended: State? = state.withLock { state in
            guard state.phase != .ended else { return nil }
            let last = state
            state = State(phase: .ended)
            return last
        }
        guard let ended else { return }
        ended.stream?.finish(error)
        if let task = ended.task { release(task, ended.watch, cancelling: !taskHasEnded) }
        guard let caller = ended.caller else { return }
        if let error {
            caller.resume(throwing: error)
        } else if let arrival = arrival(ended) {
            caller.resume(returning: arrival)
        } else {
            caller.resume(throwing: ExchangeFailure(.notHTTP))
        }
    }

    private func release(_ task: URLSessionTask, _ watch: Int?, cancelling: Bool) {
        transport.delegate.forget(task.taskIdentifier)
        if let watch { transport.deadlines.unwatch(watch) }
        if cancelling { CancelQueue.async { task.cancel() } }
        InFlight.end()
    }

    /// What a caller gets who waits until the end.
    private func arrival(_ state: State) -> Arrival? {
        guard let head = state.head else { return nil }
        return Arrival(head: head, body: .whole(state.body), firstByte: state.firstByte)
    }
}

// MARK: What the delegate and the deadlines tell

extension Exchange {
    func received(_ response: URLResponse) {
        // 100 and 103 arrive as responses of their own (PLATFORM B).
        guard let head = response as? HTTPURLResponse, !(100..<200).contains(head.statusCode) else { return }
        if head.expectedContentLength < 0, let claim = head.value(forHTTPHeaderField: "Content-Length"),
            !Self.isLength(claim)
        {
            return end(ExchangeFailure(.badLength(claim), head))
        }
        let now = transport.timeline.now
        let (caller, stream) = state.withLock {
            state -> (CheckedContinuation<Arrival, any Error>?, ByteBuffer?) in
            guard state.phase == .running else { return (nil, nil) }
            state.lastByte = now
            state.firstByte = state.firstByte ?? now
            state.head = head
            guard terms.delivery == .streamed, state.stream == nil else {
                let expected = min(max(0, head.expectedContentLength), Int64(Self.mostReserved))
                state.body.reserveCapacity(Int(expected))
                return (nil, nil)
            }
            let stream = ByteBuffer(spillLimit: terms.spillBytes) { [weak self] in self?.cancel() }
            if !state.body.isEmpty { _ = stream.append(state.body) }
            state.stream = stream
            defer { state.caller = nil }
            return (state.caller, stream)
        }
        guard let caller, let stream else { return }
        caller.resume(returning: Arrival(head: head, body: .arriving(stream), firstByte: now))
    }

    /// A chunk; a mock may send one before its response.
    func received(_ data: Data) {
        let now = transport.timeline.now
        let (overflow, stream, head) = state.withLock {
            state -> (ExchangeFailure?, ByteBuffer?, HTTPURLResponse?) in
            guard state.phase == .running else { return (nil, nil, nil) }
            state.lastByte = now
            state.received += Int64(data.count)
            order.progress?.received(state.received, of: state.head?.expectedContentLength)
            if let stream = state.stream { return (nil, stream, state.head) }
            guard data.count <= terms.bodyBytes - state.body.count else {
                return (ExchangeFailure(.bodyTooLarge(limit: terms.bodyBytes), state.head), nil, nil)
            }
            state.body.append(data)
            return (nil, nil, nil)
        }
        if let stream, let failure = stream.append(data) { end(ExchangeFailure(failure.reason, head)) }
        if let overflow { end(overflow) }
    }

    func sent(_ bytes: Int64, of total: Int64) {
        let now = transport.timeline.now
        let isRunning = state.withLock { state in
            state.lastByte = now
            return state.phase == .running
        }
        if isRunning { order.progress?.sent(bytes, of: total) }
    }

    func challenged(by response: URLResponse?) {
        state.withLock { state in
            guard state.phase == .running else { return }
            state.challenged = true
            state.head = state.head ?? response as? HTTPURLResponse
        }
    }

    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        let failure: ExchangeFailure? = state.withLock { state in
            // The responses of redirects and of challenges may come with the end only.
            state.head = state.head ?? response as? HTTPURLResponse
            guard let error, !(state.challenged && error.isPlatformCancellation) else { return nil }
            return ExchangeFailure(.platform(error), state.head, state.body, received: state.received)
        }
        end(failure, taskHasEnded: true)
    }

    /// Ends the exchange if a deadline has passed; otherwise returns the next one.
    func expire() -> Duration? {
        let now = transport.timeline.now
        let verdict: Verdict = state.withLock { state in
            guard state.phase == .running else { return .ended }
            if let deadline = terms.deadline, deadline <= now { return .late(.total, state) }
            guard let next = nextDeadline(after: state.lastByte) else { return .ended }
            return next <= now ? .late(.idle, state) : .wait(until: next)
        }
        switch verdict {
        case .ended: return nil
        case .wait(let next): return next
        case .late(let timeout, let state):
            end(ExchangeFailure(.timedOut(timeout), state.head, state.body, received: state.received))
            return nil
        }
    }

    private enum Verdict {
        case ended
        case wait(until: Duration)
        case late(RESTClientError.Timeout, State)
    }

    /// One that the platform cannot read it ignores, and takes whatever comes for the whole (RFC 9112, section 6.3).
    private static func isLength(_ claim: String) -> Bool {
        let values = Set(claim.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        guard values.count == 1, let value = values.first, let length = Int64(value) else { return false }
        return length >= 0
    }

    /// A Content-Length is a claim: no more than this is set aside for it.
    private static let mostReserved = 1 << 20
}
