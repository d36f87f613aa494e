import Foundation

/// The server of each protocol class.
///
/// Each server has its own class, so that its sessions need no header, special host or global state to find it
/// (PLATFORM A14). Classes cannot be deallocated, so the classes of deallocated servers are reused, the oldest first.
/// A class is reused only after `reuseDelay` others were released, because a session may outlive its server.
final class ProtocolRegistry: Sendable {
    static let shared = ProtocolRegistry(reuseDelay: 4_096)

    private struct State {
        var servers: [ObjectIdentifier: ServerCore] = [:]
        var released: [MockURLProtocol.Type] = []
        var allocated = 0
    }

    private let state = LockedState(State())
    private let reuseDelay: Int

    init(reuseDelay: Int) { self.reuseDelay = reuseDelay }

    var allocated: Int { state.withLock { $0.allocated } }

    /// Returns a class whose requests reach `server` until it is released.
    func register(_ server: ServerCore) -> MockURLProtocol.Type {
        state.withLock { state in
            let type: MockURLProtocol.Type
            if state.released.count > reuseDelay {
                type = state.released.removeFirst()
            } else {
                type = Self.allocate(state.allocated)
                state.allocated += 1
            }
            state.servers[ObjectIdentifier(type)] = server
            return type
        }
    }

    func release(_ type: MockURLProtocol.Type) {
        setServer(nil, of: type)
        state.withLock { $0.released.append(type) }
    }

    /// Sets the server of a class, or removes it.
    func setServer(_ server: ServerCore?, of type: MockURLProtocol.Type) {
        // Not deallocated under the lock.
        var server = server
        state.withLock { swap(&$0.servers[ObjectIdentifier(type)], &server) }
    }

    /// Returns the server of a class. A released class that is still used by a session moves to the end of the queue.
    func server(of type: URLProtocol.Type) -> ServerCore? {
        state.withLock { state in
            if let server = state.servers[ObjectIdentifier(type)] { return server }
            if let index = state.released.firstIndex(where: { $0 == type }) {
                state.released.append(state.released.remove(at: index))
            }
            return nil
        }
    }

    /// Creates class number `number`: its type parameter encodes the number in binary.
    private static func allocate(_ number: Int) -> MockURLProtocol.Type {
        func allocate<Digits>(_ rest: Int, _: Digits.Type) -> MockURLProtocol.Type {
            switch rest {
            case 0: NumberedURLProtocol<Digits>.self
            case _ where rest & 1 == 1: allocate(rest >> 1, OneDigit<Digits>.self)
            default: allocate(rest >> 1, ZeroDigit<Digits>.self)
            }
        }
        return allocate(number + 1, Void.self)
    }
}

private enum ZeroDigit<Rest> {}
private enum OneDigit<Rest> {}
private final class NumberedURLProtocol<Digits>: MockURLProtocol {}
