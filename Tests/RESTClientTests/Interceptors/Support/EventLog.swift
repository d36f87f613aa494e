import RESTClientHTTP
import RESTClient

/// The events of a manager as lines.
final class EventLog: Sendable {
    private struct State {
        var lines: [String] = []
        var waiter: (isEnough: @Sendable ([String]) -> Bool, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = LockedState(State())

    var lines: [String] { state.withLock { $0.lines } }

    var monitor: EventMonitor {
        EventMonitor { [self] event in
            let line = "\(event)"
            let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
                state.lines.append(line)
                guard let waiter = state.waiter, waiter.isEnough(state.lines) else { return nil }
                state.waiter = nil
                return waiter.continuation
            }
            continuation?.resume()
        }
    }

    /// Returns when `count` events have matched, past ones too. One caller at a time.
    func next(count: Int = 1, _ matches: @escaping @Sendable (String) -> Bool) async {
        let isEnough = { @Sendable (lines: [String]) in lines.count(where: matches) >= count }
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if isEnough(state.lines) { return true }
                state.waiter = (isEnough, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
