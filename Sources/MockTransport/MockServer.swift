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
    /// The mock protocol, this server's own: insert it at the front of a configuration's `protocolClasses`.
    public let protocolClass: URLProtocol.Type
    private let minted: MockURLProtocol.Type
    let core: ServerCore

    /// A server with these routes; delays and times of arrival are on `clock`.
    public init(
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        @RouteBuilder routes: () throws -> [Route]
    ) rethrows {
        let location = CodeLocation(fileID: fileID, file: file, line: line, column: column)
        core = ServerCore(routes: try routes(), clock: clock, location: location)
        minted = ProtocolRegistry.shared.lend(to: core)
        protocolClass = minted
    }

    deinit {
        ProtocolRegistry.shared.takeBack(minted)
        core.close()
    }

    /// An ephemeral configuration with the protocol class in place.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [protocolClass]
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
                "\(came.count) of \(count) requests came within \(limit)\(came.isEmpty ? "." : ":")\(list)")
        }
        return requests
    }
}
