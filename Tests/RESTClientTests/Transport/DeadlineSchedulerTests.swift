import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

@Suite struct DeadlineSchedulerTests {
    /// Reports its calls, and returns each of `next` once.
    private struct Handler: DeadlineHandler {
        let name: Int
        let calls: AsyncStream<Int>.Continuation
        let next: LockedState<[Duration]>

        init(_ name: Int, _ calls: AsyncStream<Int>.Continuation, next: [Duration] = []) {
            self.name = name
            self.calls = calls
            self.next = LockedState(next)
        }

        func deadlineReached() -> Duration? {
            calls.yield(name)
            return next.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    private let clock = VirtualClock(.stepped)
    private let scheduler: DeadlineScheduler
    private let calls: AsyncStream<Int>.Continuation
    private let stream: AsyncStream<Int>

    init() {
        scheduler = DeadlineScheduler(clock: AnyClock(clock))
        (stream, calls) = AsyncStream.makeStream()
    }

    private func advance(_ seconds: Int) async throws {
        // The clock advances only while a task waits, and the sleeps of the scheduler are timeouts.
        let wait = Task { [clock] in try await clock.sleep(until: clock.now.advanced(by: .seconds(1_000_000)))
        }
        defer { wait.cancel() }
        try await clock.advance(by: .seconds(seconds))
    }

    /// Returns the names of the next `count` handlers that are called.
    private func called(_ count: Int) async -> [Int] {
        count == 0 ? [] : await stream.prefix(count).reduce(into: []) { $0.append($1) }
    }

    @Test(.hangLimit) func `a handler is called again at the deadline that it returns`() async throws {
        _ = scheduler.add(Handler(1, calls, next: [.seconds(20), .seconds(40)]), due: .seconds(10))
        _ = scheduler.add(Handler(2, calls), due: .seconds(30))
        for expected in [1, 1, 2, 1] {
            try await advance(10)
            #expect(await called(1) == [expected])
        }
    }

    @Test(.hangLimit, arguments: 0..<5 as Range<UInt64>)
    func `of random handlers those are called that are due and not removed`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var model: [Int: (token: Int, due: Int)] = [:]
        var now = 0
        for name in 0..<100 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                if let removed = model.keys.sorted().randomElement(using: &random) {
                    scheduler.remove(model[removed]?.token ?? 0)
                    model[removed] = nil
                }
            case 1:
                let step = Int.random(in: 1..<30, using: &random)
                now += step
                try await advance(step)
                let expected = model.filter { $0.value.due <= now }
                let names = await called(expected.count)
                #expect(Set(names) == Set(expected.keys))
                #expect(names.compactMap { model[$0]?.due } == expected.values.map(\.due).sorted())
                for name in expected.keys { model[name] = nil }
            default:
                let due = now + Int.random(in: 1..<100, using: &random)
                model[name] = (scheduler.add(Handler(name, calls), due: .seconds(due)), due)
            }
        }
    }
}
