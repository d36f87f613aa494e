import Foundation

/// The state of a thread of the process, as reported by the kernel.
struct ThreadState {
    let name: String
    /// `true` if the thread runs, is ready to run, or waits for a disk.
    let isAwake: Bool
    /// The processor time used since the thread was created.
    let runTime: Duration

    /// Returns all threads except the calling one, or `nil` if they cannot be read (PLATFORM F6).
    static func others() -> [ThreadState]? {
        #if canImport(Glibc)
        let files = FileManager.default
        guard let own = try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self"),
            let names = try? files.contentsOfDirectory(atPath: "/proc/self/task")
        else { return nil }
        return names.filter { !own.hasSuffix("/\($0)") }.compactMap { name in
            let path = "/proc/self/task/\(name)"
            // A thread without a state has just ended.
            guard let state = state(prefix(of: "\(path)/stat")) else { return nil }
            let isAwake = state == UInt8(ascii: "R") || state == UInt8(ascii: "D")
            let runTime = isAwake ? runTime(prefix(of: "\(path)/schedstat")) : .zero
            return ThreadState(name: name, isAwake: isAwake, runTime: runTime)
        }
        #else
        return nil
        #endif
    }

    #if canImport(Glibc)
    /// The letter after the name in parentheses (proc(5)).
    private static func state(_ stat: ArraySlice<UInt8>) -> UInt8? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.endIndex else { return nil }
        return stat[end + 2]
    }

    /// The first number: nanoseconds on a processor.
    private static func runTime(_ schedstat: ArraySlice<UInt8>) -> Duration {
        let digits = schedstat.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return .nanoseconds(digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
    }

    /// The first 128 bytes of a file.
    private static func prefix(of path: String) -> ArraySlice<UInt8> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &buffer, buffer.count)
        return buffer[..<max(count, 0)]
    }
    #endif
}
