import Foundation

/// Accepts connections, and closes them with the server.
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
    nonisolated func stop() { eventLoop.queue.async { self.assumeIsolated { $0.shutDown() } } }

    func close() async {
        shutDown()
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
            case .descriptorsExhausted: return pauseAccepting()
            }
        }
    }

    private func add(_ socket: Socket) {
        let connection = LoopbackConnection(socket, of: self)
        connections[ObjectIdentifier(connection)] = connection
        connection.assumeIsolated { $0.start() }
    }

    /// Waits until a connection is closed, which frees a descriptor.
    private func pauseAccepting() {
        watched?.isReading = false
        eventLoop.schedule(after: .milliseconds(50)) { self.assumeIsolated { $0.watched?.isReading = true } }
    }

    // MARK: Closing

    private func shutDown() {
        if !isClosed {
            isClosed = true
            watched?.close {
                self.assumeIsolated {
                    $0.watched = nil
                    $0.releaseEvents()
                }
            }
        }
        for connection in connections.values { connection.assumeIsolated { $0.close() } }
    }

    /// Removes a connection whose descriptor was closed.
    func closed(_ connection: LoopbackConnection) {
        connections[ObjectIdentifier(connection)] = nil
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
