// This file repairs defects of URLSession on Linux. On Apple platforms nothing of it is used; see
// Platform.swift.
#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import RESTClientHTTP

/// Limits how often a session reads from its sockets. Under load it lets other work run; while no data is received it
/// polls.
///
/// *Yield.* While more bytes wait in a socket than libcurl reads at once, the reading queue enqueues its next block
/// before the current one ends. Other queues with the same target do not run until this one is empty. This delays
/// `cancel()`, other sessions, and the timers that URLSession creates for each 16 KB (about 340 bytes each, 60 MB for a
/// body of 3 GB; PLATFORM A20).
///
/// *Poll.* On a new connection, URLSession keeps waiting for the socket to become writable after the request was sent.
/// The socket is always writable, so one processor is busy until the response arrives (PLATFORM A21). If no data has
/// been received for `idleThreshold` although the process is busy, the queue is suspended between polls. Each
/// suspension lasts a twentieth of the idle time, 1 to 10 ms, so data is delayed by at most that time. A new task
/// resumes the queue immediately.
///
/// *Wait.* While the buffers of all active tasks of the session are full, the queue is suspended. libcurl does not read,
/// and TCP flow control slows the server down. Other sessions are not affected. Servers close a connection to which they
/// cannot write for a time, usually 60 s. Therefore, the queue reads once every 20 s, for the first ten minutes.
final class ReadThrottle: Sendable {
    private struct State {
        var queues: URLSessionQueues?
        /// The queues while they are suspended. Every suspension must be followed by one `resume()`.
        var suspended: URLSessionQueues?
        var activeTasks = 0
        /// The number of tasks started and callbacks received.
        var activity = 0
        var chunks = 0
        var isPolling = false
        /// The full buffers of the active tasks.
        var fullBuffers: Set<ObjectIdentifier> = []
        /// The queues while they wait for the consumers. Also followed by one `resume()`.
        var waiting: URLSessionQueues?
        /// `true` while the session reads once during a wait.
        var isReadingOnce = false
        var isReadScheduled = false
        /// The number of waits so far.
        var waits = 0

        /// Begins or ends a wait.
        mutating func updateWait() {
            let waits = !fullBuffers.isEmpty && fullBuffers.count >= activeTasks
            guard waits != (waiting != nil), !isReadingOnce else { return }
            if let waiting { waiting.resume() } else { queues?.suspend() }
            waiting = waits ? queues : nil
            if waits { self.waits += 1 }
        }

        mutating func suspend(_ queues: URLSessionQueues) {
            queues.suspend()
            suspended = queues
        }

        mutating func resume() {
            suspended?.resume()
            suspended = nil
        }
    }

    /// The number of chunks that libcurl reads at once: 1.6 MB.
    static let chunksBetweenYields = 100
    /// The idle time before the queue is suspended.
    static let idleThreshold = Duration.milliseconds(20)
    static let suspensions = Duration.milliseconds(1)...Duration.milliseconds(10)
    static let pollIntervals = Duration.milliseconds(5)...Duration.milliseconds(100)
    /// The interval and number of single reads during a wait.
    static let readInterval = Duration.seconds(20)
    static let maxReads = 30

    private static let timer = DispatchQueue(label: "RESTClient.read-throttle")

    /// Calls a closure after a delay.
    typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    private let state = LockedState(State())
    private let processorTime: @Sendable () -> Duration
    private let schedule: Schedule

    /// - Parameter processorTime: the processor time used by the process.
    init(
        processorTime: @escaping @Sendable () -> Duration = { .microseconds(clock()) },
        schedule: @escaping Schedule = { delay, work in
            ReadThrottle.timer.asyncAfter(
                deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))), execute: work)
        }
    ) {
        self.processorTime = processorTime
        self.schedule = schedule
    }

    /// Starts to control the queues of `session`. Has no effect if the queues are not found.
    func attach(to session: URLSession) { attach(to: URLSessionQueues(of: session)) }

    func attach(to queues: URLSessionQueues?) { state.withLock { $0.queues = queues } }

    // MARK: Callbacks of the session

    /// Resumes the queue, and starts polling unless polling is already active.
    func taskStarted() {
        updateWait { $0.activeTasks += 1 }
        let activity: Int? = state.withLock { state in
            state.activity &+= 1
            state.resume()
            guard !state.isPolling, state.queues != nil else { return nil }
            state.isPolling = true
            return state.activity
        }
        if let activity { schedulePoll(after: Observation(activity: activity, processor: processorTime())) }
    }

    func taskEnded() { updateWait { $0.activeTasks -= 1 } }

    // MARK: Buffers

    /// `true` while the session does not read because its buffers are full.
    var isWaiting: Bool { state.withLock { $0.waiting != nil || $0.isReadingOnce } }

    /// Records that a buffer became full, or has space again. Must be called with `false` before the buffer is released.
    func bufferChanged(_ buffer: ObjectIdentifier, isFull: Bool) {
        updateWait { state in
            if isFull { state.fullBuffers.insert(buffer) } else { state.fullBuffers.remove(buffer) }
        }
    }

    private func updateWait(_ change: (inout State) -> Void) {
        let newWait: Int? = state.withLock { state in
            change(&state)
            state.updateWait()
            guard state.waiting != nil, !state.isReadScheduled else { return nil }
            state.isReadScheduled = true
            return state.waits
        }
        if let newWait { scheduleRead(1, ofWait: newWait) }
    }

    /// Reads once after an interval, if the wait has not ended. There is one scheduled read at a time.
    private func scheduleRead(_ number: Int, ofWait wait: Int) {
        schedule(Self.readInterval) {
            let (current, queues) = self.state.withLock { state -> (Int?, URLSessionQueues?) in
                guard let queues = state.waiting, number <= Self.maxReads || state.waits != wait else {
                    state.isReadScheduled = false
                    return (nil, nil)
                }
                guard state.waits == wait else { return (state.waits, nil) }
                queues.resume()
                (state.waiting, state.isReadingOnce) = (nil, true)
                return (nil, queues)
            }
            if let current { self.scheduleRead(1, ofWait: current) }
            queues?.afterReading {
                let next: Int? = self.state.withLock { state in
                    state.isReadingOnce = false
                    state.updateWait()
                    state.isReadScheduled = state.waiting != nil
                    return state.isReadScheduled ? state.waits : nil
                }
                if let next { self.scheduleRead(number + 1, ofWait: next) }
            }
        }
    }

    /// Records a callback of the session. `hasData` is `true` if the callback delivered a chunk of a body.
    func didCallBack(withData hasData: Bool) {
        let queues: URLSessionQueues? = state.withLock { state in
            state.activity &+= 1
            guard hasData else { return nil }
            state.chunks &+= 1
            return state.chunks.isMultiple(of: Self.chunksBetweenYields) ? state.queues : nil
        }
        queues?.yield()
    }

    // MARK: Polling

    /// The state of the session at one poll.
    private struct Observation {
        var activity: Int
        var processor: Duration
        /// The time without activity.
        var idle = Duration.zero
        var isSuspending = false

        /// The time until the next poll.
        var interval: Duration {
            isSuspending
                ? (idle / 20).clamped(to: ReadThrottle.suspensions)
                : (idle / 2).clamped(to: ReadThrottle.pollIntervals)
        }
    }

    private func schedulePoll(after last: Observation) { schedule(last.interval) { self.poll(after: last) } }

    private func poll(after last: Observation) {
        let processor = processorTime()
        let next: Observation? = state.withLock { state in
            guard state.activeTasks > 0, let queues = state.queues else {
                state.isPolling = false
                return nil
            }
            var next = Observation(activity: state.activity, processor: processor)
            guard next.activity == last.activity else { return next }
            next.idle = last.idle + last.interval
            let isBusy = next.processor - last.processor >= last.interval / 4
            next.isSuspending = last.isSuspending || next.idle >= Self.idleThreshold && isBusy
            if next.isSuspending { state.suspend(queues) }
            return next
        }
        guard let next else { return }
        guard next.isSuspending else { return schedulePoll(after: next) }
        schedule(next.interval) {
            let queues = self.state.withLock { state in
                state.resume()
                return state.queues
            }
            queues?.afterReading { self.poll(after: next) }
        }
    }
}

extension Duration {
    fileprivate func clamped(to limits: ClosedRange<Self>) -> Self {
        min(max(self, limits.lowerBound), limits.upperBound)
    }
}

/// The queue on which a session reads from its sockets, and the queue that it targets.
///
/// Both are private properties of URLSession, found by reflection. Without them, reads are not limited.
struct URLSessionQueues: Sendable {
    let reading: DispatchQueue
    /// The target of all queues of the session; itself targets the queue that all sessions share (PLATFORM A6).
    let work: DispatchQueue
}

extension URLSessionQueues {
    init?(of session: URLSession) {
        let mirror = Mirror(reflecting: session)
        guard let reading = mirror.descendant("multiHandle", "queue") as? DispatchQueue,
            let work = mirror.descendant("workQueue") as? DispatchQueue
        else { return nil }
        self.init(reading: reading, work: work)
    }

    /// Other sessions run only when no blocks are left on `work`, so the reading queue is resumed from this queue.
    private static let yieldQueue = DispatchQueue(label: "RESTClient.yield")

    /// Runs all enqueued blocks of this and other sessions before the next read.
    func yield() {
        reading.suspend()
        work.async { Self.yieldQueue.async { reading.resume() } }
    }

    /// Stops reading until `resume()` is called once for each call.
    func suspend() { reading.suspend() }

    func resume() { reading.resume() }

    /// Calls `work` after all bytes that are available now were read.
    func afterReading(_ work: @escaping @Sendable () -> Void) { reading.async(execute: work) }
}
#endif
