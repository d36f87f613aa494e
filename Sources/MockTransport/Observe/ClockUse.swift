import RESTClientHTTP

/// The clocks of the session managers that use a server with a virtual clock.
final class ClockUse: Sendable {
    private let state = LockedState((isShared: false, hasOthers: false))

    /// `true` if session managers use the server, and none of them has its clock.
    var isMismatched: Bool { state.withLock { $0.hasOthers && !$0.isShared } }

    /// - Parameter isShared: A Boolean value that indicates whether the clock of the manager is that of the server.
    func add(isShared: Bool) {
        state.withLock { state in
            if isShared { state.isShared = true } else { state.hasOthers = true }
        }
    }
}
