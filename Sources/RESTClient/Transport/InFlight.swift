import RESTClientHTTP

/// How many exchanges the process has under way.
///
/// All sessions of a process share one work queue (PLATFORM A6). A producer may hold that queue back for its slow
/// reader only while it is alone, and must let go when somebody else comes.
enum InFlight {
    private struct State {
        var count = 0
        var holders: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private static let state = LockedState(State())

    /// Another exchange begins: whoever holds the work queue back lets go. The result is whether it is the only one.
    @discardableResult static func begin() -> Bool {
        let (isAlone, holders) = state.withLock { state in
            state.count += 1
            defer { state.holders = [:] }
            return (state.count == 1, Array(state.holders.values))
        }
        for letGo in holders { letGo() }
        return isAlone
    }

    static func end() { state.withLock { $0.count -= 1 } }

    /// Whether the caller, one exchange, is the only one; if so `letGo` is called when another begins.
    static func isAlone(_ holder: AnyObject, letGo: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.count == 1 else { return false }
            state.holders[ObjectIdentifier(holder)] = letGo
            return true
        }
    }

    static func forget(_ holder: AnyObject) {
        state.withLock { _ = $0.holders.removeValue(forKey: ObjectIdentifier(holder)) }
    }
}
