import Foundation
import FoundationNetworking

/// Everything a delegate hears about one task.
struct Record: Sendable {
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

/// One request through a session of its own, heard by a delegate, waited for with a limit.
final class Exchange: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: `record` is touched with `lock` held only; the hooks are set before the task starts.
    private let lock = NSLock()
    private var record = Record()
    private let ended = DispatchSemaphore(value: 0)
    var onData: (@Sendable (URLSessionDataTask) -> Void)?
    var onRedirect: (@Sendable (URLRequest, (URLRequest?) -> Void) -> Void)?
    var disposition = URLSession.ResponseDisposition.allow

    /// Without cache, cookies and stored credentials, so that a probe sees one thing at a time.
    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        return configuration
    }

    /// The record of `request`, or nil when it did not end within `seconds`.
    static func run(
        _ request: URLRequest, _ configuration: URLSessionConfiguration = configuration,
        within seconds: Double = 5,
        queue: OperationQueue? = nil, set: (Exchange) -> Void = { _ in },
        task make: (URLSession, URLRequest) -> URLSessionTask = { $0.dataTask(with: $1) }
    ) -> Record? {
        let exchange = Exchange()
        set(exchange)
        let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: queue)
        make(session, request).resume()
        return exchange.wait(seconds)
    }

    static func run(_ url: URL, within seconds: Double = 5) -> Record? {
        run(URLRequest(url: url), within: seconds)
    }

    /// The same, where an end is taken for granted.
    static func ending(
        _ request: URLRequest, _ configuration: URLSessionConfiguration = configuration
    ) throws -> Record {
        guard let record = run(request, configuration) else { throw Unclear(why: "the request did not end") }
        return record
    }

    static func ending(_ url: URL) throws -> Record { try ending(URLRequest(url: url)) }

    func wait(_ seconds: Double) -> Record? {
        ended.wait(timeout: .now() + seconds) == .success ? lock.withLock { record } : nil
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        lock.withLock { if let response = response as? HTTPURLResponse { record.responses.append(response) } }
        completionHandler(disposition)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock {
            record.body.append(data)
            record.chunks += 1
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
        lock.withLock { record.metrics += 1 }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        lock.withLock { record.error = error as? URLError }
        ended.signal()
    }
}

/// A value that threads and tasks may change.
final class Box<Value>: @unchecked Sendable {
    // SAFETY: `value` is touched with `lock` held only.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }
    var current: Value { lock.withLock { value } }
    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&value) } }
}

/// An operation queue that runs what it gets where it gets it.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    // SAFETY: no state of its own.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    override func addOperation(_ operation: Operation) { operation.start() }
}

/// Runs async code from a probe, which is not async itself.
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
    guard let outcome = result.current else { throw Unclear(why: "no outcome") }
    return try outcome.get()
}

/// Resident memory of this process in bytes.
func residentBytes() -> Int {
    let fields =
        (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
