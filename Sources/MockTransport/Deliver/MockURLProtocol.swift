import Foundation
import RESTClientPlatform

/// The URLProtocol of mock servers. Each server has its own subclass.
///
/// Decides which call of the client is next, the same on all platforms. They differ in when the protocol may call its
/// client: see `URLLoading.swift`.
class MockURLProtocol: URLProtocol {
    private enum State {
        case idle
        case delivering
        case loading(ReplyDelivery, ServerCore)
        case finished
    }

    private var state = State.idle
    /// The response that the client has received.
    private(set) var response: HTTPURLResponse?
    /// The chunks so far, for tasks that would keep only the last one (PLATFORM A7).
    private var joinedChunks: Data?
    private lazy var joinsChunks = task?.keepsOnlyLastChunk ?? false

    /// The schemes that the platform loads without the network.
    private static let localSchemes = ["data", "file"]

    /// Returns `true` for the requests of all other schemes: the platform sends what no protocol claims to the network
    /// (PLATFORM A10).
    override class func canInit(with request: URLRequest) -> Bool {
        guard let url = request.url, let scheme = url.scheme?.lowercased() else { return false }
        guard !localSchemes.contains(scheme) else { return false }
        // Only this method runs in the task that creates the request (PLATFORM A15).
        if let hold = VirtualClock.currentHold { PendingRequests.add(url, self, hold) }
        return true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts the request on the first call. Later calls deliver the available events to the client (PLATFORM A8).
    override func startLoading() {
        guard mayLoad else { return }
        switch state {
        case .idle: start { platformWakeUp }
        case .delivering, .loading: deliverAvailableEvents()
        case .finished: break
        }
    }

    override func stopLoading() {
        if isLoadEnding { end() }
    }

    /// Starts the request. If its reply takes time, each of its parts is announced by a wake-up.
    func start(_ makeWakeUp: () -> ReplyDelivery.WakeUp) {
        guard case .idle = state else { return }
        state = .delivering
        guard let url = request.url, let server = ProtocolRegistry.shared.server(of: Self.self) else {
            return deliver([.failure(ServerCore.deallocatedError(request))])
        }
        let body: RequestBody
        do { body = try requestBody(server) } catch { return deliver([.failure(error)]) }
        let senders = Self.senders(PendingRequests.remove(url, Self.self))
        let hold = server.clock.virtual?.hold(senders: senders)
        let settings = SessionSettings(of: task)
        let received = settings.received(request, url, at: server.clock.now)
        let events = server.start(received, body) {
            let timer = InactivityTimer(settings.timeout(of: request), server.clock, url) { [weak task] in
                task?.state == .suspended
            }
            let delivery = ReplyDelivery(
                request, on: server.clock, hold: hold, timer: timer, work: server.work, wakeUp: makeWakeUp())
            state = .loading(delivery, server)
            return delivery
        }
        guard let events else { return }
        deliver(events)
        hold?.release()
    }

    /// Returns a wake-up for a platform that loads a protocol on a run loop. `perform` adds a block to that run loop.
    func wakeUp(
        performingBlocks perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> ReplyDelivery.WakeUp {
        // SAFETY: the protocol is used only on its run loop.
        nonisolated(unsafe) let urlProtocol = self
        return { _ in perform { urlProtocol.deliverAvailableEvents() } }
    }

    /// Delivers the events that were posted since the last call. Has no effect before the start and after the end.
    func deliverAvailableEvents() {
        if case .loading(let delivery, _) = state { deliver(delivery.takeEvents()) }
    }

    /// Ends the load: the client is not called after this.
    func end() {
        if case .loading(let delivery, let server) = state { server.end(delivery) }
        state = .finished
    }

    private func deliver(_ events: [ReplyDelivery.Event]) {
        for (index, event) in events.enumerated() {
            if case .finished = state { return }
            switch event {
            case .response(let response):
                // A recorded server can send several responses. A protocol delivers only one.
                guard self.response == nil else { continue }
                SessionSettings.storeCookies(of: response, to: request, in: task)
                let response = Self.clientResponse(response)
                self.response = response
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            case .data(let data):
                let isLast =
                    if index + 1 < events.count, case .finished = events[index + 1] { true } else { false }
                deliver(data, isLast: isLast)
            case .finished:
                end()
                if let joinedChunks { client?.urlProtocol(self, didLoad: joinedChunks) }
                complete()
            case .failure(let error):
                end()
                client?.urlProtocol(self, didFailWithError: Self.clientError(error))
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

extension MockURLProtocol: ManagedProtocol {
    static func join(_ clock: any Clock<Duration>) -> (any AnyObject & Sendable)? {
        guard let server = ProtocolRegistry.shared.server(of: self) else { return nil }
        let virtual = clock as? VirtualClock
        let use: ClientClock =
            virtual === server.clock.virtual
            ? .shared : virtual.map { .otherVirtual($0.handlerLimit) } ?? .other
        _ = server.clientClocks.withLock { $0.insert(use) }
        return server.owner.withLock { $0 }()
    }
}
