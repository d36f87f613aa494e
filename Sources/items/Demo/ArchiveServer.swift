import Foundation
import MockTransport
import RESTClient

/// The recorded replies of an HTTP archive on a socket of 127.0.0.1, for any HTTP client: `--serve=FILE.har`.
struct ArchiveServer {
    let path: String
    /// The port to listen on; 0 selects any free port.
    let port: Int
    /// `true` to serve bodies of the files beside the archive to which it refers.
    var servesFiles = false

    /// Serves until `end` returns, and returns its result.
    func run<End>(
        writingURL writeURL: (String) throws -> Void, messages: Messages, until end: () async -> End
    ) async throws -> End {
        let archive = try archive()
        let name = URL(filePath: path).lastPathComponent.escaped()
        for problem in archive.problems.prefix(3) {
            messages.info("invalid value in the archive: \(problem)".escaped())
        }
        let unread = archive.entries.count {
            $0.response.failure?.text.hasPrefix("the body is in the file") == true
        }
        if unread > 0 {
            messages.info(
                "\(unread.text(of: "exchange")) of \(name) cannot be served\n  hint: to serve the files beside it to which it refers, add --serve-files"
            )
        }
        let server = MockServer(har: archive, matching: .ignoring(.host, .count), filePath: #fileID)
        var limits = LoopbackServer.Limits()
        limits.recordedRequests = 1
        let logging = Task { [completions = server.completions] in
            for await request in completions.map(\.request) {
                messages.info(
                    request.line(outcome: request.route == nil ? "not in the archive" : "recorded reply"))
            }
        }
        defer { logging.cancel() }
        return try await server.serve(on: port, limits, until: end) { url in
            let count = archive.entries.count.text(of: "exchange")
            messages.info("serving \(count) of \(name) on \(url) until interrupted")
            try writeURL("\(url)\n")
        }
    }

    private func archive() throws -> HAR {
        guard access(path, R_OK) == 0 else { throw unreadable(String(cString: strerror(errno))) }
        do {
            return try HAR(contentsOf: URL(filePath: path), readsFiles: servesFiles)
        } catch let error as HARError {
            throw CommandError(
                .noInput, "\(error)".escaped(), hint: "export the archive of a browser or a proxy again")
        } catch { throw unreadable(error.localizedDescription) }
    }

    private func unreadable(_ reason: String) -> CommandError {
        CommandError(
            .noInput, "cannot read \(path.escaped()): \(reason)",
            hint: "pass the path of an HTTP archive, as in --serve=./shop.har")
    }
}
