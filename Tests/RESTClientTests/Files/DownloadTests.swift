import Foundation
import MockTransport
import Testing

@testable import RESTClient

@Suite struct DownloadTests {
    let scratch: ScratchDirectory
    let target: URL

    init() throws {
        scratch = try ScratchDirectory()
        target = scratch.url.appending(path: "tea.bin")
    }

    var directory: URL { scratch.url }

    static func url() throws -> URL { try #require(URL(string: "http://shop.example/tea.bin")) }

    var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
                .sorted()
        }
    }

    func text(of file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// A file, its part before an interruption, and its rest.
    static let whole = Reply.text("tea and milk").header(.eTag, "\"v1\"")
    static let broken = whole.fault(.reset(.inBody(after: 4)))
    static let rest = Reply.text("and milk", status: 206).header("Content-Range", "bytes 4-11/12").header(
        .eTag, "\"v1\"")

    /// A server that sends the replies one after another.
    static func server(_ replies: Reply...) -> MockServer { MockServer { Route(.any) { replies } } }

    /// Starts a download that is interrupted.
    func interrupt(_ request: DataRequest) async {
        await #expect(throws: RESTClientError.self) { try await request.download(to: target, resuming: true) }
    }

    @Test func `the file appears when the download is complete`() async throws {
        try Data("old".utf8).write(to: target)
        let server = Self.server(Reply.text(String(repeating: "tea", count: 100_000)))
        let response = try await server.manager().request(Self.url()).download(to: target)
        #expect(response.body == target)
        #expect(try Data(contentsOf: target).count == 300_000)
        #expect(try files == ["tea.bin"])
    }

    @Test func `a failed download leaves no file and keeps the existing one`() async throws {
        try Data("old".utf8).write(to: target)
        let server = Self.server(Reply.text("tea and milk").fault(.reset(.inBody(after: 3))))
        let request = server.manager().request(try Self.url())
        await #expect(throws: RESTClientError.self) { try await request.download(to: target) }
        #expect(try files == ["tea.bin"])
        #expect(try text(of: target) == "old")
    }

    @Test func `an interrupted download is resumed`() async throws {
        let server = Self.interruptedServer()
        let request = server.manager().request(try Self.url())
        await interrupt(request)
        #expect(try files == [".tea.bin.partial", ".tea.bin.partial.validator"])
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea and milk")
        #expect(try files == ["tea.bin"])
        #expect(server.requests.count == 2)
    }

    @Test func `a partial file is discarded if the server cannot continue it`() async throws {
        let server = Self.server(Self.broken, Reply.status(416), Reply.text("tea"))
        let request = server.manager().request(try Self.url())
        await interrupt(request)
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea")
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=4-", nil])
    }

    @Test func `a missing directory is a file error`() async throws {
        let server = Self.server(Reply.text("tea"))
        let request = server.manager().request(try Self.url())
        let nowhere = directory.appending(path: "nowhere/tea.bin")
        let error = try await failure { try await request.download(to: nowhere) }
        #expect(
            error.kind == .file(path: nowhere.path(percentEncoded: false), .system(.create, errno: ENOENT)))
    }

    @Test func `an item that is not a regular file is not replaced`() async throws {
        let server = Self.server(Reply.text("tea"))
        let request = server.manager().request(try Self.url())
        let pipe = directory.appending(path: "pipe")
        #expect(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
        for target in [pipe, directory] {
            let error = try await failure { try await request.download(to: target) }
            #expect(error.kind == .file(path: target.path(percentEncoded: false), .notRegularFile))
        }
        #expect(server.requests.isEmpty)
        #expect(try files == ["pipe"])
    }

    @Test(arguments: ["tea.bin", "shelf/tea.bin", "nested"])
    func `the target of a symbolic link is replaced`(destination: String) async throws {
        let server = Self.server(Reply.text("tea"))
        let manager = FileManager.default
        let shelf = directory.appending(path: "shelf")
        try manager.createDirectory(at: shelf, withIntermediateDirectories: true)
        for name in ["tea.bin", "shelf/tea.bin"] {
            try Data("old".utf8).write(to: directory.appending(path: name))
        }
        func link(_ name: String, to destination: String) throws -> URL {
            let link = directory.appending(path: name)
            try manager.createSymbolicLink(
                atPath: link.path(percentEncoded: false), withDestinationPath: destination)
            return link
        }
        _ = try link("nested", to: "shelf/linked.bin")
        _ = try link("shelf/linked.bin", to: "tea.bin")
        let link = try link("link", to: destination)
        let response = try await server.manager().request(Self.url()).download(to: link)
        #expect(response.body == link)
        #expect(
            try manager.destinationOfSymbolicLink(atPath: link.path(percentEncoded: false)) == destination)
        let replaced = destination == "tea.bin" ? target : shelf.appending(path: "tea.bin")
        #expect(try text(of: replaced) == "tea")
        #expect(try files == ["link", "nested", "shelf", "tea.bin"])
        #expect(try manager.contentsOfDirectory(atPath: shelf.path(percentEncoded: false)).count == 2)
    }

    @Test
    func `a dangling link creates the file; a link to itself or to a device is an error`() async throws {
        let server = Self.server(Reply.text("tea"))
        let request = server.manager().request(try Self.url())
        for (name, destination) in [("link", "tea.bin"), ("loop", "loop"), ("device", "/dev/null")] {
            try FileManager.default.createSymbolicLink(
                atPath: directory.appending(path: name).path(percentEncoded: false),
                withDestinationPath: destination)
        }
        _ = try await request.download(to: directory.appending(path: "link"))
        #expect(try text(of: target) == "tea")
        for (name, shown) in [("loop", "loop"), ("device", "null")] {
            let error = await #expect(throws: RESTClientError.self) {
                try await request.download(to: directory.appending(path: name))
            }
            guard case .file(let path, .notRegularFile)? = error?.kind else { throw try #require(error) }
            #expect(path.hasSuffix(shown))
        }
        #expect(server.requests.count == 1)
    }

    @Test func `a second concurrent download to the same file fails`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = Self.server(
            Reply.stream(chunks).header(.eTag, "\"v1\""), Reply.text("coffee").header(.eTag, "\"v2\""))
        let request = server.manager().request(try Self.url())
        let first = Task { [target] in try await request.download(to: target, resuming: true) }
        source.yield(Data("tea ".utf8))
        while try !files.contains(".tea.bin.partial.validator") { await Task.yield() }
        #expect(
            try await failure { try await request.download(to: target, resuming: true) }.kind
                == .file(path: target.path(percentEncoded: false), .inUse))
        source.yield(Data("and milk".utf8))
        source.finish()
        _ = try await first.value
        #expect(try text(of: target) == "tea and milk")
        #expect(try files == ["tea.bin"])
    }

    @Test func `an unexpected 416 is not retried`() async throws {
        let server = Self.server(Reply.status(416))
        let request = server.manager().request(try Self.url())
        #expect(try await failure { try await request.download(to: target) }.kind == .status(416))
        #expect(server.requests.count == 1)
    }
}
