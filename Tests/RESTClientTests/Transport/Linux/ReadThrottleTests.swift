// Tests of the Linux folder of the transport, which is empty on Apple platforms.
#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import RESTClientHTTP
import Testing

@testable import RESTClient

@Suite struct ReadThrottleTests {
    /// The queues of a session, without the session.
    private struct Queues: Sendable {
        let work: DispatchQueue
        let reading: DispatchQueue
        let other: DispatchQueue
        var sessionQueues: URLSessionQueues { URLSessionQueues(reading: reading, work: work) }

        init(runBy shared: DispatchQueue? = nil) {
            work = DispatchQueue(label: "work", target: shared)
            reading = DispatchQueue(label: "reading", target: work)
            other = DispatchQueue(label: "other", target: work)
        }
    }

    /// The scheduled closures of a throttle, which the test calls.
    private struct Timer {
        struct Entry: Sendable {
            let delay: Duration
            let work: @Sendable () -> Void
        }
        let throttle: ReadThrottle
        private let entries: AsyncStream<Entry>

        /// - Parameter isBusy: `true` if the process uses one processor during the delays.
        init(isBusy: Bool = true) {
            let (entries, source) = AsyncStream.makeStream(of: Entry.self)
            self.entries = entries
            let processorTime = LockedState(Duration.zero)
            throttle = ReadThrottle {
                processorTime.withLock { $0 }
            } schedule: { delay, work in
                if isBusy { processorTime.withLock { $0 += delay } }
                source.yield(Entry(delay: delay, work: work))
            }
        }

        /// Returns the next `count` delays, and calls their closures immediately.
        func pass(_ count: Int) async -> [Duration] {
            var delays: [Duration] = []
            for await entry in entries {
                delays.append(entry.delay)
                entry.work()
                if delays.count == count { break }
            }
            return delays
        }

        /// Ends the active task and resumes the queue: a suspended queue must not be released.
        func end() async {
            let last = await next()
            throttle.taskEnded()
            last?.work()
        }

        /// Returns the next entry without calling its closure.
        func next() async -> Entry? {
            var iterator = entries.makeAsyncIterator()
            return await iterator.next()
        }
    }

    @Test func `A20 A21 the queues of a session are found by reflection`() {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        #expect(URLSessionQueues(of: session) != nil)
    }

    // MARK: Yields

    @Test(arguments: [false, true])
    func `A20 a queue that is never empty blocks its siblings unless it yields`(yields: Bool) async {
        let queues = Queues()
        let hasRun = LockedState(false)
        let most = 1_000

        // Like libcurl, enqueues the next block before the current one ends.
        @Sendable func read(_ round: Int, _ done: CheckedContinuation<Int, Never>) {
            if round == 0 { queues.other.async { hasRun.withLock { $0 = true } } }
            guard round < most, !hasRun.withLock({ $0 }) else { return done.resume(returning: round) }
            queues.reading.async { read(round + 1, done) }
            if yields, round.isMultiple(of: 100) { queues.sessionQueues.yield() }
        }
        let rounds = await withCheckedContinuation { done in queues.reading.async { read(0, done) } }
        #expect(yields ? rounds == 1 : rounds == most)
    }

    @Test(arguments: [true, false])
    func `the queue yields after every hundred chunks`(areChunks: Bool) async {
        let queues = Queues()
        let throttle = ReadThrottle()
        throttle.attach(to: queues.sessionQueues)
        let order = LockedState<[String]>([])
        // Runs on the work queue, like a callback.
        await withCheckedContinuation { done in
            queues.work.async {
                for _ in 0..<ReadThrottle.chunksBetweenYields { throttle.didCallBack(withData: areChunks) }
                let group = DispatchGroup()
                queues.reading.async(group: group) { order.withLock { $0.append("reading") } }
                queues.work.async(group: group) { order.withLock { $0.append("work") } }
                group.notify(queue: .global()) { done.resume() }
            }
        }
        #expect(order.withLock { $0 } == (areChunks ? ["work", "reading"] : ["reading", "work"]))
    }

    @Test func `A20 other sessions run during a yield`() async {
        let shared = DispatchQueue(label: "shared")
        let queues = Queues(runBy: shared)
        let hasRun = LockedState(false)
        let most = 20_000

        @Sendable func read(_ round: Int, _ done: CheckedContinuation<Int, Never>) {
            if round == 0 { shared.async { hasRun.withLock { $0 = true } } }
            guard round < most, !hasRun.withLock({ $0 }) else { return done.resume(returning: round) }
            queues.reading.async { read(round + 1, done) }
            if round.isMultiple(of: 100) { queues.sessionQueues.yield() }
        }
        let rounds = await withCheckedContinuation { done in queues.reading.async { read(0, done) } }
        #expect(rounds < most)
    }

    // MARK: Polling

    /// The poll intervals before the first suspension.
    private static let polls: [Duration] = [
        .milliseconds(5), .milliseconds(5), .milliseconds(5), .microseconds(7_500),
    ]

    @Test func `A21 suspensions grow with the idle time`() async {
        let timer = Timer()
        timer.throttle.attach(to: Queues().sessionQueues)
        timer.throttle.taskStarted()
        #expect(await timer.pass(4) == Self.polls)
        let rests = await timer.pass(300)
        #expect(rests.first == .microseconds(1_125))
        #expect(rests.last == .milliseconds(10))
        #expect(rests == rests.sorted())
        await timer.end()
    }

    @Test func `A21 nothing is read while suspended, and everything after it`() async {
        let timer = Timer()
        let queues = Queues()
        timer.throttle.attach(to: queues.sessionQueues)
        timer.throttle.taskStarted()
        _ = await timer.pass(4)
        let suspension = await timer.next()
        let hasRead = LockedState(false)
        queues.reading.async {
            hasRead.withLock { $0 = true }
            timer.throttle.didCallBack(withData: false)
        }
        await withCheckedContinuation { done in queues.work.async { done.resume() } }
        #expect(!hasRead.withLock { $0 })
        suspension?.work()
        // The poll has observed the read, so no suspension follows.
        let last = await timer.next()
        #expect(last?.delay == .milliseconds(5))
        #expect(hasRead.withLock { $0 })
        timer.throttle.taskEnded()
        last?.work()
    }

    @Test func `a wait without processor load is polled at growing intervals and never suspended`()
        async
    {
        let timer = Timer(isBusy: false)
        timer.throttle.attach(to: Queues().sessionQueues)
        timer.throttle.taskStarted()
        let polls = await timer.pass(50)
        #expect(polls.prefix(4) == Self.polls[...])
        #expect(polls.last == .milliseconds(100))
        #expect(polls == polls.sorted())
        await timer.end()
    }

    @Test func `any received data resets the idle poll`() async {
        let timer = Timer()
        timer.throttle.attach(to: Queues().sessionQueues)
        timer.throttle.taskStarted()
        for isChunk in [true, false] {
            _ = await timer.pass(3)
            timer.throttle.didCallBack(withData: isChunk)
        }
        // The poll that observes the data, and those of a new idle time.
        #expect(await timer.pass(6).dropFirst() == Self.polls + [.microseconds(1_125)])
        await timer.end()
    }

    @Test func `A21 a new task resumes the queue and restarts the idle time`() async {
        let timer = Timer()
        let queues = Queues()
        timer.throttle.attach(to: queues.sessionQueues)
        timer.throttle.taskStarted()
        _ = await timer.pass(100)
        let suspension = await timer.next()
        let hasRead = LockedState(false)
        queues.reading.async { hasRead.withLock { $0 = true } }
        timer.throttle.taskStarted()
        await withCheckedContinuation { done in queues.work.async { done.resume() } }
        #expect(hasRead.withLock { $0 }, "before the suspension ends")
        suspension?.work()
        #expect(await timer.pass(5) == Self.polls + [.microseconds(1_125)])
        timer.throttle.taskEnded()
        await timer.end()
    }

    @Test func `polling stops without active tasks, and runs once for several`() async {
        let timer = Timer()
        timer.throttle.attach(to: Queues().sessionQueues)
        for _ in 0..<3 { timer.throttle.taskStarted() }
        _ = await timer.pass(2)
        let last = await timer.next()
        for _ in 0..<3 { timer.throttle.taskEnded() }
        last?.work()
        // The next poll starts with a new idle time.
        timer.throttle.taskStarted()
        #expect(await timer.pass(5) == Self.polls + [.microseconds(1_125)])
        await timer.end()
    }

    @Test func `a session that waits for its consumers reads once in each interval, for a limited time`()
        async
    {
        let timer = Timer(isBusy: false)
        let queues = Queues()
        let buffer = ByteBuffer(spillLimit: 0) {}
        timer.throttle.attach(to: queues.sessionQueues)
        timer.throttle.taskStarted()
        timer.throttle.bufferChanged(ObjectIdentifier(buffer), isFull: true)
        let reads = LockedState(0)
        var scheduled = 0
        while scheduled < ReadThrottle.maxReads + 1, let entry = await timer.next() {
            if entry.delay == ReadThrottle.readInterval {
                // Nothing was read since the last interval.
                #expect(timer.throttle.isWaiting && reads.withLock { $0 } == scheduled)
                scheduled += 1
                if scheduled <= ReadThrottle.maxReads {
                    queues.reading.async { reads.withLock { $0 += 1 } }
                }
            }
            entry.work()
        }
        #expect(timer.throttle.isWaiting)
        timer.throttle.bufferChanged(ObjectIdentifier(buffer), isFull: false)
        #expect(!timer.throttle.isWaiting)
        await timer.end()
    }

    @Test func `a session without these queues is not throttled`() {
        let polls = LockedState(0)
        let throttle = ReadThrottle(schedule: { _, _ in polls.withLock { $0 += 1 } })
        throttle.attach(to: nil)
        throttle.taskStarted()
        for _ in 0..<200 { throttle.didCallBack(withData: true) }
        #expect(polls.withLock { $0 } == 0)
        throttle.attach(to: Queues().sessionQueues)
        throttle.taskStarted()
        #expect(polls.withLock { $0 } == 1)
    }
}
#endif
