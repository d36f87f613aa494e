import Foundation

/// The most memory that this process has had resident.
enum PeakMemory {
    static func report() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM") {
            print("peak resident: \(line)")
        }
    }
}
