import Dispatch
import Foundation

/// Takes connections, and knows those that are open.
actor Listener {
    private let loop = Loop()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let socket: Socket
    private let core: ServerCore
    private let limits: LoopbackServer.Limits
    private let authority: String

    private var source: (any DispatchSourceRead)?
    private var isClosed = false
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var isSweeping = false
    /// Those who wait until nothing is left.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ socket: Socket, core: ServerCore, limits: LoopbackServer.Limits, authority: String) {
        self.socket = socket
        self.core = core
        self.limits = limits
        self.authority = authority
    }

    // MARK: From outside

    nonisolated func start() {
        loop.queue.async { self.assumeIsolated { $0.open() } }
    }

    /// Ends everything at once, without waiting for it.
    nonisolated func stop() {
        loop.queue.async { self.assumeIsolated { $0.shut(grace: .zero) } }
    }

    func close(grace: Duration) async {
        shut(grace: grace)
        guard !isEmpty else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    // MARK: Taking connections

    private func open() {
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: loop.queue)
        let accept: @Sendable () -> Void = { [weak self] in self?.assumeIsolated { $0.accept() } }
        let end: @Sendable () -> Void = { self.assumeIsolated { $0.ended() } }
        source.setEventHandler(handler: accept)
        source.setCancelHandler(handler: end)
        self.source = source
        source.activate()
        if isClosed { source.cancel() }
    }

    private func accept() {
        // Not for ever, so that those who are in get their turns.
        for _ in 0..<64 {
            guard !isClosed else { return }
            switch socket.accepted() {
            case .none: return
            case .connection(let socket): admit(socket)
            case .exhausted:
                // Whoever is idle has a descriptor to spare, which comes back when this turn is over.
                return evict() ? () : rest()
            }
        }
    }

    private func admit(_ socket: Socket) {
        let isFull = connections.count >= limits.connections && !evict()
        let connection = Connection(
            socket, on: loop, core: core, limits: limits, authority: authority, listener: self)
        connections[ObjectIdentifier(connection)] = connection
        connection.assumeIsolated { $0.start(isFull: isFull) }
        sweepLater()
    }

    /// Ends the connection that has waited longest for a request.
    private func evict() -> Bool {
        let idle = connections.values.compactMap { connection in
            connection.assumeIsolated { $0.waitingSince }.map { (since: $0, connection: connection) }
        }
        guard let longest = idle.min(by: { $0.since < $1.since }) else { return false }
        longest.connection.assumeIsolated { $0.cut() }
        return true
    }

    /// Lets some time pass before the next try.
    private func rest() {
        guard let source else { return }
        source.suspend()
        loop.after(.milliseconds(50)) { self.assumeIsolated { $0.source?.resume() } }
    }

    // MARK: Time

    /// One timer for all connections, and none where there are none.
    private func sweepLater() {
        guard !isSweeping, !connections.isEmpty else { return }
        isSweeping = true
        loop.after(min(.seconds(1), limits.patience / 4)) { [weak self] in
            self?.assumeIsolated { $0.sweep() }
        }
    }

    private func sweep() {
        isSweeping = false
        let now = ContinuousClock.now
        for connection in connections.values { connection.assumeIsolated { $0.check(now) } }
        sweepLater()
    }

    // MARK: Ending

    private var isEmpty: Bool { connections.isEmpty && source == nil && isClosed }

    private func shut(grace: Duration) {
        if !isClosed {
            isClosed = true
            // Not yet open: `open` will see it.
            source?.cancel()
        }
        for connection in connections.values {
            connection.assumeIsolated { grace > .zero ? $0.endSoon() : $0.cut() }
        }
        if grace > .zero, !connections.isEmpty {
            loop.after(grace) { [weak self] in self?.assumeIsolated { $0.shut(grace: .zero) } }
        }
    }

    private func ended() {
        source = nil
        socket.close()
        report()
    }

    /// A connection has given its descriptor back.
    func ended(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        report()
    }

    private func report() {
        guard isEmpty else { return }
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
