import Foundation

/// Runs contenders in turn, again and again, so that whatever else the machine does hits all of them alike, and
/// compares their medians with the first one's.
struct Contest {
    struct Contender {
        let name: String
        /// Does the work once.
        let run: () async throws -> Void
    }

    let title: String
    /// How many operations one run makes.
    let operations: Int
    var rounds = 9

    func hold(_ contenders: [Contender]) async throws {
        var times = [[Double]](repeating: [], count: contenders.count)
        var cycles = times
        for contender in contenders { try await contender.run() }
        for round in 0..<rounds {
            // Each round begins with another one.
            for offset in contenders.indices {
                let index = (round + offset) % contenders.count
                let start = ContinuousClock.now
                let startCPU = Self.processorTime()
                try await contenders[index].run()
                times[index].append((ContinuousClock.now - start) / .seconds(1))
                cycles[index].append(Self.processorTime() - startCPU)
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        let work = cycles.map { $0.sorted()[$0.count / 2] }
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

    /// What this process has used of its processors, in seconds.
    private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
