import Foundation
import FoundationNetworking

/// The response to a task, as its delegate received it.
struct ReceivedResponse: Sendable {
    var responses: [HTTPURLResponse] = []
    var body = Data()
    var chunks = 0
    var error: URLError?
    var metrics = 0

    var status: Int? { responses.last?.statusCode }
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        responses.last?.allHeaderFields.first { "\($0.key)".lowercased() == name.lowercased() }.map {
            "\($0.value)"
        }
    }
}

/// A request in its own session with a delegate and a time limit.
final class ProbeRequest: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: `received` is accessed only while `lock` is held; the handlers are set before the task starts.
    private let lock = NSLock()
    private var received = ReceivedResponse()
    private let ended = DispatchSemaphore(value: 0)
    var onData: (@Sendable (URLSessionDataTask) -> Void)?
    var onRedirect: (@Sendable (URLRequest, (URLRequest?) -> Void) -> Void)?
    var disposition = URLSession.ResponseDisposition.allow

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
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        make(session, request).resume()
        return delegate.wait(seconds)
    }

    static func run(_ url: URL, within seconds: Double = 5) -> ReceivedResponse? {
        run(URLRequest(url: url), within: seconds)
    }

    /// Returns the response to `request`, or throws if it does not end.
    static func ending(
        _ request: URLRequest, _ configuration: URLSessionConfiguration = configuration
    ) throws -> ReceivedResponse {
        guard let received = run(request, configuration) else {
            throw Inconclusive(reason: "the request did not end")
        }
        return received
    }

    static func ending(_ url: URL) throws -> ReceivedResponse { try ending(URLRequest(url: url)) }

    func wait(_ seconds: Double) -> ReceivedResponse? {
        ended.wait(timeout: .now() + seconds) == .success ? lock.withLock { received } : nil
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        lock.withLock {
            if let response = response as? HTTPURLResponse { received.responses.append(response) }
        }
        completionHandler(disposition)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock {
            received.body.append(data)
            received.chunks += 1
        }
        onData?(dataTask)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        if let onRedirect { onRedirect(request, completionHandler) } else { completionHandler(request) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        completionHandler(InputStream(data: Data("body".utf8)))
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

/// A value that is protected by a lock.
final class Box<Value>: @unchecked Sendable {
    // SAFETY: `value` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }
    var current: Value { lock.withLock { value } }
    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&value) } }
}

/// An operation queue that runs each operation on the thread that adds it.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: has no state.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    override func addOperation(_ operation: Operation) { operation.start() }
}

/// Runs async code from a synchronous probe.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Box<Result<Value, any Error>?>(nil)
    Task.detached {
        do { let value = try await body(); result.change { $0 = .success(value) } } catch {
            result.change { $0 = .failure(error) }
        }
        done.signal()
    }
    done.wait()
    guard let outcome = result.current else { throw Inconclusive(reason: "no outcome") }
    return try outcome.get()
}

/// Returns the resident memory of this process in bytes.
func residentBytes() -> Int {
    let fields =
        (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
