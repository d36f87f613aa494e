import Synchronization
import RESTClientHTTP

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The most recent request, stored where a signal handler can read it.
enum CrashContext {
    private static let capacity = 400
    /// The storage, which is never freed because a signal handler can read it at any time.
    private static let text = LockedState(UnsafeMutablePointer<UInt8>.allocate(capacity: capacity))

    /// Records `request`, from which secrets have been removed.
    static func record(_ request: String) {
        text.withLock { text in
            // A signal handler that runs now finds no request instead of a mixture of two.
            count.store(0, ordering: .sequentiallyConsistent)
            var length = 0
            for byte in request.utf8.prefix(capacity) {
                text[length] = byte
                length += 1
            }
            address.store(UInt(bitPattern: text), ordering: .sequentiallyConsistent)
            count.store(length, ordering: .sequentiallyConsistent)
        }
    }

    /// `true` if a request has been recorded. Safe to call in a signal handler.
    static var isRecorded: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

    /// Writes the request to `descriptor`. Safe to call in a signal handler.
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

// Stored as integers, because pointers are not `Sendable`.
private let address = Atomic<UInt>(0)
private let count = Atomic(0)
