import Foundation

/// A request and the events of its reply.
final class RecordedExchange: Sendable {
    enum Event: Sendable {
        case head(HTTPStatus, HTTPHeaders)
        case chunk(Data)
        case end
        case failure(any Error)
    }

    /// The number of body bytes that all exchanges of a server may hold.
    final class Budget: Sendable {
        private let remaining: LockedState<Int>

        init(_ bytes: Int) { remaining = LockedState(bytes) }

        func reserve(_ bytes: Int) -> Bool {
            remaining.withLock { remaining in
                guard bytes <= remaining else { return false }
                remaining -= bytes
                return true
            }
        }

        func release(_ bytes: Int) { remaining.withLock { $0 += bytes } }
    }

    private struct State {
        var events: [(time: Duration, event: Event)] = []
        /// The reply, if it was delivered at once.
        var reply: Reply?
        var bodySize = 0
        /// `true` if the body was too large and was dropped.
        var isTruncated = false
    }

    /// The maximum size of a body that is sent in chunks: streams may be endless.
    static let maxStreamedBodySize = 4 << 20

    let request: ReceivedRequest
    private let budget: Budget
    private let state = LockedState(State())

    init(_ request: ReceivedRequest, budget: Budget) {
        self.request = request
        self.budget = budget
    }

    deinit { budget.release(state.withLock { $0.bodySize }) }

    /// `true` if the body was too large and was dropped.
    var isTruncated: Bool { state.withLock { $0.isTruncated } }

    /// Records a reply that was delivered at once. Its events are created only when they are needed.
    func record(_ reply: Reply) { state.withLock { $0.reply = reply } }

    /// - Parameter limit: The maximum size of a body with more than one chunk.
    func record(_ event: Event, at time: Duration, maxBodySize limit: Int = maxStreamedBodySize) {
        state.withLock { state in
            guard case .chunk(let data) = event else { return state.events.append((time, event)) }
            guard !state.isTruncated else { return }
            let fits = state.bodySize == 0 || data.count <= limit - state.bodySize
            if fits, budget.reserve(data.count) {
                state.bodySize += data.count
                return state.events.append((time, event))
            }
            state.isTruncated = true
            state.events.removeAll { if case .chunk = $0.event { true } else { false } }
            budget.release(state.bodySize)
            state.bodySize = 0
        }
    }

    func record(_ plan: ReplyPlan, at time: Duration) {
        for step in plan.steps { record(step: step, at: time) }
    }

    func record(step: ReplyPlan.Step, at time: Duration) {
        switch step {
        case .head(let head): record(.head(head.status, head.headers), at: time)
        case .chunk(let data): record(.chunk(data), at: time)
        case .end: record(.end, at: time)
        case .connectionFailure(let failure): record(.failure(failure.error(for: request.url)), at: time)
        case .failure(let error): record(.failure(error), at: time)
        case .wait, .stall, .stream, .passthrough: return
        }
    }

    /// Returns the exchange as an archive entry, or `nil` if it has not ended or was not answered.
    ///
    /// - Parameter epoch: The date at which the server's clock was zero.
    func entry(since epoch: Date) -> HAR.Entry? {
        var response = HAR.Response(status: 0)
        var headTime = request.time
        var hasEnded = false
        for (time, event) in events {
            switch event {
            case .head(let status, let headers):
                headTime = time
                response.status = status
                response.headers = headers
                response.wait = HARTime.rounded(time - request.time)
            case .chunk(let data):
                guard !data.isEmpty else { continue }
                response.chunks.append(HAR.Chunk(time: HARTime.rounded(time - headTime), data: data))
            case .end: hasEnded = true
            case .failure(is MockServerError), .failure(is CancellationError): return nil
            case .failure(let error):
                hasEnded = true
                let code = (error as? URLError)?.errorCode
                response.failure = HAR.Failure(code: code, text: error.localizedDescription)
            }
        }
        guard hasEnded else { return nil }
        if isTruncated {
            response.failure = HAR.Failure(text: "the body was too large to be recorded")
        }
        let start = HARTime.rounded(epoch.addingTimeInterval(request.time / .seconds(1)))
        let request = HAR.Request(
            method: request.method, url: request.url, headers: request.headers, body: request.body)
        return HAR.Entry(start: start, request: request, response: response)
    }

    private var events: [(time: Duration, event: Event)] {
        let (events, reply) = state.withLock { ($0.events, $0.reply) }
        guard let reply else { return events }
        var random = SeededGenerator(seed: 0)
        let replay = RecordedExchange(request, budget: Budget(.max))
        replay.record(ReplyPlan(reply, for: request.method, .none, &random), at: request.time)
        return replay.state.withLock { $0.events }
    }
}
