import Synchronization
import RESTClientHTTP

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The request that was sent last, kept where the handler of a trap can read it.
enum CrashContext {
    private static let capacity = 400
    /// Where it is kept: never given back, as a handler may read it at any time.
    private static let text = LockedState(UnsafeMutablePointer<UInt8>.allocate(capacity: room))

    /// Takes note of `request`, which is as it may be shown.
    static func note(_ request: String) {
        text.withLock { text in
            // A handler that comes now sees none rather than half of each.
            count.store(0, ordering: .sequentiallyConsistent)
            var length = 0
            for byte in request.utf8.prefix(room) {
                text[length] = byte
                length += 1
            }
            address.store(UInt(bitPattern: text), ordering: .sequentiallyConsistent)
            count.store(length, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether there is one; a signal handler may ask.
    static var isRecorded: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

    /// Writes it to `descriptor`; a signal handler may call it.
    static func write(to descriptor: Int32) {
        let length = count.load(ordering: .sequentiallyConsistent)
        let text = UnsafeRawPointer(bitPattern: address.load(ordering: .relaxed))
        guard let text else { return }
        #if canImport(Darwin)
        _ = Darwin.write(descriptor, text, length)
        #else
        _ = Glibc.write(descriptor, text, length)
        #endif
    }
}

// As numbers, because pointers do not go between threads.
private let address = Atomic<UInt>(0)
private let count = Atomic(0)
