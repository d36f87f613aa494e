import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a mock server does; lives as long as the server, or as long as a request that it answers.
final class ServerCore: Sendable {
    let router: Router
    let log: RequestLog
    let location: CodeLocation
    private let timeline: Timeline
    private let exchanges = Lock<Set<Ticket>?>([])

    /// An exchange by identity.
    private struct Ticket: Hashable, Sendable {
        let exchange: Exchange
        static func == (left: Self, right: Self) -> Bool { left.exchange === right.exchange }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(exchange)) }
    }

    init(routes: [Route], clock: any Clock<Duration>, location: CodeLocation) {
        router = Router(routes)
        log = RequestLog()
        timeline = Timeline(clock)
        self.location = location
    }

    /// The error of a request whose session outlived its server.
    static func gone(_ request: URLRequest) -> MockServerError {
        let target = request.url.map { Redaction.url($0) } ?? "no URL"
        return MockServerError(
            .serverGone,
            """
            \(request.httpMethod ?? "GET") \(target): the mock server of this session is gone. \
            Keep the MockServer as long as its sessions run: a configuration does not keep it.
            """)
    }

    /// Takes a request in; what there is to tell at once comes back, the rest is posted.
    func begin(_ exchange: Exchange, _ request: URLRequest) -> [Exchange.Event] {
        let isOpen = exchanges.withLock { $0?.insert(Ticket(exchange: exchange)) != nil }
        guard isOpen, let url = request.url else { return [.failure(Self.gone(request))] }
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let headers = Self.headers(of: request)
        let arrive = { @Sendable [self] (body: Data) in
            answer(
                ReceivedRequest(method: method, url: url, headers: headers, body: body, time: timeline.now),
                on: exchange)
        }
        guard request.httpBody == nil, let stream = request.httpBodyStream else {
            return arrive(request.httpBody ?? Data())
        }
        BodyReader.read(stream) { exchange.post(arrive($0)) }
        return []
    }

    /// The exchange is over, for whatever reason.
    func end(_ exchange: Exchange) {
        exchange.finish()
        exchanges.withLock { _ = $0?.remove(Ticket(exchange: exchange)) }
    }

    /// Ends what is under way with an error that says why, and takes nothing more.
    func close() {
        let open = exchanges.withLock { exchanges in
            defer { exchanges = nil }
            return exchanges ?? []
        }
        for ticket in open {
            ticket.exchange.post([.failure(Self.gone(ticket.exchange.request))], insteadOfOthers: true)
        }
    }

    private func answer(_ request: ReceivedRequest, on exchange: Exchange) -> [Exchange.Event] {
        let decision = router.decide(request)
        log.append(decision.request)
        switch decision.outcome {
        case .failure(let error):
            return [.failure(error)]
        case .reply(let reply):
            let plan = ReplyPlan(reply, to: request.method)
            if plan.isImmediate { return plan.steps.compactMap { event(of: $0, request.url) } }
            exchange.drive { await self.play(plan, to: request, on: exchange) }
            return []
        case .handler(let handler):
            exchange.drive {
                do {
                    let reply = try await handler(decision.request)
                    await self.play(ReplyPlan(reply, to: request.method), to: request, on: exchange)
                } catch {
                    exchange.post([.failure(error)])
                }
            }
            return []
        }
    }

    private func play(_ plan: ReplyPlan, to request: ReceivedRequest, on exchange: Exchange) async {
        do {
            var ready: [Exchange.Event] = []
            for step in plan.steps {
                switch step {
                case .wait(let duration):
                    exchange.post(ready)
                    ready = []
                    try await timeline.sleep(until: timeline.now + duration, tolerance: nil)
                case .chunks(let chunks):
                    exchange.post(ready)
                    ready = []
                    try await chunks { chunk in
                        try Task.checkCancellation()
                        exchange.post([.chunk(chunk)])
                    }
                default:
                    if let event = event(of: step, request.url) { ready.append(event) }
                }
            }
            exchange.post(ready)
        } catch {
            exchange.post([.failure(error)])
        }
    }

    private func event(of step: ReplyPlan.Step, _ url: URL) -> Exchange.Event? {
        switch step {
        case .head(let status, let headers): Self.head(status, headers, url)
        case .chunk(let data): .chunk(data)
        case .end: .end
        case .failure(let error): .failure(error)
        case .wait, .chunks: nil
        }
    }

    /// Fields of one name are joined, as URLSession does with those from a socket.
    private static func head(_ status: HTTPStatus, _ headers: HTTPHeaders, _ url: URL) -> Exchange.Event {
        var fields: [String: String] = [:]
        for (name, _) in headers where fields[name.rawValue] == nil { fields[name.rawValue] = headers[name] }
        let response = HTTPURLResponse(
            url: url, statusCode: status.rawValue, httpVersion: "HTTP/1.1", headerFields: fields)
        guard let response else {
            return .failure(
                MockServerError(.unusableReply, "the platform makes no response of status \(status)"))
        }
        return .head(response)
    }

    private static func headers(of request: URLRequest) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            headers.add(HTTPHeaders.Name(name), value)
        }
        return headers
    }
}
