import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Knows which server stands behind which protocol class.
///
/// Each server has a class of its own, so that sessions need no header, no special host and no global state to
/// find it (PLATFORM A14). Classes cannot be unmade, so those of servers that are gone are used again: first in,
/// first out, and only when `quarantine` others wait behind them, because a session may outlive its server.
final class ProtocolRegistry: Sendable {
    static let shared = ProtocolRegistry(quarantine: 4_096)

    private struct State {
        var servers: [ObjectIdentifier: ServerCore] = [:]
        var resting: [MockURLProtocol.Type] = []
        var minted = 0
    }

    private let state = LockedState(State())
    private let quarantine: Int

    init(quarantine: Int) { self.quarantine = quarantine }

    /// How many classes there are; classes are for ever.
    var minted: Int { state.withLock { $0.minted } }

    /// A class that reaches `server` until it is returned.
    func lend(to server: ServerCore) -> MockURLProtocol.Type {
        state.withLock { state in
            let lent: MockURLProtocol.Type
            if state.resting.count > quarantine {
                lent = state.resting.removeFirst()
            } else {
                lent = Self.mint(state.minted)
                state.minted += 1
            }
            state.servers[ObjectIdentifier(lent)] = server
            return lent
        }
    }

    func takeBack(_ type: MockURLProtocol.Type) {
        // The server must not be released under the lock.
        _ = state.withLock { state in
            state.resting.append(type)
            return state.servers.removeValue(forKey: ObjectIdentifier(type))
        }
    }

    /// Makes a class that nobody lends reach `server`, or nobody.
    func lead(_ type: MockURLProtocol.Type, to server: ServerCore?) {
        // The server must not be released under the lock.
        _ = state.withLock { state in
            defer { state.servers[ObjectIdentifier(type)] = server }
            return state.servers[ObjectIdentifier(type)]
        }
    }

    /// The server of a class; a class that rests and is asked for is still in use, and rests anew.
    func server(of type: URLProtocol.Type) -> ServerCore? {
        state.withLock { state in
            if let server = state.servers[ObjectIdentifier(type)] { return server }
            if let index = state.resting.firstIndex(where: { $0 == type }) {
                state.resting.append(state.resting.remove(at: index))
            }
            return nil
        }
    }

    /// Class number `number`: its digits to the base 2 are its type parameter.
    private static func mint(_ number: Int) -> MockURLProtocol.Type {
        func mint<Digits>(_ rest: Int, _: Digits.Type) -> MockURLProtocol.Type {
            switch rest {
            case 0: MintedURLProtocol<Digits>.self
            case _ where rest & 1 == 1: mint(rest >> 1, OneDigit<Digits>.self)
            default: mint(rest >> 1, ZeroDigit<Digits>.self)
            }
        }
        return mint(number + 1, Void.self)
    }
}

private enum ZeroDigit<Rest> {}
private enum OneDigit<Rest> {}
private final class MintedURLProtocol<Digits>: MockURLProtocol {}
