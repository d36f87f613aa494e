import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import RESTClientTestSupport
import Testing

// Exit tests exist on macOS and Linux only, so the other arm is empty.
#if os(macOS) || os(Linux)
/// Clients with timeouts and slow replies on an automatic clock. Each must end at the computed time.
///
/// They run in separate processes, so that other tests do not affect the idle detection.
/// `RACES=5000 swift test --filter Racing` runs more of them, including those with load, which would starve other tests.
@Suite struct RacingTests {
    @Test func `timeouts fire exactly on time`() async {
        await #expect(processExitsWith: .success) {
            for seed in 0..<Race.count(or: 5) { try await Race(seed: seed).run() }
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["RACES"] != nil))
    func `timeouts fire exactly on time while other work uses all threads`() async {
        await #expect(processExitsWith: .success) {
            let noise = (0..<3).map { number in
                Task.detached {
                    while !Task.isCancelled {
                        Race.compute(for: .milliseconds(3 * number + 1))
                        // Some threads run continuously, some sleep occasionally.
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
#endif

/// Several clients, each with a list of steps.
struct Race {
    /// A step of a client, in milliseconds of virtual time.
    enum Step: Sendable {
        /// A request with a reply delay and a timeout.
        case request(reply: Int, pieces: Int, timeout: Int)
        /// A request without an answer.
        case stalled(timeout: Int)
        /// A wait of the client, such as a backoff.
        case pause(Int)
        /// A request that is answered immediately, with a timeout that must not fire.
        case quick(timeout: Int)
        /// A request whose handler sends a nested request with a reply delay.
        case nested(reply: Int, timeout: Int)
        /// Work in real time, which takes no virtual time.
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

    /// Reply delays are even and timeouts odd, so they never end at the same time.
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
        let kitchen = inner.session(cook)
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
        let session = server.session(recorder, isInline: isInline)
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

    /// Returns `true` if the reply arrived before the timeout.
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
