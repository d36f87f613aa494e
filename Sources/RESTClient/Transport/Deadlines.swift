import RESTClientHTTP

/// What must end in time.
protocol Expiring: Sendable {
    var hasEnded: Bool { get }
    /// Ends it if its deadline has passed; otherwise returns the next one.
    func expire() -> Duration?
}

/// The deadlines of all that one manager has under way, watched by one sleeping task.
///
/// Not a sleeping task for each request: a cancelled `Task.sleep` holds about 740 bytes until its time has
/// come (PLATFORM D). Its sleeps carry a tolerance, which makes them guards: a virtual clock does not move
/// for them.
final class Deadlines: Sendable {
    private struct State {
        var heap = DeadlineHeap<any Expiring>()
        var wake: Duration?
        var sleeper: Task<Void, Never>?
        var nextNumber = 0
    }

    private static let tolerance = Duration.milliseconds(2)
    /// Between two looks at a clock whose sleep fails.
    private static let glance = Duration.milliseconds(100)

    private let timeline: AnyClock
    private let state = LockedState(State())

    init(timeline: AnyClock) { self.timeline = timeline }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    /// Watches something whose first deadline is `due`; the result is the number that ends the watch.
    func watch(_ watched: any Expiring, due: Duration) -> Int {
        let (number, mustWake) = state.withLock { state in
            state.nextNumber += 1
            state.heap.insert(watched, number: state.nextNumber, due: due)
            return (state.nextNumber, state.wake.map { due < $0 } ?? true)
        }
        if mustWake { schedule() }
        return number
    }

    /// Ends the watch known as `number`.
    func unwatch(_ number: Int) {
        // What is watched must not be released under the lock.
        _ = state.withLock { $0.heap.remove(number) }
    }

    /// Makes the sleeper wake for the earliest deadline. One that sleeps already and longer is replaced; one
    /// that wakes too early looks and sleeps on.
    private func schedule() {
        let replaced: Task<Void, Never>? = state.withLock { state in
            guard let earliest = state.heap.earliest else { return nil }
            if let wake = state.wake, wake <= earliest { return nil }
            let old = state.sleeper
            state.wake = earliest
            // Detached: it outlives the request that needs it first, and must not keep that one's task-local values.
            state.sleeper = Task.detached { [weak self, timeline] in
                do {
                    try await timeline.sleep(until: earliest, tolerance: Self.tolerance)
                } catch {
                    // Replaced; or the clock cannot sleep: then it is looked at now and then.
                    guard (try? await Task.sleep(for: Self.glance)) != nil else { return }
                }
                self?.wakeUp(at: earliest)
            }
            return old
        }
        replaced?.cancel()
    }

    private func wakeUp(at wake: Duration) {
        let now = timeline.now
        let due = state.withLock { state -> [(number: Int, element: any Expiring)] in
            guard state.wake == wake else { return [] }
            state.wake = nil
            state.sleeper = nil
            return state.heap.removeDue(at: now)
        }
        for (number, watched) in due {
            guard let next = watched.expire() else { continue }
            state.withLock { $0.heap.insert(watched, number: number, due: next) }
            // It may have ended, and ended its watch, just before it went back.
            if watched.hasEnded { unwatch(number) }
        }
        schedule()
    }
}
