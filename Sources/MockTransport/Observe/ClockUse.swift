import RESTClientHTTP

/// The clocks of the session managers that use a server with a virtual clock.
final class ClockUse: Sendable {
    private let state = LockedState((isShared: false, hasOthers: false))

    /// `true` if session managers use the server, and none of them has its clock.
    var isMismatched: Bool { state.withLock { $0.hasOthers && !$0.isShared } }

    func add(_ clock: any Clock<Duration>, to server: VirtualClock) {
        let isShared = (clock as? VirtualClock) === server
        state.withLock { state in
            if isShared { state.isShared = true } else { state.hasOthers = true }
        }
    }
}

extension MockURLProtocol: ClockObserver {
    static func willBeUsed(by clock: any Clock<Duration>) {
        guard let server = ProtocolRegistry.shared.server(of: self), let virtual = server.clock.virtual else {
            return
        }
        server.clockUse.add(clock, to: virtual)
    }
}
