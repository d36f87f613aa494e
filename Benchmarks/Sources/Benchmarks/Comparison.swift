import Foundation

/// Runs candidates alternately for several rounds, so that other load on the machine affects all of them, and compares
/// their medians with that of the first one.
struct Comparison {
    struct Candidate {
        let name: String
        /// Runs the operations once and returns their cost.
        let run: () async throws -> Cost

        init(name: String, run: @escaping () async throws -> Void) {
            self.name = name
            self.run = { try await Cost.of(run) }
        }

        /// A candidate that measures its own cost.
        static func measuring(_ name: String, _ run: @escaping () async throws -> Cost) -> Self {
            Candidate(name: name, measured: run)
        }

        private init(name: String, measured run: @escaping () async throws -> Cost) {
            self.name = name
            self.run = run
        }
    }

    /// Elapsed time and processor time in seconds.
    struct Cost {
        var time = 0.0
        var cpuTime = 0.0

        static func += (sum: inout Cost, other: Cost) {
            sum.time += other.time
            sum.cpuTime += other.cpuTime
        }

        static func of(_ run: () async throws -> Void) async rethrows -> Cost {
            let start = ContinuousClock.now
            let startCPUTime = Self.processorTime()
            try await run()
            return Cost(
                time: (ContinuousClock.now - start) / .seconds(1),
                cpuTime: Self.processorTime() - startCPUTime)
        }

        /// Returns the cost that a child process prints, by default of this program.
        static func inProcess(of program: String = Shell.own, _ arguments: [String]) throws -> Cost {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard process.terminationStatus == 0, figures.count == 2 else {
                throw Failure("\(arguments.joined(separator: " ")) failed")
            }
            return Cost(time: figures[0], cpuTime: figures[1])
        }

        /// Prints the cost for the parent process.
        func print() { Swift.print(time, cpuTime) }

        /// The processor time of this process in seconds.
        private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
    }

    let title: String
    /// The number of operations in each run.
    let operations: Int
    var rounds = 9

    func run(_ candidates: [Candidate]) async throws {
        var times = [[Double]](repeating: [], count: candidates.count)
        var cpuTimes = times
        for candidate in candidates { _ = try await candidate.run() }
        for round in 0..<rounds {
            // Each round starts with another candidate.
            for offset in candidates.indices {
                let index = (round + offset) % candidates.count
                let cost = try await candidates[index].run()
                times[index].append(cost.time)
                cpuTimes[index].append(cost.cpuTime)
            }
        }
        let medians = times.map(\.median)
        let cpuMedians = cpuTimes.map(\.median)
        print("\n\(title) (median of \(rounds) interleaved runs)")
        for (index, candidate) in candidates.enumerated() {
            let rate = Double(operations) / medians[index]
            let ratio = medians[index] / medians[0]
            let each = cpuMedians[index] / Double(operations) * 1e6
            print(
                "  \(candidate.name.padding(toLength: 32, withPad: " ", startingAt: 0))"
                    + String(format: "%10.0f /s   time × %.3f   %8.2f µs of CPU each", rate, ratio, each))
        }
    }
}
