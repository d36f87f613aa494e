import Foundation
import FoundationNetworking

/// The response to a task, as its delegate received it.
struct ReceivedResponse: Sendable {
    var responses: [HTTPURLResponse] = []
    var body = Data()
    var error: URLError?
    var metrics = 0

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The code of the error, or 0.
    var code: Int { error?.code.rawValue ?? 0 }
    var statuses: [Int] { responses.map(\.statusCode) }
    var evidence: String { "statuses \(statuses), error \(code), \(body.count) bytes: \(text.prefix(20))" }

    func header(_ name: String) -> String? {
        responses.last?.allHeaderFields.first { "\($0.key)".lowercased() == name }.map { "\($0.value)" }
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
    var onRedirect: (@Sendable (URLSessionTask, (URLRequest?) -> Void) -> Void)?

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

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        if let onRedirect { onRedirect(task, completionHandler) } else { completionHandler(request) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        lock.withLock { received.metrics += 1 }
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
    /// Replies to the first request on each connection after a pause, with exactly these bytes, and closes the connection.
    static func replying(_ reply: String, after pause: Double = 0, then last: Double = 0) throws -> RawServer
    {
        try replying(Data(reply.utf8), after: pause, then: last)
    }

    static func replying(_ reply: Data, after pause: Double = 0, then last: Double = 0) throws -> RawServer {
        try serving { connection in
            connection.readRequest()
            connection.pause(pause)
            connection.send(reply)
            connection.pause(last)
        }
    }

    /// Replies to every request with 200 and `body`, on connections that are kept alive.
    static func keepAlive(
        _ body: String, redirecting path: String? = nil, to target: String = ""
    ) throws -> RawServer {
        try serving { connection in
            while case let request = connection.readRequest(), !request.isEmpty {
                let isRedirected = path.map { request.contains(" \($0) ") } ?? false
                connection.send(isRedirected ? redirect(to: target) : ok(body))
            }
        }
    }

    /// Sends a body of the given size as fast as the client reads it.
    static func sending(megabytes: Int) throws -> RawServer {
        let piece = Data(repeating: 120, count: 1 << 20)
        return try serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(megabytes << 20)\r\n\r\n")
            for _ in 0..<megabytes where !connection.send(piece) { return }
        }
    }

    /// Returns the root URL, and keeps the server running.
    func url(scheme: String = "http") -> URL {
        running.change { $0.append(self) }
        return URL(string: "\(scheme)://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/")
    }
}

func ok(_ body: String) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }

func redirect(to location: String, status: Int = 302) -> String {
    "HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
}
