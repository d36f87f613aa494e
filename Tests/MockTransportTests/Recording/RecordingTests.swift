import Foundation
import MockTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RecordingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    /// A real server as far as the mock in front of it can tell.
    private static func shop() -> MockServer {
        MockServer {
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

    @Test func `a replay gives what was recorded`() async throws {
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

    @Test func `what a mock answers is recorded as what a socket gives`() async throws {
        let server = Self.shop()
        let url = try #require(URL(string: "http://shop.example"))
        let inProcess = try await Self.visit(url, through: server)
        let replay = MockServer { server.recording.routes() }
        #expect(try await Self.visit(url, through: replay) == inProcess)
        let onSocket = Self.shop()
        let loopback = try await onSocket.listen()
        _ = try await loopback.answer(
            to: "GET /tea HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
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

    @Test func `at speed 1 each chunk comes when it came`() async throws {
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

    @Test func `bodies and URLs tell requests apart, in whatever way they are written`() async throws {
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
        let lax = MockServer { server.recording.routes(matchingBodies: false) }
        #expect(try await lax.text("http://shop.example/q", method: "POST", body: "x") == one)
    }

    @Test func `who was not answered is not recorded`() async throws {
        let server = MockServer { Route("/tea") { Reply.text("tea") } }
        _ = try? await server.text("http://shop.example/milk")
        #expect(server.recording.entries.isEmpty)
        _ = try await server.text("http://shop.example/tea")
        #expect(server.recording.entries.count == 1)
        #expect(server.recording.description == "200 GET http://shop.example/tea")
    }

    // MARK: Secrets

    static let secret = "h8Yq2-topsecret"

    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        var url = "http://shop.example/in"
        var headers: [String: String] = [:]
        var body: String?
        var reply = Reply.text("ok")
        var testDescription: String { name }
    }

    static let places: [Place] = [
        Place(name: "Authorization", headers: ["Authorization": "Bearer \(secret)"]),
        Place(
            name: "Basic",
            headers: ["Authorization": "Basic \(Data("u:\(secret)".utf8).base64EncodedString())"]),
        Place(name: "Proxy-Authorization", headers: ["Proxy-Authorization": "Bearer \(secret)"]),
        Place(name: "Cookie", headers: ["Cookie": "a=1; sid=\(secret)"]),
        Place(name: "X-Api-Key", headers: ["X-Api-Key": secret]),
        Place(name: "Set-Cookie", reply: Reply.text("ok").header(.setCookie, "sid=\(secret); Path=/")),
        Place(name: "query", url: "http://shop.example/in?page=1&access_token=\(secret)"),
        Place(name: "user info", url: "http://u:\(secret)@shop.example/in"),
        Place(name: "Location", reply: .redirect(to: "http://shop.example/?code=\(secret)")),
        Place(
            name: "form", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: "grant_type=password&password=\(secret)"),
        Place(
            name: "JSON", headers: ["Content-Type": "application/json"],
            body: "{\"a\":[{\"password\":\"\(secret)\"}]}"),
        Place(name: "JSON without its type", body: "{\"client_secret\":\"\(secret)\"}"),
        Place(
            name: "multipart", headers: ["Content-Type": "multipart/form-data; boundary=xyz"],
            body: "--xyz\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n--xyz--\r\n"
        ),
        Place(name: "JSON of a reply", reply: .json(["access_token": .value(secret), "expires_in": 3_600])),
        Place(
            name: "an echo of a header", headers: ["Authorization": "Bearer \(secret)"],
            reply: .text("you said \(secret)")),
        Place(
            name: "an echo of a query", url: "http://shop.example/in?token=\(secret)",
            reply: .json(["url": .value("http://shop.example/in?token=\(secret)")])),
        Place(
            name: "an echo among bytes", headers: ["Cookie": "sid=\(secret)"],
            reply: .data(Data([0xFF]) + Data(secret.utf8))),
    ]

    @Test(arguments: places) func `no secret is recorded`(place: Place) async throws {
        let server = MockServer { Route(.any) { place.reply } }
        var request = URLRequest(url: try #require(URL(string: place.url)))
        request.httpMethod = place.body == nil ? "GET" : "POST"
        request.httpBody = place.body.map { Data($0.utf8) }
        for (name, value) in place.headers { request.setValue(value, forHTTPHeaderField: name) }
        _ = try await server.data(request)
        for times in [HAR.Times.stable, .recorded] {
            let data = try server.recording.data(times: times)
            let text = String(decoding: data, as: UTF8.self)
            #expect(!text.contains(Self.secret))
            #expect(!text.contains(Data("u:\(Self.secret)".utf8).base64EncodedString()))
            let bodies = try HAR(parsing: data).entries.map(\.response.body)
            #expect(bodies.allSatisfy { !$0.contains(Data(Self.secret.utf8)) })
            // A replay still knows the request.
            let replay = try MockServer { try HAR(parsing: data).routes() }
            _ = try await replay.data(request)
        }
        var dumped = ""
        dump(server.recording, to: &dumped)
        #expect(!dumped.contains(Self.secret))
    }
}
