import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The URLProtocol behind every mock server; each server has a subclass of its own.
class MockURLProtocol: URLProtocol {
    private enum Phase {
        case fresh
        case loading(Exchange, ServerCore)
        case over
    }

    private var phase = Phase.fresh
    /// The chunks so far, for tasks that would keep only the last (PLATFORM A7).
    private var joined: Data?
    private lazy var joinsChunks = task.map(TaskKind.keepsLastChunkOnly) ?? false

    /// Every web request: whatever is not claimed goes to the real network (PLATFORM A10).
    override class func canInit(with request: URLRequest) -> Bool {
        let scheme = request.url?.scheme?.lowercased()
        return scheme == "http" || scheme == "https"
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
            let exchange = Exchange(task: task, request: request)
            phase = .loading(exchange, server)
            deliver(server.begin(exchange, request), of: exchange, at: server)
        case .loading(let exchange, let server):
            deliver(exchange.take(), of: exchange, at: server)
        case .over:
            return
        }
    }

    override func stopLoading() {
        // Linux: a task that is suspended stops, too, and starts again where it was.
        #if canImport(FoundationNetworking)
        guard let task, task.state == .canceling || task.state == .completed else { return }
        #endif
        if case .loading(let exchange, let server) = phase { server.end(exchange) }
        phase = .over
    }

    private func deliver(_ events: [Exchange.Event], of exchange: Exchange, at server: ServerCore) {
        for (index, event) in events.enumerated() {
            guard case .loading = phase else { return }
            switch event {
            case .head(let response):
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            case .chunk(let data):
                let isLast =
                    if index + 1 < events.count, case .end = events[index + 1] { true } else { false }
                load(data, isLast: isLast)
            case .end:
                phase = .over
                server.end(exchange)
                if let joined { client?.urlProtocol(self, didLoad: joined) }
                client?.urlProtocolDidFinishLoading(self)
            case .failure(let error):
                phase = .over
                server.end(exchange)
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
