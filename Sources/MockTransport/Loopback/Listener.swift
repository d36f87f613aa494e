import Foundation

/// Accepts connections and closes those that time out.
actor Listener {
    let eventLoop = EventLoop()
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.asUnownedSerialExecutor() }

    let core: ServerCore
    let limits: LoopbackServer.Limits
    let authority: String
    private let socket: Socket
    nonisolated let port: Int

    private var source: (any DispatchSourceRead)?
    private var isClosed = false
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var isTimeoutCheckScheduled = false
    /// The callers of `close` that wait until all descriptors are closed.
    private var closeWaiters: [CheckedContinuation<Void, Never>] = []

    init(_ socket: Socket, core: ServerCore, limits: LoopbackServer.Limits, authority: String) {
        self.socket = socket
        port = socket.port
        self.core = core
        self.limits = limits
        self.authority = authority
    }

    // MARK: Called by the server

    nonisolated func start() { eventLoop.queue.async { self.assumeIsolated { $0.open() } } }

    /// Starts to close all connections, without waiting until they are closed.
    nonisolated func stop() { eventLoop.queue.async { self.assumeIsolated { $0.shutDown(grace: .zero) } } }

    func close(grace: Duration) async {
        shutDown(grace: grace)
        guard !isTerminated else { return }
        await withCheckedContinuation { closeWaiters.append($0) }
    }

    // MARK: Accepting connections

    private func open() {
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: eventLoop.queue)
        let accept: @Sendable () -> Void = { [weak self] in self?.assumeIsolated { $0.accept() } }
        let end: @Sendable () -> Void = { self.assumeIsolated { $0.sourceCancelled() } }
        source.setEventHandler(handler: accept)
        source.setCancelHandler(handler: end)
        self.source = source
        source.activate()
        if isClosed { source.cancel() }
    }

    private func accept() {
        // Limited, so that open connections are served as well.
        for _ in 0..<64 {
            guard !isClosed else { return }
            switch socket.accepted() {
            case .none: return
            case .connection(let socket): add(socket)
            case .descriptorsExhausted:
                // The descriptor of an evicted connection is closed after the current event of the event loop.
                return evict() ? () : pauseAccepting()
            }
        }
    }

    private func add(_ socket: Socket) {
        let isServerFull = connections.count >= limits.connections && !evict()
        let connection = Connection(socket, of: self)
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

    /// Pauses before the next attempt to accept.
    private func pauseAccepting() {
        guard let source else { return }
        source.suspend()
        eventLoop.schedule(after: .milliseconds(50)) { self.assumeIsolated { $0.source?.resume() } }
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

    /// `true` after the start of closing.
    var isClosing: Bool { isClosed }

    private var isTerminated: Bool { connections.isEmpty && source == nil && isClosed }

    private func shutDown(grace: Duration) {
        if !isClosed {
            isClosed = true
            // If the source does not exist yet, `open` cancels it.
            source?.cancel()
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

    private func sourceCancelled() {
        source = nil
        socket.close()
        resumeCloseWaiters()
    }

    /// Removes a connection whose descriptor was closed.
    func closed(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        resumeCloseWaiters()
    }

    private func resumeCloseWaiters() {
        guard isTerminated else { return }
        for waiter in closeWaiters { waiter.resume() }
        closeWaiters = []
    }
}

/// The serial queue of a loopback server, which runs its actors and the events of its sockets.
///
/// It occupies a thread only while there is work.
final class EventLoop: SerialExecutor {
    let queue = DispatchQueue(label: "MockTransport.loopback")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs `work` after a delay in real time.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: work)
    }
}
