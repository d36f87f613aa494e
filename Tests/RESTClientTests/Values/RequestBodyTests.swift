import Foundation
import MockTransport
import Testing

@testable import RESTClient

@Suite struct RequestBodyTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private var folder: URL { scratch.url }

    private static func url() throws -> URL { try #require(URL(string: "http://shop.example/upload")) }

    private func file(_ name: String, _ data: Data) throws -> URL {
        let url = folder.appending(path: name)
        try data.write(to: url)
        return url
    }

    @Test func `a symbolic link sends its target under the name of the link`() async throws {
        let server = MockServer { Route(.put, "/upload") { Reply.status(201) } }
        let link = folder.appending(path: "link.bin")
        let data = Data("tea".utf8)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: try file("tea.bin", data))
        _ = try await server.manager().request(Self.url(), method: .put, body: .file(link)).response()
        #expect(server.requests.first?.body == data)
        #expect(try BodyFile(link).name == "link.bin")
    }

    @Test func `a file deleted before it is sent is an error`() async throws {
        let tea = try file("tea.bin", Data("tea".utf8))
        // Uses the HTTP protocol of URLSession: no server listens there, and none is contacted.
        let manager = SessionManager(interceptors: [
            .intercept { request, _, next in
                try FileManager.default.removeItem(at: tea)
                return try await next(request)
            }
        ])
        let request = manager.request("http://127.0.0.1:1/", method: .put, body: .file(tea))
        let error = try await failure { try await request.response() }
        #expect(error.kind == .invalidRequest(.bodyFileUnreadable))
    }

    @Test(arguments: ["missing", ""])
    func `an item that is not a regular file is an error, and nothing is sent`(name: String) async throws {
        _ = try file("tea.bin", Data())
        let server = MockServer { Route(.any) { Reply.status(201) } }
        let request = server.manager().request(
            try Self.url(), method: .put, body: .file(folder.appending(path: name)))
        let error = try await failure { try await request.response() }
        #expect(error.kind == .invalidRequest(.bodyEncodingFailed))
        #expect(server.requests.isEmpty)
    }

    @Test func `retries and redirects send the complete file again`() async throws {
        let data = Data(repeating: 7, count: 200_000)
        let server = MockServer {
            Route(.put, "/upload") {
                Reply.status(503)
                Reply.redirect(to: "/there", status: 307)
            }
            Route(.put, "/there") { Reply.status(201) }
        }
        let manager = server.manager(.retry(backoff: .constant(.zero)))
        _ = try await manager.request(Self.url(), method: .put, body: .file(try file("tea.bin", data)))
            .response()
        #expect(server.requests.map(\.body) == [data, data, data])
    }

    @Test func `a stream is read once and sent with each attempt`() async throws {
        let opened = LockedState(0)
        let server = MockServer {
            Route(.put, "/upload") {
                Reply.status(503)
                Reply.status(201)
            }
        }
        let body = RequestBody.stream(length: 6) {
            opened.withLock { $0 += 1 }
            return AsyncStream<Data> { source in
                source.yield(Data("tea".utf8))
                source.yield(Data("cup".utf8))
                source.finish()
            }
        }
        let manager = server.manager(.retry(backoff: .constant(.zero)))
        _ = try await manager.request(Self.url(), method: .put, body: body).response()
        #expect(server.requests.map(\.body) == [Data("teacup".utf8), Data("teacup".utf8)])
        #expect(opened.withLock { $0 } == 1)
    }

    @Test func `a stream of an unexpected length is an error`() async throws {
        let server = MockServer { Route(.any) { Reply.status(201) } }
        let body = RequestBody.stream(length: 7) { AsyncStream<Data> { $0.finish() } }
        let request = server.manager().request(try Self.url(), method: .put, body: body)
        let error = try await failure { try await request.response() }
        #expect("\(try #require(error.underlying))" == "the stream has 0 bytes, not 7")
    }

    @Test func `temporary files are deleted`() async throws {
        let body = RequestBody.stream { AsyncStream<Data> { $0.finish() } }
        var file: BodyFile?
        if case .file(let made) = try await body.encode() { file = made }
        let path = try #require(file).url.path(percentEncoded: false)
        #expect(FileManager.default.fileExists(atPath: path))
        let permissions =
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(permissions?.intValue == 0o600)
        file = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `parts are encoded according to RFC 7578`() async throws {
        let picture = try file("cup \"of\" tea.png", Data([1, 2, 3]))
        let body = RequestBody.multipart(
            [
                .init("name", "tea"), .init("na\"me\r\n", .json([1]), filename: "a\"b.json"),
                .init("picture", .file(picture, type: "image/png")),
            ], boundary: "B")
        guard case .data(let data) = try await body.encode() else {
            Issue.record("a small body is data")
            return
        }
        let expected = """
            --B
            Content-Disposition: form-data; name="name"
            Content-Type: text/plain; charset=utf-8

            tea
            --B
            Content-Disposition: form-data; name="na%22me%0D%0A"; filename="a%22b.json"
            Content-Type: application/json

            [1]
            --B
            Content-Disposition: form-data; name="picture"; filename="cup %22of%22 tea.png"
            Content-Type: image/png

            \u{1}\u{2}\u{3}
            --B--

            """.replacing("\n", with: "\r\n")
        #expect(String(decoding: data, as: UTF8.self) == expected)
        #expect(body.type == "multipart/form-data; boundary=B")
    }

    @Test func `a large multipart body is sent from a file`() async throws {
        let large = try file("large.bin", Data(repeating: 1, count: 2 << 20))
        let server = MockServer { Route(.post, "/upload") { Reply.status(201) } }
        _ = try await server.manager().request(
            Self.url(), method: .post, body: .multipart(.init("file", .file(large)))
        ).response()
        #expect((server.requests.first?.body.count ?? 0) > 2 << 20)
    }

    @Test(arguments: [Data("te".utf8), Data("teacup".utf8), Data("cup".utf8)])
    func `a file changed before it is sent is an error, and nothing is sent`(other: Data) async throws {
        let tea = try file("tea.bin", Data("tea".utf8))
        let server = MockServer { Route(.any) { Reply.status(201) }.optional() }
        let manager = server.manager(
            .intercept { request, _, next in
                try other.write(to: tea, options: .atomic)
                return try await next(request)
            })
        let request = manager.request(try Self.url(), method: .put, body: .file(tea))
        #expect(try await failure { try await request.response() }.kind == .invalidRequest(.bodyFileChanged))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [2, 4]) func `a file changed while it is sent is an error`(length: UInt64) async throws {
        let tea = try file("tea.bin", Data("tea".utf8))
        let server = MockServer {
            Route(.put, "/upload") { _ in
                let handle = try FileHandle(forWritingTo: tea)
                try handle.truncate(atOffset: length)
                try handle.close()
                return .status(201)
            }
        }
        let request = server.manager(.retry()).request(try Self.url(), method: .put, body: .file(tea))
        #expect(try await failure { try await request.response() }.kind == .invalidRequest(.bodyFileChanged))
        #expect(server.requests.count == 1)
    }

    @Test func `nested values of a form have nested names`() throws {
        let form = try QueryItems(nesting: [
            "user": ["name": "tea & milk", "langs": ["sv", "en"], "nobody": nil, "empty": []],
            "flags": [true, false], "count": 7, "share": 0.5, "points": [["x": 1, "y": 2]], "gone": nil,
        ])
        #expect(
            form.map { "\($0.name)=\($0.value ?? "nil")" } == [
                "user[name]=tea & milk", "user[langs][]=sv", "user[langs][]=en", "flags[]=true",
                "flags[]=false", "count=7", "share=0.5", "points[][x]=1", "points[][y]=2",
            ])
        #expect(form.percentEncoded.hasPrefix("user%5Bname%5D=tea%20%26%20milk&user%5Blangs%5D%5B%5D=sv&"))
    }

    @Test func `a nested form must be an object`() async throws {
        for value in [["tea"], "tea", nil, .value(Double.nan), ["a": .value(Double.nan)]] as [JSONLiteral] {
            await #expect(throws: EncodingError.self) { try await RequestBody.form(nesting: value).encode() }
        }
        guard case .data(let data) = try await RequestBody.form(nesting: ["a": ["b": "c d"]]).encode() else {
            Issue.record("a form is data")
            return
        }
        #expect(String(decoding: data, as: UTF8.self) == "a%5Bb%5D=c%20d")
    }

    @Test func `a file changed while it is copied to a part is an error`() async throws {
        let tea = try file("tea.bin", Data("tea".utf8))
        let source = try BodyFile(tea)
        try Data("teacup".utf8).write(to: tea)
        let writer = try BodyFile.Writer()
        #expect(throws: BodyEncodingError.self) { try writer.write(contentsOf: source) }
        #expect(try writer.finish().length <= 6)
    }
}
