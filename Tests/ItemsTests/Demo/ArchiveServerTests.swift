import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import items

@Suite(.hangLimit) struct ArchiveServerTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har")

    /// Writes an archive with an invalid entry and two pages of a list at `https://shop.example/teas`.
    private func write() throws {
        let pages = [
            ("https://shop.example/teas", #"{"items":["green"],"next":"https://shop.example/teas?page=2"}"#),
            ("https://shop.example/teas?page=2", #"{"items":["black"],"next":null}"#),
        ]
        let entries = try pages.map { url, text in
            HAR.Entry(
                start: Date(timeIntervalSince1970: 0),
                request: HAR.Request(url: try #require(URL(string: url))),
                response: HAR.Response(
                    status: 200, headers: ["Content-Type": "application/json"],
                    chunks: [HAR.Chunk(data: Data(text.utf8))]))
        }
        let text = String(decoding: try HAR(entries).data(), as: UTF8.self)
        try Data(text.replacing("\"entries\": [", with: "\"entries\": [7,").utf8).write(to: file)
    }

    /// Serves the file while `body` runs, and returns the messages.
    private func serving(
        files servesFiles: Bool = false, lines: Int = 5,
        _ body: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> [String] {
        let url = LockedState<URL?>(nil)
        let said = LockedState<[String]>([])
        let failure = LockedState<(any Error)?>(nil)
        let messages = Messages(level: .normal) { text in said.withLock { $0.append(text) } }
        try await LocalServer(archive: file.path, servesFiles: servesFiles, messages: messages).run(
            on: 0,
            writingURLs: { text in url.withLock { $0 = URL(string: String(text.dropLast())) } },
            until: {
                do {
                    let url = url.withLock(\.self)
                    try await body(try #require(url))
                    // The log is printed by another task.
                    for _ in 0..<500 where said.withLock(\.count) < lines {
                        try await Task.sleep(for: .milliseconds(10))
                    }
                } catch { failure.withLock { $0 = error } }
            })
        if let failure = failure.withLock(\.self) { throw failure }
        return said.withLock(\.self)
    }

    @Test func `all pages of a recorded list are served`() async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write()
        let said = try await serving { url in
            let teas: [String] = try await MyRESTClient(url: url.appending(path: "teas")).getAvailableItems()
            #expect(teas == ["green", "black"])
            let gone = url.appending(path: "gone").appending(queryItems: [
                URLQueryItem(name: "token", value: "secret")
            ])
            let (data, response) = try await URLSession(configuration: .ephemeral).data(from: gone)
            #expect((response as? HTTPURLResponse)?.statusCode == 501)
            // Every program can request it.
            #expect(!String(decoding: data, as: UTF8.self).contains("teas"))
        }
        let name = file.lastPathComponent
        #expect(
            said.first
                == "items: invalid value in the archive: \(name): log.entries[0] is a number, not an object\n"
        )
        let start = said.dropFirst().first?.replacing(/http:[^ ]+/, with: "URL")
        #expect(start == "items: serving 2 exchanges of \(name) on URL until interrupted\n")
        #expect(
            said.dropFirst(2) == [
                "items: GET /teas: recorded reply\n", "items: GET /teas?page=2: recorded reply\n",
                "items: GET /gone?token=***: not in the archive\n",
            ])
    }

    @Test(arguments: [true, false]) func `a body in another file is served only with --serve-files`(
        servesFiles: Bool
    ) async throws {
        let body = file.appendingPathExtension("txt")
        defer {
            try? FileManager.default.removeItem(at: file)
            try? FileManager.default.removeItem(at: body)
        }
        try Data("tea".utf8).write(to: body)
        let content: JSONLiteral = ["size": 3, "_file": "\(body.lastPathComponent)"]
        let entry: JSONLiteral = [
            "request": ["method": "GET", "url": "https://shop.example/tea"],
            "response": ["status": 200, "headers": [], "content": content],
        ]
        try (["log": ["entries": [entry]]] as JSONLiteral).encoded().write(to: file)
        let said = try await serving(files: servesFiles, lines: servesFiles ? 2 : 3) { url in
            let (data, response) = try await URLSession(configuration: .ephemeral)
                .data(from: url.appending(path: "tea"))
            #expect((response as? HTTPURLResponse)?.statusCode == (servesFiles ? 200 : 500))
            #expect((String(decoding: data, as: UTF8.self) == "tea") == servesFiles)
        }
        #expect(said.first?.contains("--serve-files") == !servesFiles)
    }

    @Test(arguments: [
        ("--serve=shop.har", Options.Action.serveArchive("shop.har")),
        ("--serve=SHOP.HAR", .serveArchive("SHOP.HAR")), ("--serve=./shop", .serveArchive("./shop")),
        ("--serve", .serve(nil)),
    ])
    func `a value with a slash or the extension har is a file`(
        argument: String, action: Options.Action
    ) throws {
        #expect(try OptionParser.parse([argument]).action == action)
    }

    @Test func `--serve with a file accepts a port and no input`() throws {
        #expect(try OptionParser.parse(["--serve=shop.har", "--port", "8080"]).port == 8_080)
        #expect(try OptionParser.parse(["--serve=shop.har", "--serve-files"]).servesFiles)
        for arguments in [
            ["--serve=shop.har", "http://host/"], ["--serve", "--serve-files"], ["--serve-files", "-"],
        ] {
            #expect(throws: CommandError.self) { try OptionParser.parse(arguments) }
        }
    }
}
