import Foundation

/// A value protected by a lock.
///
/// Uses `pthread_mutex` instead of `Synchronization.Mutex`, because the thread sanitizer does not recognize `Mutex` on
/// Linux and would report data races in correct code.
///
/// It is not inlinable: Swift 6.3 then releases a value once too often that a closure returns and replaces in `defer`, in
/// release mode (`RESTClientSimulate --lists` ends with a segmentation fault).
package final class LockedState<Value>: @unchecked Sendable {
    // SAFETY: `cell.value` is accessed only in `withLock`, while the mutex in the same cell is locked.
    private let cell: UnsafeMutablePointer<Cell>

    /// The allocated storage: a mutex must not move in memory, and the value needs no dynamic exclusivity checks. The
    /// mutex is the first member, so that both have the same address.
    private struct Cell {
        var mutex = pthread_mutex_t()
        var value: Value
    }

    package init(_ value: consuming sending Value) {
        cell = .allocate(capacity: 1)
        cell.initialize(to: Cell(value: value))
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        cell.deinitialize(count: 1)
        cell.deallocate()
    }

    /// Runs `body` while the lock is held. `body` must not call unknown code or use the same lock.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&cell.pointee.value)
    }

    /// Establishes for the thread sanitizer that earlier changes under the lock happened before the code that follows.
    ///
    /// The sanitizer does not see this order if a continuation is resumed before its task is suspended. Objects that the
    /// continuation returns must have been created under the lock, too.
    package func synchronizeForSanitizer() { withLock { _ in } }

    private var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        UnsafeMutableRawPointer(cell).assumingMemoryBound(to: pthread_mutex_t.self)
    }
}
