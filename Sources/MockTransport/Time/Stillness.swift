/// Tells whether anything in the process still runs that could want to say something.
struct Stillness {
    /// How many looks in a row must find it still.
    private static let sightings = 3
    /// How long a thread must have run without anything happening to be taken for someone else's.
    private static let stranger = Duration.milliseconds(50)
    /// How many looks are enough where threads never sleep and never run for long, as with tests in parallel.
    private static let patience = 150
    /// How many looks follow each other at every turn; behind them only one turn in so many is a look, until one finds it still.
    private static let eager = 20
    private static let sparing = 4

    /// The threads that have not been seen asleep, and how long each had run when it was first seen.
    private var awake: [String: Duration] = [:]

    /// Returns true when all is still, false as soon as `condition` no longer holds.
    static func lasts(while condition: () -> Bool) async -> Bool {
        var stillness = Stillness()
        var sightings = 0
        for look in 1...patience {
            // Behind everything that is ready to go on.
            await Task.yield()
            let isTurn = sightings > 0 || look <= eager || look % sparing == 0
            let isStill = isTurn && stillness.look()
            sightings = isStill ? sightings + 1 : 0
            guard condition() else { return false }
            if sightings >= Self.sightings { return true }
            // Looking takes time, too, and the more there is to see the less of it is left for others.
            if !isStill { try? await Task.sleep(for: .microseconds(min(100 * look, 2_000))) }
        }
        return condition()
    }

    /// Whether no thread is about to do anything for us.
    ///
    /// One that sleeps has nothing to do: work that comes to a queue wakes a thread at once. One that has run for
    /// long since we began to look, while nothing happened, works for someone else. One that wants to run and may
    /// not, on a busy machine, is neither.
    private mutating func look() -> Bool {
        guard let threads = Threads.others() else { return false }
        var seen: [String: Duration] = [:]
        var isStill = true
        for thread in threads where thread.isAwake {
            let first = awake[thread.name] ?? thread.runTime
            seen[thread.name] = first
            if thread.runTime - first < Self.stranger { isStill = false }
        }
        awake = seen
        return isStill
    }
}
