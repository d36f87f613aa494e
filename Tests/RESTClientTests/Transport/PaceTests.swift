#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import RESTClientHTTP
import Testing

@testable import RESTClient

@Suite struct PaceTests {
    /// What a session has, without the session.
    private struct Queues: Sendable {
        let work: DispatchQueue
        let reading: DispatchQueue
        let other: DispatchQueue
        var asReading: ReadingQueue { ReadingQueue(reading, runBy: work) }

        init(runBy shared: DispatchQueue? = nil) {
            work = DispatchQueue(label: "work", target: shared)
            reading = DispatchQueue(label: "reading", target: work)
            other = DispatchQueue(label: "other", target: work)
        }
    }

    /// What a pace wants done later, one after the other; done when the test says so.
    private struct Timer {
        struct Entry: Sendable {
            let delay: Duration
            let work: @Sendable () -> Void
        }
        let pace: Pace
        private let entries: AsyncStream<Entry>

        /// - Parameter isBusy: whether the process has a processor for itself while the time passes.
        init(isBusy: Bool = true) {
            let (entries, source) = AsyncStream.makeStream(of: Entry.self)
            self.entries = entries
            let processorTime = LockedState(Duration.zero)
            pace = Pace {
                processorTime.withLock { $0 }
            } schedule: { delay, work in
                if isBusy { processorTime.withLock { $0 += delay } }
                source.yield(Entry(delay: delay, work: work))
            }
        }

        /// The next `count` delays, each of which passes at once.
        func pass(_ count: Int) async -> [Duration] {
            var delays: [Duration] = []
            for await entry in entries {
                delays.append(entry.delay)
                entry.work()
                if delays.count == count { break }
            }
            return delays
        }

        /// Ends what is under way, and a rest: a queue must not be let go while it is suspended.
        func end() async {
            let last = await next()
            pace.end()
            last?.work()
        }

        /// The next one, which does not pass yet.
        func next() async -> Entry? {
            var iterator = entries.makeAsyncIterator()
            return await iterator.next()
        }
    }

    @Test func `A20 A21 the queue of a session is where it is looked for`() {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        #expect(ReadingQueue(of: session) != nil)
    }

    // MARK: Yields

    @Test(arguments: [false, true])
    func `A20 a queue that is never empty lets no other have its turn unless it yields`(yields: Bool) async {
        let queues = Queues()
        let hasRun = LockedState(false)
        let most = 1_000

        // As libcurl reads: what comes next is on the queue before this is done.
        @Sendable func read(_ round: Int, _ done: CheckedContinuation<Int, Never>) {
            if round == 0 { queues.other.async { hasRun.withLock { $0 = true } } }
            guard round < most, !hasRun.withLock({ $0 }) else { return done.resume(returning: round) }
            queues.reading.async { read(round + 1, done) }
            if yields, round.isMultiple(of: 100) { queues.asReading.yield() }
        }
        let rounds = await withCheckedContinuation { done in queues.reading.async { read(0, done) } }
        #expect(yields ? rounds == 1 : rounds == most)
    }

    @Test(arguments: [true, false])
    func `it yields after every hundred chunks`(areChunks: Bool) async {
        let queues = Queues()
        let pace = Pace()
        pace.keep(queues.asReading)
        let order = LockedState<[String]>([])
        // On the queue that runs both, as a callback is: what it lets in comes before what is read next.
        await withCheckedContinuation { done in
            queues.work.async {
                for _ in 0..<Pace.chunksBetweenYields { pace.called(withChunk: areChunks) }
                let group = DispatchGroup()
                queues.reading.async(group: group) { order.withLock { $0.append("reading") } }
                queues.work.async(group: group) { order.withLock { $0.append("work") } }
                group.notify(queue: .global()) { done.resume() }
            }
        }
        #expect(order.withLock { $0 } == (areChunks ? ["work", "reading"] : ["reading", "work"]))
    }

    @Test func `A20 the other sessions have their turn, too`() async {
        let shared = DispatchQueue(label: "shared")
        let queues = Queues(runBy: shared)
        let hasRun = LockedState(false)
        let most = 20_000

        @Sendable func read(_ round: Int, _ done: CheckedContinuation<Int, Never>) {
            if round == 0 { shared.async { hasRun.withLock { $0 = true } } }
            guard round < most, !hasRun.withLock({ $0 }) else { return done.resume(returning: round) }
            queues.reading.async { read(round + 1, done) }
            if round.isMultiple(of: 100) { queues.asReading.yield() }
        }
        let rounds = await withCheckedContinuation { done in queues.reading.async { read(0, done) } }
        #expect(rounds < most)
    }

    // MARK: Rests

    /// The looks before the first rest.
    private static let looks: [Duration] = [
        .milliseconds(5), .milliseconds(5), .milliseconds(5), .microseconds(7_500),
    ]

    @Test func `A21 the longer nothing comes, the longer are the rests`() async {
        let timer = Timer()
        timer.pace.keep(Queues().asReading)
        timer.pace.begin()
        #expect(await timer.pass(4) == Self.looks)
        let rests = await timer.pass(300)
        #expect(rests.first == .microseconds(1_125))
        #expect(rests.last == .milliseconds(10))
        #expect(rests == rests.sorted())
        await timer.end()
    }

    @Test func `A21 nothing is read during a rest, and all that came is read behind it`() async {
        let timer = Timer()
        let queues = Queues()
        timer.pace.keep(queues.asReading)
        timer.pace.begin()
        _ = await timer.pass(4)
        let rest = await timer.next()
        let hasRead = LockedState(false)
        queues.reading.async {
            hasRead.withLock { $0 = true }
            timer.pace.called()
        }
        await withCheckedContinuation { done in queues.work.async { done.resume() } }
        #expect(!hasRead.withLock { $0 })
        rest?.work()
        // It has seen what was read: no rest follows.
        let last = await timer.next()
        #expect(last?.delay == .milliseconds(5))
        #expect(hasRead.withLock { $0 })
        timer.pace.end()
        last?.work()
    }

    @Test func `a wait that keeps no processor busy has no rests, and is looked at less and less often`()
        async
    {
        let timer = Timer(isBusy: false)
        timer.pace.keep(Queues().asReading)
        timer.pace.begin()
        let looks = await timer.pass(50)
        #expect(looks.prefix(4) == Self.looks[...])
        #expect(looks.last == .milliseconds(100))
        #expect(looks == looks.sorted())
        await timer.end()
    }

    @Test func `whatever comes puts the rest off`() async {
        let timer = Timer()
        timer.pace.keep(Queues().asReading)
        timer.pace.begin()
        for isChunk in [true, false] {
            _ = await timer.pass(3)
            timer.pace.called(withChunk: isChunk)
        }
        // The one that sees it, and those of a new wait.
        #expect(await timer.pass(6).dropFirst() == Self.looks + [.microseconds(1_125)])
        await timer.end()
    }

    @Test func `A21 what begins ends the rest, and starts a wait of its own`() async {
        let timer = Timer()
        let queues = Queues()
        timer.pace.keep(queues.asReading)
        timer.pace.begin()
        _ = await timer.pass(100)
        let rest = await timer.next()
        let hasRead = LockedState(false)
        queues.reading.async { hasRead.withLock { $0 = true } }
        timer.pace.begin()
        await withCheckedContinuation { done in queues.work.async { done.resume() } }
        #expect(hasRead.withLock { $0 }, "before the rest's time is up")
        rest?.work()
        #expect(await timer.pass(5) == Self.looks + [.microseconds(1_125)])
        timer.pace.end()
        await timer.end()
    }

    @Test func `nobody looks when nothing is under way, and once when several are`() async {
        let timer = Timer()
        timer.pace.keep(Queues().asReading)
        for _ in 0..<3 { timer.pace.begin() }
        _ = await timer.pass(2)
        let last = await timer.next()
        for _ in 0..<3 { timer.pace.end() }
        last?.work()
        // The next look is that of a new beginning.
        timer.pace.begin()
        #expect(await timer.pass(5) == Self.looks + [.microseconds(1_125)])
        await timer.end()
    }

    @Test func `a session without such queues is left alone`() {
        let looks = LockedState(0)
        let pace = Pace(schedule: { _, _ in looks.withLock { $0 += 1 } })
        pace.keep(nil)
        pace.begin()
        for _ in 0..<200 { pace.called(withChunk: true) }
        #expect(looks.withLock { $0 } == 0)
        pace.keep(Queues().asReading)
        pace.begin()
        #expect(looks.withLock { $0 } == 1)
    }
}
#endif
