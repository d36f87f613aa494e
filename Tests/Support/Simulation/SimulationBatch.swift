import RESTClientHTTP

/// The counts of one or more simulations.
package struct SimulationCounts: Sendable, CustomStringConvertible {
    package var listings = 0
    package var items = 0
    package var requests = 0
    package var retries = 0
    package var complete = 0
    package var failed = 0
    package var cancelled = 0
    /// Listings whose consumer left the loop early.
    package var stopped = 0
    /// Requests that were redirected to another origin.
    package var crossOriginRequests = 0
    package var tokenRequests = 0
    package var virtualTime = Duration.zero

    package init() {}

    package static func += (left: inout Self, right: Self) {
        left.listings += right.listings
        left.items += right.items
        left.requests += right.requests
        left.retries += right.retries
        left.complete += right.complete
        left.failed += right.failed
        left.cancelled += right.cancelled
        left.stopped += right.stopped
        left.crossOriginRequests += right.crossOriginRequests
        left.tokenRequests += right.tokenRequests
        left.virtualTime += right.virtualTime
    }

    package var description: String {
        """
        \(listings) listings: \(complete) complete, \(failed) failed, \(cancelled) cancelled, \(stopped) stopped; \
        \(items) items, \(requests) requests, \(retries) retries, \(tokenRequests) token requests, \
        \(crossOriginRequests) requests to another origin; \(virtualTime.components.seconds / 3600) virtual hours
        """
    }
}

/// A range of seeds to simulate, several at the same time.
package struct SimulationBatch: Sendable {
    private let seeds: Range<UInt64>
    private let concurrency: Int

    package init(_ seeds: Range<UInt64>, concurrency: Int) {
        self.seeds = seeds
        self.concurrency = concurrency
    }

    /// Simulates all seeds and calls `report` with each result. Stops early if it returns `false`.
    package func run(_ report: @escaping @Sendable (Simulation.Result) -> Bool) async {
        await Self.forEach(seeds, concurrency: concurrency) { report(await Simulation.run(seed: $0)) }
    }

    /// Calls `run` with each seed, several at the same time, until it returns `false`.
    static func forEach(
        _ seeds: Range<UInt64>, concurrency: Int, _ run: @escaping @Sendable (UInt64) async -> Bool
    ) async {
        let left = LockedState(seeds)
        await withTaskGroup { group in
            for _ in 0..<concurrency {
                group.addTask {
                    while let seed = left.withLock({ $0.popFirst() }) {
                        if !(await run(seed)) { left.withLock { $0 = $0.upperBound..<$0.upperBound } }
                    }
                }
            }
        }
    }
}
