#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A server inside the process: answers the sessions that carry its protocol class, and only those.
///
/// ```swift
/// let server = MockServer {
///     Route(.get, "http://notNil/") { Reply.json(["items": ["a", "b", "c"]]) }
///     Route(.any)                   { Reply.text("GARBAGE") }
/// }
/// let session = URLSession(configuration: server.configuration)
/// ```
///
/// Keep it as long as they run: a request to a server that is gone fails and says so.
public final class MockServer: Sendable {
    /// In which order requests must come.
    public enum Order: Sendable {
        /// In any.
        case any
        /// In that of the routes: none may come after one whose route stands below its own.
        case asWritten
    }

    /// The mock protocol, this server's own: insert it at the front of a configuration's `protocolClasses`.
    public let protocolClass: URLProtocol.Type

    private let minted: MockURLProtocol.Type
    let core: ServerCore
    private let expectations: Expectations

    /// A server with these routes.
    ///
    /// - `clock`: What delays and times of arrival are on; with a `VirtualClock` they cost no time.
    /// - `conditions`: The network in front of the server.
    /// - `order`: In which order requests must come, for `verify()`.
    /// - `routes`: What it answers. A request that matches none fails and never reaches the network.
    public init(
        clock: any Clock<Duration> = ContinuousClock(), conditions: NetworkConditions = .none,
        order: Order = .any,
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column,
        @RouteBuilder routes: () throws -> [Route]
    ) rethrows {
        let location = CodeLocation(fileID: fileID, file: file, line: line, column: column)
        let router = Router(try routes())
        core = ServerCore(router: router, clock: clock, conditions: conditions)
        expectations = Expectations(router: router, order: order, server: location)
        minted = ProtocolRegistry.shared.lend(to: core)
        protocolClass = minted
        Roster.current?.add(expectations)
    }

    deinit {
        ProtocolRegistry.shared.takeBack(minted)
        core.close()
    }

    /// An ephemeral configuration with the protocol class in place; it does not keep the server.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [protocolClass] + (configuration.protocolClasses ?? [])
        // A cache makes a cancel near the end a trap (PLATFORM A16).
        configuration.urlCache = nil
        return configuration
    }

    /// Everything received so far, in order of arrival, matched or not.
    public var requests: [ReceivedRequest] { core.log.requests }

    /// Returns when `count` requests have come; throws after `limit` of real time, listing those that did.
    public func requests(count: Int, within limit: Duration = .seconds(5)) async throws -> [ReceivedRequest] {
        guard await core.log.wait(for: count, within: limit) else {
            try Task.checkCancellation()
            let came = requests
            let list = came.map { "\n  \($0)" }.joined()
            throw MockServerError(
                .tooFewRequests,
                "\(came.count) of \(count) requests came within \(limit)\(came.isEmpty ? "" : ":")\(list)")
        }
        return requests
    }

    /// Throws one error that lists every expectation not met, each at its route's file and line.
    ///
    /// Looks at calls (`Route.called(_:)`, at least one if nothing is said), at order, at sequences that were asked
    /// for too much, and at requests that no route matched.
    public func verify() throws {
        if let error = expectations.verification.error { throw error }
    }

    /// Answers `URLSession.shared` while `body` runs, for code that takes no session.
    ///
    /// One server at a time has the shared session, whoever comes second waits; everything in the process that uses
    /// the shared session meanwhile meets this server. On Linux it must come before the first use of
    /// `URLSession.shared`, and throws if that is too late. A shared session has a cache, with which the platform
    /// may trap when a task is cancelled near its end (PLATFORM A16). Where you can, pass a session instead.
    public func replacingSharedSession<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await SharedSession.diversion.take(for: core)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await SharedSession.$isReplaced.withValue(true) { try await body() })
        } catch {
            result = .failure(error)
        }
        await SharedSession.diversion.giveBack()
        return try result.get()
    }
}
