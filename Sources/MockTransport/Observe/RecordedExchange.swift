import Foundation

/// A request and the steps of its reply.
final class RecordedExchange: Sendable {
    private struct State {
        var steps: [(time: Duration, step: ReplyPlan.Step)] = []
        /// The steps of a cached plan, all at the time of the request.
        var cachedSteps: [ReplyPlan.Step] = []
        /// The number of body bytes that the exchanges of a server may still hold together.
        var budget: LockedState<Int>
        /// The number of body bytes kept.
        var bodySize = 0
        /// `true` if the body was too large and was dropped.
        var isTruncated = false
        /// The number of body bytes sent, including those that were dropped.
        var sentBytes = 0
        /// The time at which the client cancelled the request or the socket was closed before the end of the reply.
        var cancellation: Duration?

        var hasEnded: Bool { cancellation != nil || steps.last?.step.isLast ?? !cachedSteps.isEmpty }

        /// Counts a chunk, and returns `true` if it is kept. If the body is too large, its other chunks are dropped.
        mutating func keeps(_ data: Data, _ limit: Int = .max) -> Bool {
            sentBytes += data.count
            guard !isTruncated else { return false }
            let fits = bodySize == 0 || data.count <= limit - bodySize
            let isReserved = budget.withLock { budget in
                guard fits, data.count <= budget else { return false }
                budget -= data.count
                return true
            }
            if isReserved { bodySize += data.count } else { isTruncated = true }
            if isTruncated { dropBody() }
            return isReserved
        }

        mutating func dropBody() {
            steps.removeAll { $0.step.isChunk }
            cachedSteps.removeAll(where: \.isChunk)
            budget.withLock { $0 += bodySize }
            bodySize = 0
        }
    }

    /// The maximum size of a body that is sent in chunks: streams may be endless.
    static let maxStreamedBodySize = 4 << 20

    let request: ReceivedRequest
    private let completions: Completions
    private let state: LockedState<State>

    init(_ request: ReceivedRequest, budget: LockedState<Int>, completions: Completions) {
        self.request = request
        self.completions = completions
        state = LockedState(State(budget: budget))
    }

    deinit { state.withLock { $0.dropBody() } }

    /// `true` if the body was too large and was dropped.
    var isTruncated: Bool { state.withLock { $0.isTruncated } }

    /// Records the reply of a cached plan.
    func record(_ cached: ReplyPlan) {
        state.withLock { state in
            state.cachedSteps = cached.steps
            for case .chunk(let data) in cached.steps { _ = state.keeps(data) }
        }
        completions.send(self)
    }

    /// Counts the body of a reply that a cassette keeps apart from those of other replies.
    func countSeparately() { state.withLock { $0.budget = LockedState(RequestLog.maxBodySize) } }

    /// Records that no further step follows. Has no effect if the reply is complete.
    func finish(at time: @autoclosure () -> Duration) {
        guard !state.withLock({ $0.hasEnded }) else { return }
        let time = time()
        let isCancelled = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.cancellation = time
            return true
        }
        if isCancelled { completions.send(self) }
    }

    /// Records a step. Has no effect and returns `false` if the exchange has ended: the source of a reply can continue
    /// after a cancellation or a timeout.
    ///
    /// - Parameter limit: The maximum size of a body with more than one chunk.
    @discardableResult
    func record(
        _ step: ReplyPlan.Step, at time: Duration, maxBodySize limit: Int = maxStreamedBodySize
    ) -> Bool {
        let isRecorded = state.withLock { state in
            guard !state.hasEnded else { return false }
            if case .chunk(let data) = step, !state.keeps(data, limit) { return true }
            state.steps.append((time, step))
            return true
        }
        if isRecorded, step.isLast { completions.send(self) }
        return isRecorded
    }

    /// Returns the exchange as an archive entry, or `nil` if it has not ended or was not answered.
    ///
    /// - Parameter epoch: The date at which the server's clock was zero.
    func entry(since epoch: Date) -> HAR.Entry? {
        var response = HAR.Response(status: 0)
        var headTime = request.time
        var hasEnded = false
        func end(_ error: any Error) {
            hasEnded = true
            let code = (error as? URLError)?.errorCode
            response.failure = HAR.Failure(code: code, text: error.localizedDescription)
        }
        let (steps, isTruncated) = state.withLock { state in
            (state.cachedSteps.map { (request.time, $0) } + state.steps, state.isTruncated)
        }
        for (time, step) in steps {
            switch step {
            case .head(let head):
                headTime = time
                response.status = head.status
                response.headers = head.headers
                response.wait = HARTime.rounded(time - request.time)
            case .chunk(let data):
                guard !data.isEmpty else { continue }
                response.chunks.append(HAR.Chunk(time: HARTime.rounded(time - headTime), data: data))
            case .end: hasEnded = true
            case .failure(is MockServerError), .failure(is CancellationError): return nil
            case .failure(let error): end(error)
            case .connectionFailure(let failure): end(failure.error(for: request.url))
            case .informational, .wait, .work, .stall, .stream, .passthrough: continue
            }
        }
        guard hasEnded else { return nil }
        if isTruncated { response.failure = HAR.Failure(text: "the body was too large to be recorded") }
        let start = HARTime.rounded(epoch.addingTimeInterval(request.time / .seconds(1)))
        return HAR.Entry(start: start, request: HAR.Request(request), response: response)
    }
}

extension RecordedExchange {
    /// The request and the outcome of its reply so far.
    var summary: MockExchange {
        let (steps, cancellation, sentBytes) = state.withLock { state in
            (state.cachedSteps.map { (request.time, $0) } + state.steps, state.cancellation, state.sentBytes)
        }
        var status: HTTPStatus?
        var outcome = MockExchange.Outcome.pending
        for (_, step) in steps {
            switch step {
            case .head(let head): status = head.status
            case .end: outcome = .completed
            case .failure(let error as MockServerError): outcome = .rejected(error)
            case .failure(is CancellationError): outcome = .cancelled
            case .failure(let error): outcome = .failed(error)
            case .connectionFailure(let failure): outcome = .failed(failure.error(for: request.url))
            default: break
            }
        }
        var end = steps.last.flatMap { $1.isLast ? $0 : nil }
        if let cancellation, case .pending = outcome { (outcome, end) = (.cancelled, cancellation) }
        return MockExchange(
            request: request, status: status, bodySize: sentBytes, duration: end.map { $0 - request.time },
            outcome: outcome)
    }
}

extension ReplyPlan.Step {
    /// `true` if no step follows.
    fileprivate var isLast: Bool {
        switch self {
        case .end, .failure, .connectionFailure: true
        default: false
        }
    }

    fileprivate var isChunk: Bool { if case .chunk = self { true } else { false } }
}
