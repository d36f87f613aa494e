import Foundation
import MockTransport
import RESTClient

/// A server on a socket of 127.0.0.1, for any HTTP client: `--serve`.
struct LocalServer {
    private let server: MockServer
    /// The words for the served data, before the URL in the message at the start.
    private let contents: String
    private let paths: [String]
    private var limits = LoopbackServer.Limits()
    private let messages: Messages

    /// Creates a server for a scenario, or for all of them if it is `nil`.
    init(_ scenario: Scenario?, messages: Messages) {
        let scenarios = scenario.map { [$0] } ?? Scenario.all
        server = MockServer.demo(scenarios) { request, reply in
            // Such as `GET /flaky: 503 Service Unavailable`, or `GET /flaky: reset(beforeHead)` for a fault.
            let status = "\(reply.status.rawValue) \(reply.status.reasonPhrase)"
            messages.info(
                request.line(outcome: reply.fault.map { "\($0)".filter { $0 != "." } } ?? status))
        }
        (contents, paths, self.messages) = ("", scenarios.map(\.path), messages)
        limits.bodyBytes = 1 << 20
        limits.hosts = Set(scenarios.compactMap(\.host))
    }

    /// Creates a server for the recorded replies in an HTTP archive: `--serve=FILE.har`. With `servesFiles`, their bodies can be
    /// in files beside the archive.
    init(archive path: String, servesFiles: Bool, messages: Messages) throws {
        let archive = try Self.archive(at: path, readsFiles: servesFiles)
        let name = URL(filePath: path).lastPathComponent.escaped()
        for problem in archive.problems.prefix(3) {
            messages.info("invalid value in the archive: \(problem)".escaped())
        }
        let unread = archive.entries.count {
            $0.response.failure?.text.hasPrefix("the body is in the file") == true
        }
        if unread > 0 {
            messages.info(
                "\(unread.text(of: "exchange")) of \(name) cannot be served",
                hint: "to serve the files beside it to which it refers, add --serve-files")
        }
        server = MockServer(har: archive, matching: .ignoring(.host, .count), filePath: #fileID)
        contents = "\(archive.entries.count.text(of: "exchange")) of \(name) "
        (paths, self.messages) = ([""], messages)
        // Ends with the server.
        Task { [completions = server.completions] in
            for await request in completions.map(\.request) {
                messages.info(
                    request.line(outcome: request.route == nil ? "not in the archive" : "recorded reply"))
            }
        }
    }

    private static func archive(at path: String, readsFiles: Bool) throws -> HAR {
        func unreadable(_ reason: String) -> CommandError {
            CommandError(
                .noInput, "cannot read \(path.escaped()): \(reason)",
                hint: "pass the path of an HTTP archive, as in --serve=./shop.har")
        }
        guard access(path, R_OK) == 0 else { throw unreadable(String(cString: strerror(errno))) }
        do {
            return try HAR(contentsOf: URL(filePath: path), readsFiles: readsFiles)
        } catch let error as HARError {
            throw CommandError(
                .noInput, "\(error)".escaped(), hint: "export the archive of a browser or a proxy again")
        } catch { throw unreadable(error.localizedDescription) }
    }

    /// Serves on a port, or on any free one if it is 0, until `end` returns, and returns its result.
    func run<End>(
        on port: Int, writingURLs writeURLs: (String) throws -> Void, until end: () async -> End
    ) async throws -> End {
        // The requests are not verified.
        var limits = limits
        limits.recordedRequests = 1
        let loopback: LoopbackServer
        do { loopback = try await server.listen(port: port, limits: limits) } catch let error as POSIXError {
            throw CommandError(error, port: port)
        }
        let url = loopback.url.absoluteString
        messages.info("serving \(contents)on \(url) until interrupted")
        try writeURLs(paths.map { "\(url)\($0)\n" }.joined())
        let result = await end()
        await loopback.close()
        return result
    }
}

extension ReceivedRequest {
    /// Returns a log line with the method, the target and the outcome, without secrets.
    fileprivate func line(outcome: String) -> String {
        let url = Redaction.url(url)
        let target = url.range(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } } ?? url[...]
        return "\(method) \(target): \(outcome)".escaped()
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
