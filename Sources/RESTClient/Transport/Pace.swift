import Dispatch
import Foundation
import RESTClientHTTP

/// How fast a session's reading queue goes: it yields when there is too much for it, and rests while there is nothing.
///
/// *Yields.* As long as more bytes wait in a socket than libcurl takes at once, the queue has its next work before it is
/// done with this, and a serial queue that is never empty never lets those beside it run, those of other sessions neither.
/// There `cancel()` waits then, and so does the end of the timer that URLSession makes anew for each 16 KB: some 340 bytes
/// each, 60 MB in a body of 3 GB (PLATFORM A20).
///
/// *Rests.* On a new connection URLSession asks whether it could send long after all is sent, is told at once that it could,
/// and asks again: a processor is busy for as long as the request waits for its answer (PLATFORM A21). So when nothing has
/// come for a while, and the process is busy all the same, the queue looks only now and then, and the longer nothing comes, the
/// less often: whatever comes is late by a twentieth of the wait before it where a processor is free. What begins ends the rest.
final class Pace: Sendable {
    private struct State {
        var queue: ReadingQueue?
        /// The queue while it rests; whoever takes it from here wakes it.
        var resting: ReadingQueue?
        var underWay = 0
        /// How often something has begun or come, so far.
        var signs = 0
        /// How many of these were chunks.
        var chunks = 0
        var isWatched = false

        mutating func rest(_ queue: ReadingQueue) {
            queue.rest()
            resting = queue
        }

        mutating func wake() {
            resting?.wake()
            resting = nil
        }
    }

    /// As many chunks as libcurl reads at once: 1.6 MB.
    static let chunksBetweenYields = 100
    /// How long nothing must have come before the first rest.
    static let patience = Duration.milliseconds(20)
    static let rests = Duration.milliseconds(1)...Duration.milliseconds(10)
    /// How often it is asked whether anything came; less and less often while nothing does.
    static let looks = Duration.milliseconds(5)...Duration.milliseconds(100)

    private static let timer = DispatchQueue(label: "RESTClient.pace")

    /// Does something after a while.
    typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    private let state = LockedState(State())
    private let processorTime: @Sendable () -> Duration
    private let schedule: Schedule

    /// - Parameter processorTime: what the process has had of all processors.
    init(
        processorTime: @escaping @Sendable () -> Duration = { .microseconds(clock()) },
        schedule: @escaping Schedule = { delay, work in
            Pace.timer.asyncAfter(
                deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))), execute: work)
        }
    ) {
        self.processorTime = processorTime
        self.schedule = schedule
    }

    /// Keeps this queue's pace from now on.
    func keep(_ queue: ReadingQueue?) { state.withLock { $0.queue = queue } }

    // MARK: What happens in the session

    /// An exchange begins. It neither waits for a rest to end, nor for its answer as long as another has done.
    func begin() {
        let signs: Int? = state.withLock { state in
            state.underWay += 1
            state.signs &+= 1
            state.wake()
            guard !state.isWatched, state.queue != nil else { return nil }
            state.isWatched = true
            return state.signs
        }
        if let signs { again(Look(signs: signs, processor: processorTime())) }
    }

    func end() { state.withLock { $0.underWay -= 1 } }

    /// The session has called back, on its own queues; with a chunk of a body or without.
    func called(withChunk isChunk: Bool = false) {
        let queue: ReadingQueue? = state.withLock { state in
            state.signs &+= 1
            guard isChunk else { return nil }
            state.chunks &+= 1
            return state.chunks.isMultiple(of: Self.chunksBetweenYields) ? state.queue : nil
        }
        queue?.yield()
    }

    // MARK: Rests

    /// What was seen, and when it is looked again.
    private struct Look {
        var signs: Int
        var processor: Duration
        /// How long nothing has come.
        var idle = Duration.zero
        var isResting = false

        var delay: Duration {
            isResting ? (idle / 20).clamped(to: Pace.rests) : (idle / 2).clamped(to: Pace.looks)
        }
    }

    private func again(_ last: Look) {
        schedule(last.delay) { self.look(after: last) }
    }

    private func look(after last: Look) {
        let processor = processorTime()
        let next: Look? = state.withLock { state in
            guard state.underWay > 0, let queue = state.queue else {
                state.isWatched = false
                return nil
            }
            var next = Look(signs: state.signs, processor: processor)
            guard next.signs == last.signs else { return next }
            next.idle = last.idle + last.delay
            let isBusy = next.processor - last.processor >= last.delay / 4
            next.isResting = last.isResting || next.idle >= Self.patience && isBusy
            if next.isResting { state.rest(queue) }
            return next
        }
        guard let next else { return }
        guard next.isResting else { return again(next) }
        schedule(next.delay) {
            let queue = self.state.withLock { state in
                state.wake()
                return state.queue
            }
            queue?.afterReading { self.look(after: next) }
        }
    }
}

extension Duration {
    fileprivate func clamped(to limits: ClosedRange<Self>) -> Self {
        min(max(self, limits.lowerBound), limits.upperBound)
    }
}
