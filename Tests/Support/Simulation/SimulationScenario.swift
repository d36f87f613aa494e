import RESTClient

/// The random input of a simulation, determined by its seed: collection, server faults, client and consumer.
package struct SimulationScenario: Sendable {
    /// The API that lists the collection.
    enum API: CaseIterable, Sendable { case items, pages, elements, getAvailableItems }

    /// The behavior of the code that receives the items.
    enum Consumer: Sendable {
        case fast
        /// Sleeps after every fifth item.
        case slow
        /// Cancels its own task after the given number of items.
        case cancellingAfter(Int)
        /// Is cancelled by another task at the given time.
        case cancelledAt(Duration)
        /// Leaves the loop after the given number of items.
        case stoppingAfter(Int)
        /// Resumes after a failure, up to the given number of times.
        case resuming(Int)
    }

    /// The credentials that the client sends.
    enum Credentials: Sendable {
        case none
        /// An API key header and a cookie.
        case headers
        /// A bearer token. Every `refreshEvery` pages the server requires a new one; never if 0.
        case bearerToken(hasInitialToken: Bool, refreshEvery: Int)
    }

    package let seed: UInt64
    let collection: SimulatedCollection
    let faults: FaultPlan
    let api: API
    let consumer: Consumer
    let credentials: Credentials
    let listing: ItemListing
    /// The maximum number of attempts; 1 means no retry policy.
    let attempts: Int
    /// The retry budget: its initial tokens, and the tokens it earns for each request.
    let budget: (capacity: Int, perRequest: Double)?
    let timeouts: Timeouts
    let backoffSeed: UInt64

    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        collection = SimulatedCollection(&random)
        let canStall = Int.random(in: 0..<3, using: &random) == 0
        faults = FaultPlan(&random, canStall: canStall)
        api = API.allCases.randomElement(using: &random) ?? .items
        let items = Int.random(in: 0...max(1, min(collection.count, 60)), using: &random)
        consumer =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .slow
            case 1: .cancellingAfter(items)
            case 2: .cancelledAt(.milliseconds(2 * Int.random(in: 0...10_000, using: &random) + 1))
            case 3: .stoppingAfter(items)
            case 4...6 where collection.canBeResumed: .resuming(40)
            default: .fast
            }
        credentials =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .headers
            case 1:
                .bearerToken(
                    hasInitialToken: Bool.random(using: &random),
                    refreshEvery: Int.random(in: 0...5, using: &random))
            default: .none
            }
        listing = Self.listing(&random, collection)
        attempts = Int.random(in: 1...4, using: &random)
        budget =
            [nil, (10, 0.1), (3, 0.5), (0, 0.2), (100, 1)].randomElement(using: &random) ?? nil
        let hasTotal = Int.random(in: 0..<6, using: &random) == 0
        timeouts = Timeouts(
            idle: canStall || Bool.random(using: &random)
                ? .milliseconds(2 * Int.random(in: 2_500...15_000, using: &random) + 1) : nil,
            total: hasTotal ? .milliseconds(2 * Int.random(in: 500...60_000, using: &random) + 1) : nil)
        backoffSeed = random.next()
    }

    private static func listing(
        _ random: inout SeededGenerator, _ collection: SimulatedCollection
    ) -> ItemListing {
        let hasFewPages = Int.random(in: 0..<5, using: &random) == 0
        let hasFewBytes = Int.random(in: 0..<12, using: &random) == 0
        return ItemListing(
            at: collection.paging.path, pagination: collection.paging.pagination,
            maxConcurrentPages: Int.random(in: 1...6, using: &random),
            maxPages: collection.isEndless || hasFewPages ? Int.random(in: 1...20, using: &random) : 1_000,
            maxItemBytes: hasFewBytes ? Int.random(in: 4...40, using: &random) : 16 << 20,
            maxBytes: hasFewBytes ? Int64.random(in: 100...2_000, using: &random) : 4 << 30)
    }

    /// `true` if no fault, limit or cancellation can keep the list from becoming complete.
    var mustComplete: Bool {
        guard faults.faultRate == 0, collection.loop == nil, collection.crossOriginPage == nil,
            !collection.isEndless, timeouts.total == nil,
            listing.maxPages > collection.pageCount, listing.maxBytes == 4 << 30,
            timeouts.idle.map({ $0 > .seconds(20) }) ?? true
        else { return false }
        if case .bearerToken(_, let every) = credentials, every > 0 { return false }
        return switch consumer {
        case .fast, .slow, .resuming: true
        case .cancellingAfter, .cancelledAt, .stoppingAfter: false
        }
    }
}

extension SimulationScenario: CustomStringConvertible {
    package var description: String {
        """
        seed \(seed)
          collection: \(collection.count) \(collection.itemType) items on \(collection.pageCount) pages, \(collection.paging)\
        \(collection.paging.isNumbered ? ", \(collection.reportedTotal) total" : "")\(collection.isEndless ? ", endless" : "")\
        \(collection.loop.map { ", page \($0.from + 1) leads to page \($0.to + 1)" } ?? "")\
        \(collection.crossOriginPage.map { ", page \($0 + 1) leads to another origin" } ?? "")
          faults: \(faults.faultRate) of the requests
          client: \(api), \(credentials), consumer \(consumer)
          limits: \(listing.maxConcurrentPages) concurrent pages, \(listing.maxPages) pages, \(listing.maxItemBytes) bytes per item, \
        \(listing.maxBytes) bytes
          retry: \(attempts) attempts, budget \(budget.map { "\($0)" } ?? "none")
          timeouts: idle \(timeouts.idle.map { "\($0)" } ?? "none"), total \(timeouts.total.map { "\($0)" } ?? "none")
        """
    }
}
