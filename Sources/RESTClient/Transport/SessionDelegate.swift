import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// The delegate of a session: forwards each callback to the `TransportTask` of the URLSessionTask, and refuses redirects
/// and challenges.
///
/// On Linux every callback runs on the work queue that all sessions of the process share (PLATFORM A6), so callbacks do
/// not block, call user code or cancel a task (A2).
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let tasks = LockedState<[Int: TransportTask]>([:])

    /// Starts to forward the callbacks of the URLSessionTask with `identifier` to `task`.
    func add(_ task: TransportTask, for identifier: Int) {
        tasks.withLock { $0[identifier] = task }
    }

    /// Ignores all further callbacks of the URLSessionTask with `identifier`.
    func remove(_ identifier: Int) {
        // The task must not be released under the lock.
        _ = tasks.withLock { $0.removeValue(forKey: identifier) }
    }

    private func transportTask(of task: URLSessionTask) -> TransportTask? {
        tasks.withLock { $0[task.taskIdentifier] }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        transportTask(of: dataTask)?.didReceive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transportTask(of: dataTask)?.didReceive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        transportTask(of: task)?.transferDidSend(total: totalBytesSent)
    }

    /// Refuses every redirect, so that the 3xx is delivered as the response: URLSession keeps credentials across
    /// origins, drops bodies and resolves relative targets incorrectly (PLATFORM B).
    ///
    /// A task without a `TransportTask` is about to be cancelled, and calling the completion handler after `cancel()`
    /// traps (PLATFORM A19). The handler is therefore not called for such a task. For all other tasks the lock delays
    /// the cancellation until the handler has been called.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        tasks.withLock { tasks in
            if tasks[task.taskIdentifier] != nil || URLSession.answersCancelledTasks {
                completionHandler(nil)
            }
        }
    }

    /// Rejects a challenge, so that the 401 is delivered as the response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let disposition = challenge.rejectingDisposition
        if disposition == .cancelAuthenticationChallenge {
            transportTask(of: task)?.didReceiveChallenge(challenge.failureResponse)
        }
        URLSessionTransport.cancelQueue.async { completionHandler(disposition, nil) }
    }

    // On Linux, URLSession does not collect metrics, and the engine reports the connection, so there is no other arm.
    #if !canImport(FoundationNetworking)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        ConnectionMetrics(metrics).map { transportTask(of: task)?.transferDidConnect($0) }
    }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        tasks.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.didComplete(task.response, error)
    }
}
