package import Foundation
// On Apple platforms, these types are in Foundation.
#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

// How URLSession calls its delegate. On Linux it calls from the work queue of all sessions, and defects remain in its own
// protocol and in its challenges. Both arms declare the same members.
#if canImport(FoundationNetworking)
extension URLSession {
    /// `false`, because URLSession's own protocol traps if a completion handler is called after `cancel()` (PLATFORM A19).
    package static let answersCancelledTasks = false

    /// Returns the delegate queue of a new session, which runs each callback at once on the work queue of URLSession. This
    /// saves an operation and a thread switch for each chunk, and prevents a backlog for a slow consumer (PLATFORM C).
    package static func makeDelegateQueue() -> OperationQueue {
        let queue = InlineQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

/// A queue that runs the block of `addOperation(_:)`, which URLSession calls for every callback, on the calling thread.
private final class InlineQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: adds no state to OperationQueue, which is thread-safe.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

extension URLAuthenticationChallenge {
    /// The disposition that ends the task with the response that carried the challenge, as an error: it cancels the task,
    /// and must therefore be sent asynchronously (PLATFORM A3).
    package var rejectingDisposition: URLSession.AuthChallengeDisposition { .cancelAuthenticationChallenge }
}
#else
extension URLSession {
    /// `true` if a delegate may call the completion handlers of a cancelled task.
    package static let answersCancelledTasks = true

    /// Returns the delegate queue of a new session.
    package static func makeDelegateQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

extension URLAuthenticationChallenge {
    /// The disposition that delivers the response that carried the challenge. Server certificates are evaluated as usual.
    package var rejectingDisposition: URLSession.AuthChallengeDisposition {
        protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            ? .performDefaultHandling : .rejectProtectionSpace
    }
}
#endif
