import Foundation

/// Detects that no thread of the process has work that could affect the clock.
///
/// If all threads sleep, there is no such work: work on a queue wakes a thread immediately. In a busy process, such as one
/// that runs tests in parallel, some thread is always awake. There, work is given the time to pass from thread to thread
/// several times: a pass ends when each thread that was awake at its start has slept since, even if only for a moment.
struct IdleDetector {
    /// The number of passes, of which a check that finds all threads asleep counts as two.
    private static let requiredPasses = 6
    /// The run time without a sleep after which a thread is treated as unrelated, until it sleeps.
    private static let unrelatedRunTime = Duration.milliseconds(50)
    private static let maxChecks = 150
    /// The number of rounds, about 20 ms, without a change of the clock after which the process counts as idle if the
    /// states of its threads cannot be read.
    private static let quietRounds = 20

    /// The threads that were awake in the last check of any clock, as they were after their last sleep.
    private static let awakeThreads = LockedState<[String: ThreadState]>([:])

    /// The threads that have not slept since the start of the pass, with the number of their sleeps.
    private var waiting: [String: Int] = [:]
    private var passes = 0

    /// Returns `true` when the process is idle, and `false` as soon as `condition` no longer holds.
    ///
    /// - Parameter readThreads: Returns the other threads, or `nil` if they cannot be read.
    static func isIdle(
        readThreads: () -> [ThreadState]? = ThreadState.others, while condition: () -> Bool
    ) async -> Bool {
        var detector = IdleDetector()
        for round in 1...maxChecks {
            // Lets all tasks that are ready run first. Not in each round: it can wake a thread, which then seems to have work.
            if !round.isMultiple(of: 2) { await Task.yield() }
            let threads = readThreads()
            let isIdle = threads.map { detector.isIdle($0) } ?? false
            guard condition() else { return false }
            if detector.passes >= requiredPasses || threads == nil && round >= quietRounds { return true }
            // Sleeps, because frequent checks would slow down the work that they wait for.
            if !isIdle { await pause(round) }
        }
        return condition()
    }

    /// Gives other threads time. On a busy machine, the end of a task's sleep needs two more threads, so the first pauses block
    /// this one for a moment.
    private static func pause(_ round: Int) async {
        if round <= 10 {
            usleep(50)
        } else {
            try? await Task.sleep(for: .microseconds(min(100 * round, 2_000)))
        }
    }

    /// Updates the passes. Returns `true` if no thread has related work.
    private mutating func isIdle(_ threads: [ThreadState]) -> Bool {
        let awake = Self.related(threads)
        waiting = waiting.filter { awake[$0.key] == $0.value }
        if waiting.isEmpty {
            passes += awake.isEmpty ? 2 : 1
            waiting = awake
        }
        return awake.isEmpty
    }

    /// Returns the threads that are awake and may have related work, with the number of their sleeps. A thread that is ready
    /// but not scheduled, for example on a busy machine, may have related work.
    private static func related(_ threads: [ThreadState]) -> [String: Int] {
        awakeThreads.withLock { known in
            var awake: [String: ThreadState] = [:]
            var related: [String: Int] = [:]
            for thread in threads where thread.isAwake {
                let last = known[thread.name].flatMap { $0.sleeps == thread.sleeps ? $0 : nil } ?? thread
                awake[thread.name] = last
                if thread.runTime - last.runTime < unrelatedRunTime { related[thread.name] = thread.sleeps }
            }
            known = awake
            return related
        }
    }
}
