// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
import RESTClientHTTP

/// A URLProtocol that sends HTTP requests with libcurl, instead of URLSession's own protocol.
///
/// A session manager uses it on Linux. A plain session can, too:
///
/// ```swift
/// configuration.protocolClasses = SessionManager.protocolClasses
/// ```
///
/// The platform limits what it can do in a plain session. Redirects of GET and HEAD are followed, at most 20, without
/// asking the delegate; other methods receive the redirect as their response. Cookies are neither stored nor sent.
/// Download tasks fail with `URLError.unsupportedURL`, because they need a file that only the platform can create. If a
/// delegate answers a challenge with a credential, the platform's own protocol sends the request again.
package final class HTTPProtocol: URLProtocol {
    /// The description of a task whose load was created before it.
    static let ownedDescription = "RESTClient \(UUID())"

    private var load: Load?

    /// Returns `true` for `http` and `https`, if the libcurl of the process can be used.
    package override class func canInit(with request: URLRequest) -> Bool {
        guard ConnectionPool.engineVersion != nil, let scheme = request.url?.scheme?.lowercased() else {
            return false
        }
        return scheme == "http" || scheme == "https"
    }

    package override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts the transfer on the first call, unless it was started before the task. Each call delivers the available events
    /// to the client (PLATFORM A8).
    package override func startLoading() {
        guard let task, task.state == .running else { return }
        guard load == nil else { return deliver() }
        load = Load.of(task)
        // The owner of the task has released its load, and is about to cancel it.
        if load == nil, task.taskDescription == Self.ownedDescription { return }
        let load =
            load
            ?? Load(request.url, pool: Self.plainPool.pool, joinsBody: task.keepsOnlyLastChunk) { [request] in
                if task is URLSessionDownloadTask {
                    throw URLError.unsupported(
                        "a download task; use a data task, or DataRequest.download")
                }
                return try TransferRequest(plain: request, task)
            }
        self.load = load
        load.attach(to: self, task)
        load.startIfNeeded()
        deliver()
    }

    /// A suspended task also calls this method, and continues when it resumes.
    package override func stopLoading() {
        guard let task, task.state == .canceling || task.state == .completed else { return }
        (load ?? Load.of(task))?.cancel()
    }

    /// Passes the events that are available to the client. It must be called on the work queue of URLSession.
    func deliver() {
        guard task?.state == .running, let events = load?.takeEvents() else { return }
        if let response = events.response {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        if !events.body.isEmpty { client?.urlProtocol(self, didLoad: events.body) }
        switch events.end {
        case .success: client?.urlProtocolDidFinishLoading(self)
        case .failure(let error): client?.urlProtocol(self, didFailWithError: error)
        case nil: break
        }
    }

    /// The connections of the sessions that are not those of a manager.
    private static let plainPool = PlainPool()
}

extension URLError {
    /// Returns the error of a task that the protocol cannot load.
    fileprivate static func unsupported(_ task: String) -> Self {
        let text = "SessionManager.protocolClasses cannot load \(task)"
        return Self(.unsupportedURL, userInfo: [NSLocalizedDescriptionKey: text])
    }
}

/// The pool of the plain sessions, which exists while they have transfers, and ten seconds longer.
private final class PlainPool: Sendable {
    private let state = LockedState<(pool: ConnectionPool?, isUsed: Bool)>((nil, false))

    var pool: ConnectionPool {
        let (pool, isNew) = state.withLock { state in
            let isNew = state.pool == nil
            let pool = state.pool ?? ConnectionPool(maxConnectionsPerHost: 6)
            state = (pool, !isNew)
            return (pool, isNew)
        }
        if isNew { releaseIfUnused() }
        return pool
    }

    /// Releases the pool after ten seconds without another use.
    private func releaseIfUnused() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 10) { [self] in
            let isUsed = state.withLock { state in
                defer { state = (state.isUsed ? state.pool : nil, false) }
                return state.isUsed
            }
            if isUsed { releaseIfUnused() }
        }
    }
}

extension TransferRequest {
    /// Creates the request of a task that is not a manager's, with what its session adds.
    fileprivate init(plain request: URLRequest, _ task: URLSessionTask) throws {
        let configuration = task.owner?.configuration
        let body = try (task as? URLSessionUploadTask)?.transferBody
        try self.init(request, body: body, adding: configuration)
        options.proxy = request.url.flatMap { url in
            configuration?.connectionProxyDictionary.map { ProxyDictionary($0).proxy(for: url) }
        }
        // An interval of 60 is the default of a request, which does not replace that of the session.
        let interval = request.timeoutInterval == 60 ? configuration?.timeoutIntervalForRequest : nil
        let seconds = interval ?? request.timeoutInterval
        // libcurl takes whole seconds.
        let idle = seconds.isNaN ? 60 : Int(min(max(seconds, 1), 1_000_000).rounded())
        (idleTimeout, options.connectTimeout) = (idle, .seconds(idle))
        followsRedirects = self.body == nil && ["GET", "HEAD"].contains(method)
    }

    /// - Parameter body: the body, instead of that of the request.
    init(
        _ request: URLRequest, body: TransferBody?, _ options: ConnectionOptions = ConnectionOptions(),
        adding configuration: URLSessionConfiguration? = nil
    ) throws {
        guard let url = request.url, url.host() != nil else { throw URLError(.badURL) }
        var body = body
        if body == nil, let data = request.httpBody, !data.isEmpty {
            body = .data(data)
        } else if body == nil, let stream = request.httpBodyStream {
            body = .stream(StreamBody(stream))
        }
        let method = request.httpMethod ?? "GET"
        self.init(
            url: url.absoluteString, method: method, headers: try request.fields(adding: configuration, url),
            body: body,
            isRepeatable: HTTPMethod(rawValue: method).isIdempotent
                || request.value(forHTTPHeaderField: "Idempotency-Key") != nil,
            options: options)
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
                throw TransferFailure(.badURL, text).error(url)
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
                throw URLError.unsupported(
                    "an upload task whose body is a stream; use a data task with a body")
            }
        }
    }
}
#endif
