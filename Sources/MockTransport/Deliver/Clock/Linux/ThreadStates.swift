import Foundation

/// The state of a thread of the process, as reported by the kernel.
struct ThreadState {
    let name: String
    /// `true` if the thread runs, is ready to run, or waits for a disk.
    let isAwake: Bool
    /// The processor time used since the thread was created.
    let runTime: Duration
    /// The number of times that the thread has slept, or 0 if the platform does not tell.
    var sleeps = 0
}

// The kernel of Apple platforms has calls for threads (PLATFORM F6), that of Linux has files. Both arms declare `others()`.
#if canImport(Darwin)
extension ThreadState {
    /// Returns all threads except the calling one, or `nil` if they cannot be read (PLATFORM F6).
    static func others() -> [ThreadState]? {
        var list: thread_act_array_t?
        var count: mach_msg_type_number_t = 0
        guard task_threads(mach_task_self_, &list, &count) == KERN_SUCCESS, let list else { return nil }
        let threads = UnsafeBufferPointer(start: list, count: Int(count))
        defer {
            for thread in threads { mach_port_deallocate(mach_task_self_, thread) }
            let size = threads.count * MemoryLayout<thread_act_t>.stride
            vm_deallocate(mach_task_self_, vm_address_t(UInt(bitPattern: list)), vm_size_t(size))
        }
        var own: UInt64 = 0
        pthread_threadid_np(nil, &own)
        return threads.compactMap { thread in
            // A thread without a state has just ended.
            guard let identity = info(of: thread, THREAD_IDENTIFIER_INFO, thread_identifier_info_data_t()),
                let basic = info(of: thread, THREAD_BASIC_INFO, thread_basic_info_data_t()),
                identity.thread_id != own
            else { return nil }
            return ThreadState(
                name: "\(identity.thread_id)",
                isAwake: [TH_STATE_RUNNING, TH_STATE_UNINTERRUPTIBLE].contains(basic.run_state),
                runTime: duration(basic.user_time) + duration(basic.system_time))
        }
    }

    private static func info<Info: BitwiseCopyable>(
        of thread: thread_act_t, _ flavor: Int32, _ empty: Info
    ) -> Info? {
        var info = empty
        var count = mach_msg_type_number_t(MemoryLayout<Info>.size / MemoryLayout<integer_t>.size)
        let status = withUnsafeMutablePointer(to: &info) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                thread_info(thread, thread_flavor_t(flavor), $0, &count)
            }
        }
        return status == KERN_SUCCESS ? info : nil
    }

    private static func duration(_ time: time_value_t) -> Duration {
        .seconds(Int64(time.seconds)) + .microseconds(Int64(time.microseconds))
    }
}
#else
extension ThreadState {
    /// Returns all threads except the calling one, or `nil` if they cannot be read.
    static func others() -> [ThreadState]? {
        let files = FileManager.default
        guard let own = try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self"),
            let names = try? files.contentsOfDirectory(atPath: "/proc/self/task")
        else { return nil }
        return names.filter { !own.hasSuffix("/\($0)") }.compactMap { name in
            let path = "/proc/self/task/\(name)"
            // A thread without a state has just ended.
            guard let state = state(prefix(of: "\(path)/stat", 48)) else { return nil }
            let isAwake = state == UInt8(ascii: "R") || state == UInt8(ascii: "D")
            guard isAwake else { return ThreadState(name: name, isAwake: false, runTime: .zero) }
            return ThreadState(
                name: name, isAwake: true, runTime: .nanoseconds(number(in: prefix(of: "\(path)/schedstat"))),
                sleeps: sleeps(prefix(of: "\(path)/status", 2_048)))
        }
    }

    /// The letter after the name in parentheses, which has at most 15 bytes (proc(5)).
    private static func state(_ stat: ArraySlice<UInt8>) -> UInt8? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.endIndex else { return nil }
        return stat[end + 2]
    }

    /// The number of voluntary context switches (proc(5)).
    private static func sleeps(_ status: ArraySlice<UInt8>) -> Int {
        let name = Array("\nvoluntary_ctxt_switches:\t".utf8)
        // One of the last two lines.
        let end = status.suffix(100)
        return end.firstRange(of: name).map { number(in: end[$0.upperBound...]) } ?? 0
    }

    /// The number at the start of a text. In `schedstat`, that of nanoseconds on a processor.
    private static func number(in text: ArraySlice<UInt8>) -> Int {
        let digits = text.prefix(while: \.isASCIIDigit)
        return digits.reduce(0) { $0 &* 10 &+ Int($1 - UInt8(ascii: "0")) }
    }

    private static func prefix(of path: String, _ size: Int = 128) -> ArraySlice<UInt8> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: size)
        let count = read(descriptor, &buffer, buffer.count)
        return buffer[..<max(count, 0)]
    }
}
#endif
