// This file repairs defects of URLSession on Linux. On Apple platforms nothing of it is used; see
// Platform.swift.
#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import RESTClientHTTP

/// The workarounds for the URLSession of swift-corelibs-foundation, which is built on libcurl.
enum LinuxPlatform {
    typealias ReadThrottle = RESTClient.ReadThrottle

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

    /// Creates a task whose body is `file`, or that of `request`.
    ///
    /// A body is sent as a stream, because URLSession repeats requests without notice on connections that were closed, and
    /// asks for the body of a repetition only if it is a stream (PLATFORM A23). Also, an upload task with a file traps when
    /// it is cancelled or reset (A22). A `Transfer-Encoding` without a value is not sent, but prevents the chunked coding
    /// of the stream, so that the length is announced as usual.
    ///
    /// A custom protocol receives `httpBody` and no additional headers.
    static func makeTask(
        for request: URLRequest, file: BodyFile?, in session: URLSession, hasCustomProtocols: Bool
    ) -> URLSessionTask {
        var request = request
        let body: BodyInputStream
        if let file {
            body = BodyInputStream(.file(file))
        } else if let data = request.httpBody, !data.isEmpty, !hasCustomProtocols {
            body = BodyInputStream(.data(data))
        } else {
            return session.dataTask(with: request)
        }
        request.httpBodyStream = body
        if !hasCustomProtocols {
            request.setValue("\(body.length)", forHTTPHeaderField: "Content-Length")
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        }
        return session.dataTask(with: request)
    }

    /// Returns the body of `task` from its start, or `nil` if it cannot be read again.
    static func newBodyStream(for task: URLSessionTask) -> InputStream? {
        (task.originalRequest?.httpBodyStream as? BodyInputStream)?.rewound()
    }

    /// Returns a stream that makes `task` fail, or `nil` if its body is not a stream: URLSession traps if it receives one
    /// for other bodies (PLATFORM A23).
    static func failingBodyStream(for task: URLSessionTask) -> InputStream? {
        task.originalRequest?.httpBodyStream.map { _ in BodyInputStream(.failure) }
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

    /// Returns the error for an unsupported host: URLSession on Linux cannot connect to IPv6 addresses (PLATFORM B).
    static func refusal(ofHost host: String) -> RESTClientError.InvalidRequest? {
        host.hasPrefix("[") ? .ipv6Literal : nil
    }

    /// Returns `true` if a request for `url` is sent over plain HTTP to a proxy, whose connections libcurl shares among all
    /// hosts. The environment names the proxy, and the hosts or their domains that are contacted without one.
    static func sharesConnectionsOfProxy(_ url: URL?) -> Bool {
        guard let url, url.scheme?.lowercased() == "http" else { return false }
        let variable = { (name: String) in getenv(name).map { String(cString: $0) } ?? "" }
        guard ["http_proxy", "all_proxy", "ALL_PROXY"].contains(where: { !variable($0).isEmpty }) else {
            return false
        }
        let excluded = variable("no_proxy").isEmpty ? variable("NO_PROXY") : variable("no_proxy")
        let host = ".\(url.host(percentEncoded: false)?.lowercased() ?? "")"
        return !excluded.lowercased().split(whereSeparator: { ", ".contains($0) }).contains { name in
            name == "*" || host.hasSuffix(name.hasPrefix(".") ? String(name) : ".\(name)")
        }
    }

    /// Classifies errors by the message of libcurl, because many failures share the code -1 (PLATFORM B).
    static func errorKind(
        of error: URLError, incomplete: RESTClientError.Kind, hasHead: Bool
    ) -> RESTClientError.Kind? {
        let text = error.localizedDescription
        // An invalid status line has the same code as an unsupported scheme.
        if error.code == .unsupportedURL, text != "unsupported URL" {
            return .invalidResponse(.unparsable(text))
        }
        guard error.code == .unknown else { return nil }
        let lower = text.lowercased()
        let contains = { (parts: [String]) in parts.contains { lower.contains($0) } }
        if contains(["bytes remaining to read", "outstanding read data"]) { return incomplete }
        let lost = hasHead ? incomplete : .connection(.reset)
        // A server that was killed does not end TLS.
        if contains(["unexpected eof", "ssl_read: ssl_error_syscall"]) { return lost }
        if contains(["ssl", "tls", "certificate"]) { return .connection(.tls) }
        // Only the content decoder of libcurl reports these errors.
        if contains(["content unencoding", "failed writing received data"]) {
            return .invalidResponse(.invalidContentEncoding)
        }
        // libcurl limits a header field to 100 KB, and all fields to 300 KB.
        if contains(["out of memory"]) { return .invalidResponse(.unparsable("the header is too large")) }
        // The code of a header field that violates HTTP/2. In the body, it is that of a wrong length.
        if !hasHead, contains(["protocol_error"]) { return .invalidResponse(.unparsable(text)) }
        if contains(["http/2", "http2", "connection died", "data from the peer"]) { return lost }
        if contains(["chunk", "encoding", "header", "content-length"]) {
            return .invalidResponse(.unparsable(text))
        }
        return .connection(.other)
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
