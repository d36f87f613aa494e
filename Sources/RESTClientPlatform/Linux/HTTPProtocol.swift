// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
import RESTClientHTTP

/// A URLProtocol that sends HTTP requests with libcurl, instead of URLSession's own protocol.
///
/// A session manager uses it on Linux. A plain session can, too:
///
/// ```swift
/// configuration.protocolClasses = [HTTPProtocol.self]
/// ```
///
/// The platform limits what it can do in a plain session. Redirects of GET and HEAD are followed, at most 20, without
/// asking the delegate; other methods receive the redirect as their response. Cookies are neither stored nor sent.
/// Download tasks fail with `URLError.unsupportedURL`, because they need a file that only the platform can create. If a
/// delegate answers a challenge with a credential, the platform's own protocol sends the request again.
public final class HTTPProtocol: URLProtocol {
    /// The description of a task that has a context.
    static let ownedDescription = "RESTClient"

    private var load: Load?

    /// Returns `true` for `http` and `https`, if the libcurl of the process can be used.
    public override class func canInit(with request: URLRequest) -> Bool {
        guard ConnectionPool.engineVersion != nil, let scheme = request.url?.scheme?.lowercased() else {
            return false
        }
        return scheme == "http" || scheme == "https"
    }

    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts the transfer on the first call. Later calls deliver the available events to the client (PLATFORM A8).
    public override func startLoading() {
        guard let task, task.state == .running else { return }
        if let load { return deliver(load.takeEvents(), task) }
        let load = Load(task)
        self.load = load
        do {
            if task is URLSessionDownloadTask { throw Self.unsupported(task) }
            let context = TransferContext.of(task)
            // The owner of the task has released its context, and is about to cancel it.
            if context == nil, task.taskDescription == Self.ownedDescription { return }
            try load.start(TransferRequest(request, task, context), context)
        } catch {
            load.cancel()
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    /// A suspended task also calls this method, and continues when it resumes.
    public override func stopLoading() {
        guard let task, task.state == .canceling || task.state == .completed else { return }
        load?.cancel()
    }

    private static func unsupported(_ task: URLSessionTask) -> URLError {
        let text = "HTTPProtocol cannot load a download task; use a data task, or SessionManager.download"
        return URLError(.unsupportedURL, userInfo: [NSLocalizedDescriptionKey: text])
    }

    private func deliver(_ events: Load.Events, _ task: URLSessionTask) {
        guard let url = events.head?.url.flatMap({ URL(string: $0) }) ?? request.url else { return }
        if let head = events.head,
            let response = HTTPURLResponse(
                url: url, statusCode: head.status, httpVersion: head.version, headerFields: head.dictionary)
        {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        if !events.body.isEmpty { client?.urlProtocol(self, didLoad: events.body) }
        switch events.end {
        case .success: client?.urlProtocolDidFinishLoading(self)
        case .failure(let failure): client?.urlProtocol(self, didFailWithError: failure.error(url))
        case nil: break
        }
    }
}

/// What the owner of a task adds to its request: the connections, the body, and an observer.
package final class TransferContext: Sendable {
    private struct Weak { weak var context: TransferContext? }

    private struct State {
        weak var observer: (any TransferObserver)?
        weak var load: Load?
        var isPaused = false
    }

    /// The contexts of all tasks that have one. A `URLRequest` loses the properties that a protocol could read (PLATFORM A29).
    private static let contexts = LockedState<[ObjectIdentifier: Weak]>([:])

    let pool: ConnectionPool
    let settings: ConnectionSettings
    let body: TransferBody?
    private let task: ObjectIdentifier
    private let state: LockedState<State>

    /// Adds a context to a task that was not started, as long as the context exists.
    package init(
        of task: URLSessionTask, _ pool: ConnectionPool, _ settings: ConnectionSettings,
        body: TransferBody? = nil,
        observer: any TransferObserver
    ) {
        (self.pool, self.settings, self.body, self.task) = (pool, settings, body, ObjectIdentifier(task))
        state = LockedState(State(observer: observer))
        Self.contexts.withLock { $0[self.task] = Weak(context: self) }
    }

    deinit {
        Self.contexts.withLock { contexts in
            // Another task can have the same address after this one was released.
            if contexts[task]?.context == nil { contexts[task] = nil }
        }
    }

    static func of(_ task: URLSessionTask) -> TransferContext? {
        contexts.withLock { $0[ObjectIdentifier(task)]?.context }
    }

    var observer: (any TransferObserver)? { state.withLock { $0.observer } }
    var isPaused: Bool { state.withLock { $0.isPaused } }
    func attach(_ load: Load) { state.withLock { $0.load = load } }

    /// Lets the transfer wait for its consumer, or go on. The bytes that were received before are still delivered.
    package func setPaused(_ isPaused: Bool) {
        let load: Load? = state.withLock { state in
            guard state.isPaused != isPaused else { return nil }
            state.isPaused = isPaused
            return isPaused ? nil : state.load
        }
        load?.resume()
    }
}

/// The events of a transfer until the protocol delivers them on the work queue of URLSession.
final class Load: TransferHandler, @unchecked Sendable {
    // SAFETY: the task is thread-safe; all other state is guarded by the lock.
    struct Events {
        var head: ResponseHead?
        var body = Data()
        var end: Result<Void, TransferFailure>?
    }

    private struct State {
        var events = Events()
        var transfer: Transfer?
        var isStopped = false
        /// `true` if libcurl waits until the events are taken.
        var isWaiting = false
        /// `true` if the protocol was asked to take the events.
        var isAwake = false
        /// `true` for a task that keeps only the last chunk (PLATFORM A7), which gets its body as one.
        var joinsBody = false
    }

    /// The number of bytes at which the transfer waits until the events are taken.
    private static let highWaterMark = 1 << 20
    private static let wakeUpQueue = DispatchQueue(label: "RESTClient.wake-up")
    /// The connections of the sessions that are not those of a manager.
    private static let plainPool = PlainPool()

    private let state = LockedState(State())
    private weak var task: URLSessionTask?
    private var context: TransferContext?

    init(_ task: URLSessionTask) { self.task = task }

    func start(_ request: TransferRequest, _ context: TransferContext?) throws {
        self.context = context
        context?.attach(self)
        let joinsBody = context == nil && task?.keepsOnlyLastChunk ?? true
        state.withLock { $0.joinsBody = joinsBody }
        let pool = context?.pool ?? Self.plainPool.pool
        let transfer = pool.start(request, self)
        let isStopped = state.withLock { state in
            if state.events.end == nil { state.transfer = transfer }
            return state.isStopped
        }
        if isStopped { transfer.cancel() }
    }

    /// Removes and returns the events since the last call.
    func takeEvents() -> Events {
        let (events, transfer) = state.withLock { state -> (Events, Transfer?) in
            guard !state.isStopped else { return (Events(), nil) }
            state.isAwake = false
            var events = state.events
            if state.joinsBody, events.end == nil {
                events.body = Data()
                state.events.head = nil
            } else {
                state.events = Events()
            }
            if events.end != nil { state.isStopped = true }
            defer { state.isWaiting = false }
            return (events, state.isWaiting ? state.transfer : nil)
        }
        if let transfer, context?.isPaused != true { transfer.resume() }
        return events
    }

    func resume() { state.withLock { $0.transfer }?.resume() }

    func cancel() {
        let transfer = state.withLock { state in
            state.isStopped = true
            state.events = Events()
            return state.transfer.take()
        }
        transfer?.cancel()
    }

    // MARK: TransferHandler

    func transferDidBegin() { context?.observer?.transferDidBegin() }
    func transferDidSend(total: Int64) { context?.observer?.transferDidSend(total: total) }
    func transferDidReceive(_ head: ResponseHead) { state.withLock { $0.events.head = head } }

    func transferDidReceive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isPaused = context?.isPaused == true
        return state.withLock { state in
            guard !state.isStopped else { return true }
            if !state.joinsBody, isPaused || state.events.body.count >= Self.highWaterMark {
                state.isWaiting = true
                return false
            }
            state.events.body.append(contentsOf: bytes)
            return true
        }
    }

    func transferDidEnd(_ failure: TransferFailure?) {
        state.withLock { state in
            state.events.end = failure.map { .failure($0) } ?? .success(())
            state.transfer = nil
        }
    }

    /// Makes the protocol take the events: `resume()` on a running task calls `startLoading` on the work queue of URLSession
    /// (PLATFORM A8). On the thread of the engine this takes less time for one task, on a queue for many.
    func transferDidUpdate(isAlone: Bool) {
        let isNeeded = state.withLock { state in
            guard !state.isStopped, !state.isAwake else { return false }
            let events = state.events
            guard events.head != nil || events.end != nil || !state.joinsBody && !events.body.isEmpty else {
                return false
            }
            state.isAwake = true
            return true
        }
        guard isNeeded, let task else { return }
        let wakeUp: @Sendable () -> Void = { if task.state == .running { task.resume() } }
        if isAlone { wakeUp() } else { Self.wakeUpQueue.async(execute: wakeUp) }
    }
}

/// The pool of the plain sessions, which exists while they have transfers, and ten seconds longer.
private final class PlainPool: Sendable {
    private struct State {
        var pool: ConnectionPool?
        var uses = 0
    }

    private let state = LockedState(State())

    var pool: ConnectionPool {
        let (pool, isNew) = state.withLock { state in
            state.uses += 1
            let pool = state.pool ?? ConnectionPool(maxConnectionsPerHost: 6)
            defer { state.pool = pool }
            return (pool, state.pool == nil)
        }
        if isNew { release(after: 1) }
        return pool
    }

    /// Releases the pool after ten seconds without another use than the given number of them.
    private func release(after uses: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + 10) { [self] in
            let current: Int? = state.withLock { state in
                guard state.uses == uses else { return state.uses }
                state.pool = nil
                return nil
            }
            if let current { release(after: current) }
        }
    }
}

extension TransferFailure {
    /// The error of URLSession for a request to `url`.
    fileprivate func error(_ url: URL) -> URLError { URLError(code, text, url) }
}

extension TransferRequest {
    fileprivate init(_ request: URLRequest, _ task: URLSessionTask, _ context: TransferContext?) throws {
        guard let url = request.url, url.host() != nil else { throw URLError(.badURL) }
        let method = request.httpMethod ?? "GET"
        let configuration = context == nil ? task.owner?.configuration : nil
        var body = context?.body
        if body == nil, let data = request.httpBody, !data.isEmpty {
            body = .data(data)
        } else if body == nil, let stream = request.httpBodyStream {
            body = .stream(StreamBody(stream))
        } else if body == nil, let task = task as? URLSessionUploadTask {
            body = try task.transferBody
        }
        self.init(
            url: url.absoluteString, method: method, headers: try request.fields(adding: configuration, url),
            body: body,
            isRepeatable: HTTPMethod(rawValue: method).isIdempotent
                || request.value(forHTTPHeaderField: "Idempotency-Key") != nil,
            settings: context?.settings ?? ConnectionSettings())
        guard context == nil else { return }
        // An interval of 60 is the default of a request, which does not replace that of the session.
        let interval = request.timeoutInterval == 60 ? configuration?.timeoutIntervalForRequest : nil
        idleTimeout = (interval ?? request.timeoutInterval).wholeSeconds
        followsRedirects = body == nil && ["GET", "HEAD"].contains(method)
    }
}

extension URLRequest {
    /// Returns the header fields, with those of a configuration.
    fileprivate func fields(
        adding configuration: URLSessionConfiguration?, _ url: URL
    ) throws -> [(name: String, value: String)] {
        // The engine writes these fields.
        var names: Set = ["content-length", "transfer-encoding"]
        let additional = (configuration?.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        var fields: [(name: String, value: String)] = []
        for (name, value) in (allHTTPHeaderFields ?? [:]).map({ ($0.key, $0.value) }) + additional
        where names.insert(name.lowercased()).inserted {
            guard !(name + value).utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
                let text = "the header field \(name) contains a control character"
                throw TransferFailure(.invalidRequest, text).error(url)
            }
            fields.append((name, value))
        }
        return fields
    }
}

extension URLSessionUploadTask {
    /// The body of the task, which is not part of its request (PLATFORM A11).
    fileprivate var transferBody: TransferBody? {
        get throws {
            switch uploadBody {
            case .data(let data): return .data(data)
            case .stream(let stream): return .stream(StreamBody(stream))
            case .empty: return nil
            case .file(let file):
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                let length = (attributes[.size] as? NSNumber)?.int64Value ?? 0
                return .file(path: file.path, length: length)
            case .fromDelegate, .unknown:
                let text =
                    "HTTPProtocol cannot load an upload task whose body is a stream; use a data task with a body"
                throw URLError(.unsupportedURL, userInfo: [NSLocalizedDescriptionKey: text])
            }
        }
    }
}

extension Double {
    /// The number rounded to seconds that fit an option of libcurl.
    fileprivate var wholeSeconds: Int { isNaN ? 60 : Int(min(max(self, 1), 1_000_000).rounded()) }
}
#endif
