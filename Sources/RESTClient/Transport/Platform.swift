import Foundation
import RESTClientHTTP

// The implementation of URLSession that the transport adapts to. On Linux, `LinuxPlatform` works around the behaviour of
// swift-corelibs-foundation; it can be removed together with its folder and the first branch.
#if canImport(FoundationNetworking)
typealias Platform = LinuxPlatform
#else
/// The URLSession of Apple platforms, which needs no workarounds.
enum Platform {
    /// `true` if a delegate may answer the callbacks of a task that was cancelled.
    static let answersCancelledTasks = true

    /// Starts a task.
    static func start(_ work: @escaping @Sendable () -> Void) { work() }

    /// Creates a task whose body is `file`, or that of `request`.
    static func makeTask(
        for request: URLRequest, file: BodyFile?, in session: URLSession, hasCustomProtocols: Bool
    ) -> URLSessionTask {
        guard let file else { return session.dataTask(with: request) }
        return session.uploadTask(with: request, fromFile: file.url)
    }

    /// Returns the body of `task` from its start, or `nil` if it cannot be read again.
    static func newBodyStream(for task: URLSessionTask) -> InputStream? { nil }

    /// Returns a stream that makes `task` fail, or `nil` if the task fails without a stream.
    static func failingBodyStream(for task: URLSessionTask) -> InputStream? { nil }

    /// Called when a task that was passed to `start` has ended.
    static func taskEnded() {}

    /// Cancels a task, or invalidates a session.
    static func cancel(_ work: @escaping @Sendable () -> Void) { work() }

    /// Returns the delegate queue of a new session.
    static func makeDelegateQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    /// Refuses a challenge, so that the 401 is delivered as the response; evaluates the trust of servers.
    static func refuse(
        _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        received: (URLResponse?) -> Void
    ) {
        let isTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        answer(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }

    /// Returns a kind for errors that only this platform has.
    static func errorKind(of error: URLError, incomplete: RESTClientError.Kind) -> RESTClientError.Kind? {
        nil
    }

    /// Returns the reason why `host` cannot be reached.
    static func refusal(ofHost host: String) -> RESTClientError.InvalidRequest? { nil }

    /// Limits how often the sockets of a session are read.
    struct ReadThrottle: Sendable {
        func attach(to session: URLSession) {}
        func taskStarted() {}
        func taskEnded() {}
        func didCallBack(withData hasData: Bool) {}
    }

    /// Blocks the writer of a full buffer.
    struct BufferWait: Sendable {
        func waitForRoom(while isFull: () -> Bool) {}
        func roomAvailable() {}
    }
}
#endif
