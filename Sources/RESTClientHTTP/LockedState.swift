#if canImport(Darwin)
import os
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A value that one thread at a time may touch.
///
/// Over `pthread_mutex` and not `Synchronization.Mutex`, because the thread sanitizer does not see the
/// latter on Linux (PLATFORM D) and would report races in correct code.
package final class LockedState<Value>: @unchecked Sendable {
    // SAFETY: `cell.value` is only reached in `withLock`, between lock and unlock of the mutex beside it.
    private let cell: UnsafeMutablePointer<Cell>

    /// Behind a pointer: a mutex must not move, and what it guards needs no other check for exclusive access. The mutex is
    /// first, so that it is where the cell is.
    private struct Cell {
        #if canImport(Darwin)
        var mutex = os_unfair_lock()
        #else
        var mutex = pthread_mutex_t()
        #endif
        var value: Value
    }

    package init(_ value: consuming sending Value) {
        cell = .allocate(capacity: 1)
        cell.initialize(to: Cell(value: value))
        #if !canImport(Darwin)
        pthread_mutex_init(mutex, nil)
        #endif
    }

    deinit {
        #if !canImport(Darwin)
        pthread_mutex_destroy(mutex)
        #endif
        cell.deinitialize(count: 1)
        cell.deallocate()
    }

    /// Runs `body` alone. It must not call out to code it does not know, nor take this lock again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if canImport(Darwin)
        os_unfair_lock_lock(mutex)
        defer { os_unfair_lock_unlock(mutex) }
        #else
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        #endif
        return try body(&cell.pointee.value)
    }

    /// Lets all that others did under the lock come before what follows.
    ///
    /// For the thread sanitizer: where a continuation was resumed before its task came to wait for it, it does not
    /// see that one comes after the other.
    package func synchronizeForSanitizer() { withLock { _ in } }

    #if canImport(Darwin)
    private var mutex: UnsafeMutablePointer<os_unfair_lock> {
        UnsafeMutableRawPointer(cell).assumingMemoryBound(to: os_unfair_lock.self)
    }
    #else
    private var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        UnsafeMutableRawPointer(cell).assumingMemoryBound(to: pthread_mutex_t.self)
    }
    #endif
}
