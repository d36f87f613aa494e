package import Foundation
// On Apple platforms, these types are in Foundation.
#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Receives what URLSession does not report about a task. The methods are called on any thread, which must not be blocked.
package protocol TransferObserver: AnyObject, Sendable {
    /// The transfer has a connection or begins to open one: it does not wait for one of those in use.
    func transferDidBegin()
    /// A part of the body was sent; `total` is the number of its bytes so far.
    func transferDidSend(total: Int64)
}

/// How a session sends HTTP requests: with the engine on Linux, with URLSession's own protocol on other platforms.
package struct PlatformSession: Sendable {
    // On Linux, URLSession's own protocol ends the process or hangs with many servers. If the engine cannot be used, and on
    // other platforms, URLSession sends the requests.
    #if canImport(FoundationNetworking)
    /// The protocol of the engine, or none if the libcurl of the process cannot be used.
    package static var protocolClasses: [AnyClass] {
        ConnectionPool.engineVersion == nil ? [] : [HTTPProtocol.self]
    }

    private let pool: ConnectionPool?

    package init(_ configuration: URLSessionConfiguration) {
        pool =
            Self.protocolClasses.isEmpty
            ? nil : ConnectionPool(maxConnectionsPerHost: configuration.httpMaximumConnectionsPerHost)
    }

    /// Adds the protocol after the classes of the caller, and before those of URLSession.
    package func configured(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        guard pool != nil else { return configuration }
        let standard = Set(
            (URLSessionConfiguration.ephemeral.protocolClasses ?? []).map { ObjectIdentifier($0) })
        var classes = configuration.protocolClasses ?? []
        let index = classes.firstIndex { standard.contains(ObjectIdentifier($0)) } ?? classes.endIndex
        classes.insert(HTTPProtocol.self, at: index)
        configuration.protocolClasses = classes
        return configuration
    }

    /// Creates a suspended task whose body is `file` or that of `request`, and a function that lets it wait for the reader
    /// of its response.
    package func makeTask(
        for request: URLRequest, file: (url: URL, length: Int64)?, in session: URLSession,
        _ observer: any TransferObserver
    ) -> (URLSessionTask, setPaused: (@Sendable (Bool) -> Void)?) {
        var request = request
        // A protocol of the caller receives a file as a stream.
        if let file { request.httpBodyStream = InputStream(url: file.url) }
        guard let pool else { return (session.dataTask(with: request), nil) }
        let body = file.map { TransferBody.file(path: $0.url.path(percentEncoded: false), length: $0.length) }
        let task = session.dataTask(with: request)
        task.taskDescription = HTTPProtocol.ownedDescription
        let context = TransferContext(of: task, pool, ConnectionSettings(), body: body, observer: observer)
        return (task, { context.setPaused($0) })
    }
    #else
    /// None: URLSession sends the requests.
    package static var protocolClasses: [AnyClass] { [] }

    package init(_ configuration: URLSessionConfiguration) {}

    package func configured(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration
    }

    /// Creates a suspended task whose body is `file` or that of `request`. It cannot wait for the reader of its response.
    package func makeTask(
        for request: URLRequest, file: (url: URL, length: Int64)?, in session: URLSession,
        _ observer: any TransferObserver
    ) -> (URLSessionTask, setPaused: (@Sendable (Bool) -> Void)?) {
        guard let file else { return (session.dataTask(with: request), nil) }
        return (session.uploadTask(with: request, fromFile: file.url), nil)
    }
    #endif
}
