import Foundation
import RESTClientHTTP

// The platform-specific parts of the transport. `LinuxPlatform` contains the workarounds for swift-corelibs-foundation.
// To remove them, delete its directory and the first branch below.
#if canImport(FoundationNetworking)
typealias Platform = LinuxPlatform
#else
/// The platform-specific operations of the transport. On Apple platforms URLSession needs no workarounds.
enum Platform {
    /// `true` if a delegate may call the completion handlers of a cancelled task.
    static let answersCancelledTasks = true

    /// Starts a task.
    static func start(_ work: @escaping @Sendable () -> Void) { work() }

    /// Cancels a task, or invalidates a session.
    static func cancel(_ work: @escaping @Sendable () -> Void) { work() }

    /// Returns the delegate queue of a new session.
    static func makeDelegateQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    /// Rejects a challenge, so that the 401 is delivered as the response. Server certificates are evaluated as usual.
    static func reject(
        _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        received: (URLResponse?) -> Void
    ) {
        let isTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        answer(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }
}
#endif
