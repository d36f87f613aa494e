import Foundation
import RESTClientHTTP
import MockTransport

/// The demo scenarios on a socket of 127.0.0.1, for `items`, `curl` and whatever else speaks HTTP: `--serve`.
struct Serve {
    private let scenarios: [Scenario]
    private let port: Int

    /// A server of `scenario`, of all of them if it is `nil`.
    ///
    /// - Parameter port: 0 is any free one.
    init(_ scenario: Scenario?, port: Int) {
        scenarios = scenario.map { [$0] } ?? Scenario.all
        self.port = port
    }

    /// Serves until `end` returns.
    ///
    /// - Parameters:
    ///   - say: gets the URLs, a line each, once they answer.
    ///   - messages: gets a line for each request.
    func run(
        saying say: (String) throws -> Void, messages: Messages, until end: () async -> Void
    ) async throws {
        let server = MockServer.demo(scenarios) { request, reply in
            messages.note(Self.line(of: request, answeredBy: reply))
        }
        var limits = LoopbackServer.Limits()
        // Nobody looks at what came, or sends a body that matters.
        limits.recordedRequests = 1
        limits.bodyBytes = 1 << 20
        let loopback: LoopbackServer
        do {
            loopback = try await server.listen(port: port, limits: limits)
        } catch let error as POSIXError {
            throw Complaint(error, port: port)
        }
        messages.note("serving on \(loopback.url.absoluteString) until interrupted")
        try say(scenarios.map { "\(loopback.url.absoluteString)\($0.path)\n" }.joined())
        await end()
        await loopback.close()
    }

    /// `GET /flaky: 503 Service Unavailable`, or, of what breaks, `GET /flaky: reset(beforeHead)`.
    private static func line(of request: ReceivedRequest, answeredBy reply: Reply) -> String {
        let url = Redaction.url(request.url)
        let target = url.range(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } } ?? url[...]
        let status = "\(reply.status.rawValue) \(reply.status.reasonPhrase)"
        let outcome = reply.fault.map { "\($0)".filter { $0 != "." } } ?? status
        let line = "\(request.method) \(target): \(outcome)"
        return TerminalEscaping.escaped(line, limit: 200)
    }
}

extension Complaint {
    fileprivate init(_ error: POSIXError, port: Int) {
        switch error.code {
        case .EADDRINUSE:
            self.init(
                .failure, "port \(port) is taken", hint: "leave out --port, and any free one is taken")
        case .EACCES:
            self.init(.failure, "port \(port) is not yours to take", hint: "ports from 1024 on are")
        default:
            self.init(
                .failure, "cannot listen on port \(port): \(String(cString: strerror(error.code.rawValue)))")
        }
    }
}
