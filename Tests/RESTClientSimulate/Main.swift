import Foundation
import RESTClientHTTP
import RESTClientTestSupport

#if canImport(Glibc)
import Glibc
#endif

/// Simulates listings: `simulate [--from N] [--runs N] [--lanes N]`, or `simulate --seed N [--times N]` to replay one.
@main struct Main {
    private struct Progress {
        var tally = Tally()
        var begun = ContinuousClock.now
        var lastEnd = ContinuousClock.now
    }

    static func main() async {
        var values: [String: UInt64] = [:]
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            guard ["--from", "--runs", "--lanes", "--seed", "--times"].contains(name),
                let value = arguments.popFirst().flatMap({ UInt64($0) })
            else {
                fail("usage: simulate [--from N] [--runs N] [--lanes N] | --seed N [--times N]", code: 64)
            }
            values[name] = value
        }
        if let seed = values["--seed"] {
            await replay(seed, times: values["--times"] ?? 1)
        } else {
            let from = values["--from"] ?? 0
            await simulate(from..<from + (values["--runs"] ?? 10_000), lanes: Int(values["--lanes"] ?? 8))
        }
    }

    private static func replay(_ seed: UInt64, times: UInt64) async {
        print(Scenario(seed: seed))
        for round in 1...max(1, times) {
            let result = await Simulation.run(seed: seed)
            if round == 1 { print(result.tally) }
            guard result.broken.isEmpty else {
                fail("seed \(seed), run \(round):\n  " + result.broken.joined(separator: "\n  "))
            }
        }
        print("nothing broken in \(max(1, times)) runs")
    }

    private static func simulate(_ seeds: Range<UInt64>, lanes: Int) async {
        let progress = LockedState(Progress())
        watch(progress, seeds)
        await Shard(seeds, lanes: lanes).run { result in
            let count = progress.withLock { progress in
                progress.tally += result.tally
                progress.lastEnd = .now
                return progress.tally.listings
            }
            guard result.broken.isEmpty else {
                fail(
                    "broken after \(count) listings: seed \(result.scenario.seed)\n  "
                        + result.broken.joined(separator: "\n  ")
                        + "\n\(result.scenario)\nreplay: make simulate SEED=\(result.scenario.seed)")
            }
            return true
        }
        let (tally, begun) = progress.withLock { ($0.tally, $0.begun) }
        let seconds = begun.duration(to: .now) / .seconds(1)
        print("\(tally); nothing broken; \(Int(Double(tally.listings) / seconds)) listings/s")
    }

    /// A call that does not end is a promise broken, too.
    private static func watch(_ progress: LockedState<Progress>, _ seeds: Range<UInt64>) {
        Thread.detachNewThread {
            while true {
                Thread.sleep(forTimeInterval: 5)
                let (count, last) = progress.withLock { ($0.tally.listings, $0.lastEnd) }
                if last.duration(to: .now) > .seconds(120) {
                    fail("a listing hangs: \(count) of the seeds \(seeds) ended; try them with --lanes 1")
                }
            }
        }
    }

    private static func fail(_ text: String, code: Int32 = 1) -> Never {
        FileHandle.standardError.write(Data("simulate: \(text)\n".utf8))
        exit(code)
    }
}
