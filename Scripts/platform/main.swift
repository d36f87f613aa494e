import Foundation

// `platform` runs each probe in a child process; `platform --probe INDEX` is such a child.

func runProbe(at index: Int) -> Never {
    var result: ProbeResult
    do { result = try Probe.all[index].run() } catch { result = .unknown("\(error)") }
    FileHandle.standardOutput.write(Data((result.line + "\n").utf8))
    // Exits without waiting for blocked threads of the probe.
    _exit(0)
}

func result(of index: Int, home: String) -> ProbeResult {
    let probe = Probe.all[index]
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = ["--probe", "\(index)"]
    // Ephemeral sessions create folders in the home directory; a proxy would receive the requests to the test servers.
    child.environment = ProcessInfo.processInfo.environment
        .filter { !$0.key.lowercased().hasSuffix("_proxy") }
        .merging(["HOME": home, "TMPDIR": home]) { $1 }
    let output = Pipe()
    child.standardOutput = output
    child.standardError = FileHandle.nullDevice
    child.standardInput = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    child.terminationHandler = { _ in ended.signal() }
    do { try child.run() } catch { return .unknown("could not start: \(error)") }

    let isTimedOut = ended.wait(timeout: .now() + probe.limit) == .timedOut
    if isTimedOut {
        kill(child.processIdentifier, SIGKILL)
        ended.wait()
    }
    if isTimedOut || child.terminationReason == .uncaughtSignal {
        let evidence = isTimedOut ? "no end in \(Int(probe.limit)) s" : "signal \(child.terminationStatus)"
        return probe.isFatal ? .present(evidence) : .unknown(evidence)
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return ProbeResult(line: text.split(separator: "\n").last ?? "") ?? .unknown("no result")
}

/// Prints the results in the order of the probes, of which some run at the same time.
func report(_ chosen: [Int]) {
    let home = NSTemporaryDirectory() + "platform-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }

    if chosen.isEmpty { print("no such fact; use --list to print all numbers") }
    let results = Box<[Int: ProbeResult]>([:])
    DispatchQueue.concurrentPerform(iterations: chosen.count) { place in
        let result = result(of: chosen[place], home: home)
        results.change { $0[place] = result }
    }
    var counts: [ProbeResult.Word: Int] = [:]
    for (place, index) in chosen.enumerated() {
        guard let result = results.current[place] else { continue }
        let (probe, word) = (Probe.all[index], result.word)
        counts[word, default: 0] += 1
        let columns = [(probe.number, 14), (word.rawValue, 8)]
            .map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
        print(
            columns.joined(separator: " "), probe.fact, result.evidence.isEmpty ? "" : " [\(result.evidence)]"
        )
    }
    let sums = ProbeResult.Word.allCases.map { "\(counts[$0, default: 0]) \($0)" }
    print("\(chosen.count) facts:", sums.joined(separator: ", "))
}

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "--probe":
    if let index = arguments.last.flatMap({ Int($0) }), Probe.all.indices.contains(index) {
        runProbe(at: index)
    }
case "--engine":
    let engine = LibCurl.shared.map { "libcurl \($0.version)" } ?? "URLSession's own protocol"
    print("session managers send with", engine)
case "--list":
    for probe in Probe.all { print(probe.number, probe.fact, separator: "\t") }
default:
    let numbers = Set(arguments.map { $0.lowercased() })
    report(
        Probe.all.indices.filter { numbers.isEmpty || numbers.contains(Probe.all[$0].number.lowercased()) })
}
