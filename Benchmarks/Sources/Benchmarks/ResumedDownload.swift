import Foundation
import RESTClient

/// A large download that is resumed after its process was killed.
struct ResumedDownload {
    let url: URL
    let target: URL

    /// Starts the download in a child process, kills it halfway, resumes, and compares the file with the original.
    func run() async throws {
        let length = try await SessionManager().request(url, method: .head).response().headers[.contentLength]
        guard let total = length.flatMap({ Int($0) }) else { throw Failure("no Content-Length") }
        let kept = try killHalfway(of: total)
        print("killed with \(kept) of \(total) bytes")

        let start = ContinuousClock.now
        let response = try await SessionManager().request(url).download(to: target, resuming: true)
        let asked = response.request.value(forHTTPHeaderField: "Range") ?? "no range"
        let rate = Double(total - kept) / ((ContinuousClock.now - start) / .seconds(1)) / 1e6
        print(
            "resumed with \(asked): \(response.status), \(Int(rate)) MB/s, \(response.attempts.count) attempt"
        )
        PeakMemory.report()
        print(try await isIdentical() ? "identical bytes" : "DIFFERENT BYTES")
    }

    /// Starts the download in the child process.
    func begin() async throws {
        _ = try await SessionManager().request(url).download(to: target, resuming: true)
    }

    private func killHalfway(of total: Int) throws -> Int {
        let partial = target.deletingLastPathComponent().appending(
            path: ".\(target.lastPathComponent).partial")
        let child = Process()
        child.executableURL = URL(filePath: CommandLine.arguments[0])
        child.arguments = ["begin-download", url.absoluteString, target.path]
        try child.run()
        var kept = 0
        while child.isRunning, kept < total / 2 {
            let attributes = try? FileManager.default.attributesOfItem(atPath: partial.path)
            kept = (attributes?[.size] as? NSNumber)?.intValue ?? 0
            usleep(1_000)
        }
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        guard child.terminationReason == .uncaughtSignal else {
            throw Failure("the child process ended before it could be killed")
        }
        return try partial.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }

    /// Requests the file again and compares it with the downloaded one.
    private func isIdentical() async throws -> Bool {
        let file = try FileHandle(forReadingFrom: target)
        defer { try? file.close() }
        for try await chunk in try await SessionManager().request(url).stream().body {
            guard try file.read(upToCount: chunk.count) == chunk else { return false }
        }
        return try file.read(upToCount: 1)?.isEmpty ?? true
    }
}
