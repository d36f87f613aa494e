import Foundation

/// A value protected by a lock.
///
/// Uses `pthread_mutex` instead of `Synchronization.Mutex`, because the thread sanitizer does not recognize `Mutex` on
/// Linux and would report data races in correct code.
///
/// It is not inlinable: Swift 6.3 then releases a value once too often that a closure returns and replaces in `defer`, in
/// release mode (`RESTClientSimulate --lists` ends with a segmentation fault).
package final class LockedState<Value>: @unchecked Sendable {
    // SAFETY: `value` is accessed only in `withLock`, while the mutex is locked. Both are in memory of their own: a mutex must
    // not move, and the value needs no dynamic exclusivity checks. They are not in one struct, because the runtime would have to
    // find the place of the value in it for each lock, which takes longer than the lock.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ value: consuming sending Value) {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value.initialize(to: value)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` while the lock is held. `body` must not call unknown code or use the same lock.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }

    /// Establishes for the thread sanitizer that earlier changes under the lock happened before the code that follows.
    ///
    /// The sanitizer does not see this order if a continuation is resumed before its task is suspended. Objects that the
    /// continuation returns must have been created under the lock, too.
    package func synchronizeForSanitizer() { withLock { _ in } }
}
