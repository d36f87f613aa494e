import Foundation
import RESTClient
import RESTClientTestingSupport
import Testing

/// Resumed downloads of 64 MB, from a server with range support and from one without.
@Suite(.running(.nginx)) struct DownloadTests {
    private let manager = SessionManager()
    private let folder: URL
    private let target: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "restclient-interop-\(UUID())")
        target = folder.appending(path: "download.bin")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test(.hangLimit)
    func `a cancelled download resumes with one range request`() async throws {
        let mark = UUID().uuidString
        let url = try Servers.nginx("/download?\(mark)")
        try await cancelDownload(of: url, after: 16 << 20)

        let partial = folder.appending(path: ".download.bin.partial")
        let kept = try #require(try partial.resourceValues(forKeys: [.fileSizeKey]).fileSize)
        // The last bytes before the cancellation may not have been written.
        #expect(kept > 1 << 20)
        let response = try await manager.request(url).download(to: target, resuming: true)
        #expect(response.status == 200)

        // The server does not limit the rate of a range request.
        let whole = try await manager.request(Servers.nginx("/download"), headers: [.range: "bytes=0-"])
            .data()
        #expect(try Data(contentsOf: target) == whole)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["download.bin"])

        let eTag = try #require(response.headers[.eTag])
        let lines = try await Self.logged(2, with: mark)
        #expect(lines.filter { !$0.contains("range=\"-\"") }.count == 1)
        #expect(lines.contains { $0.contains(" 206 ") && $0.contains("range=\"bytes=\(kept)-\"") })
        // nginx logs a quote as \x22.
        let validator = eTag.replacing("\"", with: "\\x22")
        #expect(lines.contains { $0.hasSuffix("if-range=\"\(validator)\"") })
        try FileManager.default.removeItem(at: folder)
    }

    @Test(.hangLimit, .running(.python))
    func `a download from a server without range support restarts`() async throws {
        let url = try Servers.python("/big/download.bin")
        try await cancelDownload(of: url, after: 1)
        let response = try await manager.request(url).download(to: target, resuming: true)
        #expect(response.status == 200)
        let whole = try await manager.request(Servers.nginx("/download"), headers: [.range: "bytes=0-"])
            .data()
        #expect(try Data(contentsOf: target) == whole)
        try FileManager.default.removeItem(at: folder)
    }

    /// Starts a download and cancels it after the given number of bytes.
    private func cancelDownload(of url: URL, after bytes: Int64) async throws {
        let call = LockedState<Task<Response<URL>, any Error>?>(nil)
        let (known, source) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in known {}
            // The progress handler cancels, so that the download cannot end first.
            return try await manager.request(url).progress { progress in
                if progress.received >= bytes { call.withLock { $0 }?.cancel() }
            }.download(to: target, resuming: true)
        }
        call.withLock { $0 = task }
        source.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    /// Returns the lines of the nginx log that contain `mark` when there are `count` of them; nginx writes a line when a
    /// request has ended.
    private static func logged(_ count: Int, with mark: String) async throws -> [Substring] {
        let file = try #require(ProcessInfo.processInfo.environment["ITEMS_INTEROP_ACCESS_LOG"])
        while true {
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains(mark) }
            if lines.count >= count { return lines }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
