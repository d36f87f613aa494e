import Foundation

/// The sockets of deallocated loopback servers, which stay open because the URL of a server may outlive it.
///
/// `try await server.listen().url` releases the loopback server at once. The number of sockets is limited: the oldest ones
/// are closed, and forgotten when their ports are free.
final class AbandonedListeners: Sendable {
    static let shared = AbandonedListeners(limit: limit(descriptors: sysconf(Int32(_SC_OPEN_MAX))))

    private struct State {
        /// The listeners that still answer, the oldest first.
        var open: [Listener] = []
        /// The listeners whose sockets are being closed.
        var closing: [Listener] = []

        var all: [Listener] { closing + open }

        /// Adds a listener, and returns the oldest ones that exceed `limit`, which are to be closed.
        mutating func add(_ listener: Listener, limit: Int) -> [Listener] {
            open.append(listener)
            let excess = Array(open.dropLast(limit))
            open.removeFirst(excess.count)
            closing += excess
            return excess
        }

        mutating func remove(_ listener: Listener) {
            open.removeAll { $0 === listener }
            closing.removeAll { $0 === listener }
        }
    }

    private let state = LockedState(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns the number of sockets to keep in a process that can have this number of descriptors, or -1 for any.
    static func limit(descriptors: Int) -> Int { descriptors < 0 ? 256 : min(256, descriptors / 8) }

    /// The number of sockets that are not closed yet.
    var count: Int { state.withLock { $0.all.count } }

    /// Adds a listener, and returns those that are closed instead of it.
    @discardableResult func add(_ listener: Listener) -> [Listener] {
        let excess = state.withLock { $0.add(listener, limit: limit) }
        for listener in excess {
            listener.stop()
            Task { await close(listener) }
        }
        return excess
    }

    /// Closes the sockets at `port`.
    func close(at port: Int) async {
        for listener in state.withLock({ $0.all }) where listener.port == port { await close(listener) }
    }

    private func close(_ listener: Listener) async {
        await listener.close(grace: .zero)
        state.withLock { $0.remove(listener) }
    }
}
