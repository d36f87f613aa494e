import Foundation

// `platform` lists the probes; `platform INDEX` runs one of them, and prints its result.

signal(SIGPIPE, SIG_IGN)
if let index = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) {
    var result: ProbeResult
    do { result = try Probe.all[index].run() } catch { result = .unknown("\(error)") }
    FileHandle.standardOutput.write(Data("\(result.word)\t\(result.evidence)\n".utf8))
    // Exits without waiting for blocked threads of the probe.
    _exit(0)
}
for (index, probe) in Probe.all.enumerated() {
    print(index, Int(probe.limit), probe.isFatal, probe.number, probe.fact, separator: "\t")
}
