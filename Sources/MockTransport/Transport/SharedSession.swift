/// The access to `URLSession.shared`, for one server at a time.
actor SharedSession {
    static let instance = SharedSession()
    /// `true` inside the body of `replacingSharedSession`.
    @TaskLocal static var isReplaced = false

    private var isAcquired = false
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

    func release() {
        ProtocolRegistry.shared.setServer(nil, of: SharedSessionProtocol.self)
        if waiters.isEmpty { isAcquired = false } else { waiters.removeFirst().resume() }
    }
}
