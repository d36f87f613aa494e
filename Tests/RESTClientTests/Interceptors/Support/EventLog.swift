import RESTClient

/// A log of the events of a manager.
final class EventLog: Sendable {
    private struct State {
        var lines: [String] = []
        var waiter:
            (isComplete: @Sendable ([String]) -> Bool, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = LockedState(State())

    var lines: [String] { state.withLock { $0.lines } }

    var monitor: EventMonitor {
        EventMonitor { [self] event in
            let line = "\(event)"
            let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
                state.lines.append(line)
                guard let waiter = state.waiter, waiter.isComplete(state.lines) else { return nil }
                state.waiter = nil
                return waiter.continuation
            }
            continuation?.resume()
        }
    }

    /// Returns when `count` past or new events have matched. Only one caller may wait at a time.
    func next(count: Int = 1, _ matches: @escaping @Sendable (String) -> Bool) async {
        let isComplete = { @Sendable (lines: [String]) in lines.count(where: matches) >= count }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if isComplete(state.lines) { return true }
                state.waiter = (isComplete, continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
