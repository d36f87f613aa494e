import Foundation
import MockTransport

/// The demo scenarios on a socket of 127.0.0.1, for any HTTP client: `--serve`.
struct DemoServer {
    /// The scenario to serve; `nil` for all of them.
    let scenario: Scenario?
    /// The port to listen on; 0 selects any free port.
    let port: Int

    /// Serves until `end` returns, and returns its result.
    func run<End>(
        writingURLs writeURLs: (String) throws -> Void, messages: Messages, until end: () async -> End
    ) async throws -> End {
        let scenarios = scenario.map { [$0] } ?? Scenario.all
        let server = MockServer.demo(scenarios) { request, reply in
            // Such as `GET /flaky: 503 Service Unavailable`, or `GET /flaky: reset(beforeHead)` for a fault.
            let status = "\(reply.status.rawValue) \(reply.status.reasonPhrase)"
            messages.info(
                request.line(outcome: reply.fault.map { "\($0)".filter { $0 != "." } } ?? status))
        }
        var limits = LoopbackServer.Limits()
        // The requests are neither verified nor large.
        limits.recordedRequests = 1
        limits.bodyBytes = 1 << 20
        limits.hosts = Set(scenarios.compactMap(\.host))
        return try await server.serve(on: port, limits, until: end) { url in
            messages.info("serving on \(url) until interrupted")
            try writeURLs(scenarios.map { "\(url)\($0.path)\n" }.joined())
        }
    }
}

extension ReceivedRequest {
    /// Returns a log line with the method, the target and the outcome, without secrets.
    func line(outcome: String) -> String {
        let url = Redaction.url(url)
        let target = url.range(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } } ?? url[...]
        return "\(method) \(target): \(outcome)".escaped()
    }
}

extension MockServer {
    /// Serves on a port of 127.0.0.1, or on any free one if it is 0, from the call of `start` with the URL until `end` returns.
    func serve<End>(
        on port: Int, _ limits: LoopbackServer.Limits, until end: () async -> End,
        start: (String) throws -> Void
    ) async throws -> End {
        let loopback: LoopbackServer
        do { loopback = try await listen(port: port, limits: limits) } catch let error as POSIXError {
            throw CommandError(error, port: port)
        }
        try start(loopback.url.absoluteString)
        let result = await end()
        await loopback.close()
        return result
    }
}

extension CommandError {
    /// Describes a port that cannot be used.
    init(_ error: POSIXError, port: Int) {
        switch error.code {
        case .EADDRINUSE:
            self.init(.failure, "port \(port) is already in use", hint: "omit --port to use any free port")
        case .EACCES: self.init(.failure, "permission denied for port \(port)", hint: "use a port from 1024")
        default:
            self.init(
                .failure, "cannot listen on port \(port): \(String(cString: strerror(error.code.rawValue)))")
        }
    }
}
