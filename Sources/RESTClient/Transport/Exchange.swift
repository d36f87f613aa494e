import Foundation
import HTTPCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its answer on the wire: where caller, delegate and deadline meet.
///
/// Whoever is first to end it (the platform, a deadline, a limit, a cancelled task) takes the caller's
/// continuation with it under the lock, so that a call ends exactly once; whatever comes later finds it ended.
final class Exchange: Sendable {
    /// What came back.
    struct Arrival: Sendable {
        let head: HTTPURLResponse
        let body: Data
        /// When the head came, on the manager's timeline.
        let firstByte: Duration?
    }

    private struct State {
        var phase = Phase.new
        var task: URLSessionTask?
        var watch: Int?
        var caller: CheckedContinuation<Arrival, any Error>?
        var head: HTTPURLResponse?
        var body = Data()
        var firstByte: Duration?
        var lastByte: Duration = .zero
        var challenged = false
    }

    private enum Phase { case new, running, ended }

    private let transport: Transport
    private let request: URLRequest
    private let limits: Limits
    private let state = Lock(State())

    /// How much and how long.
    struct Limits: Sendable {
        /// Decoded bytes that the body may have.
        var bodyBytes: Int
        /// Without a byte in either direction.
        var idle: Duration?
        /// When all must have ended, on the manager's timeline.
        var deadline: Duration?
    }

    init(_ request: URLRequest, limits: Limits, over transport: Transport) {
        self.request = request
        self.limits = limits
        self.transport = transport
    }

    var hasEnded: Bool { state.withLock { $0.phase == .ended } }

    /// Sends the request and returns what came back whole.
    ///
    /// - Throws: `ExchangeFailure`, or `CancellationError` at once when the task is cancelled.
    func run() async throws -> Arrival {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { start($0) }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the exchange with `CancellationError`, before it began, too (PLATFORM A17).
    func cancel() { end(.failure(CancellationError())) }

    private func start(_ caller: CheckedContinuation<Arrival, any Error>) {
        let begins = state.withLock { state in
            guard state.phase == .new else { return false }
            state.phase = .running
            state.caller = caller
            state.lastByte = transport.timeline.now
            return true
        }
        guard begins else { return caller.resume(throwing: CancellationError()) }

        // The platform waits for its work queue in here, on which callbacks take our locks: hold none.
        let task = transport.makeTask(for: request)
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
        let idle = limits.idle.map { lastByte + $0 }
        guard let idle, let deadline = limits.deadline else { return idle ?? limits.deadline }
        return min(idle, deadline)
    }

    private func end(_ result: Result<Arrival, any Error>, taskHasEnded: Bool = false) {
        let ended: State? = state.withLock { state in
            guard state.phase != .ended else { return nil }
            let last = state
            state = State(phase: .ended)
            return last
        }
        guard let ended else { return }
        if let task = ended.task { release(task, ended.watch, cancelling: !taskHasEnded) }
        ended.caller?.resume(with: result)
    }

    private func release(_ task: URLSessionTask, _ watch: Int?, cancelling: Bool) {
        transport.delegate.forget(task.taskIdentifier)
        if let watch { transport.deadlines.unwatch(watch) }
        if cancelling { CancelQueue.async { task.cancel() } }
    }
}

// MARK: What the delegate and the deadlines tell

extension Exchange {
    func received(_ response: URLResponse) {
        // 100 and 103 arrive as responses of their own (PLATFORM B).
        guard let head = response as? HTTPURLResponse, !(100..<200).contains(head.statusCode) else { return }
        let now = transport.timeline.now
        state.withLock { state in
            guard state.phase == .running else { return }
            state.lastByte = now
            state.firstByte = state.firstByte ?? now
            state.head = head
            let expected = head.expectedContentLength
            if expected > 0 { state.body.reserveCapacity(Int(min(expected, Int64(Self.mostReserved)))) }
        }
    }

    /// A chunk; a mock may send one before its response.
    func received(_ data: Data) {
        let now = transport.timeline.now
        let overflow: HTTPURLResponse?? = state.withLock { state in
            guard state.phase == .running else { return nil }
            state.lastByte = now
            guard data.count <= limits.bodyBytes - state.body.count else { return .some(state.head) }
            state.body.append(data)
            return nil
        }
        if let head = overflow {
            end(.failure(ExchangeFailure(.bodyTooLarge(limit: limits.bodyBytes), head: head)))
        }
    }

    func sent(_ bytes: Int64, of total: Int64) {
        let now = transport.timeline.now
        state.withLock { if $0.phase == .running { $0.lastByte = now } }
    }

    func challenged(by response: URLResponse?) {
        state.withLock { state in
            guard state.phase == .running else { return }
            state.challenged = true
            state.head = state.head ?? response as? HTTPURLResponse
        }
    }

    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        let result: Result<Arrival, any Error> = state.withLock { state in
            // The responses of redirects and of challenges may come with the end only.
            let head = state.head ?? response as? HTTPURLResponse
            let error = state.challenged && error?.isPlatformCancellation == true ? nil : error
            if let error {
                return .failure(ExchangeFailure(.platform(error), head: head, body: state.body))
            }
            guard let head else { return .failure(ExchangeFailure(.notHTTP)) }
            return .success(Arrival(head: head, body: state.body, firstByte: state.firstByte))
        }
        end(result, taskHasEnded: true)
    }

    /// Ends the exchange if a deadline has passed; otherwise returns the next one.
    func expire() -> Duration? {
        let now = transport.timeline.now
        let verdict: Verdict = state.withLock { state in
            guard state.phase == .running else { return .ended }
            if let deadline = limits.deadline, deadline <= now {
                return .late(.total, state.head, state.body)
            }
            guard let next = nextDeadline(after: state.lastByte) else { return .ended }
            return next <= now ? .late(.idle, state.head, state.body) : .wait(until: next)
        }
        switch verdict {
        case .ended: return nil
        case .wait(let next): return next
        case .late(let timeout, let head, let body):
            end(.failure(ExchangeFailure(.timedOut(timeout), head: head, body: body)))
            return nil
        }
    }

    private enum Verdict {
        case ended
        case wait(until: Duration)
        case late(RESTClientError.Timeout, HTTPURLResponse?, Data)
    }

    /// A Content-Length is a claim: no more than this is set aside for it.
    private static let mostReserved = 1 << 20
}

/// Why an exchange did not bring a whole answer, and what of it had come.
struct ExchangeFailure: Error {
    enum Reason {
        case platform(any Error)
        case timedOut(RESTClientError.Timeout)
        case bodyTooLarge(limit: Int)
        case notHTTP
    }

    let reason: Reason
    var head: HTTPURLResponse?
    var body = Data()

    init(_ reason: Reason, head: HTTPURLResponse? = nil, body: Data = Data()) {
        self.reason = reason
        self.head = head
        self.body = body
    }
}
