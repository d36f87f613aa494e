import Foundation
import MockTransport
import Testing

@Suite struct RecordingTests {
    private let temporary = TemporaryPath(".har")

    /// A loopback server that acts as the real server.
    private static func shop() -> MockServer {
        MockServer(clock: VirtualClock()) {
            Route(.get, "/tea") { Reply.text("tea").header("X-Kind", "green") }
            Route(.get, "/next") {
                Reply.text("1")
                Reply.text("2")
                Reply.text("3").repeats()
            }
            Route(.get, "/old") { Reply.redirect(to: "/tea") }
            Route(.get, "/bytes") { Reply.data(Data([0, 255, 1, 254])) }
            Route(.post, "/echo") { request in .text("got \(request.text)", status: 201) }
            Route(.get, "/cut") { Reply.text("0123456789").fault(.close(.inBody(after: 4))) }
            Route(.head, "/tea") { Reply.text("tea") }
        }
    }

    private static func visit(_ base: URL, through server: MockServer) async throws -> [String] {
        let texts = ["/tea", "/next", "/next", "/next", "/old", "/bytes"]
        var answers: [String] = []
        for path in texts {
            let (data, response) = try await server.data(base.absoluteString + path)
            answers.append(
                "\(response.statusCode) \(data.base64EncodedString()) \(response.value(forHTTPHeaderField: "X-Kind") ?? "")"
            )
        }
        for body in ["{\"a\": 1}", "two"] {
            answers.append(try await server.text(base.absoluteString + "/echo", method: "POST", body: body))
        }
        do {
            answers.append(try await server.text(base.absoluteString + "/cut"))
        } catch let error as URLError {
            answers.append("\(error.code) \(error.localizedDescription)")
        }
        return answers
    }

    @Test func `a replay returns the recorded responses`() async throws {
        let shop = try await Self.shop().listen()
        let recorder = MockServer { Route(.any) { Reply.passthrough } }
        let live = try await Self.visit(shop.url, through: recorder)
        let archive = try HAR(parsing: recorder.recording.data())
        #expect(archive.entries.count == 9)
        await shop.close()
        let replay = MockServer { archive.routes() }
        #expect(try await Self.visit(shop.url, through: replay) == live)
        try replay.verify()
    }

    @Test func `recordings of mocked and passed through requests are equal`() async throws {
        let server = Self.shop()
        let url = try #require(URL(string: "http://shop.example"))
        let inProcess = try await Self.visit(url, through: server)
        let replay = MockServer { server.recording.routes() }
        #expect(try await Self.visit(url, through: replay) == inProcess)
        let onSocket = Self.shop()
        _ = try await onSocket.answer(to: "GET /tea HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(onSocket.recording.entries.first?.response == server.recording.entries.first?.response)
    }

    @Test func `recording twice gives the same bytes`() async throws {
        let shop = try await MockServer {
            Route("/at/:n") { request in .text(request["n"] ?? "").header(.date, "\(Date())") }
        }.listen()
        var bytes: Set<Data> = []
        for _ in 0..<3 {
            let recorder = MockServer { Route(.any) { Reply.passthrough } }
            let urls = (0..<12).shuffled().map { shop.url.appending(path: "at/\($0)").absoluteString }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for url in urls { group.addTask { _ = try await recorder.text(url) } }
                try await group.waitForAll()
            }
            bytes.insert(try recorder.recording.data())
        }
        #expect(bytes.count == 1)
    }

    @Test func `at speed 1 each chunk is delivered at its recorded time`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any) { Reply.text("0123456789").delay(.seconds(3)).dribble(chunks: 5, over: .seconds(10)) }
        }
        _ = try await server.text("http://shop.example/")
        let archive = try HAR(parsing: server.recording.data(times: .recorded))
        let response = try #require(archive.entries.first?.response)
        #expect(response.wait == .seconds(3))
        #expect(response.chunks.map(\.time) == [2, 4, 6, 8, 10].map { .seconds($0) })

        let stepped = VirtualClock(.stepped)
        let replay = MockServer(clock: stepped) { archive.routes(speed: 1) }
        async let text = replay.text("http://shop.example/")
        var times: [Duration] = []
        for _ in 0..<6 { times.append(try await stepped.advance()) }
        #expect(times == [3, 2, 2, 2, 2, 2].map { .seconds($0) })
        #expect(try await text == "0123456789")
        #expect(replay.recording.entries.map(\.response) == archive.entries.map(\.response))

        let twice = MockServer(clock: VirtualClock()) { archive.routes(speed: 2) }
        _ = try await twice.text("http://shop.example/")
        #expect(twice.recording.entries.first?.response.chunks.last?.time == .seconds(5))
    }

    @Test func `a replay selects exchanges by normalized URL and body`() async throws {
        let server = MockServer {
            Route(.post, "/q") { request in .text("\(request.text.count)") }
        }
        let one = try await server.text("http://shop.example/q", method: "POST", body: "{\"a\":1,\"b\":[2]}")
        let replay = MockServer { server.recording.routes() }
        #expect(
            try await replay.text(
                "http://SHOP.example:80/q", method: "POST", body: "{ \"b\":[2], \"a\":1.0 }") == one)
        await #expect(throws: (any Error).self) {
            try await replay.text("http://shop.example/q", method: "POST", body: "{\"a\":2}")
        }
        let lax = MockServer { server.recording.routes(matching: .ignoring(.body)) }
        #expect(try await lax.text("http://shop.example/q", method: "POST", body: "x") == one)
    }

    @Test func `a body above the limit is dropped and the entry has a failure`() async throws {
        // Not text, which would be searched for secrets.
        let size = 1 << 20
        let piece = Data((0..<size).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: 3 * index) })
        let whole: Data = (0..<6).reduce(into: Data()) { (data: inout Data, _) in data += piece }
        let server = MockServer {
            Route("/stream/:n") { request in
                let count = request["n", as: Int.self] ?? 0
                return .stream(
                    AsyncStream { stream in
                        for _ in 0..<count { stream.yield(piece) }
                        stream.finish()
                    })
            }
            Route("/whole") { Reply.data(whole) }
        }
        #expect(try await server.data("http://shop.example/stream/4").0.count == 4 * size)
        #expect(try await server.data("http://shop.example/stream/5").0.count == 5 * size)
        _ = try await server.data("http://shop.example/whole")
        let responses = server.recording.entries.map(\.response)
        #expect(responses.map(\.body.count) == [4 * size, 0, 6 * size])
        #expect(responses.map(\.failure?.text) == [nil, "the body was too large to be recorded", nil])
        let replay = MockServer { server.recording.routes() }
        await #expect(throws: URLError.self) { try await replay.data("http://shop.example/stream/5") }
    }

    @Test func `the bodies of fixed replies are kept up to the same limit`() async throws {
        let size = 30 << 20
        let body = Data(repeating: 0xFF, count: size)
        let server = MockServer { Route(.any) { Reply.data(body, as: "image/png") } }
        for _ in 0..<3 { _ = try await server.data("http://shop.example/") }
        let responses = server.recording.entries.map(\.response)
        #expect(responses.map(\.body.count) == [size, size, 0])
        #expect(responses.map(\.failure?.text) == [nil, nil, "the body was too large to be recorded"])
        #expect(server.exchanges.map(\.bodySize) == [size, size, size])
    }

    @Test func `characters that need no encoding are equal in a replay`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        _ = try await server.text("http://shop.example/~ann/%c3%a4?q=%7e1%2f")
        let replay = MockServer { server.recording.routes() }
        #expect(try await replay.text("http://shop.example/%7Eann/%C3%A4?q=~1%2F") == "tea")
        await #expect(throws: MockServerError.self) {
            try await replay.text("http://shop.example/~ann/%C3%A4?q=~1/")
        }
    }

    @Test func `more requests than recorded ones say how to repeat the last one`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        for _ in 0..<2 { _ = try await server.text("http://shop.example/a") }
        let replay = MockServer { server.recording.routes() }
        for _ in 0..<2 { _ = try await replay.text("http://shop.example/a") }
        let error = try await replay.refusal(of: "http://shop.example/a")
        #expect(
            error == """
                GET http://shop.example/a is request 3 of its kind, and the archive has 2 exchanges for it. Record it again, \
                or replay with matching: .ignoring(.count), so that the last one answers all further requests.
                """)
    }

    @Test func `recorded exchanges that were not requested are reported`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        for path in ["a", "a", "b", "c"] { _ = try await server.text("http://shop.example/\(path)") }
        let archive = server.recording
        let replay = MockServer(har: archive)
        for path in ["a", "c"] { _ = try await replay.text("http://shop.example/\(path)") }
        try replay.verify()
        let error = #expect(throws: MockServerError.self) { try replay.verify(unusedRecordings: true) }
        #expect(
            error?.issues.map(\.message) == [
                "GET /a of the recording was requested once, and has 2 exchanges",
                "GET /b of the recording was not requested",
            ])
    }

    @Test func `a check compares the shapes of recorded and real responses`() async throws {
        let isNew = LockedState(false)
        let shop = MockServer {
            Route("/items") { _ in
                isNew.withLock { $0 }
                    ? .json(["items": [["id": "7", "name": nil, "price": 1.5]], "more": []])
                    : .json(["items": [["id": 7, "name": "tea", "old": true]], "more": [1]])
            }
            Route("/gone") { _ in isNew.withLock { $0 } ? .status(404) : .text("tea") }
        }
        let loopback = try await shop.listen()
        let (items, gone) = ("\(loopback.url)/items", "\(loopback.url)/gone")
        let file = temporary.url
        let recorder = try MockServer(cassette: file)
        let recorded = try await recorder.text(items)
        _ = try await recorder.text(gone)
        let same = try MockServer(cassette: file, mode: .check)
        #expect(try await same.text(items) == recorded)
        try same.verify()
        isNew.withLock { $0 = true }
        let bytes = try Data(contentsOf: file)
        let changed = try MockServer(cassette: file, mode: .check)
        #expect(try await changed.text(items) == recorded)
        _ = try await changed.text(gone)
        let error = #expect(throws: MockServerError.self) { try changed.verify() }
        #expect(
            error?.issues.map(\.message) == [
                """
                GET \(items): the response of the real server differs from the recorded one:
                  $.items[].id was number, and is string
                  $.items[].old is missing
                  $.items[].price is new
                Adapt the code, and record it again with MOCK_RECORD=always in the environment.
                """,
                """
                GET \(gone): the response of the real server differs from the recorded one:
                  the status was 200, and is 404
                Adapt the code, and record it again with MOCK_RECORD=always in the environment.
                """,
            ])
        #expect(try Data(contentsOf: file) == bytes)
        await loopback.close()
    }

    @Test func `invalid header fields are omitted from the recording`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text("tea").header("X Y", "1").header("", "2").header("X-Z", "a\u{1}\r\nb\u{7F}\tc")
            }
        }
        _ = try await server.text("http://shop.example/")
        let archive = try HAR(parsing: server.recording.data())
        #expect(
            archive.entries.first?.response.headers.map(\.name) == ["Content-Type", "X-Z", "Content-Length"])
        #expect(archive.entries.first?.response.headers["X-Z"] == "a   b  c")
    }

    @Test func `a passthrough body is recorded, regardless of its chunks`() async throws {
        let body = Data(repeating: 0xFF, count: 6 << 20)
        let shop = try await MockServer { Route(.any) { Reply.data(body, as: "image/png") } }.listen()
        let recorder = MockServer { Route(.any) { Reply.passthrough } }
        _ = try await recorder.data(shop.url.absoluteString)
        #expect(recorder.recording.entries.first?.response.body.count == 6 << 20)
    }

    @Test func `unmatched and cancelled requests are not recorded`() async throws {
        let server = MockServer { Route("/tea") { Reply.text("tea") } }
        _ = try? await server.text("http://shop.example/milk")
        #expect(server.recording.entries.isEmpty)
        _ = try await server.text("http://shop.example/tea")
        #expect(server.recording.entries.count == 1)
        #expect(server.recording.description == "200 GET http://shop.example/tea")
    }

    @Test func `a recorded path on another port is the nearest, and only the port differs`() async throws {
        let urls = [
            "http://shop.example/other", "http://shop.example:8080/items?page=2", "https://b.example/items",
        ]
        let entries = try urls.map { HAR.Entry(HAR.Request(url: try #require(URL(string: $0)))) }
        let server = MockServer { HAR(entries).routes() }
        let error = await #expect(throws: MockServerError.self) {
            try await server.text("http://shop.example:9090/items?page=2")
        }
        guard case .unmatched(_, _, let nearest)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(nearest.first?.route.contains("http://shop.example:8080/items?page=2") == true)
        #expect(nearest.first?.differences.map(\.field) == ["port"])
        #expect(nearest.first?.differences.map(\.expected) == ["8080"])
        #expect(nearest.first?.differences.map(\.found) == ["9090"])
        // Another path counts more than other differences.
        #expect(nearest.map(\.differences.count) == [1, 4, 3])
    }
}
