@_exported public import RESTClientHTTP

// The public URLSession types come from Foundation on Apple platforms. On Linux they come from
// RESTClientHTTP, and a public import of Foundation would be reported as unused.
#if canImport(FoundationNetworking)
import Foundation
#else
public import Foundation
#endif

/// An in-process server that answers the sessions whose configuration includes its protocol class.
///
/// ```swift
/// let server = MockServer {
///     Route(.get, "http://notNil/") { Reply.json(["items": ["a", "b", "c"]]) }
///     Route(.any)                   { Reply.text("GARBAGE") }
/// }
/// let session = URLSession(configuration: server.configuration)
/// ```
///
/// The sessions and clients that are made from the configuration keep the server alive. A session that uses only its
/// `protocolClass` does not: requests that are sent after the server was deallocated fail with an error of kind
/// `serverGone`.
public final class MockServer: Sendable {
    /// The order in which requests must arrive.
    public enum Order: Sendable {
        /// Any order.
        case any
        /// The order of the routes: after a request for one route, no request may arrive for a route that is declared
        /// above it.
        case asWritten
    }

    /// The URLProtocol subclass of this server. Insert it at the front of a configuration's `protocolClasses`.
    ///
    /// It does not keep the server alive: keep a reference to the server, or use ``configuration``.
    public var protocolClass: URLProtocol.Type { registeredClass }

    private let registeredClass: MockURLProtocol.Type
    let core: ServerCore
    private let expectations: Expectations

    /// Creates a server without routes, to which replies are enqueued or routes are added.
    public convenience init(
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        self.init(clock: clock, fileID: fileID, file: file, line: line, column: column) {}
    }

    /// Creates a server with the given routes.
    ///
    /// - `clock`: The clock for delays and arrival times. On a `VirtualClock` delays take no real time.
    /// - `conditions`: The simulated network between the clients and the server.
    /// - `order`: The order in which requests must arrive, checked by `verify()`.
    /// - `routes`: The routes. A request that matches none of them fails and is never sent to the network.
    public convenience init(
        clock: any Clock<Duration> = ContinuousClock(), conditions: NetworkConditions = .none,
        order: Order = .any, fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column, @RouteBuilder routes: () throws -> [Route]
    ) rethrows {
        let location = CodeLocation(fileID, file, line, column)
        let routes = try routes()
        self.init(routes, .standard, clock: clock, conditions: conditions, order: order, at: location)
    }

    init(
        _ routes: [Route], _ masking: HAR.Masking, clock: any Clock<Duration>, conditions: NetworkConditions,
        order: Order, at location: CodeLocation, unusedRecordings: Bool = false, check: RecordingCheck? = nil
    ) {
        let router = Router(routes, masking: masking)
        core = ServerCore(router: router, clock: clock, conditions: conditions)
        expectations = Expectations(
            router: router, log: core.log, isClockVirtual: core.clock.virtual != nil,
            clientClocks: core.clientClocks, checksOrder: order == .asWritten, server: location,
            reportsUnusedRecordings: unusedRecordings, check: check)
        registeredClass = ProtocolRegistry.shared.register(core)
        core.owner.withLock { $0 = { [weak self] in self } }
        ServerRegistry.current?.add(expectations)
    }

    deinit {
        ProtocolRegistry.shared.release(registeredClass)
        core.close()
    }

    /// An ephemeral configuration that includes the protocol class.
    ///
    /// The configuration, its copies and their sessions keep the server alive by their `urlCredentialStorage`, and on Linux also
    /// by their `connectionProxyDictionary`. A handler that captures such a session keeps itself alive.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [protocolClass] + (configuration.protocolClasses ?? [])
        // With a cache, cancelling a task near its end can crash the process (PLATFORM A16).
        configuration.urlCache = nil
        configuration.urlCredentialStorage = RetainingCredentialStorage(self)
        configuration.keep(self)
        return configuration
    }

    /// Serves the routes on 127.0.0.1 until the returned server is closed.
    ///
    /// - Parameters:
    ///   - port: The port to listen on, or 0 for any free port.
    ///   - limits: How large a request may be, how many are kept, and for which hosts the server answers.
    /// - Throws: `POSIXError` if the port is in use, or if the process has no free descriptors.
    public func listen(port: Int = 0, limits: LoopbackServer.Limits = .init()) async throws -> LoopbackServer
    {
        if port != 0 { await AbandonedListeners.shared.close(at: port) }
        return try LoopbackServer(serving: core, of: self, port: port, limits: limits)
    }

    /// The requests received so far, in order of arrival, including those that matched no route.
    public var requests: [ReceivedRequest] { core.log.requests }

    /// Waits until `count` requests have arrived and returns them.
    ///
    /// - Throws: ``MockServerError`` of kind `tooFewRequests` after `limit` of real time.
    public func requests(count: Int, within limit: Duration = .seconds(30)) async throws -> [ReceivedRequest]
    {
        guard await core.log.wait(for: count, within: limit) else {
            try Task.checkCancellation()
            let kind = MockServerError.Kind.tooFewRequests(expected: count, received: requests, limit: limit)
            throw MockServerError(kind, core.masking)
        }
        return requests
    }

    /// Throws one error that lists every expectation that was not met, each with the file and line of its route,
    /// or of the server if no route is concerned.
    ///
    /// Checks the number of calls (`Route.called(_:)`, at least one by default), their order, sequences that had
    /// too few replies, enqueued replies that were not used, requests that matched no route, and replies that were
    /// delayed on a virtual clock that the `SessionManager` does not share.
    public func verify() throws { try verify(unusedRecordings: expectations.reportsUnusedRecordings) }

    /// Checks the expectations as ``verify()`` does.
    ///
    /// - Parameter unusedRecordings: A Boolean value that indicates whether each exchange of an archive must be requested. The
    ///   default is `true` for a fixture that is replayed, otherwise `false`.
    public func verify(unusedRecordings: Bool) throws {
        var expectations = expectations
        expectations.reportsUnusedRecordings = unusedRecordings
        let issues = expectations.issues
        if !issues.isEmpty { throw MockServerError(.verification(issues)) }
    }

    /// Answers the requests of `URLSession.shared` while `body` runs, for code to which no session can be passed.
    ///
    /// Only one server at a time can replace the shared session; other calls wait. While it is replaced, all code in
    /// the process that uses the shared session reaches this server. On Linux, call this method before the first use of
    /// `URLSession.shared`; later calls throw. The cache of the shared session can crash the process when a task is
    /// cancelled near its end (PLATFORM A16), so prefer passing a session.
    ///
    /// - Parameters:
    ///   - refusingLaterRequests: A Boolean value that indicates whether requests that begin after this call has returned
    ///     fail with a ``MockServerError`` of kind `sharedSessionRefused`, for the rest of the process and except while a
    ///     server replaces the session. By default they are sent to the real server.
    ///   - body: The code that sends requests.
    /// - Throws: ``MockServerError`` of kind `sharedSessionInUse`, or the error of `body`.
    public func replacingSharedSession<Result: Sendable>(
        refusingLaterRequests: Bool = false, _ body: () async throws -> Result
    ) async throws -> Result {
        try await SharedSession.instance.acquire(for: core)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await SharedSession.$isReplaced.withValue(true) { try await body() })
        } catch { result = .failure(error) }
        await SharedSession.instance.release(refusing: refusingLaterRequests ? refusingCore : nil)
        return try result.get()
    }

    private var refusingCore: ServerCore {
        let (masking, location) = (core.masking, expectations.server)
        let route = Route(.any, file: #fileID) { request in
            .error(MockServerError(.sharedSessionRefused(request, server: location), masking))
        }
        return ServerCore(
            router: Router([route], masking: masking), clock: ContinuousClock(), conditions: .none)
    }
}

/// An empty credential store that keeps a server alive.
///
/// A configuration, its copies and their sessions retain their store, and release it with the session.
private final class RetainingCredentialStorage: URLCredentialStorage, @unchecked Sendable {
    // SAFETY: adds only an immutable property to URLCredentialStorage.
    private let server: MockServer

    init(_ server: MockServer) {
        self.server = server
        super.init()
    }
}
