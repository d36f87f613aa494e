package import Foundation
// On Apple platforms, these types are in Foundation.
#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif
package import RESTClientHTTP

/// A URLSession, which sends HTTP requests with the engine on Linux, and with its own protocol on other platforms.
package final class PlatformSession: Sendable {
    private let session: URLSession
    /// `true` if requests may be sent by a URLProtocol of the caller.
    package let hasCustomProtocols: Bool
    /// The reason why no request can be sent: an option that this platform does not have.
    package let refusal: String?

    /// Invalidates the session when its tasks have ended. It must not be called in a callback of URLSession.
    package func close() { session.finishTasksAndInvalidate() }

    private static func identifiers(_ configuration: URLSessionConfiguration) -> Set<ObjectIdentifier> {
        Set((configuration.protocolClasses ?? []).map { ObjectIdentifier($0) })
    }

    // On Linux, URLSession's own protocol ends the process or hangs with many servers. If the engine cannot be used, and on
    // other platforms, URLSession sends the requests.
    #if canImport(FoundationNetworking)
    /// The protocol of the engine, or none if the libcurl of the process cannot be used.
    package static var protocolClasses: [AnyClass] {
        ConnectionPool.engineVersion == nil ? [] : [HTTPProtocol.self]
    }

    private let pool: ConnectionPool?
    private let workQueue: WorkQueue?
    /// `true` if tasks of the caller's protocols can be suspended. Others may begin their response again when they resume.
    private let canSuspend: Bool
    private let options: ConnectionOptions
    private let proxies: ProxyDictionary?

    /// Adds the protocol after the classes of the caller, and before those of URLSession.
    package init(
        _ configuration: URLSessionConfiguration, _ options: ConnectionOptions,
        delegate: any URLSessionDelegate, queue: OperationQueue
    ) {
        self.options = options
        proxies = configuration.connectionProxyDictionary.map { ProxyDictionary($0) }
        refusal = ConnectionPool.engineVersion == nil ? options.refusalWithoutLibCurl : nil
        let standard = Self.identifiers(.ephemeral)
        hasCustomProtocols = !Self.identifiers(configuration).isSubset(of: standard)
        canSuspend = (configuration.protocolClasses ?? []).allSatisfy {
            standard.contains(ObjectIdentifier($0)) || $0 is any ManagedProtocol.Type
        }
        if ConnectionPool.engineVersion != nil {
            pool = ConnectionPool(maxConnectionsPerHost: configuration.httpMaximumConnectionsPerHost)
            var classes = configuration.protocolClasses ?? []
            let index = classes.firstIndex { standard.contains(ObjectIdentifier($0)) } ?? classes.endIndex
            classes.insert(contentsOf: [HTTPProtocol.self], at: index)
            configuration.protocolClasses = classes
        } else {
            pool = nil
        }
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        workQueue = WorkQueue(session)
    }

    /// Creates a suspended task whose body is `file` or that of `request`, and a function that lets it wait for the reader
    /// of its response. The engine sends the request at once, unless a protocol of the caller may send it.
    package func makeTask(
        for request: URLRequest, file: (url: URL, length: Int64)? = nil,
        _ observer: (any TransferObserver)? = nil
    ) -> (URLSessionTask, setPaused: (@Sendable (Bool) -> Void)?) {
        var request = request
        // A protocol of the caller receives a file as a stream.
        if let file { request.httpBodyStream = InputStream(url: file.url) }
        guard let pool else {
            observer?.transferDidBegin()
            return (session.dataTask(with: request), nil)
        }
        let body = file.map { TransferBody.file(path: $0.url.path(percentEncoded: false), length: $0.length) }
        var options = options
        if options.proxy == nil, options.unixSocket == nil, let url = request.url {
            options.proxy = proxies?.proxy(for: url)
        }
        let load = Load(request.url, pool: pool, workQueue: workQueue, observer: observer) {
            [request, options] in
            try TransferRequest(request, body: body, options)
        }
        if !hasCustomProtocols { load.startIfNeeded() }
        let task = session.dataTask(with: request)
        load.register(for: task)
        guard hasCustomProtocols, canSuspend else { return (task, { load.setPaused($0) }) }
        // On a queue, because the buffer of the reader is locked, and the work queue may be the calling one.
        return (
            task,
            { isPaused in
                load.setPaused(isPaused)
                Self.suspensionQueue.async { if isPaused { task.suspend() } else { task.resume() } }
            }
        )
    }

    private static let suspensionQueue = DispatchQueue(label: "RESTClient.suspension")
    #else
    /// None: URLSession sends the requests.
    package static var protocolClasses: [AnyClass] { [] }

    package init(
        _ configuration: URLSessionConfiguration, _ options: ConnectionOptions,
        delegate: any URLSessionDelegate, queue: OperationQueue
    ) {
        refusal = options.refusalWithoutLibCurl
        hasCustomProtocols = !Self.identifiers(configuration).isSubset(of: Self.identifiers(.ephemeral))
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    /// Creates a suspended task whose body is `file` or that of `request`, and a function that lets it wait for the reader
    /// of its response.
    package func makeTask(
        for request: URLRequest, file: (url: URL, length: Int64)? = nil,
        _ observer: (any TransferObserver)? = nil
    ) -> (URLSessionTask, setPaused: (@Sendable (Bool) -> Void)?) {
        // The wait for a connection cannot be noticed.
        observer?.transferDidBegin()
        let task: URLSessionTask =
            file.map { session.uploadTask(with: request, fromFile: $0.url) }
            ?? session.dataTask(with: request)
        // PLATFORM F10.
        return (task, { if $0 { task.suspend() } else { task.resume() } })
    }
    #endif
}

// On Linux, URLSession does not collect metrics, and the engine reports the connection, so there is no other arm.
#if !canImport(FoundationNetworking)
extension ConnectionMetrics {
    /// Creates the metrics of the last request of a task, or `nil` if it was not sent to a server.
    package init?(_ metrics: URLSessionTaskMetrics) {
        guard let last = metrics.transactionMetrics.last(where: { $0.remoteAddress != nil }) else {
            return nil
        }
        func time(_ start: Date?, _ end: Date?) -> Duration? {
            guard let start, let end else { return nil }
            return .seconds(end.timeIntervalSince(start))
        }
        self.init()
        domainLookup = time(last.domainLookupStartDate, last.domainLookupEndDate)
        connect = time(last.connectStartDate, last.secureConnectionStartDate ?? last.connectEndDate)
        secureConnection = time(last.secureConnectionStartDate, last.secureConnectionEndDate)
        wait = time(last.requestStartDate, last.responseStartDate)
        httpVersion = last.networkProtocolName.map {
            ["h2": "HTTP/2", "h3": "HTTP/3"][$0] ?? $0.uppercased()
        }
        remoteAddress = last.remoteAddress
        remotePort = last.remotePort.flatMap { Int("\($0)") }
        isReused = last.isReusedConnection
    }
}
#endif
