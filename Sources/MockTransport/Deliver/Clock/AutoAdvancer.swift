/// Advances a virtual clock automatically while a task waits on it, no work holds it, and the process is idle.
final class AutoAdvancer: Sendable {
    private enum Status {
        case stopped, running
        /// Running, with another check requested before it stops.
        case checkAgain
    }

    private let state: ClockState
    private let status = LockedState(Status.stopped)

    init(_ state: ClockState) { self.state = state }

    /// Starts checking for idleness after a change that may allow the clock to advance.
    func start() {
        let mustStart = status.withLock { status -> Bool in
            defer { status = status == .stopped ? .running : .checkAgain }
            return status == .stopped
        }
        guard mustStart else { return }
        Task.detached { [self] in
            while await advance() {}
        }
    }

    /// Advances the clock at most once. Returns `false` if no task waits on it.
    private func advance() async -> Bool {
        guard state.isReady else {
            return status.withLock { status in
                defer { status = status == .checkAgain ? .running : .stopped }
                return status == .checkAgain
            }
        }
        let changes = state.changes
        if await IdleDetector.isIdle(while: { self.state.changes == changes }) {
            state.advance(ifUnchangedSince: changes)
        }
        return true
    }
}

/// Detects that no thread of the process has work that could affect the clock.
struct IdleDetector {
    /// The number of consecutive checks that must find the process idle.
    private static let requiredChecks = 3
    /// The run time, without a change of the clock, after which a thread is treated as unrelated.
    private static let unrelatedRunTime = Duration.milliseconds(50)
    /// The maximum number of checks, for processes whose threads never sleep and never run for long, such as parallel
    /// tests.
    private static let maxChecks = 150
    /// The number of initial rounds that each include a check. Later, only every `checkInterval`th round does, until a
    /// check finds the process idle.
    private static let initialChecks = 20
    private static let checkInterval = 4
    /// The number of rounds, about 20 ms, without a change of the clock after which the process counts as idle if the
    /// states of its threads cannot be read.
    private static let quietRounds = 20

    private var canReadThreads = true
    /// The threads that were never seen asleep, with their run time at the first check.
    private var awakeThreads: [String: Duration] = [:]

    private let readThreads: () -> [ThreadState]?

    private init(_ readThreads: @escaping () -> [ThreadState]?) { self.readThreads = readThreads }

    /// Returns `true` when the process is idle, and `false` as soon as `condition` no longer holds.
    ///
    /// - Parameter readThreads: Returns the other threads, or `nil` if they cannot be read.
    static func isIdle(
        readThreads: @escaping () -> [ThreadState]? = ThreadState.others, while condition: () -> Bool
    ) async -> Bool {
        var detector = IdleDetector(readThreads)
        var idleChecks = 0
        for round in 1...maxChecks {
            // Lets all tasks that are ready run first.
            await Task.yield()
            let mustCheck = idleChecks > 0 || round <= initialChecks || round % checkInterval == 0
            let isIdle = mustCheck && detector.check()
            idleChecks = isIdle ? idleChecks + 1 : 0
            guard condition() else { return false }
            if idleChecks >= requiredChecks || !detector.canReadThreads && round >= quietRounds {
                return true
            }
            // Sleeps, because frequent checks would slow down the work that they wait for.
            if !isIdle { try? await Task.sleep(for: .microseconds(min(100 * round, 2_000))) }
        }
        return condition()
    }

    /// Returns `true` if no thread has related work.
    ///
    /// A sleeping thread has no work: work on a queue wakes a thread immediately. A thread that has run for
    /// `unrelatedRunTime` since the first check without a change of the clock is unrelated. A thread that is ready but
    /// not scheduled, for example on a busy machine, may have related work.
    private mutating func check() -> Bool {
        guard let threads = readThreads() else {
            canReadThreads = false
            return false
        }
        var seen: [String: Duration] = [:]
        var isIdle = true
        for thread in threads where thread.isAwake {
            let first = awakeThreads[thread.name] ?? thread.runTime
            seen[thread.name] = first
            if thread.runTime - first < Self.unrelatedRunTime { isIdle = false }
        }
        awakeThreads = seen
        return isIdle
    }
}
