import Foundation

/// One exchange as it happened: what came, and what was answered when.
final class Take: Sendable {
    enum Event: Sendable {
        case head(HTTPStatus, HTTPHeaders)
        case chunk(Data)
        case end
        case failure(any Error)
    }

    private struct State {
        var events: [(time: Duration, event: Event)] = []
        /// The reply, where all of it was told at once.
        var reply: Reply?
    }

    let request: ReceivedRequest
    private let state = Lock(State())

    init(_ request: ReceivedRequest) { self.request = request }

    /// A reply that is told whole and at once; what it says is made out only if somebody wants to know.
    func note(_ reply: Reply) { state.withLock { $0.reply = reply } }

    func note(_ event: Event, at time: Duration) { state.withLock { $0.events.append((time, event)) } }

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
        let start = HARTime.rounded(birth.addingTimeInterval(request.time.seconds))
        let asked = HAR.Request(
            method: request.method, url: request.url, headers: request.headers, body: request.body)
        return HAR.Entry(start: start, request: asked, response: response)
    }

    private var events: [(time: Duration, event: Event)] {
        let past = state.withLock { $0 }
        guard let reply = past.reply else { return past.events }
        var random = SeededGenerator(seed: 0)
        let told = Take(request)
        for step in ReplyPlan(reply, to: request.method, .none, &random).steps {
            told.note(step: step, at: request.time)
        }
        return told.state.withLock { $0.events }
    }
}
