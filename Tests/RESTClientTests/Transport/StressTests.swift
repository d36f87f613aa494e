import Foundation
import HTTPCore
import MockTransport
import RESTClient
import Testing

/// Many calls cancelled at random moments: every one ends, once, with its answer or with `CancellationError`.
@Suite struct StressTests {
    private static let shop = "http://stress.example"

    /// How many calls a run makes; `STRESS_CALLS` asks for more.
    private static let calls = ProcessInfo.processInfo.environment["STRESS_CALLS"].flatMap(Int.init) ?? 2_000

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `every call ends once, whenever it is cancelled`(seed: UInt64) async throws {
        let server = MockServer {
            Route(.get, "/now") { Reply.text("ok") }
            Route(.get, "/soon") { Reply.text("ok").delay(.milliseconds(1)) }
            Route(.get, "/handler") { _ in
                await Task.yield()
                return .text("ok")
            }
            Route(.get, "/redirect") { Reply.redirect(to: "/soon") }
            Route(.get, "/never") { Reply.text("late").delay(.seconds(3600)) }
            Route(.get, "/error") { Reply.error(URLError(.networkConnectionLost)) }
        }
        let manager = SessionManager(configuration: server.configuration)
        let tally = try await Self.storm(calls: Self.calls, inFlight: 64, seed: seed, over: manager)
        #expect(tally.answered + tally.failed + tally.cancelled == Self.calls)
        #expect(tally.cancelled >= Self.calls / 4)
        #expect(tally.answered >= Self.calls / 4)
        await manager.shutdown()
    }

    struct Tally: Sendable {
        var answered = 0
        var failed = 0
        var cancelled = 0
    }

    static func storm(
        calls: Int, inFlight: Int, seed: UInt64, over manager: SessionManager
    ) async throws -> Tally {
        var random = SeededGenerator(seed: seed)
        var tally = Tally()
        try await withThrowingTaskGroup(of: Tally.self) { group in
            for number in 0..<calls {
                if number >= inFlight, let one = try await group.next() { tally.add(one) }
                let path = try #require(
                    ["now", "soon", "handler", "redirect", "never", "error"].randomElement(using: &random))
                // What never answers must be cancelled; of the others, about a third are.
                let isCancelled = path == "never" || Int.random(in: 0..<3, using: &random) == 0
                let delay = isCancelled ? Int.random(in: 0..<1_500, using: &random) : nil
                let url = try #require(URL(string: "\(shop)/\(path)"))
                group.addTask { try await call(url, cancelledAfter: delay, over: manager) }
            }
            for try await one in group { tally.add(one) }
        }
        return tally
    }

    /// One call; `delay` counts in microseconds.
    private static func call(
        _ url: URL, cancelledAfter delay: Int?, over manager: SessionManager
    ) async throws -> Tally {
        let call = Task { try await manager.request(url).string() }
        if let delay {
            // Not a wait for luck: the moment is meant to be random, from before the start to after the end.
            if delay > 200 { try await Task.sleep(for: .microseconds(delay)) }
            call.cancel()
        }
        do {
            let text = try await call.value
            return text == "ok" ? Tally(answered: 1) : Tally(failed: 1)
        } catch is CancellationError {
            return Tally(cancelled: 1)
        } catch {
            return Tally(failed: 1)
        }
    }
}

extension StressTests.Tally {
    fileprivate mutating func add(_ other: Self) {
        answered += other.answered
        failed += other.failed
        cancelled += other.cancelled
    }
}
