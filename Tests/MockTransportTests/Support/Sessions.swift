import Foundation
import MockTransport
import Testing

/// A delegate queue that runs each callback directly on the work queue of URLSession.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: adds no state to OperationQueue.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

/// The events that a delegate received for a task, in order.
struct Transcript: Sendable {
    enum Line: Equatable, Sendable {
        case head(Int)
        case chunk(String)
        case end
        case failure(Int)
    }

    var lines: [Line] = []
    var response: HTTPURLResponse?
    var body = Data()
    var error: (any Error)?
    /// The number of completion callbacks.
    var ends = 0
}

/// A delegate that records a transcript for each task, and provides the stream of an upload.
final class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
    // SAFETY: all state is in the locks, the rest is immutable.
    private struct Entry {
        var transcript = Transcript()
        var waiter: CheckedContinuation<Transcript, Never>?
    }

    typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private let body: Data
    private let disposition: URLSession.AuthChallengeDisposition?
    private let invalidation = LockedState<CheckedContinuation<Void, Never>?>(nil)
    private let entries = LockedState<[Int: Entry]>([:])
    private let received = LockedState<[(challenge: URLAuthenticationChallenge, answer: Answer)]>([])

    /// - Parameter disposition: The answer to challenges, or `nil` if `answerLast` answers them.
    init(
        body: Data = Data(),
        answering disposition: URLSession.AuthChallengeDisposition? = .performDefaultHandling
    ) {
        (self.body, self.disposition) = (body, disposition)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        note(dataTask) {
            $0.response = response as? HTTPURLResponse
            $0.lines.append(.head($0.response?.statusCode ?? -1))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note(dataTask) {
            $0.body += data
            $0.lines.append(.chunk(String(decoding: data, as: UTF8.self)))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
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

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: body)) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping Answer
    ) {
        received.withLock { $0.append((challenge, completionHandler)) }
        if let disposition { answerLast(disposition) }
    }

    var challenges: [URLAuthenticationChallenge] { received.withLock { $0.map(\.challenge) } }

    func answerLast(_ disposition: URLSession.AuthChallengeDisposition) {
        let credential = URLCredential(user: "ann", password: "secret", persistence: .forSession)
        let answer = received.withLock { $0.last?.answer }
        answer?(disposition, disposition == .useCredential ? credential : nil)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        invalidation.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }?.resume()
    }

    /// Runs `invalidate` and waits until the session is invalid.
    func invalidated(by invalidate: () -> Void) async {
        await withCheckedContinuation { continuation in
            invalidation.withLock { $0 = continuation }
            invalidate()
        }
    }

    private func note(_ task: URLSessionTask, _ change: (inout Transcript) -> Void) {
        entries.withLock { change(&$0[task.taskIdentifier, default: Entry()].transcript) }
    }

    func transcript(of task: URLSessionTask) -> Transcript? {
        entries.withLock { $0[task.taskIdentifier]?.transcript }
    }

    /// Starts `task` and returns its transcript when it is complete.
    func run(_ task: URLSessionTask) async -> Transcript {
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

extension MockServer {
    /// Returns a session with a delegate whose callbacks run on a queue, or directly on the work queue of URLSession.
    func session(_ delegate: any URLSessionDelegate, isInline: Bool = false) -> URLSession {
        URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: isInline ? InlineQueue() : nil)
    }

    /// Sends a request with a new session and returns the body as text.
    func text(_ url: String, method: String = "GET", body: String? = nil) async throws -> String {
        try await text(URLRequest(url, method: method, body: body))
    }

    func text(_ request: URLRequest) async throws -> String {
        let (data, _) = try await data(request)
        return String(decoding: data, as: UTF8.self)
    }

    func data(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    func data(_ url: String) async throws -> (Data, HTTPURLResponse) {
        try await data(URLRequest(url))
    }
}

extension MockServerError {
    var isServerGone: Bool { if case .serverGone = kind { true } else { false } }
}
