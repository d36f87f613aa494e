import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import Testing

/// Listings of every kind under every kind of trouble; `make simulate RUNS=1000000` runs many more.
@Suite(.timeLimit(.minutes(2))) struct SimulationTests {
    /// `SIMULATIONS` asks for another number, as under a sanitizer.
    private static let count =
        ProcessInfo.processInfo.environment["SIMULATIONS"].flatMap { UInt64($0) } ?? 2_000

    @Test func `a list is a prefix of the truth, complete or an error, and nothing leaks`() async {
        let tally = LockedState(Tally())
        await Shard(0..<Self.count, lanes: 8).run { result in
            tally.withLock { $0 += result.tally }
            #expect(result.broken.isEmpty, "make simulate SEED=\(result.scenario.seed)")
            return result.broken.isEmpty
        }
        let total = tally.withLock { $0 }
        // All of it happens, or nothing is shown.
        let share = Int(Self.count) / 100
        #expect(total.complete > 25 * share && total.failed > 10 * share)
        #expect(total.cancelled > 2 * share && total.left > 2 * share)
        #expect(total.retries > 10 * share && total.renewals > 5 * share && total.strangers > share / 2)
        print(total)
    }
}
