import RESTClientHTTP

/// Lets so many in at a time; the others wait their turn.
///
/// URLSession on Linux keeps a processor busy for as long as it waits for the head of a reply, so that dozens of programs at
/// a time would leave nothing to the servers they wait for.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: LockedState<State>

    init(_ count: Int) { state = LockedState(State(free: count)) }

    /// Runs `body` when there is room.
    func pass<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(turn)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { turn.resume() }
        }
        defer {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.free += 1
                return nil
            }
            next?.resume()
        }
        return try await body()
    }
}
