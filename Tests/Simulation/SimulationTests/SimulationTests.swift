import HTTPCore
import Simulation
import Testing

/// Listings of every kind under every kind of trouble; `make simulate RUNS=1000000` runs many more.
@Suite(.timeLimit(.minutes(2))) struct SimulationTests {
    @Test func `a list is a prefix of the truth, complete or an error, and nothing leaks`() async {
        let tally = Lock(Tally())
        await Shard(0..<2_000, lanes: 8).run { result in
            tally.withLock { $0 += result.tally }
            #expect(result.broken.isEmpty, "make simulate SEED=\(result.scenario.seed)")
            return result.broken.isEmpty
        }
        let total = tally.withLock { $0 }
        // All of it happens, or nothing is shown.
        #expect(total.complete > 500 && total.failed > 200 && total.cancelled > 50 && total.left > 50)
        #expect(total.retries > 200 && total.renewals > 100 && total.strangers > 20)
        print(total)
    }
}
