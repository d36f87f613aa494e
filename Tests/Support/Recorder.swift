package import Foundation
package import RESTClientHTTP

/// A delegate queue that runs each callback directly on the work queue of URLSession.
package final class InlineQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: adds no state to OperationQueue.
    override package func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

/// The events that a delegate received for a task, in order.
package struct Transcript: Sendable {
    package enum Line: Equatable, Sendable {
        case head(Int)
        case chunk(String)
        case end
        case failure(Int)
    }

    package var lines: [Line] = []
    package var response: HTTPURLResponse?
    package var body = Data()
    package var error: (any Error)?
    /// The number of completion callbacks.
    package var ends = 0
}

/// A delegate that records a transcript for each task, and provides the stream of an upload.
package final class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    // SAFETY: all state is in the locks, the rest is immutable.
    private struct Entry {
        var transcript = Transcript()
        var waiter: CheckedContinuation<Transcript, Never>?
    }

    package typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private let body: Data
    private let disposition: URLSession.AuthChallengeDisposition?
    private let invalidation = LockedState<CheckedContinuation<Void, Never>?>(nil)
    private let entries = LockedState<[Int: Entry]>([:])
    private let received = LockedState<[(challenge: URLAuthenticationChallenge, answer: Answer)]>([])

    /// - Parameter disposition: The answer to challenges, or `nil` if `answerLast` answers them.
    package init(
        body: Data = Data(),
        answering disposition: URLSession.AuthChallengeDisposition? = .performDefaultHandling
    ) {
        (self.body, self.disposition) = (body, disposition)
    }

    package func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        note(dataTask) {
            $0.response = response as? HTTPURLResponse
            $0.lines.append(.head($0.response?.statusCode ?? -1))
        }
        completionHandler(.allow)
    }

    package func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note(dataTask) {
            $0.body += data
            $0.lines.append(.chunk(String(decoding: data, as: UTF8.self)))
        }
    }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        note(task) {
            $0.response = task.response as? HTTPURLResponse
            $0.error = error
            $0.ends += 1
            $0.lines.append(error.map { .failure(($0 as? URLError)?.errorCode ?? 0) } ?? .end)
        }
        let (waiter, transcript) = entries.withLock { entries in
            let entry = entries[task.taskIdentifier]
            entries[task.taskIdentifier]?.waiter = nil
            return (entry?.waiter, entry?.transcript)
        }
        if let waiter, let transcript { waiter.resume(returning: transcript) }
    }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: body)) }

    package func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}

    package func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping Answer
    ) {
        received.withLock { $0.append((challenge, completionHandler)) }
        if let disposition { answerLast(disposition) }
    }

    package var challenges: [URLAuthenticationChallenge] { received.withLock { $0.map(\.challenge) } }

    package func answerLast(_ disposition: URLSession.AuthChallengeDisposition) {
        let credential = URLCredential(user: "ann", password: "secret", persistence: .forSession)
        let answer = received.withLock { $0.last?.answer }
        answer?(disposition, disposition == .useCredential ? credential : nil)
    }

    package func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        invalidation.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }?.resume()
    }

    /// Runs `invalidate` and waits until the session is invalid.
    package func invalidated(by invalidate: () -> Void) async {
        await withCheckedContinuation { continuation in
            invalidation.withLock { $0 = continuation }
            invalidate()
        }
    }

    private func note(_ task: URLSessionTask, _ change: (inout Transcript) -> Void) {
        entries.withLock { change(&$0[task.taskIdentifier, default: Entry()].transcript) }
    }

    package func transcript(of task: URLSessionTask) -> Transcript? {
        entries.withLock { $0[task.taskIdentifier]?.transcript }
    }

    /// Starts `task` and returns its transcript when it is complete.
    package func run(_ task: URLSessionTask) async -> Transcript {
        await withCheckedContinuation { continuation in
            let past = entries.withLock { entries -> Transcript? in
                if let past = entries[task.taskIdentifier]?.transcript, past.ends > 0 { return past }
                entries[task.taskIdentifier, default: Entry()].waiter = continuation
                return nil
            }
            if let past { return continuation.resume(returning: past) }
            task.resume()
        }
    }
}
