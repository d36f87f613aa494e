import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

@Suite(.mocked) final class FileSyncTests {
    private let clock = VirtualClock()
    private let directory = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func job(_ server: MockServer) throws -> FileSync {
        try FileSync(
            server: try #require(URL(string: "https://files.example/v1")), directory: directory,
            configuration: server.configuration, clock: clock)
    }

    private func run(_ server: MockServer) async throws -> FileSync.Report { try await job(server).run() }

    private func list(_ names: String...) -> Reply {
        let files = names.map { ["name": $0, "url": "https://files.example/\($0)"] }
        return .json(["items": files]).header(.eTag, "\"\(names.count)\"").conditional()
    }

    private func file(_ text: String) -> Reply {
        .text(text).header(.eTag, "\"\(text)\"").conditional()
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    }

    @Test func `new files are downloaded, two at a time`() async throws {
        let names = ["a", "b", "c", "d"]
        let server = MockServer(clock: clock) {
            Route(.get, "https://files.example/v1/files") { list("a", "b", "c", "d") }
            for name in names {
                Route(.get, "/\(name)") { file("text of \(name)").delay(.seconds(1)) }
            }
        }
        #expect(try await run(server) == FileSync.Report(updated: names))
        for name in names { #expect(try text(name) == "text of \(name)") }
        #expect(server.requests.map(\.time) == [0, 0, 0, 1, 1].map { .seconds($0) })
    }

    @Test func `files that have not changed are not downloaded again`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { list("a", "b") }
            Route(.get, "/a") { file("tea").repeats() }
            Route(.get, "/b") {
                file("milk")
                file("cream")
            }
        }
        #expect(try await run(server) == FileSync.Report(updated: ["a", "b"]))
        #expect(try await run(server) == FileSync.Report(updated: ["b"], unchanged: ["a"]))
        #expect(try text("a") == "tea" && text("b") == "cream")
        // The list was confirmed, too.
        #expect(server.requests.filter { $0.headers[.ifNoneMatch] != nil }.count == 3)
    }

    @Test func `a download that breaks off continues`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { list("a") }
            Route(.get, "/a") {
                file("tea and milk").fault(.close(.inBody(after: 4)))
                file("tea and milk").fault(.reset(.inBody(after: 4)))
                file("tea and milk")
            }
        }
        #expect(try await run(server) == FileSync.Report(updated: ["a"]))
        #expect(try text("a") == "tea and milk")
        #expect(server.requests.dropFirst().map { $0.headers[.range] } == [nil, "bytes=4-", "bytes=8-"])
    }

    @Test func `a download that fails continues in the next run`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { list("a", "b") }
            Route(.get, "/a") {
                file("tea and milk").fault(.close(.inBody(after: 4)))
                file("tea and milk").fault(.close(.afterHead))
                file("tea and milk").fault(.refused)
                file("tea and milk")
            }
            Route(.get, "/b") { file("cup") }
        }
        let report = try await run(server)
        #expect(report.updated == ["b"])
        #expect(report.failed["a"]?.hasPrefix("the connection was refused") == true)
        #expect(try await run(server) == FileSync.Report(updated: ["a"], unchanged: ["b"]))
        #expect(server.requests.last { $0.url.path == "/a" }?.headers[.range] == "bytes=4-")
        #expect(try text("a") == "tea and milk")
    }

    @Test func `the report names files that fail`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { list("a", "../b", "c") }
            Route(.get, "/a") { Reply.status(404) }
            Route(.get, "/c") { file("cup") }
        }
        #expect(
            try await run(server)
                == FileSync.Report(
                    updated: ["c"],
                    failed: [
                        "a": "HTTP 404 Not Found: GET https://files.example/a\n  hint: check the path",
                        "../b": "the name is not valid",
                    ]))
    }

    @Test func `if the tags are damaged all files are downloaded again`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { list("a").repeats() }
            Route(.get, "/a") { file("tea").repeats() }
        }
        #expect(try await run(server) == FileSync.Report(updated: ["a"]))
        try Data(#"{"a":"#.utf8).write(to: directory.appending(path: ".tags.json"))
        #expect(try await run(server) == FileSync.Report(updated: ["a"]))
        #expect(try await run(server) == FileSync.Report(unchanged: ["a"]))
    }

    @Test func `the tags are replaced atomically`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { list("a").repeats() }
            Route(.get, "/a") {
                file("tea")
                file("milk")
            }
        }
        #expect(try await run(server) == FileSync.Report(updated: ["a"]))
        // A second link to the file keeps its content, because the file is not overwritten.
        let (tags, link) = (directory.appending(path: ".tags.json"), directory.appending(path: ".link"))
        try FileManager.default.linkItem(at: tags, to: link)
        let old = try Data(contentsOf: tags)
        #expect(try await run(server) == FileSync.Report(updated: ["a"]))
        #expect(try Data(contentsOf: link) == old)
        #expect(try Data(contentsOf: tags) != old)
    }

    @Test func `a cancelled run throws`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { list("a") }
            Route(.get, "/a") { _ in
                try await Task.sleep(for: .seconds(60))  // until the client cancels its request
                return .text("tea")
            }
        }
        let job = try job(server)
        let task = Task { try await job.run() }
        _ = try await server.requests(count: 2)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `without a list nothing is downloaded`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/v1/files") { Reply.status(500).repeats() }.called(3)
        }
        let error = await #expect(throws: RESTClientError.self) { try await run(server) }
        #expect(error?.kind == .status(500))
    }
}
