import RESTClientHTTP

/// Virtual time of one simulation: moves to the next end of a sleep whenever somebody waits and all has gone quiet.
///
/// As with `VirtualClock`, a sleep without a tolerance is a wait and one with a tolerance a guard; time moves for waits
/// only. What is quiet is told from this simulation's own signs of life and not from the process, so that many run
/// side by side. A move that comes too early makes a timeout of what was only slow: another fault, no wrong result.
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
        var asleep: [Int: Sleeper] = [:]
        /// Counts the signs of life.
        var signs = 0
        var driver: CheckedContinuation<Void, Never>?
        var isOver = false

        var hasWait: Bool { asleep.values.contains { $0.isWait } }
    }

    /// A wait of this length never ends: what stalls waits so. Less than the hundred years that the longest delay takes.
    package static let endless = Duration.seconds(3_100_000_000)

    private let state = LockedState(State())

    package init() {}

    package var now: Instant {
        Instant(
            offset: state.withLock { state in
                state.signs += 1
                return state.now
            })
    }

    package var minimumResolution: Duration { .zero }

    /// Something happened: time stands still a little longer.
    package func sign() { state.withLock { $0.signs += 1 } }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Next { case asleep(CheckedContinuation<Void, Never>?), over, cancelled }
                let next = state.withLock { state -> Next in
                    state.signs += 1
                    // Cancelled before it was registered: the handler below came too early.
                    if Task.isCancelled { return .cancelled }
                    if deadline.offset <= state.now { return .over }
                    state.asleep[key] = Sleeper(
                        deadline: deadline.offset, isWait: tolerance == nil, continuation: continuation)
                    guard tolerance == nil else { return .asleep(nil) }
                    defer { state.driver = nil }
                    return .asleep(state.driver)
                }
                switch next {
                case .asleep(let driver): driver?.resume()
                case .over: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.signs += 1
                return state.asleep.removeValue(forKey: key)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves time until `stop()`.
    package func drive() async {
        while await someoneWaits() {
            await settle()
            move()
        }
    }

    /// Ends `drive()`.
    package func stop() {
        let driver = state.withLock { state in
            state.isOver = true
            defer { state.driver = nil }
            return state.driver
        }
        driver?.resume()
    }

    /// Returns when somebody waits; false when the simulation is over.
    private func someoneWaits() async -> Bool {
        await withCheckedContinuation { continuation in
            let isAnswered = state.withLock { state in
                guard !state.isOver, !state.hasWait else { return true }
                state.driver = continuation
                return false
            }
            if isAnswered { continuation.resume() }
        }
        return state.withLock { !$0.isOver }
    }

    /// Returns when nothing has happened for as long as it takes to go round all queues a few times.
    private func settle() async {
        var quiet = 0
        var signs = state.withLock { $0.signs }
        while quiet < 2 {
            try? await Task.sleep(for: .microseconds(60))
            for _ in 0..<4 { await Task.yield() }
            let latest = state.withLock { $0.signs }
            quiet = latest == signs ? quiet + 1 : 0
            signs = latest
        }
    }

    private func move() {
        let woken = state.withLock { state -> [Sleeper] in
            guard state.hasWait, let first = state.asleep.values.map(\.deadline).min(),
                first < Self.endless
            else { return [] }
            state.now = max(state.now, first)
            let due = state.asleep.filter { $0.value.deadline <= first }.sorted { $0.key < $1.key }
            for (key, _) in due { state.asleep[key] = nil }
            return due.map(\.value)
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
