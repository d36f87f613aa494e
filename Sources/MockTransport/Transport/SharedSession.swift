import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Diverts `URLSession.shared`, to one server at a time.
actor SharedSession {
    static let diversion = SharedSession()
    /// Whether the current task is inside a `replacingSharedSession` already.
    @TaskLocal static var isReplaced = false

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Leads the shared session to `server` until `giveBack`; whoever comes second waits.
    func take(for server: ServerCore) async throws {
        guard !Self.isReplaced else {
            throw MockServerError(
                .sharedSessionInUse,
                """
                replacingSharedSession was called inside another replacingSharedSession, and would wait for its end \
                for ever. One server has the shared session at a time: give it all the routes.
                """)
        }
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isTaken = true
        }
        guard Self.isInstalled else {
            giveBack()
            throw MockServerError(
                .sharedSessionInUse,
                """
                URLSession.shared was used before replacingSharedSession, and on this platform it keeps the \
                protocols that it had then. Call it first, or give the code a session made from server.configuration.
                """)
        }
        ProtocolRegistry.shared.lead(SharedURLProtocol.self, to: server)
    }

    func giveBack() {
        ProtocolRegistry.shared.lead(SharedURLProtocol.self, to: nil)
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }

    /// Whether the shared session asks our protocol first; looking makes it, if it can be made so.
    ///
    /// On Linux it copies the registered protocols at its first use and never looks again, and the platform's own
    /// are registered by the first session of the process (PLATFORM A12): so these step back behind ours.
    private static let isInstalled: Bool = {
        #if canImport(FoundationNetworking)
        let own = (URLSessionConfiguration.default.protocolClasses ?? []).compactMap {
            $0 as? URLProtocol.Type
        }
        for type in own { URLProtocol.unregisterClass(type) }
        _ = URLProtocol.registerClass(SharedURLProtocol.self)
        for type in own { _ = URLProtocol.registerClass(type) }
        let first: AnyClass? = URLSession.shared.configuration.protocolClasses?.first { type in
            type == SharedURLProtocol.self || own.contains { $0 == type }
        }
        return first.map { $0 == SharedURLProtocol.self } ?? false
        #else
        return URLProtocol.registerClass(SharedURLProtocol.self)
        #endif
    }()
}

/// The protocol in the shared session; claims requests only while a server has it.
private final class SharedURLProtocol: MockURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        ProtocolRegistry.shared.server(of: self) != nil && super.canInit(with: request)
    }
}
