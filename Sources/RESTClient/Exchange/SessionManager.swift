public import Foundation
public import RESTClientHTTP
import RESTClientPlatform

/// Creates and sends requests through a URLSession, with the same behavior on every platform.
///
/// The session is created from a copy of the configuration. To inject a mock, add its protocol class to the
/// configuration. Features of URLSession that differ between platforms (cookies, caching, stored credentials,
/// redirects, timeouts) are disabled; redirects, timeouts and credentials are implemented here.
///
/// ```swift
/// let manager = SessionManager(options: RequestOptions(timeouts: Timeouts(idle: .seconds(5))))
/// let coaches = try await manager.request(url, query: ["q": "tea"]).decode([Coach].self)
/// ```
public final class SessionManager: Sendable {
    /// The manager of code to which no manager is passed: the shared one, or that of the current task in a test.
    ///
    /// See ``withDefault(_:_:)``.
    public static var `default`: SessionManager {
        DefaultSession.current?.manager { SessionManager(configuration: $0) } ?? shared
    }

    private static let shared = SessionManager()

    /// Replaces ``default`` in the current task and its child tasks while `body` runs, for tests of code to which no
    /// manager is passed.
    ///
    /// ```swift
    /// try await SessionManager.withDefault(SessionManager(configuration: server.configuration)) {
    ///     try await refreshCatalog()
    /// }
    /// ```
    ///
    /// Tests can run in parallel, each with its own default. Tasks that the code creates with `Task { }` have it, too.
    /// `Task.detached` and dispatch queues have the shared one.
    public static func withDefault<Result>(
        _ manager: SessionManager, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await DefaultSession.$current.withValue(DefaultSession(manager)) { try await body() }
    }

    /// The protocol classes with which a manager sends requests, for the configuration of a plain session.
    ///
    /// On Linux, the class that sends requests with libcurl, or none if the process has no libcurl 7.68 or later. On
    /// Apple platforms none. See <doc:OnLinux>.
    public static var protocolClasses: [AnyClass] { PlatformSession.protocolClasses }

    /// The URL that the paths of requests are appended to, or `nil`.
    public let baseURL: URL?

    let interceptors: [any RequestInterceptor]
    let options: RequestOptions
    let additionalHeaders: HTTPHeaders
    let clock: AnyClock
    let transport: URLSessionTransport
    private let events: EventBroadcaster
    private let state: LockedState<State>
    /// `true` if the manager sends requests on behalf of a request in progress, which are allowed during a shutdown.
    private let isNested: Bool

    private struct State {
        var isShutDown = false
        var created = 0
        /// The requests with the number of their unfinished parts: the request itself and its attempts. An interceptor can start an
        /// attempt that outlives the request.
        var tasks: [ObjectIdentifier: (task: RequestTask, uses: Int)] = [:]
        var shutdowns: [CheckedContinuation<Void, Never>] = []
    }

    /// Creates a manager with its own session.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that the paths of requests are appended to; see ``request(_:method:query:headers:body:)-(String,_,_,_,RequestBody?)``.
    ///   - configuration: The configuration to copy. Its protocol classes, TLS and proxy settings apply, and its
    ///     `httpMaximumConnectionsPerHost`, by default 6; further requests to a host wait for a connection. On Linux, this wait does
    ///     not count for the idle timeout.
    ///     `httpAdditionalHeaders` are added to every request that does not set them. Defaults to `.ephemeral`.
    ///   - connection: The options of connections, which are not shared with other managers.
    ///   - interceptors: The interceptors for every request, the outermost first.
    ///   - options: The default options of all requests.
    ///   - monitor: The monitor that receives the events of the manager.
    ///   - clock: The clock for all timeouts, delays and measured times.
    public init(
        baseURL: URL? = nil, configuration: URLSessionConfiguration = .ephemeral,
        connection: ConnectionOptions = ConnectionOptions(), interceptors: [any RequestInterceptor] = [],
        options: RequestOptions = RequestOptions(), monitor: EventMonitor? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.baseURL, self.interceptors, self.options) = (baseURL, interceptors, options)
        (self.clock, events) = (AnyClock(clock), EventBroadcaster(monitor))
        additionalHeaders = HTTPHeaders(configuration.httpAdditionalHeaders ?? [:])
        transport = URLSessionTransport(
            configuration: configuration, connection: connection, clock: self.clock,
            retaining: (configuration.protocolClasses ?? []).compactMap {
                ($0 as? any ManagedProtocol.Type)?.join(clock)
            })
        state = LockedState(State())
        isNested = false
    }

    /// Creates a manager with other interceptors that shares the session, request tasks, events and shutdown of
    /// `parent`.
    init(nestedIn parent: SessionManager, interceptors: [any RequestInterceptor]) {
        (self.interceptors, isNested) = (interceptors, true)
        (baseURL, options, additionalHeaders) = (parent.baseURL, parent.options, parent.additionalHeaders)
        (clock, events) = (parent.clock, parent.events)
        (transport, state) = (parent.transport, parent.state)
    }

    /// Creates a request; it is sent when one of its results is awaited.
    ///
    /// - Parameters:
    ///   - url: An absolute URL with the scheme `http` or `https`.
    ///   - method: The method of the request. A 303 redirect changes it to GET.
    ///   - query: The query items to append to `url`.
    ///   - headers: The header fields, which replace additional headers of the manager with the same name.
    ///   - body: The body, encoded once when the request is sent, and used for its retries. It sets `Content-Type` unless `headers` contains it.
    public func request(
        _ url: URL, method: HTTPMethod = .get, query: QueryItems = [:], headers: HTTPHeaders = [:],
        body: RequestBody? = nil
    ) -> DataRequest {
        var request = URLRequest(url: query.appended(to: url))
        request.httpMethod = method.rawValue
        return DataRequest(request, headers: headers, body: body, manager: self)
    }

    /// Creates a request for a URL in text, or for a path below ``baseURL``; it is sent when one of its results is awaited.
    ///
    /// ```swift
    /// let manager = SessionManager(baseURL: URL(string: "https://api.example.com/v2"))
    /// let user = try await manager.request("users/7").decode(User.self)   // https://api.example.com/v2/users/7
    /// ```
    ///
    /// A path is appended to the path of `baseURL`, whether or not it begins with a slash. Characters that are not allowed
    /// in a URL are percent-encoded. This method does not throw: if the text is not a URL, or is a path and there is no
    /// `baseURL`, the request fails with an error of kind `invalidRequest(.missingURL)` when it is sent.
    ///
    /// - Parameters:
    ///   - url: A URL with the scheme `http` or `https`, or a path, which may have a query.
    ///   - method: The method of the request.
    ///   - query: The query items to append to the URL.
    ///   - headers: The header fields, which replace additional headers of the manager with the same name.
    ///   - body: The body, encoded once when the request is sent, and used for its retries. It sets `Content-Type` unless `headers` contains it.
    public func request(
        _ url: String, method: HTTPMethod = .get, query: QueryItems = [:], headers: HTTPHeaders = [:],
        body: RequestBody? = nil
    ) -> DataRequest {
        guard let url = URL(text: url, below: baseURL) else {
            var request = URLRequest(url: URL(filePath: "/"))
            // Not absolute: the request fails, with the text in its message.
            request.url = URL(string: url)
            request.httpMethod = method.rawValue
            return DataRequest(request, headers: headers, body: body, manager: self)
        }
        return request(url, method: method, query: query, headers: headers, body: body)
    }

    /// Creates a request from a `URLRequest`, whose `timeoutInterval` and cache policy are ignored.
    public func request(_ request: URLRequest) -> DataRequest {
        DataRequest(request, headers: [:], body: nil, manager: self)
    }

    /// Returns a sequence of the events after this call. If more than `buffer` events are unread, the oldest are
    /// dropped.
    ///
    /// The sequence ends when the manager is deallocated.
    public func events(buffer: Int = 256) -> AsyncStream<SessionEvent> { events.events(buffer: buffer) }

    /// Cancels every request in progress; each throws `CancellationError`.
    public func cancelAll() {
        for task in state.withLock({ $0.tasks.values.map(\.task) }) { task.cancel() }
    }

    /// Rejects new requests with an error of kind `shutDown`, and returns when all requests in progress have ended.
    ///
    /// A request with a streamed body ends when the body has been read, or when its stream has been released. A cancelled
    /// request ends at once, even if an interceptor ignores the cancellation and continues. If called
    /// from inside one of the manager's requests, for example by an interceptor, the method returns immediately to
    /// avoid a deadlock.
    public func shutdown() async {
        let enclosing = RequestTask.current.map { Array(sequence(first: $0) { $0.parent }) } ?? []
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                state.isShutDown = true
                let isInside = enclosing.contains { state.tasks[ObjectIdentifier($0)] != nil }
                let isDone = state.tasks.isEmpty || isInside
                if !isDone { state.shutdowns.append(continuation) }
                return isDone
            }
            if isDone { continuation.resume() }
        }
    }
}

// MARK: - Requests

extension SessionManager {
    /// Sends `request` through the interceptors and validates the response.
    ///
    /// The request ends when the method returns or, if the body is streamed, when the stream ends. `progress` replaces the
    /// observers of the request.
    func perform(
        _ request: DataRequest, _ delivery: RequestContext.Delivery, progress: ProgressReporter? = nil
    ) async throws -> Response<ResponseBody> {
        let ownProgress = progress == nil ? ProgressReporter(request.progressObservers) : nil
        var isStreaming = false
        defer { if !isStreaming { ownProgress?.end() } }
        let task = try begin(request)
        let executor = RequestExecutor(
            request: request, delivery: delivery, manager: self, task: task,
            progress: progress ?? ownProgress)
        do {
            // A separate Swift task requires an additional job on the cooperative pool, so it is created only for
            // requests with a body or interceptors.
            var response =
                request.body == nil && interceptors.isEmpty && request.interceptors.isEmpty
                ? try await executor.response()
                : try await task.run(deadlines: transport.deadlines) { try await executor.response() }
            response.decoder = request.options.decoder
            guard case .stream(let stream) = response.body else {
                await executor.progress?.drain()
                response.attempts = finish(task, .success(response.status))
                return response
            }
            response.attempts = task.attempts
            let status = response.status
            let token = try task.addCancellationHandler(stream.cancel)
            let deadlineToken = stream.isCustom ? task.addDeadlineOfBody(to: transport.deadlines) : nil
            isStreaming = true
            stream.onEnd { error in
                if let deadlineToken { self.transport.deadlines.remove(deadlineToken) }
                if let ownProgress {
                    Task {
                        await ownProgress.drain()
                        ownProgress.end()
                    }
                }
                task.removeCancellationHandler(token)
                let error = error.map {
                    task.completed($0, for: request.urlRequest, request.options.timeouts)
                }
                self.finish(task, error.map { .failure($0) } ?? .success(status))
                return error
            }
            return response
        } catch {
            if !(error is CancellationError) { await executor.progress?.drain() }
            let error = task.completed(error, for: request.urlRequest, request.options.timeouts)
            finish(task, .failure(error))
            throw error
        }
    }

    private func begin(_ request: DataRequest) throws -> RequestTask {
        let now = clock.now
        let task = state.withLock { state -> RequestTask? in
            guard !state.isShutDown || isNested && !state.tasks.isEmpty else { return nil }
            state.created += 1
            let task = RequestTask(
                number: state.created, clock: clock, created: now, timeout: request.options.timeouts.total,
                events: events, request: request.urlRequest, sessions: request.sessions ?? UserSessions())
            state.tasks[ObjectIdentifier(task)] = (task, 1)
            return task
        }
        guard let task else { throw RESTClientError(.shutDown, request.urlRequest) }
        task.report(.created(request.urlRequest.method, request.urlRequest.url))
        if let note = request.note { task.report(.note(note)) }
        return task
    }

    @discardableResult private func finish(
        _ task: RequestTask, _ result: Result<HTTPStatus, any Error>
    ) -> [Attempt] {
        task.report(.finished(result))
        defer { endUse(of: task) }
        return task.attempts
    }

    /// Begins an attempt of `task` and returns its number. A shutdown waits for it, and `cancelAll()` cancels it.
    ///
    /// - Throws: `RESTClientError` of kind `shutDown` if the request has ended and the manager was shut down;
    ///   `CancellationError` if the request was cancelled.
    func beginAttempt(of task: RequestTask, _ request: URLRequest) throws -> Int {
        if task.isCancelled { throw CancellationError() }
        let hasBegun = state.withLock { state in
            let uses = state.tasks[ObjectIdentifier(task)]?.uses ?? 0
            guard uses > 0 || !state.isShutDown else { return false }
            state.tasks[ObjectIdentifier(task)] = (task, uses + 1)
            return true
        }
        guard hasBegun else { throw RESTClientError(.shutDown, request) }
        return task.beginAttempt()
    }

    /// Ends a part of `task`: an attempt or the request.
    func endUse(of task: RequestTask) {
        let shutdowns = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            let uses = state.tasks[ObjectIdentifier(task)]?.uses ?? 0
            state.tasks[ObjectIdentifier(task)] = uses > 1 ? (task, uses - 1) : nil
            guard state.isShutDown, state.tasks.isEmpty else { return [] }
            defer { state.shutdowns = [] }
            return state.shutdowns
        }
        for continuation in shutdowns { continuation.resume() }
    }
}
