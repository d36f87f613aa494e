import Foundation

/// One exchange as it happened: what came, and what was answered when.
final class Take: Sendable {
    enum Event: Sendable {
        case head(HTTPStatus, HTTPHeaders)
        case chunk(Data)
        case end
        case failure(any Error)
    }

    /// How many bytes the bodies of all takes of a server may have together.
    final class Budget: Sendable {
        private let left: LockedState<Int>

        init(_ bytes: Int) { left = LockedState(bytes) }

        func take(_ bytes: Int) -> Bool {
            left.withLock { left in
                guard bytes <= left else { return false }
                left -= bytes
                return true
            }
        }

        func give(_ bytes: Int) { left.withLock { $0 += bytes } }
    }

    private struct State {
        var events: [(time: Duration, event: Event)] = []
        /// The reply, where all of it was told at once.
        var reply: Reply?
        var kept = 0
        /// The body was too much to be kept.
        var isTooLong = false
    }

    /// What is kept of a body that comes in pieces: streams may have no end.
    static let longest = 4 << 20

    let request: ReceivedRequest
    private let budget: Budget
    private let state = LockedState(State())

    init(_ request: ReceivedRequest, budget: Budget) {
        self.request = request
        self.budget = budget
    }

    deinit { budget.give(state.withLock { $0.kept }) }

    /// Whether there was more of the body than is kept.
    var isTooLong: Bool { state.withLock { $0.isTooLong } }

    /// A reply that is told whole and at once; what it says is made out only if somebody wants to know.
    func note(_ reply: Reply) { state.withLock { $0.reply = reply } }

    /// - Parameter limit: How long a body may be that does not come whole.
    func note(_ event: Event, at time: Duration, upTo limit: Int = longest) {
        state.withLock { state in
            guard case .chunk(let data) = event else { return state.events.append((time, event)) }
            guard !state.isTooLong else { return }
            let isShort = state.kept == 0 || data.count <= limit - state.kept
            if isShort, budget.take(data.count) {
                state.kept += data.count
                return state.events.append((time, event))
            }
            state.isTooLong = true
            state.events.removeAll { if case .chunk = $0.event { true } else { false } }
            budget.give(state.kept)
            state.kept = 0
        }
    }

    func note(_ plan: ReplyPlan, at time: Duration) { for step in plan.steps { note(step: step, at: time) } }

    func note(step: ReplyPlan.Step, at time: Duration) {
        switch step {
        case .head(let head): note(.head(head.status, head.headers), at: time)
        case .chunk(let data): note(.chunk(data), at: time)
        case .end: note(.end, at: time)
        case .broken(let kind): note(.failure(kind.error(for: request.url)), at: time)
        case .failure(let error): note(.failure(error), at: time)
        case .wait, .stall, .chunks, .passthrough: return
        }
    }

    /// The exchange for an archive, if it has come to its end and was answered at all.
    ///
    /// - Parameter birth: When the server's clock was at zero.
    func entry(since birth: Date) -> HAR.Entry? {
        var response = HAR.Response(status: 0)
        var head = request.time
        var isOver = false
        for (time, event) in events {
            switch event {
            case .head(let status, let headers):
                head = time
                response.status = status
                response.headers = headers
                response.wait = HARTime.rounded(time - request.time)
            case .chunk(let data):
                guard !data.isEmpty else { continue }
                response.chunks.append(HAR.Chunk(time: HARTime.rounded(time - head), data: data))
            case .end: isOver = true
            case .failure(is MockServerError), .failure(is CancellationError): return nil
            case .failure(let error):
                isOver = true
                let code = (error as? URLError)?.errorCode
                response.failure = HAR.Failure(code: code, text: error.localizedDescription)
            }
        }
        guard isOver else { return nil }
        if isTooLong {
            response.failure = HAR.Failure(text: "the body was too long to be recorded")
        }
        let start = HARTime.rounded(birth.addingTimeInterval(request.time / .seconds(1)))
        let asked = HAR.Request(
            method: request.method, url: request.url, headers: request.headers, body: request.body)
        return HAR.Entry(start: start, request: asked, response: response)
    }

    private var events: [(time: Duration, event: Event)] {
        let past = state.withLock { $0 }
        guard let reply = past.reply else { return past.events }
        var random = SeededGenerator(seed: 0)
        let told = Take(request, budget: Budget(.max))
        for step in ReplyPlan(reply, to: request.method, .none, &random).steps {
            told.note(step: step, at: request.time)
        }
        return told.state.withLock { $0.events }
    }
}
