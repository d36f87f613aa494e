import Foundation
import RESTClientHTTP
import RESTClientTestSupport

/// Simulates listings: `RESTClientSimulate [--from N] [--runs N] [--concurrency N]`; or repeats one of them:
/// `RESTClientSimulate --seed N [--times N]`.
///
/// The other modes run what takes too long in debug mode:
/// - `--lists` lists all variants of the lists of documented APIs.
/// - `--moving PAGES` lists random lists that change while they are read, until that many pages were requested;
///   `--moving-seed N` lists one of them, and prints its requests.
/// - `--lifetimes` loses mock servers in all ways of `ServerLifetime`, and measures their memory.
/// - `--connections` runs all tasks of `SessionMatrix`.
/// - `--engine-rate URL REQUESTS IN_FLIGHT` measures the engine for Linux.
/// - `--engine N` measures the resources that N requests on sockets leave.
/// - `--differential N` compares the scanner with a reference reader on N random documents.
@main struct Main {
    private struct Progress {
        var counts = SimulationCounts()
        let start = ContinuousClock.now
        var lastResult = ContinuousClock.now
    }

    static func main() async {
        var values: [String: UInt64] = [:]
        var arguments = CommandLine.arguments.dropFirst()
        if Array(arguments) == ["--lists"] { return await listVariants() }
        if Array(arguments) == ["--lifetimes"] { return await loseServers() }
        if Array(arguments) == ["--connections"] { return await requestAllReplies() }
        if arguments.count == 2, arguments.first == "--moving", let pages = Int(arguments[2]) {
            return await listMovingLists(pages)
        }
        if arguments.count == 2, arguments.first == "--moving-seed", let seed = UInt64(arguments[2]) {
            let list = MovingList(seed: seed)
            let result = await list.run()
            print(list)
            print(result.log.joined(separator: "\n"))
            return print(result)
        }
        if arguments.count == 2, arguments.first == "--differential", let count = UInt64(arguments[2]) {
            return await compareScanner(count)
        }
        // The engine exists on Linux only, so the other arm is empty.
        #if canImport(FoundationNetworking)
        if arguments.count == 2, arguments.first == "--engine", let count = Int(arguments[2]) {
            return await measureEngine(count)
        }
        if arguments.count == 4, arguments.first == "--engine-rate", let requests = Int(arguments[3]),
            let inFlight = Int(arguments[4])
        {
            return await EngineBenchmark(url: arguments[2], requests: requests, inFlight: inFlight).run()
        }
        #endif
        while let name = arguments.popFirst() {
            guard ["--from", "--runs", "--concurrency", "--seed", "--times"].contains(name),
                let value = arguments.popFirst().flatMap({ UInt64($0) })
            else {
                fail(
                    """
                    usage: RESTClientSimulate [--from N] [--runs N] [--concurrency N] | --seed N [--times N] | \
                    --lists | --moving PAGES | --moving-seed N | --lifetimes | --connections | --engine N | --differential N
                    """,
                    code: 64)
            }
            values[name] = value
        }
        if let seed = values["--seed"] {
            await replay(seed, times: values["--times"] ?? 1)
        } else {
            let from = values["--from"] ?? 0
            let concurrency = Int(values["--concurrency"] ?? 8)
            await simulate(from..<from + (values["--runs"] ?? 10_000), concurrency: concurrency)
        }
    }

    private static func replay(_ seed: UInt64, times: UInt64) async {
        print(SimulationScenario(seed: seed))
        for round in 1...max(1, times) {
            let result = await Simulation.run(seed: seed)
            if round == 1 { print(result.counts) }
            guard result.violations.isEmpty else {
                fail("seed \(seed), run \(round):\n  " + result.violations.joined(separator: "\n  "))
            }
        }
        print("no violations in \(max(1, times)) runs")
    }

    private static func listVariants() async {
        let start = ContinuousClock.now
        let variants = APITemplate.all.flatMap { api in ListVariant.all(of: api).map { (api, $0) } }
        let next = LockedState(variants[...])
        let failures = LockedState<[String]>([])
        await withTaskGroup { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    while let (api, variant) = next.withLock({ $0.popFirst() }) {
                        guard let failure = await variant.failure() else { continue }
                        failures.withLock { $0.append("\(api.name), \(variant.name): \(failure)") }
                    }
                }
            }
        }
        let found = failures.withLock { $0 }
        guard found.isEmpty, !variants.isEmpty else { fail(found.joined(separator: "\n")) }
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        print("\(variants.count) variants of \(APITemplate.all.count) lists in \(seconds) s; no failures")
    }

    private static func listMovingLists(_ pages: Int) async {
        let start = ContinuousClock.now
        let counts = await MovingListCounts.of(0..<UInt64.max, concurrency: 8, maxPages: pages)
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        guard counts.violations.isEmpty, counts.failedPercent < MovingListCounts.maxFailedPercent else {
            let shown = counts.violations.prefix(20).joined(separator: "\n")
            fail("\(counts) in \(seconds) s; \(counts.violations.count) violations\n\(shown)")
        }
        print("\(counts) in \(seconds) s; no violations")
    }

    private static func compareScanner(_ count: UInt64) async {
        let start = ContinuousClock.now
        let shards = ProcessInfo.processInfo.activeProcessorCount
        let kinds = await withTaskGroup { group in
            for shard in 0..<UInt64(shards) {
                group.addTask {
                    var kinds: [String: Int] = [:]
                    for seed in stride(from: shard, to: count, by: shards) {
                        let comparison = ScannerComparison(seed: seed)
                        if let difference = comparison.difference { fail(difference) }
                        kinds[comparison.kind, default: 0] += 1
                    }
                    return kinds
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        guard kinds.count >= ScannerComparison.kinds else { fail("too few kinds of documents: \(kinds)") }
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        print("\(count) documents in \(seconds) s; no differences")
    }

    private static func requestAllReplies() async {
        let start = ContinuousClock.now
        let tasks = await withTaskGroup { group in
            for matrix in SessionMatrix.all {
                group.addTask {
                    do {
                        let (ended, connections) = try await matrix.run(isComplete: true)
                        if connections > 0 { fail("\(matrix): \(connections) connections") }
                        return ended
                    } catch { fail("\(matrix): \(error)") }
                }
            }
            return await group.reduce(0, +)
        }
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        print("\(tasks) tasks of \(SessionMatrix.all.count) sessions in \(seconds) s; no connections")
    }

    // As above, the other arm is empty.
    #if canImport(FoundationNetworking)
    private static func measureEngine(_ count: Int) async {
        do {
            let (text, isFailure) = try await EngineResources.check(requests: count)
            if isFailure { fail(text) }
            print(text)
        } catch { fail("\(error)") }
    }
    #endif

    private static func loseServers() async {
        for lifetime in ServerLifetime.all {
            if let failure = await lifetime.failure() { fail(failure) }
        }
        do {
            if let failure = try await ServerLifetime.memoryFailure() { fail(failure) }
        } catch { fail("\(error)") }
        print("\(ServerLifetime.all.count) ways to lose a mock server, 15,000 servers; no failures")
    }

    private static func simulate(_ seeds: Range<UInt64>, concurrency: Int) async {
        let progress = LockedState(Progress())
        failIfStuck(progress, seeds)
        await SimulationBatch(seeds, concurrency: concurrency).run { result in
            let count = progress.withLock { progress in
                progress.counts += result.counts
                progress.lastResult = .now
                return progress.counts.listings
            }
            guard result.violations.isEmpty else {
                fail(
                    "violation after \(count) listings: seed \(result.scenario.seed)\n  "
                        + result.violations.joined(separator: "\n  ")
                        + "\n\(result.scenario)\nto replay: make simulate SEED=\(result.scenario.seed)")
            }
            return true
        }
        let (counts, start) = progress.withLock { ($0.counts, $0.start) }
        let seconds = start.duration(to: .now) / .seconds(1)
        print("\(counts); no violations; \(Int(Double(counts.listings) / seconds)) listings/s")
    }

    /// Fails if no listing ends within two minutes.
    private static func failIfStuck(_ progress: LockedState<Progress>, _ seeds: Range<UInt64>) {
        Thread.detachNewThread {
            while true {
                Thread.sleep(forTimeInterval: 5)
                let (count, last) = progress.withLock { ($0.counts.listings, $0.lastResult) }
                if last.duration(to: .now) > .seconds(120) {
                    fail("a listing does not end: \(count) of the seeds \(seeds) ended; try --concurrency 1")
                }
            }
        }
    }

    private static func fail(_ text: String, code: Int32 = 1) -> Never {
        FileHandle.standardError.write(Data("simulate: \(text)\n".utf8))
        exit(code)
    }
}
