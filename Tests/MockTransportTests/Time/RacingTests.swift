import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Clients with timeouts race slow replies on an automatic clock: each must end just when arithmetic says.
///
/// In processes of their own, where it is quiet, or as noisy as the test says.
/// `RACES=5000 swift test --filter Racing` runs more of them, and those in noise, which would starve the other tests.
@Suite struct RacingTests {
    @Test func `no timeout fires early, none late`() async {
        await #expect(processExitsWith: .success) {
            for seed in 0..<Race.count(or: 16) { try await Race(seed: seed).run() }
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["RACES"] != nil))
    func `nor where others keep every thread of the process busy`() async {
        await #expect(processExitsWith: .success) {
            let noise = (0..<3).map { number in
                Task.detached {
                    while !Task.isCancelled {
                        Race.compute(for: .milliseconds(3 * number + 1))
                        // Some run on and on, some go to sleep now and then.
                        if number < 2 { try await Task.sleep(for: .milliseconds(number)) }
                        await Task.yield()
                    }
                }
            }
            for seed in 0..<Race.count(or: 30) / 15 { try await Race(seed: seed).run() }
            for noise in noise { noise.cancel() }
        }
    }
}

/// Some clients, each with a list of things to do, one after the other.
struct Race {
    /// What one client does next, in milliseconds of virtual time.
    enum Step: Sendable {
        /// A request whose reply takes so long, with a timeout.
        case request(reply: Int, pieces: Int, timeout: Int)
        /// A request that is never answered.
        case stalled(timeout: Int)
        /// A pause of the client's own, such as a backoff.
        case pause(Int)
        /// A request answered at once while a timeout is set that must not fire.
        case quick(timeout: Int)
        /// A request to a server that asks itself, whose reply takes so long.
        case nested(reply: Int, timeout: Int)
        /// So many milliseconds of real work, which take no virtual time.
        case work(Int)
    }

    let seed: UInt64
    private let lanes: [[Step]]
    private let isInline: Bool

    static func count(or usual: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment["RACES"].flatMap { UInt64($0) } ?? usual
    }

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        lanes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            (0..<Int.random(in: 1...5, using: &random)).map { _ in Self.step(&random) }
        }
        isInline = Bool.random(using: &random)
    }

    /// Replies take an even time, timeouts an odd one: none is ever due together with the other.
    private static func step(_ random: inout SeededGenerator) -> Step {
        let timeout = 2 * Int.random(in: 1...2_000, using: &random) + 1
        let reply = 10 * Int.random(in: 1...400, using: &random)
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1: return .stalled(timeout: timeout)
        case 2...5: return .pause(2 * Int.random(in: 1...2_000, using: &random))
        case 6...10: return .quick(timeout: timeout)
        case 11, 12: return .nested(reply: reply, timeout: timeout)
        case 13: return .work(Int.random(in: 1...20, using: &random))
        default:
            let pieces = [0, 0, 1, 2, 5].randomElement(using: &random) ?? 0
            return .request(reply: reply, pieces: pieces, timeout: timeout)
        }
    }

    func run() async throws {
        let clock = VirtualClock()
        let inner = MockServer(clock: clock) {
            Route("/:milliseconds<Int>") { request in
                .text("tea").delay(.milliseconds(request["milliseconds", as: Int.self] ?? 0))
            }.optional()
        }
        let cook = Recorder()
        let kitchen = URLSession(configuration: inner.configuration, delegate: cook, delegateQueue: nil)
        defer { kitchen.finishTasksAndInvalidate() }
        let server = MockServer(clock: clock) {
            Route("/:lane<Int>/:step<Int>") { [lanes] request in
                switch lanes[request["lane", as: Int.self] ?? 0][request["step", as: Int.self] ?? 0] {
                case .request(let reply, let pieces, _) where pieces > 0:
                    return Reply.text("0123456789").dribble(chunks: pieces, over: .milliseconds(reply))
                case .request(let reply, _, _): return Reply.text("tea").delay(.milliseconds(reply))
                case .stalled: return Reply.fault(.stall(.beforeHead))
                case .nested(let reply, _):
                    let url = try #require(URL(string: "http://kitchen.example/\(reply)"))
                    return .data(await cook.run(kitchen.dataTask(with: url)).body)
                case .pause, .quick, .work: return Reply.text("tea")
                }
            }.optional()
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: server.configuration, delegate: recorder,
            delegateQueue: isInline ? InlineQueue() : nil)
        defer { session.finishTasksAndInvalidate() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes.indices {
                group.addTask { try await run(lane, session, recorder, clock) }
            }
            try await group.waitForAll()
        }
    }

    private func run(
        _ lane: Int, _ session: URLSession, _ recorder: Recorder, _ clock: VirtualClock
    ) async throws {
        var expected = 0
        for (number, step) in lanes[lane].enumerated() {
            let url = try #require(URL(string: "http://race.example/\(lane)/\(number)"))
            let place: Comment = "seed \(seed), lane \(lane), step \(number): \(step)"
            func send(_ timeout: Int) async -> Bool {
                await Self.send(url, timeout, session, recorder, clock)
            }
            switch step {
            case .work(let milliseconds):
                Self.compute(for: .milliseconds(milliseconds))
            case .pause(let pause):
                try await clock.sleep(for: .milliseconds(pause))
                expected += pause
            case .request(let reply, _, let timeout), .nested(let reply, let timeout):
                #expect(await send(timeout) == (reply < timeout), place)
                expected += min(reply, timeout)
            case .stalled(let timeout):
                #expect(await send(timeout) == false, place)
                expected += timeout
            case .quick(let timeout):
                #expect(await send(timeout), place)
            }
            #expect(clock.now.offset == .milliseconds(expected), place)
        }
    }

    /// Keeps a thread busy.
    static func compute(for duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {}
    }

    /// Whether the reply came before the timeout.
    private static func send(
        _ url: URL, _ timeout: Int, _ session: URLSession, _ recorder: Recorder, _ clock: VirtualClock
    ) async -> Bool {
        let task = session.dataTask(with: url)
        let timer = Task {
            try await clock.sleep(for: .milliseconds(timeout), tolerance: .zero)
            DispatchQueue.global().async { task.cancel() }
        }
        let transcript = await recorder.run(task)
        timer.cancel()
        return transcript.error == nil
    }
}
