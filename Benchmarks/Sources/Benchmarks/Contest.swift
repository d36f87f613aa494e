import Foundation

/// Runs contenders in turn, again and again, so that whatever else the machine does hits all of them alike, and
/// compares their medians with the first one's.
struct Contest {
    struct Contender {
        let name: String
        /// Does the work once, and says what it took.
        let run: () async throws -> Cost

        init(name: String, run: @escaping () async throws -> Void) {
            self.name = name
            self.run = { try await Cost.of(run) }
        }

        /// One that measures itself.
        static func measuring(_ name: String, _ run: @escaping () async throws -> Cost) -> Self {
            Contender(name: name, measured: run)
        }

        private init(name: String, measured run: @escaping () async throws -> Cost) {
            self.name = name
            self.run = run
        }
    }

    /// What work took, in seconds.
    struct Cost {
        var time = 0.0
        /// Of all processors.
        var work = 0.0

        static func += (sum: inout Cost, other: Cost) {
            sum.time += other.time
            sum.work += other.work
        }

        static func of(_ run: () async throws -> Void) async rethrows -> Cost {
            let start = ContinuousClock.now
            let startWork = Self.processorTime()
            try await run()
            return Cost(
                time: (ContinuousClock.now - start) / .seconds(1), work: Self.processorTime() - startWork)
        }

        /// What this process has used of its processors.
        private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
    }

    let title: String
    /// How many operations one run makes.
    let operations: Int
    var rounds = 9

    func hold(_ contenders: [Contender]) async throws {
        var times = [[Double]](repeating: [], count: contenders.count)
        var cycles = times
        for contender in contenders { _ = try await contender.run() }
        for round in 0..<rounds {
            // Each round begins with another one.
            for offset in contenders.indices {
                let index = (round + offset) % contenders.count
                let cost = try await contenders[index].run()
                times[index].append(cost.time)
                cycles[index].append(cost.work)
            }
        }
        let medians = times.map(\.median)
        let work = cycles.map(\.median)
        print("\n\(title) (median of \(rounds) interleaved runs)")
        for (index, contender) in contenders.enumerated() {
            let rate = Double(operations) / medians[index]
            let ratio = medians[index] / medians[0]
            let each = work[index] / Double(operations) * 1e6
            print(
                "  \(contender.name.padding(toLength: 32, withPad: " ", startingAt: 0))"
                    + String(format: "%10.0f /s   time × %.3f   %8.2f µs of CPU each", rate, ratio, each))
        }
    }
}
