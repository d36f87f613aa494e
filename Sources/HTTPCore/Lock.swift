#if canImport(Darwin)
import os
#else
import Glibc
#endif

/// A value that one thread at a time may touch.
///
/// Over `pthread_mutex` and not `Synchronization.Mutex`, because the thread sanitizer does not see the
/// latter on Linux (PLATFORM D) and would report races in correct code.
package final class Lock<Value>: @unchecked Sendable {
    // SAFETY: `value` is only reached in `withLock`, between lock and unlock of `mutex`, which never moves.
    private var value: Value
    #if canImport(Darwin)
    private let mutex = OSAllocatedUnfairLock()
    #else
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    #endif

    package init(_ value: consuming sending Value) {
        self.value = value
        #if !canImport(Darwin)
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        #endif
    }

    deinit {
        #if !canImport(Darwin)
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        #endif
    }

    /// Runs `body` alone. It must not call out to code it does not know, nor take this lock again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if canImport(Darwin)
        mutex.lock()
        defer { mutex.unlock() }
        #else
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        #endif
        return try body(&value)
    }
    /// Lets all that others did under the lock come before what follows.
    ///
    /// For the thread sanitizer: where a continuation was resumed before its task came to wait for it, it does not
    /// see that one comes after the other.
    package func catchUp() { withLock { _ in } }
}
