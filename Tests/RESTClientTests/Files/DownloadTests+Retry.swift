import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Downloads that continue after a failure: in a retry, in a later call, and several at a time.
extension DownloadTests {
    static let retry = RetryPolicy(backoff: .constant(.zero))

    /// A server that breaks off the body after 4 bytes, and continues it if it is asked to.
    static func interruptedServer() -> MockServer {
        MockServer {
            Route(.get, "/tea.bin") { request in
                guard request.headers[.range] == "bytes=4-", request.headers[.ifRange] == "\"v1\"" else {
                    return Self.broken
                }
                return Self.rest
            }
        }
    }

    @Test(arguments: [false, true])
    func `a retry continues a download whose body breaks off`(isResumable: Bool) async throws {
        let server = Self.interruptedServer()
        let reports = LockedState<[TransferProgress]>([])
        let response = try await server.manager(Self.retry).request(Self.url()).progress { report in
            reports.withLock { $0.append(report) }
        }.download(to: target, resuming: isResumable)
        #expect(try text(of: target) == "tea and milk")
        #expect(try files == ["tea.bin"])
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=4-"])
        #expect(response.attempts.count == 2)
        let received = reports.withLock { $0.map(\.received) }
        #expect(received == received.sorted())
        #expect(reports.withLock { $0.last } == TransferProgress(received: 12, toReceive: 12))
    }

    @Test(arguments: ["\"v1\"", nil])
    func `a retry of a download starts again if the resource has changed or has no validator`(
        tag: String?
    ) async throws {
        let first = Reply.text("tea and milk").fault(.reset(.inBody(after: 4)))
        let server = MockServer {
            Route(.any) {
                tag.map { first.header(.eTag, $0) } ?? first
                Reply.text("coffee").header(.eTag, "\"v2\"")
            }
        }
        _ = try await server.manager(Self.retry).request(Self.url()).download(to: target)
        #expect(try text(of: target) == "coffee")
        #expect(try files == ["tea.bin"])
        #expect(server.requests.map { $0.headers[.range] } == [nil, tag.map { _ in "bytes=4-" }])
    }

    @Test func `a download that breaks off in each attempt fails`() async throws {
        let server = Self.server(Reply.text("tea and milk").fault(.reset(.inBody(after: 4))).repeats())
        let request = server.manager(Self.retry).request(try Self.url())
        let error = try await failure { try await request.download(to: target) }
        #expect(error.kind == .incompleteBody(received: 4, expected: 12))
        #expect(error.attempts.count == 3)
        #expect(try files == [])
    }

    @Test
    func `the progress of a resumed download includes the bytes that were received before`() async throws {
        let server = Self.interruptedServer()
        let request = server.manager().request(try Self.url())
        await interrupt(request)
        let reports = LockedState<[TransferProgress]>([])
        _ = try await request.progress { report in reports.withLock { $0.append(report) } }.download(
            to: target, resuming: true)
        let seen = reports.withLock { $0 }
        #expect(seen.allSatisfy { $0.received >= 4 && $0.toReceive == 12 })
        #expect(seen.last?.fractionReceived == 1)
    }

    @Test(arguments: 1...3) func `a cancelled download can be continued immediately`(_: Int) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = Self.server(
            Reply.stream(chunks).header(.eTag, "\"v1\"").header(.contentLength, "12"), Self.rest)
        let request = server.manager(Self.retry).request(try Self.url())
        let first = Task { [target] in try await request.download(to: target, resuming: true) }
        source.yield(Data("tea ".utf8))
        while PartialDownload(of: target)?.received != 4 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea and milk")
    }

    // MARK: Partial files

    @Test(arguments: ["tea.bin", String(repeating: "long", count: 60)])
    func `a partial download is found and can be discarded`(name: String) async throws {
        let server = Self.interruptedServer()
        let request = server.manager().request(try Self.url())
        let target = directory.appending(path: name)
        #expect(PartialDownload(of: target) == nil)
        await #expect(throws: RESTClientError.self) { try await request.download(to: target, resuming: true) }
        let partial = try #require(PartialDownload(of: target))
        #expect(partial.received == 4)
        #expect(partial.total == 12)
        #expect(partial.isResumable)
        #expect(try PartialDownload.all(in: directory).map(\.file.lastPathComponent) == [name])
        #expect(try PartialDownload.all(in: directory).first?.partialFile.path == partial.partialFile.path)
        try partial.discard()
        #expect(try files == [])
        try partial.discard()
    }

    @Test func `the file of a download that was not resumable is found`() throws {
        let id = UUID()
        try Data("tea".utf8).write(to: directory.appending(path: ".tea.bin.\(id.uuidString).partial"))
        try Data("tea".utf8).write(to: directory.appending(path: "other.partial"))
        let all = try PartialDownload.all(in: directory)
        #expect(all.map(\.file.lastPathComponent) == ["tea.bin"])
        #expect(all.map(\.isResumable) == [false])
        for download in all { try download.discard() }
        #expect(try files == ["other.partial"])
    }

    @Test
    func `what a killed process left and none can continue is removed by the next download in the folder`()
        async throws
    {
        func plant(_ name: String) throws -> FileHandle {
            let file = directory.appending(path: name)
            try Data("tea".utf8).write(to: file)
            return try FileHandle(forUpdating: file)
        }
        let (used, abandoned) = (".tea.bin.\(UUID()).partial", ".milk.bin.\(UUID()).partial")
        let handle = try plant(used)
        #expect(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        for name in [abandoned, ".milk.bin.partial", ".a.partial"] { try plant(name).close() }
        let server = Self.server(Reply.text("tea"))
        try await server.manager().request(Self.url()).download(to: target)
        #expect(try files == [".a.partial", ".milk.bin.partial", used, "tea.bin"])
        try handle.close()
    }

    @Test func `a download in progress cannot be discarded`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = Self.server(Reply.stream(chunks).header(.eTag, "\"v1\""))
        let request = server.manager().request(try Self.url())
        let download = Task { [target] in try await request.download(to: target, resuming: true) }
        source.yield(Data("tea ".utf8))
        while try !files.contains(".tea.bin.partial.validator") { await Task.yield() }
        let partial = try #require(PartialDownload(of: target))
        let failure = #expect(throws: RESTClientError.self) { try partial.discard() }
        #expect(failure?.kind == .file(path: target.path(percentEncoded: false), .inUse))
        source.finish()
        _ = try await download.value
        #expect(try files == ["tea.bin"])
    }

    // MARK: Several downloads

    @Test func `a limiter counts a download until its file is complete`() async throws {
        let gate = Gate()
        let server = MockServer {
            Route(.get, "/:name") { _ in
                let (chunks, body) = AsyncStream.makeStream(of: Data.self)
                body.yield(Data("te".utf8))
                Task {
                    await gate.pass()
                    body.yield(Data("a".utf8))
                    body.finish()
                }
                return .stream(chunks)
            }
        }
        let manager = server.manager(.limiting(concurrent: 2))
        try await withThrowingTaskGroup(of: Void.self) { [directory] group in
            for number in 1...5 {
                group.addTask {
                    let file = directory.appending(path: "\(number)")
                    try await manager.request("http://shop.example/\(number)").download(to: file)
                }
            }
            _ = try await server.requests(count: 2)
            // Further downloads would begin now.
            for _ in 0..<100 { await Task.yield() }
            #expect(server.requests.count == 2)
            gate.open()
            try await group.waitForAll()
        }
        #expect(try files == ["1", "2", "3", "4", "5"])
    }

    @Test(arguments: [".partial", ".a.partial", ".6F9619FF-8B86-D011-B42D-00C04FC964FF.partial", "..partial"])
    func `any file with the name of a partial download is found`(name: String) throws {
        try Data("abc".utf8).write(to: directory.appending(path: name))
        let all = try PartialDownload.all(in: directory)
        #expect(all.allSatisfy { $0.partialFile.lastPathComponent == name })
    }
}
