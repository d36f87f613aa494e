import Foundation

// `platform` runs each probe in a child process; `platform --probe INDEX` is such a child.

func probe(at index: Int) -> Never {
    let result: ProbeResult
    do {
        result = try Probe.all[index].run()
    } catch let error as Inconclusive {
        result = .unknown(error.reason)
    } catch {
        result = .unknown("\(error)")
    }
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

    if ended.wait(timeout: .now() + probe.limit) == .timedOut {
        kill(child.processIdentifier, SIGKILL)
        ended.wait()
        let evidence = "did not end within \(Int(probe.limit)) s"
        return probe.hang == .present ? .present(evidence) : .unknown(evidence)
    }
    if child.terminationReason == .uncaughtSignal {
        let evidence = "ended by signal \(child.terminationStatus)"
        return probe.trap == .present ? .present(evidence) : .unknown(evidence)
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let line = text.split(separator: "\n").last ?? ""
    return ProbeResult(line: line) ?? .unknown("exit code \(child.terminationStatus) without a result")
}

func report(_ chosen: [Int]) {
    let home = NSTemporaryDirectory() + "platform-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }

    if chosen.isEmpty { print("no such fact; use --list to print all numbers") }
    let results = ResultTable()
    let slots = DispatchSemaphore(value: max(2, ProcessInfo.processInfo.activeProcessorCount))
    Thread.detachNewThread {
        for index in chosen {
            slots.wait()
            Thread.detachNewThread {
                results.set(index, result(of: index, home: home))
                slots.signal()
            }
        }
    }

    var counts = ["present": 0, "fixed": 0, "unknown": 0]
    for index in chosen {
        let probe = Probe.all[index]
        let (word, evidence): (String, String)
        switch results.wait(for: index) {
        case .present(let seen): (word, evidence) = ("present", seen)
        case .fixed(let seen): (word, evidence) = ("fixed", seen)
        case .unknown(let why): (word, evidence) = ("unknown", why)
        }
        counts[word, default: 0] += 1
        let number = probe.number.padding(toLength: 14, withPad: " ", startingAt: 0)
        let shown = word == "unknown" ? "unknown: \(evidence)" : word
        let seen = word == "unknown" || evidence.isEmpty ? "" : "  [\(evidence)]"
        let line =
            "\(number) \(shown.padding(toLength: max(8, shown.count), withPad: " ", startingAt: 0)) \(probe.fact)\(seen)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
    print(
        "\(chosen.count) facts:",
        ["present", "fixed", "unknown"].map { "\(counts[$0, default: 0]) \($0)" }
            .joined(separator: ", "))
}

/// The results of all probes. A reader waits until its result is set.
final class ResultTable: @unchecked Sendable {
    // SAFETY: `results` is accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var results: [Int: ProbeResult] = [:]

    func set(_ index: Int, _ result: ProbeResult) {
        condition.lock()
        results[index] = result
        condition.broadcast()
        condition.unlock()
    }

    func wait(for index: Int) -> ProbeResult {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = results[index] { return result }
            condition.wait()
        }
    }
}

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--probe", let index = arguments.last.flatMap({ Int($0) }),
    Probe.all.indices.contains(index)
{
    probe(at: index)
} else if arguments.first == "--engine" {
    print(
        "session managers send with",
        LibCurl.shared.map { "libcurl \($0.version)" } ?? "URLSession's own protocol")
} else if arguments.first == "--list" {
    for probe in Probe.all { print(probe.number, probe.fact, separator: "\t") }
} else {
    let chosen = Probe.all.indices.filter { index in
        arguments.isEmpty
            || arguments.contains { $0.caseInsensitiveCompare(Probe.all[index].number) == .orderedSame }
    }
    report(Array(chosen))
}
