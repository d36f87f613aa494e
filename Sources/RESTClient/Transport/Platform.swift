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

    /// Returns the kind of an error that occurs only on this platform, or `nil` for other errors.
    static func errorKind(
        of error: URLError, incomplete: RESTClientError.Kind, hasHead: Bool
    ) -> RESTClientError.Kind? { nil }

    /// Returns the error for a host that URLSession cannot connect to, or `nil` if the host is supported.
    static func refusal(ofHost host: String) -> RESTClientError.InvalidRequest? { nil }

    /// Returns `true` if the limit of connections to a host applies to those to a proxy instead.
    static func sharesConnectionsOfProxy(_ url: URL?) -> Bool { false }

    /// A placeholder for the read throttle. Here, a transfer does not wait for its consumer: what does not fit into memory is
    /// written to a temporary file, up to a limit.
    struct ReadThrottle: Sendable {
        func attach(to session: URLSession) {}
        func taskStarted() {}
        func taskEnded() {}
        func didCallBack(withData hasData: Bool) {}
        func bufferChanged(_ buffer: ObjectIdentifier, isFull: Bool) {}
        var isWaiting: Bool { false }
    }
}
#endif
