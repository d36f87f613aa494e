import Foundation

/// The URLProtocol of mock servers. Each server has its own subclass.
class MockURLProtocol: URLProtocol {
    private enum State {
        case idle
        case delivering
        case loading(ReplyDelivery, ServerCore)
        case finished
    }

    private var state = State.idle
    /// The chunks so far, for tasks that would keep only the last one (PLATFORM A7).
    private var joinedChunks: Data?
    private lazy var joinsChunks = task?.keepsOnlyLastChunk ?? false

    /// Returns `true` for every HTTP request: the platform sends all others to the network (PLATFORM A10).
    override class func canInit(with request: URLRequest) -> Bool {
        guard let url = request.url, let scheme = url.scheme?.lowercased() else { return false }
        guard scheme == "http" || scheme == "https" else { return false }
        // Only this method runs in the task that creates the request (PLATFORM A15).
        if let hold = VirtualClock.currentHold { PendingRequests.add(url, self, hold) }
        return true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts the request on the first call. Later calls deliver the available events to the client (PLATFORM A8).
    override func startLoading() {
        // A task that is ending must not be used (PLATFORM A16). A suspended one calls this again when it resumes.
        guard let task, task.state == .running else { return }
        switch state {
        case .idle:
            guard let url = request.url, let server = ProtocolRegistry.shared.server(of: Self.self) else {
                state = .finished
                client?.urlProtocol(self, didFailWithError: ServerCore.deallocatedError(request))
                return
            }
            let hold = server.clock.virtual?.hold(sender: PendingRequests.remove(url, Self.self))
            let start = server.start(request, url) {
                ReplyDelivery(request, ProtocolWakeUp(self, task: task), hold: hold)
            }
            switch start {
            case .immediate(let events):
                state = .delivering
                deliver(events)
                if let hold { server.clock.virtual?.release(hold) }
            case .deferred(let delivery): state = .loading(delivery, server)
            }
        case .loading(let delivery, _): deliver(delivery.takeEvents())
        case .delivering, .finished: return
        }
    }

    override func stopLoading() {
        if isLoadEnding { finish() }
    }

    /// Ends the load: the client is not called after this.
    private func finish() {
        if case .loading(let delivery, let server) = state { server.end(delivery) }
        state = .finished
    }

    private func deliver(_ events: [ReplyDelivery.Event]) {
        for (index, event) in events.enumerated() {
            if case .finished = state { return }
            switch event {
            case .response(let response):
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            case .data(let data):
                let isLast =
                    if index + 1 < events.count, case .finished = events[index + 1] { true } else { false }
                deliver(data, isLast: isLast)
            case .finished:
                finish()
                if let joinedChunks { client?.urlProtocol(self, didLoad: joinedChunks) }
                client?.urlProtocolDidFinishLoading(self)
            case .failure(let error):
                finish()
                client?.urlProtocol(self, didFailWithError: error)
            }
        }
    }

    private func deliver(_ data: Data, isLast: Bool) {
        if joinedChunks != nil {
            joinedChunks?.append(data)
        } else if !isLast, joinsChunks {
            joinedChunks = data
        } else {
            client?.urlProtocol(self, didLoad: data)
        }
    }
}
