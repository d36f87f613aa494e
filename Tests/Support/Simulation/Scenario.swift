import RESTClientHTTP
import RESTClient

/// All of one simulation that its seed decides: collection, weather, client and consumer.
package struct Scenario: Sendable {
    /// How the list is asked for.
    package enum Door: CaseIterable, Sendable { case items, pages, elements, whole }

    /// Who reads.
    package enum Consumer: Sendable {
        case fast
        /// Pauses now and then, on the clock.
        case slow
        /// Cancels its own task behind so many items.
        case cancellingAfter(Int)
        /// Is cancelled at a moment.
        case cancelledAt(Duration)
        /// Leaves the loop behind so many items.
        case leavingAfter(Int)
        /// Goes on where a failure ended it, up to so many times.
        case resuming(Int)
    }

    /// How the client says who it is.
    package enum Identity: Sendable {
        case none
        /// A header and a cookie of the caller's.
        case headers
        /// A bearer token that is renewed; pages ask for a younger one every so many pages, never if 0.
        case token(isThereAtFirst: Bool, renewedEvery: Int)
    }

    package let seed: UInt64
    let collection: Collection
    let weather: Weather
    let door: Door
    let consumer: Consumer
    let identity: Identity
    let listing: ItemListing
    /// Attempts in all; 1 is without a retry policy.
    let attempts: Int
    /// Tokens that the retry budget begins with and earns for a request.
    let budget: (capacity: Int, perRequest: Double)?
    let timeouts: Timeouts
    let backoffSeed: UInt64

    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        collection = Collection(&random)
        let mayStall = Int.random(in: 0..<3, using: &random) == 0
        weather = Weather(&random, mayStall: mayStall)
        door = Door.allCases.randomElement(using: &random) ?? .items
        let items = Int.random(in: 0...max(1, min(collection.count, 60)), using: &random)
        consumer =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .slow
            case 1: .cancellingAfter(items)
            case 2: .cancelledAt(.milliseconds(2 * Int.random(in: 0...10_000, using: &random) + 1))
            case 3: .leavingAfter(items)
            // A token does not say which pages came before it: a circle that was entered anew is not seen at once.
            case 4...6 where collection.trap == nil: .resuming(40)
            default: .fast
            }
        identity =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .headers
            case 1:
                .token(
                    isThereAtFirst: Bool.random(using: &random),
                    renewedEvery: Int.random(in: 0...5, using: &random))
            default: .none
            }
        listing = Self.listing(&random, collection)
        attempts = Int.random(in: 1...4, using: &random)
        budget =
            [nil, (10, 0.1), (3, 0.5), (0, 0.2), (100, 1)].randomElement(using: &random) ?? nil
        let hasTotal = Int.random(in: 0..<6, using: &random) == 0
        timeouts = Timeouts(
            idle: mayStall || Bool.random(using: &random)
                ? .milliseconds(2 * Int.random(in: 2_500...15_000, using: &random) + 1) : nil,
            total: hasTotal ? .milliseconds(2 * Int.random(in: 500...60_000, using: &random) + 1) : nil)
        backoffSeed = random.next()
    }

    private static func listing(_ random: inout SeededGenerator, _ collection: Collection) -> ItemListing {
        let isTight = Int.random(in: 0..<5, using: &random) == 0
        let isSmall = Int.random(in: 0..<12, using: &random) == 0
        return ItemListing(
            jobs: Int.random(in: 1...6, using: &random),
            maxPages: collection.isEndless || isTight ? Int.random(in: 1...20, using: &random) : 1_000,
            maxItemBytes: isSmall ? Int.random(in: 4...40, using: &random) : 16 << 20,
            maxBytes: isSmall ? Int64.random(in: 100...2_000, using: &random) : 4 << 30)
    }

    /// Nothing is in the way: the list must become complete.
    var isCalm: Bool {
        guard weather.trouble == 0, collection.trap == nil, collection.lure == nil, !collection.isEndless,
            timeouts.total == nil,
            listing.maxPages >= collection.pageCount, listing.maxBytes == 4 << 30,
            timeouts.idle.map({ $0 > .seconds(20) }) ?? true
        else { return false }
        if case .token(_, let every) = identity, every > 0 { return false }
        return switch consumer {
        case .fast, .slow, .resuming: true
        case .cancellingAfter, .cancelledAt, .leavingAfter: false
        }
    }
}

extension Scenario: CustomStringConvertible {
    /// One line for each of its parts.
    package var description: String {
        """
        seed \(seed)
          \(collection.count) items, \(collection.kind), on \(collection.pageCount) pages, \(collection.scheme)\
        \(collection.scheme.isCounted ? ", totals \(collection.totals)" : "")\(collection.isEndless ? ", endless" : "")\
        \(collection.trap.map { ", page \($0.from + 1) leads back to \($0.to + 1)" } ?? "")\
        \(collection.lure.map { ", page \($0 + 1) leads to another origin" } ?? "")
          trouble \(weather.trouble), through \(door), \(consumer), \(identity)
          jobs \(listing.jobs), \(listing.maxPages) pages, \(listing.maxItemBytes) and \(listing.maxBytes) bytes at most
          \(attempts) attempts, budget \(budget.map { "\($0)" } ?? "none"), idle \(timeouts.idle.map { "\($0)" } ?? "-"), \
        total \(timeouts.total.map { "\($0)" } ?? "-")
        """
    }
}
