import Foundation

/// The access to `URLSession.shared`, for one server at a time.
actor SharedSession {
    static let instance = SharedSession()
    /// `true` inside the body of `replacingSharedSession`.
    @TaskLocal static var isReplaced = false

    private var isAcquired = false
    /// The server that refuses requests while no other server is connected, or `nil` to send them.
    private var refusing: ServerCore?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Connects the shared session to `server` until `release` is called. Waits while another server uses it.
    func acquire(for server: ServerCore) async throws {
        guard !Self.isReplaced else { throw MockServerError(.sharedSessionInUse(isNested: true)) }
        if isAcquired {
            await withCheckedContinuation { waiters.append($0) }
        } else {
            isAcquired = true
        }
        guard SharedSessionProtocol.isInstalled else {
            release()
            throw MockServerError(.sharedSessionInUse(isNested: false))
        }
        ProtocolRegistry.shared.setServer(server, of: SharedSessionProtocol.self)
    }

    /// - Parameter refusing: The server that refuses requests from now on, or `nil` if that does not change.
    func release(refusing server: ServerCore? = nil) {
        refusing = server ?? refusing
        ProtocolRegistry.shared.setServer(refusing, of: SharedSessionProtocol.self)
        if waiters.isEmpty { isAcquired = false } else { waiters.removeFirst().resume() }
    }
}

/// The protocol class of the shared session. It handles requests only while a server replaces the session.
private final class SharedSessionProtocol: MockURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        ProtocolRegistry.shared.server(of: self) != nil && super.canInit(with: request)
    }

    /// `true` if the shared session uses this class before the protocols of the platform.
    static let isInstalled = registerFirst()
}
