import RESTClientTestSupport
import Testing

/// What the guide Retrying well says of a fleet is so.
@Suite struct FleetTests {
    private static let fleet = Fleet(clients: 2_000)
    private static let outcomes: [String: Fleet.Outcome] = {
        let all = FleetStrategy.all(seed: 7).map { ($0.name, fleet.run($0)) }
        return Dictionary(uniqueKeysWithValues: all)
    }()

    private func outcome(_ name: String) throws -> Fleet.Outcome { try #require(Self.outcomes[name]) }

    @Test func `who does not retry sends what was meant`() throws {
        #expect(try outcome("no retry").amplification == 1)
    }

    @Test func `a budget, or few attempts, keep retries to a fraction of what was meant`() throws {
        let free = try outcome("10 attempts, full jitter").amplification
        #expect(try outcome("10 attempts, full jitter, budget of 1").amplification < free)
        #expect(try outcome(".retry(): 3 attempts, full jitter, budget of 10").amplification < free)
    }

    @Test func `without jitter everyone comes back in the same second`() throws {
        let waves = try outcome("10 attempts without jitter")
        #expect(try waves.peak > 2 * outcome("10 attempts, full jitter").peak)
        #expect(
            try outcome(".retry(), Retry-After: 30").peak > 2
                * outcome(".retry(), Retry-After from 10 to 40").peak)
    }

    @Test func `the default comes back`() throws {
        #expect(try outcome(".retry(): 3 attempts, full jitter, budget of 10").recovery != nil)
        #expect(try outcome(".retry(), Retry-After from 10 to 40").recovery != nil)
    }
}
