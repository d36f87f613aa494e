import Foundation

/// A request and its reply so far.
final class RecordedExchange: Sendable {
    private struct State {
        var head: (response: ReplyPlan.Head, time: Duration)?
        /// The chunks of the body, with times counted from the head.
        var chunks: [HAR.Chunk] = []
        /// The number of body bytes that the exchanges of a server may still hold together.
        var budget: LockedState<Int>
        /// The number of body bytes kept.
        var bodySize = 0
        /// `true` if the body was too large and was dropped.
        var isTruncated = false
        /// The number of body bytes sent, including those that were dropped.
        var sentBytes = 0
        var outcome = MockExchange.Outcome.pending
        var end: Duration?

        /// Adds a step, which has no effect if it is not a part of a response.
        mutating func add(_ step: ReplyPlan.Step, at time: Duration, _ request: ReceivedRequest, _ limit: Int)
        {
            switch step {
            case .head(let response): head = (response, time)
            case .chunk(let data):
                guard keeps(data, limit), !data.isEmpty else { return }
                chunks.append(HAR.Chunk(time: time - (head?.time ?? request.time), data: data))
            case .end: finish(.completed, at: time)
            case .failure(let error as MockServerError): finish(.rejected(error), at: time)
            case .failure(is CancellationError): finish(.cancelled, at: time)
            case .failure(let error): finish(.failed(error), at: time)
            case .connectionFailure(let failure): finish(.failed(failure.error(for: request.url)), at: time)
            case .wait, .work, .stall, .stream, .passthrough: break
            }
        }

        mutating func finish(_ outcome: MockExchange.Outcome, at time: Duration) {
            (self.outcome, end) = (outcome, time)
        }

        /// Counts a chunk, and returns `true` if it is kept. If the body is too large, its other chunks are dropped.
        private mutating func keeps(_ data: Data, _ limit: Int) -> Bool {
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
            chunks = []
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
        (self.request, self.completions) = (request, completions)
        state = LockedState(State(budget: budget))
    }

    deinit { state.withLock { $0.dropBody() } }

    var isTruncated: Bool { state.withLock { $0.isTruncated } }

    /// Counts the body of a reply that a cassette keeps apart from those of other replies.
    func countSeparately() { state.withLock { $0.budget = LockedState(RequestLog.maxBodySize) } }

    /// Records that no further step follows. Has no effect if the reply is complete.
    func finish(at time: @autoclosure () -> Duration) {
        guard state.withLock({ $0.end == nil }) else { return }
        record([.failure(CancellationError())], at: time())
    }

    /// Records steps of the same time. Has no effect and returns `false` if the exchange has ended: the source of a reply can
    /// continue after a cancellation or a timeout.
    ///
    /// - Parameter limit: The maximum size of a body with more than one chunk.
    @discardableResult
    func record(
        _ steps: [ReplyPlan.Step], at time: Duration, maxBodySize limit: Int = maxStreamedBodySize
    ) -> Bool {
        let (isRecorded, isLast) = state.withLock { state in
            guard state.end == nil else { return (false, false) }
            for step in steps where state.end == nil { state.add(step, at: time, request, limit) }
            return (true, state.end != nil)
        }
        if isLast { completions.send(self) }
        return isRecorded
    }

    /// Returns the exchange as an archive entry, or `nil` if it has not ended or was not answered.
    func entry(since epoch: Date) -> HAR.Entry? {
        let state = state.withLock { $0 }
        var response = HAR.Response(status: 0)
        switch state.outcome {
        case .pending, .rejected, .cancelled: return nil
        case .completed: break
        case .failed(let error):
            let code = (error as? URLError)?.errorCode
            response.failure = HAR.Failure(code: code, text: error.localizedDescription)
        }
        if let (head, time) = state.head {
            (response.status, response.headers) = (head.status, head.headers)
            response.wait = HARTime.rounded(time - request.time)
        }
        response.chunks = state.chunks.map { HAR.Chunk(time: HARTime.rounded($0.time), data: $0.data) }
        if state.isTruncated { response.failure = HAR.Failure(text: "the body was too large to be recorded") }
        let start = HARTime.rounded(epoch.addingTimeInterval(request.time / .seconds(1)))
        return HAR.Entry(start: start, request: HAR.Request(request), response: response)
    }

    var summary: MockExchange {
        let state = state.withLock { $0 }
        return MockExchange(
            request: request, status: state.head?.response.status, bodySize: state.sentBytes,
            duration: state.end.map { $0 - request.time }, outcome: state.outcome)
    }
}
