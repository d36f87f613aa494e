import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The URLProtocol behind every mock server; each server has a subclass of its own.
class MockURLProtocol: URLProtocol {
    private enum Phase {
        case fresh
        /// All is there to be told, now.
        case telling
        case loading(Exchange, ServerCore)
        case over
    }

    private var phase = Phase.fresh
    /// The chunks so far, for tasks that would keep only the last (PLATFORM A7).
    private var joined: Data?
    private lazy var joinsChunks = task.map(TaskKind.keepsLastChunkOnly) ?? false

    /// Every web request: whatever is not claimed goes to the real network (PLATFORM A10).
    override class func canInit(with request: URLRequest) -> Bool {
        guard let url = request.url, let scheme = url.scheme?.lowercased() else { return false }
        guard scheme == "http" || scheme == "https" else { return false }
        // Here, and only here, we are where the request is made (PLATFORM A15).
        if let hold = VirtualClock.currentHold { Errands.note(url, self, under: hold) }
        return true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Comes once to begin, and again whenever there is something to tell the client (PLATFORM A8).
    override func startLoading() {
        // A16: a task on its way out must not be touched. A suspended one calls again when it resumes.
        guard let task, task.state == .running else { return }
        switch phase {
        case .fresh:
            guard let server = ProtocolRegistry.shared.server(of: Self.self) else {
                phase = .over
                client?.urlProtocol(self, didFailWithError: ServerCore.gone(request))
                return
            }
            switch server.open(request, of: task, at: Self.self) {
            case .events(let events, let hold):
                phase = .telling
                tell(events)
                server.time.release(hold)
            case .exchange(let exchange): phase = .loading(exchange, server)
            }
        case .loading(let exchange, _):
            tell(exchange.take())
        case .telling, .over:
            return
        }
    }

    override func stopLoading() {
        // Linux: a task that is suspended stops, too, and starts again where it was.
        #if canImport(FoundationNetworking)
        guard let task, task.state == .canceling || task.state == .completed else { return }
        #endif
        finish()
    }

    /// Nothing is told from here on.
    private func finish() {
        if case .loading(let exchange, let server) = phase { server.end(exchange) }
        phase = .over
    }

    private func tell(_ events: [Exchange.Event]) {
        for (index, event) in events.enumerated() {
            if case .over = phase { return }
            switch event {
            case .head(let response):
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            case .chunk(let data):
                let isLast =
                    if index + 1 < events.count, case .end = events[index + 1] { true } else { false }
                load(data, isLast: isLast)
            case .end:
                finish()
                if let joined { client?.urlProtocol(self, didLoad: joined) }
                client?.urlProtocolDidFinishLoading(self)
            case .failure(let error):
                finish()
                client?.urlProtocol(self, didFailWithError: error)
            }
        }
    }

    private func load(_ data: Data, isLast: Bool) {
        if joined != nil {
            joined?.append(data)
        } else if !isLast, joinsChunks {
            joined = data
        } else {
            client?.urlProtocol(self, didLoad: data)
        }
    }
}
