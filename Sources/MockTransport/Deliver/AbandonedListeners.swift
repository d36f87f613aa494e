import Foundation

/// The sockets of deallocated loopback servers, which stay open because the URL of a server may outlive it.
///
/// `try await server.listen().url` releases the loopback server at once. The number of sockets is limited: the oldest ones
/// are closed, and forgotten when their ports are free.
final class AbandonedListeners: Sendable {
    static let shared = AbandonedListeners(limit: limit(descriptors: sysconf(Int32(_SC_OPEN_MAX))))

    /// The listeners whose sockets are open, the oldest first.
    private let listeners = LockedState<[Listener]>([])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns the number of sockets to keep in a process that can have this number of descriptors, or -1 for any.
    static func limit(descriptors: Int) -> Int { descriptors < 0 ? 256 : min(256, descriptors / 8) }

    func add(_ listener: Listener) {
        let excess = listeners.withLock { listeners in
            listeners.append(listener)
            return listeners.dropLast(limit)
        }
        // Closing a listener again has no effect.
        for listener in excess {
            listener.stop()
            Task { await close(listener) }
        }
    }

    func close(at port: Int) async {
        for listener in listeners.withLock({ $0 }) where listener.port == port { await close(listener) }
    }

    private func close(_ listener: Listener) async {
        await listener.close()
        listeners.withLock { $0.removeAll { $0 === listener } }
    }
}
