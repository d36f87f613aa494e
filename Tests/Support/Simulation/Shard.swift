import RESTClientHTTP

/// What many simulations came to.
package struct Tally: Sendable {
    package var listings = 0
    package var items = 0
    package var requests = 0
    package var retries = 0
    package var complete = 0
    package var failed = 0
    package var cancelled = 0
    package var left = 0
    /// Requests that a redirect took to another origin.
    package var strangers = 0
    package var renewals = 0
    /// Virtual time.
    package var time = Duration.zero

    package init() {}

    package static func += (left: inout Self, right: Self) {
        left.listings += right.listings
        left.items += right.items
        left.requests += right.requests
        left.retries += right.retries
        left.complete += right.complete
        left.failed += right.failed
        left.cancelled += right.cancelled
        left.left += right.left
        left.strangers += right.strangers
        left.renewals += right.renewals
        left.time += right.time
    }
}

extension Tally: CustomStringConvertible {
    package var description: String {
        """
        \(listings) listings: \(complete) complete, \(failed) failed, \(cancelled) cancelled, \(left) left; \
        \(items) items, \(requests) requests, \(retries) retries, \(renewals) tokens, \(strangers) at another origin; \
        \(time.components.seconds / 3600) virtual hours
        """
    }
}

/// A range of seeds, run several at a time.
package struct Shard: Sendable {
    package var seeds: Range<UInt64>
    package var lanes: Int

    package init(_ seeds: Range<UInt64>, lanes: Int = 8) {
        self.seeds = seeds
        self.lanes = lanes
    }

    /// Runs every seed; each result is handed to `report` as it comes, which says whether to go on.
    package func run(_ report: @escaping @Sendable (Simulation.Result) -> Bool) async {
        let next = LockedState(seeds.lowerBound)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<lanes {
                group.addTask {
                    while let seed = next.withLock({ next -> UInt64? in
                        guard next < seeds.upperBound else { return nil }
                        defer { next += 1 }
                        return next
                    }) {
                        let result = await Simulation.run(seed: seed)
                        guard report(result) else {
                            next.withLock { $0 = seeds.upperBound }
                            return
                        }
                    }
                }
            }
        }
    }
}
