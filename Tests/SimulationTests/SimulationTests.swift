import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// Random listings with server faults. `make simulate RUNS=1000000` runs more of them.
@Suite(.hangLimit) struct SimulationTests {
    /// The number of listings; `SIMULATIONS` overrides it.
    private static let count =
        ProcessInfo.processInfo.environment["SIMULATIONS"].flatMap { UInt64($0) } ?? 60

    @Test
    func `random listings are complete or fail, and never lose items, repeat items or leak secrets`() async {
        let counts = LockedState(SimulationCounts())
        await SimulationBatch(0..<Self.count, concurrency: 8).run { result in
            counts.withLock { $0 += result.counts }
            #expect(result.violations.isEmpty, "make simulate SEED=\(result.scenario.seed)")
            return result.violations.isEmpty
        }
        let total = counts.withLock { $0 }
        print(total)
        // The run proves little unless each result occurs often enough. A shorter run, as for sanitizers, varies too much.
        guard Self.count >= 60 else { return }
        let percent = Double(Self.count) / 100
        #expect(Double(total.complete) > 25 * percent && Double(total.failed) > 10 * percent)
        #expect(Double(total.cancelled) > 2 * percent && Double(total.stopped) > 2 * percent)
        #expect(Double(total.retries) > 10 * percent && Double(total.tokenRequests) > 5 * percent)
        #expect(Double(total.crossOriginRequests) > percent / 2)
    }

    /// `RESTClientSimulate --moving PAGES` lists more of them.
    @Test
    func `lists that change while they are read are complete or fail, and deliver no item twice`() async {
        let counts = await MovingListCounts.of(0..<40, concurrency: 4)
        print(counts)
        for violation in counts.violations { Issue.record("\(violation)") }
        #expect(counts.moved > 5 && counts.failedPercent < MovingListCounts.maxFailedPercent)
    }
}
