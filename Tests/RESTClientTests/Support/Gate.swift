import MockTransport

/// A gate that blocks tasks, also cancelled ones, until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = LockedState(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

extension VirtualClock {
    /// Advances a stepped clock on which only timeouts may be waiting.
    func passTime(_ duration: Duration) async throws {
        let wait = Task { try await sleep(until: now.advanced(by: duration)) }
        try await advance(by: duration)
        try await wait.value
    }

    /// Passes time in steps of `duration` until `task` has ended.
    func passTime(_ duration: Duration, until task: Task<some Sendable, any Error>) async {
        let steps = Task { while !Task.isCancelled { try await passTime(duration) } }
        _ = await task.result
        steps.cancel()
    }
}
