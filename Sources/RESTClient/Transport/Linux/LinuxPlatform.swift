// This file repairs defects of URLSession on Linux. On Apple platforms nothing of it is used; see
// Platform.swift.
#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import RESTClientHTTP

/// The workarounds for the URLSession of swift-corelibs-foundation, which is built on libcurl.
enum LinuxPlatform {
    /// `false`, because calling a completion handler after `cancel()` traps (PLATFORM A19).
    static let answersCancelledTasks = false

    static let starter = TaskStarter()
    private static let cancelQueue = DispatchQueue(label: "RESTClient.cancel")

    /// Starts a transport task on the calling thread or, if the maximum number of callers are starting tasks, on the queue.
    static func start(by starter: TaskStarter = Self.starter, _ work: @escaping @Sendable () -> Void) {
        guard starter.addCaller() else { return starter.queue.async(execute: work) }
        defer { starter.removeCaller() }
        work()
    }

    /// Cancels a task, or invalidates a session, on a separate queue. In a callback, an `onCancel` handler or
    /// `startLoading`, `cancel()` can wait for a lock or queue that the caller holds (PLATFORM A1, A2).
    static func cancel(_ work: @escaping @Sendable () -> Void) { cancelQueue.async(execute: work) }

    static func makeDelegateQueue() -> OperationQueue {
        let queue = InlineQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    /// Rejects a challenge, so that the 401 is delivered as the response. The rejection cancels the task, and is
    /// therefore sent asynchronously (PLATFORM A3).
    static func reject(
        _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        received: (URLResponse?) -> Void
    ) {
        received(challenge.failureResponse)
        cancel { answer(.cancelAuthenticationChallenge, nil) }
    }
}

/// A delegate queue that runs each callback inline, on the work queue of URLSession.
///
/// URLSession calls `addOperation(_:)` on its work queue for every callback. Running the block immediately saves an
/// operation and a thread switch for each chunk, and prevents a backlog for a slow consumer (PLATFORM A5, C).
private final class InlineQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: adds no state to OperationQueue, which is thread-safe.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

/// Starts transport tasks on the threads of at most two callers at a time, and otherwise on a queue.
///
/// The creation and `resume()` of a task wait for the work queue that all sessions of the process share (PLATFORM A6). Dozens
/// of concurrent requests would block every thread of the cooperative pool. If all of them were started on the queue,
/// its thread would wait for the work queue twice for each task, and the threads of the callers would sleep and wake up.
final class TaskStarter: Sendable {
    static let maxCallers = 2

    let queue = DispatchQueue(label: "RESTClient.start")
    private let callers = LockedState(0)

    /// Adds a caller that starts a task on its thread. Returns `false` if the maximum is reached.
    func addCaller() -> Bool {
        callers.withLock { callers in
            guard callers < Self.maxCallers else { return false }
            callers += 1
            return true
        }
    }

    func removeCaller() { callers.withLock { $0 -= 1 } }
}
#endif
