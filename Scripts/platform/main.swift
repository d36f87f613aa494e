import Foundation

// `platform` alone probes every fact, each in a child; `platform --probe INDEX` is such a child.

func probe(at index: Int) -> Never {
    let verdict: Verdict
    do {
        verdict = try Probe.all[index].run()
    } catch let error as Unclear {
        verdict = .unknown(error.why)
    } catch {
        verdict = .unknown("\(error)")
    }
    FileHandle.standardOutput.write(Data((verdict.line + "\n").utf8))
    // Threads of a probe may still be blocked: leave without waiting for them.
    _exit(0)
}

func verdict(of index: Int, home: String) -> Verdict {
    let probe = Probe.all[index]
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = ["--probe", "\(index)"]
    // Even an ephemeral session makes folders under the home directory; a proxy would answer for our servers.
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
        let evidence = "no end within \(Int(probe.limit)) s"
        return probe.hang == .present ? .present(evidence) : .unknown(evidence)
    }
    if child.terminationReason == .uncaughtSignal {
        let evidence = "ended by signal \(child.terminationStatus)"
        return probe.trap == .present ? .present(evidence) : .unknown(evidence)
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let line = text.split(separator: "\n").last ?? ""
    return Verdict(line: line) ?? .unknown("exit code \(child.terminationStatus), no verdict")
}

func report(_ chosen: [Int]) {
    let home = NSTemporaryDirectory() + "platform-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }

    if chosen.isEmpty { print("no such fact; --list shows their numbers") }
    let verdicts = Table()
    let slots = DispatchSemaphore(value: max(2, ProcessInfo.processInfo.activeProcessorCount))
    Thread.detachNewThread {
        for index in chosen {
            slots.wait()
            Thread.detachNewThread {
                verdicts.set(index, verdict(of: index, home: home))
                slots.signal()
            }
        }
    }

    var counts = ["present": 0, "fixed": 0, "unknown": 0]
    for index in chosen {
        let probe = Probe.all[index]
        let (word, evidence): (String, String)
        switch verdicts.wait(for: index) {
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

/// Verdicts as they come in; a reader waits for its own.
final class Table: @unchecked Sendable {
    // SAFETY: `verdicts` is touched with `condition` locked only.
    private let condition = NSCondition()
    private var verdicts: [Int: Verdict] = [:]

    func set(_ index: Int, _ verdict: Verdict) {
        condition.lock()
        verdicts[index] = verdict
        condition.broadcast()
        condition.unlock()
    }

    func wait(for index: Int) -> Verdict {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let verdict = verdicts[index] { return verdict }
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
} else if arguments.first == "--list" {
    for probe in Probe.all { print(probe.number, probe.fact, separator: "\t") }
} else {
    let chosen = Probe.all.indices.filter { index in
        arguments.isEmpty
            || arguments.contains { $0.caseInsensitiveCompare(Probe.all[index].number) == .orderedSame }
    }
    report(Array(chosen))
}
