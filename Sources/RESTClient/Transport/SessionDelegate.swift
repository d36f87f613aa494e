import Dispatch
import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The one delegate of a session: routes what happens to a task to the exchange it belongs to.
///
/// With an inline delegate queue every callback runs on the work queue that all sessions of the process share
/// (PLATFORM A6), so nothing here blocks, calls user code or cancels a task (A2).
final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: the only state is immutable and Sendable; NSObject's own is not touched.
    private let exchanges = LockedState<[Int: Exchange]>([:])
    /// Hears of all that begins, comes and ends.
    let pace = Pace()

    /// Routes what happens to the task `identifier` to `exchange` from now on.
    func route(_ identifier: Int, to exchange: Exchange) {
        exchanges.withLock { $0[identifier] = exchange }
        pace.begin()
    }

    /// Lets the task `identifier` go: what still happens to it is of no interest to anyone.
    func forget(_ identifier: Int) {
        // The exchange must not be released under the lock.
        _ = exchanges.withLock { $0.removeValue(forKey: identifier) }
        pace.end()
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.received(response)
        pace.called()
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
        pace.called(withChunk: true)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(totalBytesSent, of: totalBytesExpectedToSend)
        pace.called()
    }

    /// Refuses every redirect, so that the 3xx comes as the response: the platform keeps credentials over
    /// origins, drops bodies and resolves relative targets wrongly (PLATFORM B).
    ///
    /// A task that was let go is about to be cancelled, and an answer that comes behind the cancel traps
    /// (PLATFORM A19). So it gets none, and the lock keeps the cancel of the others behind their answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        #if canImport(Darwin)
        completionHandler(nil)
        #else
        exchanges.withLock { if $0[task.taskIdentifier] != nil { completionHandler(nil) } }
        #endif
    }

    /// Ends a challenge with the 401 that brought it; answered elsewhere, because to cancel here hangs (PLATFORM A3).
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
        if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
            return completionHandler(.performDefaultHandling, nil)
        }
        return completionHandler(.rejectProtectionSpace, nil)
        #else
        exchange(of: task)?.challenged(by: challenge.failureResponse)
        CancelQueue.async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(of: task)?.completed(task.response, error)
    }
}

/// Where tasks are cancelled: never in a callback, an `onCancel` handler or `startLoading`, all of which may
/// hold what `cancel()` waits for (PLATFORM A1, A2).
enum CancelQueue {
    private static let queue = DispatchQueue(label: "RESTClient.cancel")

    static func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
