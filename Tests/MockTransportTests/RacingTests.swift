import Dispatch
import Foundation
import HTTPCore
import MockTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Clients with timeouts race slow replies on an automatic clock: each must end just when arithmetic says.
///
/// `RACES=5000 swift test --filter Racing` runs more of them.
@Suite struct RacingTests {
    /// What one client does next, in milliseconds of virtual time.
    private enum Step: Sendable {
        /// A request whose reply takes so long, with a timeout.
        case request(reply: Int, pieces: Int, timeout: Int)
        /// A request that is never answered.
        case stalled(timeout: Int)
        /// A pause of the client's own, such as a backoff.
        case pause(Int)
        /// A request answered at once while a timeout is set that must not fire.
        case quick(timeout: Int)
    }

    private static let cases = ProcessInfo.processInfo.environment["RACES"].flatMap { UInt64($0) } ?? 8

    @Test func `no timeout fires early, none late`() async throws {
        for seed in 0..<Self.cases { try await race(seed) }
    }

    private func race(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let lanes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            (0..<Int.random(in: 1...5, using: &random)).map { _ in Self.step(&random) }
        }
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route("/:lane<Int>/:step<Int>") { request in
                let lane = request["lane", as: Int.self] ?? 0
                let step = request["step", as: Int.self] ?? 0
                switch lanes[lane][step] {
                case .request(let reply, let pieces, _) where pieces > 0:
                    return Reply.text("0123456789").dribble(chunks: pieces, over: .milliseconds(reply))
                case .request(let reply, _, _): return Reply.text("tea").delay(.milliseconds(reply))
                case .stalled: return Reply.fault(.stall(.beforeHead))
                case .pause, .quick: return Reply.text("tea")
                }
            }.optional()
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: server.configuration, delegate: recorder,
            delegateQueue: Bool.random(using: &random) ? InlineQueue() : nil)
        defer { session.finishTasksAndInvalidate() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (lane, steps) in lanes.enumerated() {
                group.addTask {
                    var expected = 0
                    for (number, step) in steps.enumerated() {
                        let url = try #require(URL(string: "http://race.example/\(lane)/\(number)"))
                        let ended: Bool?
                        switch step {
                        case .pause(let pause):
                            try await clock.sleep(for: .milliseconds(pause))
                            ended = nil
                            expected += pause
                        case .request(let reply, _, let timeout):
                            ended = await Self.send(url, timeout, session, recorder, clock)
                            expected += min(reply, timeout)
                            #expect(ended == (reply < timeout), "seed \(seed), lane \(lane), step \(number)")
                        case .stalled(let timeout):
                            ended = await Self.send(url, timeout, session, recorder, clock)
                            expected += timeout
                            #expect(ended == false, "seed \(seed), lane \(lane), step \(number)")
                        case .quick(let timeout):
                            ended = await Self.send(url, timeout, session, recorder, clock)
                            #expect(ended == true, "seed \(seed), lane \(lane), step \(number)")
                        }
                        #expect(
                            clock.now.offset == .milliseconds(expected),
                            "seed \(seed), lane \(lane), step \(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Replies take an even time, timeouts an odd one: none is ever due together with the other.
    private static func step(_ random: inout SeededGenerator) -> Step {
        let timeout = 2 * Int.random(in: 1...2_000, using: &random) + 1
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .stalled(timeout: timeout)
        case 1, 2: return .pause(2 * Int.random(in: 1...2_000, using: &random))
        case 3, 4: return .quick(timeout: timeout)
        default:
            let pieces = [0, 0, 1, 2, 5].randomElement(using: &random) ?? 0
            return .request(
                reply: 10 * Int.random(in: 1...400, using: &random), pieces: pieces, timeout: timeout)
        }
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
