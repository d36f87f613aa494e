import RESTClientHTTP

/// A virtual clock that advances to the next deadline when a simulation is idle.
///
/// As with `VirtualClock`, a sleep without a tolerance is a wait, and one with a tolerance is a timeout; the clock advances
/// only while there is a wait. Each simulation detects idleness from its own activity, so that simulations can run in
/// parallel. If the clock advances too early, a slow operation times out, which is a valid result as well.
package final class SimulationClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package let offset: Duration

        package func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        package func duration(to other: Self) -> Duration { other.offset - offset }
        package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Duration
        let isWait: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var nextKey = 0
        var sleepers: [Int: Sleeper] = [:]
        var activityCount = 0
        /// Resumes `advanceWhenIdle()` when a wait begins.
        var advancer: CheckedContinuation<Void, Never>?
        var isStopped = false

        var hasWait: Bool { sleepers.values.contains { $0.isWait } }
    }

    /// A duration that the clock never reaches. Shorter than the hundred years that the longest delay is limited to.
    static let forever = Duration.seconds(3_100_000_000)

    private let state = LockedState(State())

    package var now: Instant {
        Instant(
            offset: state.withLock { state in
                state.activityCount += 1
                return state.now
            })
    }

    package var minimumResolution: Duration { .zero }

    /// Records activity, which postpones the next advance.
    func noteActivity() { state.withLock { $0.activityCount += 1 } }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Next { case sleep(CheckedContinuation<Void, Never>?), finish, cancel }
                let next = state.withLock { state -> Next in
                    state.activityCount += 1
                    // If the task is already cancelled, the handler below has run before the sleeper was added.
                    if Task.isCancelled { return .cancel }
                    if deadline.offset <= state.now { return .finish }
                    state.sleepers[key] = Sleeper(
                        deadline: deadline.offset, isWait: tolerance == nil, continuation: continuation)
                    guard tolerance == nil else { return .sleep(nil) }
                    defer { state.advancer = nil }
                    return .sleep(state.advancer)
                }
                switch next {
                case .sleep(let advancer): advancer?.resume()
                case .finish: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.activityCount += 1
                return state.sleepers.removeValue(forKey: key)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock whenever the simulation is idle, until `stop()`.
    func advanceWhenIdle() async {
        while await waitForSleeper() {
            await waitUntilIdle()
            advance()
        }
    }

    /// Ends `advanceWhenIdle()`.
    func stop() {
        let advancer = state.withLock { state in
            state.isStopped = true
            defer { state.advancer = nil }
            return state.advancer
        }
        advancer?.resume()
    }

    /// Returns `true` when there is a wait, and `false` when the clock has been stopped.
    private func waitForSleeper() async -> Bool {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard !state.isStopped, !state.hasWait else { return true }
                state.advancer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { !$0.isStopped }
    }

    /// Returns when there has been no activity for long enough to run the work in all queues a few times.
    private func waitUntilIdle() async {
        var idleRounds = 0
        var count = state.withLock { $0.activityCount }
        while idleRounds < 2 {
            try? await Task.sleep(for: .microseconds(60))
            for _ in 0..<4 { await Task.yield() }
            let latest = state.withLock { $0.activityCount }
            idleRounds = latest == count ? idleRounds + 1 : 0
            count = latest
        }
    }

    private func advance() {
        let resumed = state.withLock { state -> [Sleeper] in
            guard state.hasWait, let next = state.sleepers.values.map(\.deadline).min(),
                next < Self.forever
            else { return [] }
            state.now = max(state.now, next)
            let due = state.sleepers.filter { $0.value.deadline <= next }.sorted { $0.key < $1.key }
            for (key, _) in due { state.sleepers[key] = nil }
            return due.map(\.value)
        }
        for sleeper in resumed { sleeper.continuation.resume() }
    }
}
