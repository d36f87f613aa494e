#if canImport(Glibc)
import Glibc
#endif

/// Tells whether anything in the process still runs that could want to say something.
enum Stillness {
    /// How often in a row the process must be seen asleep.
    private static let sightings = 3
    /// Where others never sleep (tests in parallel), how long nothing must have happened instead.
    private static let patience = Duration.milliseconds(50)

    /// Returns true when all is still, false as soon as `condition` no longer holds.
    static func lasts(while condition: () -> Bool) async -> Bool {
        let start = ContinuousClock.now
        var asleep = 0
        while condition() {
            await Task.yield()
            asleep = isProcessAsleep() ? asleep + 1 : 0
            if asleep >= sightings { return condition() }
            if start.duration(to: .now) > patience { return condition() }
            if asleep == 0 { try? await Task.sleep(for: .microseconds(200)) }
        }
        return false
    }

    /// Whether no other thread is running or about to: the kernel knows.
    ///
    /// Work that waits in a queue has woken a thread, so none is left when all threads are asleep.
    static func isProcessAsleep() -> Bool {
        #if canImport(Glibc)
        guard let folder = opendir("/proc/self/task") else { return false }
        defer { closedir(folder) }
        var running = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.first != "." else { continue }
            if let state = state(ofThread: name), busy.contains(state) { running += 1 }
        }
        return running <= 1
        #else
        return false
        #endif
    }

    #if canImport(Glibc)
    /// Running, or waiting for a disk.
    private static let busy: [UInt8] = [UInt8(ascii: "R"), UInt8(ascii: "D")]

    /// The letter behind the name in parentheses (proc(5)).
    private static func state(ofThread name: String) -> UInt8? {
        let descriptor = open("/proc/self/task/\(name)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0, let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
            return nil
        }
        return buffer[end + 2]
    }
    #endif
}
