/// The sockets of deallocated loopback servers, which stay open because the URL of a server may outlive it.
///
/// `try await server.listen().url` releases the loopback server at once. The number of sockets is limited: the oldest ones
/// are closed.
final class AbandonedListeners: Sendable {
    static let shared = AbandonedListeners(limit: 256)

    private let listeners = LockedState<[Listener]>([])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func add(_ listener: Listener) {
        let closed = listeners.withLock { listeners -> [Listener] in
            listeners.append(listener)
            let excess = max(listeners.count - limit, 0)
            defer { listeners.removeFirst(excess) }
            return Array(listeners.prefix(excess))
        }
        for listener in closed { listener.stop() }
    }

    /// Closes the sockets at `port`.
    func close(at port: Int) async {
        let closed = listeners.withLock { listeners -> [Listener] in
            defer { listeners.removeAll { $0.port == port } }
            return listeners.filter { $0.port == port }
        }
        for listener in closed { await listener.close(grace: .zero) }
    }
}
