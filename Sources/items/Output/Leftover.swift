import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The unfinished file that must go however the program ends, by a signal, too.
enum Leftover {
    /// Names the file; there is one at a time.
    static func isAt(_ name: String) { free(exchange(strdup(name))) }

    /// It is no leftover any more.
    static func isGone() { free(exchange(nil)) }

    /// Removes the file, if there is one; a signal handler may call it.
    static func remove() {
        // Not freed: a handler may not, and the program ends.
        if let name = exchange(nil) { unlink(name) }
    }

    private static func exchange(_ name: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
        let before = address.exchange(UInt(bitPattern: name), ordering: .acquiringAndReleasing)
        return UnsafeMutablePointer(bitPattern: before)
    }
}

/// Of its name. As a number, because pointers do not go between threads.
private let address = Atomic<UInt>(0)
