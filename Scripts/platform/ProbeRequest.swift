import Foundation
import FoundationNetworking

/// The response to a task, as its delegate received it.
struct ReceivedResponse: Sendable {
    var responses: [HTTPURLResponse] = []
    var body = Data()
    var error: URLError?

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The code of the error, or 0.
    var code: Int { error?.code.rawValue ?? 0 }
    var evidence: String {
        "statuses \(responses.map(\.statusCode)), error \(code), \(body.count) bytes: \(text.prefix(20))"
    }
}

extension ProbeResult {
    /// `present` when `fact` holds for the response, which is `nil` if the task did not end.
    static func when(
        _ received: ReceivedResponse?, _ fact: (ReceivedResponse) -> Bool
    ) -> Self {
        guard let received else { return .unknown("the task did not end") }
        return .when(fact(received), received.evidence)
    }

    /// `present` when the task did not end.
    static func hanging(_ received: ReceivedResponse?) -> Self {
        .when(received == nil, received?.evidence ?? "the task did not end")
    }
}

/// A request in its own session with a delegate and a time limit.
final class ProbeRequest: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: `received` is accessed only while `lock` is held; the handlers are set before the task starts.
    private let lock = NSLock()
    private var received = ReceivedResponse()
    private let ended = DispatchSemaphore(value: 0)
    var onData: (@Sendable (URLSessionDataTask) -> Void)?

    /// A configuration without cache, cookies and stored credentials.
    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        return configuration
    }

    /// Returns the response to `request`, or `nil` if it does not end within `seconds`.
    static func run(
        _ request: URLRequest, _ configuration: URLSessionConfiguration = configuration,
        within seconds: Double = 5,
        queue: OperationQueue? = nil, set: (ProbeRequest) -> Void = { _ in },
        task make: (URLSession, URLRequest) -> URLSessionTask = { $0.dataTask(with: $1) }
    ) -> ReceivedResponse? {
        let delegate = ProbeRequest()
        set(delegate)
        make(delegate.session(configuration, queue), request).resume()
        return delegate.wait(seconds)
    }

    static func run(_ url: URL, within seconds: Double = 5) -> ReceivedResponse? {
        run(URLRequest(url: url), within: seconds)
    }

    func session(
        _ configuration: URLSessionConfiguration = configuration, _ queue: OperationQueue? = nil
    ) -> URLSession {
        URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    }

    func wait(_ seconds: Double) -> ReceivedResponse? {
        ended.wait(timeout: .now() + seconds) == .success ? lock.withLock { received } : nil
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            lock.withLock { received.responses.append(response) }
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { received.body.append(data) }
        onData?(dataTask)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        lock.withLock { received.error = error as? URLError }
        ended.signal()
    }
}

/// An operation queue that runs each operation on the thread that adds it.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: has no state.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    override func addOperation(_ operation: Operation) { operation.start() }
}

/// Servers of this process, which run until it exits.
private let running = Box<[RawServer]>([])

extension RawServer {
    /// Replies to the first request on each connection with exactly these bytes, and closes the connection after a pause.
    static func replying(_ reply: String, then pause: Double = 0) throws -> RawServer {
        try serving { connection in
            connection.readRequest()
            connection.send(reply)
            connection.pause(pause)
        }
    }

    /// Replies to every request with 200 and `body`, on connections that are kept alive.
    static func keepAlive(_ body: String) throws -> RawServer {
        try serving { connection in
            while !connection.readRequest().isEmpty {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    /// Returns the root URL, and keeps the server running.
    func url() -> URL {
        running.change { $0.append(self) }
        return URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/")
    }
}
