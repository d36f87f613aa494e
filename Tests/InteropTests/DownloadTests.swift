import Foundation
import RESTClientHTTP
import RESTClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads of 64 MB that are broken off in the middle, from servers that know ranges and from one that does not.
@Suite(.running(.nginx)) struct DownloadTests {
    private let manager = SessionManager()
    private let folder: URL
    private let target: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "restclient-interop-\(UUID())")
        target = folder.appending(path: "download.bin")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test(.timeLimit(.minutes(2)))
    func `one that was broken off goes on where it was: the same bytes, by one request for a range`()
        async throws
    {
        let mark = UUID().uuidString
        let url = try Servers.nginx("/download?\(mark)")
        try await breakOff(url, behind: 16 << 20)

        let partial = folder.appending(path: ".download.bin.partial")
        let kept = try #require(try partial.resourceValues(forKeys: [.fileSizeKey]).fileSize)
        // What was on its way to the disk when it ended may be lost.
        #expect(kept > 1 << 20)
        let response = try await manager.request(url).download(to: target, resuming: true)
        #expect(response.status == 206)

        // The whole by another way: a range is not slowed down.
        let whole = try await manager.request(Servers.nginx("/download"), headers: [.range: "bytes=0-"])
            .data()
        #expect(try Data(contentsOf: target) == whole)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["download.bin"])

        let eTag = try #require(response.headers[.eTag])
        let lines = try await Self.logged(2, with: mark)
        #expect(lines.filter { !$0.contains("range=\"-\"") }.count == 1)
        #expect(lines.contains { $0.contains(" 206 ") && $0.contains("range=\"bytes=\(kept)-\"") })
        // nginx writes a quote in a field as \x22.
        let validator = eTag.replacing("\"", with: "\\x22")
        #expect(lines.contains { $0.hasSuffix("if-range=\"\(validator)\"") })
        try FileManager.default.removeItem(at: folder)
    }

    @Test(.timeLimit(.minutes(2)), .running(.python))
    func `from a server without ranges it is loaded from its start`() async throws {
        let url = try Servers.python("/big/download.bin")
        try await breakOff(url, behind: 1)
        let response = try await manager.request(url).download(to: target, resuming: true)
        #expect(response.status == 200)
        let whole = try await manager.request(Servers.nginx("/download"), headers: [.range: "bytes=0-"])
            .data()
        #expect(try Data(contentsOf: target) == whole)
        try FileManager.default.removeItem(at: folder)
    }

    /// Downloads until so many bytes have come, and cancels.
    private func breakOff(_ url: URL, behind bytes: Int64) async throws {
        let call = LockedState<Task<Response<URL>, any Error>?>(nil)
        let (known, source) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in known {}
            // Where the bytes come, so that the last of them cannot be there first.
            return try await manager.request(url).progress { progress in
                if progress.received >= bytes { call.withLock { $0 }?.cancel() }
            }.download(to: target, resuming: true)
        }
        call.withLock { $0 = task }
        source.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    /// The lines of nginx's log with `mark`, once there are `count`: it writes one when a request has ended.
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
