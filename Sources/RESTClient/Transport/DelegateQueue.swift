import Foundation

/// The queue of a session's delegate: runs each callback where URLSession hands it over.
///
/// On Linux, URLSession calls `addOperation(_:)` on its own work queue for every callback; running the block
/// there and then saves an operation and a thread change for each chunk, and keeps nothing queued behind a
/// slow reader (PLATFORM A5, C). Elsewhere it is a plain serial queue.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: adds no state to OperationQueue, which is safe to share.

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    #if canImport(FoundationNetworking)
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    #endif
}
