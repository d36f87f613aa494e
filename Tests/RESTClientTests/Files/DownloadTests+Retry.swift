import Foundation
import RESTClientHTTP
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
                    return .text("tea and milk").header(.eTag, "\"v1\"").fault(.reset(.inBody(after: 4)))
                }
                return .text("and milk", status: 206).header("Content-Range", "bytes 4-11/12").header(
                    .eTag, "\"v1\"")
            }
        }
    }

    @Test(arguments: [false, true]) func `a retry continues a download whose body breaks off`(
        isResumable: Bool
    ) async throws {
        let server = Self.interruptedServer()
        let reports = LockedState<[TransferProgress]>([])
        let response = try await server.manager(Self.retry).request(Self.url()).progress { report in
            reports.withLock { $0.append(report) }
        }.download(to: target, resuming: isResumable)
        #expect(try Data(contentsOf: target) == Data("tea and milk".utf8))
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
        #expect(try Data(contentsOf: target) == Data("coffee".utf8))
        #expect(try files == ["tea.bin"])
        #expect(server.requests.map { $0.headers[.range] } == [nil, tag.map { _ in "bytes=4-" }])
    }

    @Test func `a download that breaks off in each attempt fails`() async throws {
        let server = MockServer {
            Route(.any) { Reply.text("tea and milk").fault(.reset(.inBody(after: 4))).repeats() }
        }
        let request = server.manager(Self.retry).request(try Self.url())
        let error = await #expect(throws: RESTClientError.self) { try await request.download(to: target) }
        #expect(error?.kind == .incompleteBody(received: 4, expected: 12))
        #expect(error?.attempts.count == 3)
        #expect(try files == [])
    }

    @Test func `the progress of a resumed download includes the bytes that were received before`()
        async throws
    {
        let server = Self.interruptedServer()
        let request = server.manager().request(try Self.url())
        await #expect(throws: RESTClientError.self) { try await request.download(to: target, resuming: true) }
        let reports = LockedState<[TransferProgress]>([])
        _ = try await request.progress { report in reports.withLock { $0.append(report) } }.download(
            to: target, resuming: true)
        let seen = reports.withLock { $0 }
        #expect(seen.allSatisfy { $0.received >= 4 && $0.toReceive == 12 })
        #expect(seen.last?.fractionReceived == 1)
    }

    @Test(arguments: 1...10) func `a cancelled download can be continued immediately`(_: Int) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = MockServer {
            Route(.any) {
                Reply.stream(chunks).header(.eTag, "\"v1\"").header(.contentLength, "12")
                Reply.text("and milk", status: 206).header("Content-Range", "bytes 4-11/12").header(
                    .eTag, "\"v1\"")
            }
        }
        let request = server.manager(Self.retry).request(try Self.url())
        let first = Task { [target] in try await request.download(to: target, resuming: true) }
        source.yield(Data("tea ".utf8))
        while PartialDownload(of: target)?.received != 4 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        _ = try await request.download(to: target, resuming: true)
        #expect(try Data(contentsOf: target) == Data("tea and milk".utf8))
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

    @Test func `a download in progress cannot be discarded`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = MockServer { Route(.any) { Reply.stream(chunks).header(.eTag, "\"v1\"") } }
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

    @Test func `several downloads run with a limit and keep their order`() async throws {
        let gate = Gate()
        let running = LockedState((now: 0, most: 0))
        let server = MockServer {
            Route(.get, "/:name") { request in
                running.withLock { count in
                    count.now += 1
                    count.most = max(count.most, count.now)
                }
                await gate.pass()
                running.withLock { $0.now -= 1 }
                return .text(request["name"] ?? "")
            }
        }
        let urls = try (1...5).map { try #require(URL(string: "http://shop.example/\($0)")) }
        let manager = server.manager()
        let download = Task { [directory] in
            try await manager.download(urls, maxConcurrent: 2) {
                directory.appending(path: $0.lastPathComponent)
            }
        }
        while running.withLock({ $0.now }) < 2 { await Task.yield() }
        // Further downloads would begin now.
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        let responses = try await download.value
        #expect(responses.map(\.body.lastPathComponent) == ["1", "2", "3", "4", "5"])
        #expect(try files == ["1", "2", "3", "4", "5"])
        #expect(running.withLock { $0.most } == 2)
    }

    @Test func `several downloads are continued by the next call`() async throws {
        let server = Self.interruptedServer()
        let manager = server.manager()
        for attempt in 1...2 {
            let result = await Result { [target] in
                try await manager.download([Self.url()], resuming: true) { _ in target }
            }
            #expect((try? result.get().count) == (attempt == 1 ? nil : 1))
        }
        #expect(try Data(contentsOf: target) == Data("tea and milk".utf8))
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=4-"])
    }

    @Test func `several downloads to one file are an error, and a failure cancels the others`() async throws {
        let server = MockServer {
            Route(.get, "/absent") { Reply.status(404) }
            Route(.any) { Reply.text("tea") }
        }
        let manager = server.manager()
        let urls = try ["tea", "absent"].map { try #require(URL(string: "http://shop.example/\($0)")) }
        let toOneFile = await Result { [target] in try await manager.download(urls) { _ in target } }
        let twice = #expect(throws: RESTClientError.self) { try toOneFile.get() }
        #expect(twice?.kind == .file(path: target.path(percentEncoded: false), .inUse))
        #expect(server.requests.isEmpty)
        let toTwoFiles = await Result { [directory] in
            try await manager.download(urls) { directory.appending(path: $0.lastPathComponent) }
        }
        let absent = #expect(throws: RESTClientError.self) { try toTwoFiles.get() }
        #expect(absent?.kind == .status(404))
    }

    @Test func `no download begins after one has failed`() async throws {
        let server = MockServer { Route(.any) { Reply.status(404) }.optional() }
        let requests = LockedState(0)
        let monitor = EventMonitor { event in if case .created = event.kind { requests.withLock { $0 += 1 } }
        }
        let manager = server.manager(monitor: monitor)
        let urls = try (1...100).map { try #require(URL(string: "http://shop.example/\($0)")) }
        let result = await Result { [directory] in
            try await manager.download(urls, maxConcurrent: 2) {
                directory.appending(path: $0.lastPathComponent)
            }
        }
        #expect(throws: RESTClientError.self) { try result.get() }
        #expect(requests.withLock { $0 } <= 2)
    }

    @Test func `each of several downloads has its own result`() async throws {
        let server = MockServer {
            Route(.get, "/absent") { Reply.status(404) }
            Route(.get, "/:name") { request in .text(request["name"] ?? "") }
        }
        let manager = server.manager()
        let names = ["tea", "absent", "tea", "milk"]
        let results = await manager.downloadResults(
            names.map { (manager.request("http://shop.example/\($0)"), directory.appending(path: $0)) },
            maxConcurrent: 1)
        let kinds = results.map { result -> RESTClientError.Kind? in
            if case .failure(let error) = result { (error as? RESTClientError)?.kind } else { nil }
        }
        #expect(kinds == [nil, .status(404), .file(path: target("tea"), .inUse), nil])
        #expect(try files == ["milk", "tea"])
        #expect(await manager.downloadResults([]).isEmpty)
    }

    @Test func `a cancelled call returns a result for each download`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea").fault(.stall(.beforeHead)) } }
        let manager = server.manager()
        let task = Task { [directory] in
            await manager.downloadResults(
                (1...3).map {
                    (manager.request("http://shop.example/\($0)"), directory.appending(path: "\($0)"))
                }, maxConcurrent: 2)
        }
        _ = try await server.requests(count: 2)
        task.cancel()
        let results = await task.value
        #expect(results.count == 3)
        for result in results { #expect(throws: CancellationError.self) { try result.get() } }
    }

    private func target(_ name: String) -> String {
        directory.appending(path: name).path(percentEncoded: false)
    }

    @Test(arguments: [".partial", ".a.partial", ".6F9619FF-8B86-D011-B42D-00C04FC964FF.partial", "..partial"])
    func `any file with the name of a partial download is found`(name: String) throws {
        try Data("abc".utf8).write(to: directory.appending(path: name))
        let all = try PartialDownload.all(in: directory)
        #expect(all.allSatisfy { $0.partialFile.lastPathComponent == name })
    }
}
