import Foundation

/// Accepts connections and closes those that time out.
actor Listener {
    let eventLoop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.asUnownedSerialExecutor() }

    let core: ServerCore
    let limits: LoopbackServer.Limits
    let authority: String
    private let socket: Socket
    nonisolated let port: Int

    /// The socket until it is closed.
    private var watched: WatchedSocket?
    private(set) var isClosed = false
    private var connections: [ObjectIdentifier: LoopbackConnection] = [:]
    private var isTimeoutCheckScheduled = false
    /// `true` until the descriptor of an evicted connection is closed.
    private var isEvicting = false
    /// The callers of `close` that wait until all descriptors are closed.
    private var closeWaiters: [CheckedContinuation<Void, Never>] = []

    init(
        _ socket: Socket, on eventLoop: EventLoop, core: ServerCore, limits: LoopbackServer.Limits,
        authority: String
    ) {
        (self.socket, self.eventLoop, self.core) = (socket, eventLoop, core)
        (self.limits, self.authority, port) = (limits, authority, socket.port)
    }

    // MARK: Called by the server

    /// Starts to accept connections. The listener is retained until it is closed.
    nonisolated func start() { eventLoop.queue.sync { assumeIsolated { $0.open() } } }

    /// Starts to close all connections, without waiting until they are closed.
    nonisolated func stop() { eventLoop.queue.async { self.assumeIsolated { $0.shutDown(grace: .zero) } } }

    func close(grace: Duration) async {
        shutDown(grace: grace)
        guard !isTerminated else { return }
        await withCheckedContinuation { closeWaiters.append($0) }
    }

    // MARK: Accepting connections

    private func open() {
        watched = WatchedSocket(socket, on: eventLoop.queue) { _ in self.assumeIsolated { $0.accept() } }
    }

    private func accept() {
        // Limited, so that open connections are served as well.
        for _ in 0..<64 {
            guard !isClosed else { return }
            switch socket.accepted() {
            case .none: return
            case .connection(let socket): add(socket)
            case .descriptorsExhausted:
                // The descriptor of an evicted connection is closed after the current event.
                guard !isEvicting else { return }
                isEvicting = evict()
                return isEvicting ? () : pauseAccepting()
            }
        }
    }

    private func add(_ socket: Socket) {
        let isServerFull = connections.count >= limits.connections && !evict()
        let connection = LoopbackConnection(socket, of: self)
        connections[ObjectIdentifier(connection)] = connection
        connection.assumeIsolated { $0.start(isServerFull: isServerFull) }
        scheduleTimeoutCheck()
    }

    /// Closes the connection that has been idle longest. Returns `false` if none is idle.
    private func evict() -> Bool {
        let idle = connections.values.compactMap { connection in
            connection.assumeIsolated { $0.idleSince }.map { (since: $0, connection: connection) }
        }
        guard let longest = idle.min(by: { $0.since < $1.since }) else { return false }
        longest.connection.assumeIsolated { $0.close() }
        return true
    }

    private func pauseAccepting() {
        watched?.isReading = false
        eventLoop.schedule(after: .milliseconds(50)) { self.assumeIsolated { $0.watched?.isReading = true } }
    }

    // MARK: Timeouts

    /// Schedules the timer that all connections share, if there are any.
    private func scheduleTimeoutCheck() {
        guard !isTimeoutCheckScheduled, !connections.isEmpty else { return }
        isTimeoutCheckScheduled = true
        eventLoop.schedule(after: min(.seconds(1), limits.requestTimeout / 4)) { [weak self] in
            self?.assumeIsolated { $0.checkTimeouts() }
        }
    }

    private func checkTimeouts() {
        isTimeoutCheckScheduled = false
        let now = ContinuousClock.now
        for connection in connections.values { connection.assumeIsolated { $0.checkTimeouts(now) } }
        scheduleTimeoutCheck()
    }

    // MARK: Closing

    private func shutDown(grace: Duration) {
        if !isClosed {
            isClosed = true
            watched?.close {
                self.assumeIsolated {
                    $0.watched = nil
                    $0.releaseEvents()
                }
            }
        }
        for connection in connections.values {
            connection.assumeIsolated { grace > .zero ? $0.closeGracefully() : $0.close() }
        }
        if grace > .zero, !connections.isEmpty {
            eventLoop.schedule(after: grace) { [weak self] in
                self?.assumeIsolated { $0.shutDown(grace: .zero) }
            }
        }
    }

    /// Removes a connection whose descriptor was closed.
    func closed(_ connection: LoopbackConnection) {
        connections[ObjectIdentifier(connection)] = nil
        isEvicting = false
        releaseEvents()
    }

    private var isTerminated: Bool { isClosed && watched == nil && connections.isEmpty }

    /// Completes the closing after the last socket was closed.
    private func releaseEvents() {
        guard isTerminated else { return }
        for waiter in closeWaiters { waiter.resume() }
        closeWaiters = []
    }
}
