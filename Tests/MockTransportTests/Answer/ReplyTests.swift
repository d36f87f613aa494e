import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import Testing

@testable import MockTransport

@Suite struct ReplyTests {
    @Test func `events are sent one by one, with their fields and delays`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) {
                Reply.events(
                    .init("tea\r\npot", name: "added", id: "1", retry: .seconds(2)),
                    .init("", delay: .seconds(5)))
            }
        }
        async let reply = server.data("http://shop.example/events")
        #expect(try await clock.advance() == .seconds(5))
        let (body, response) = try await reply
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        #expect(
            String(decoding: body, as: UTF8.self)
                == "id: 1\nevent: added\nretry: 2000\ndata: tea\ndata: pot\n\ndata: \n\n")
    }

    private let url = "http://shop.example/items"

    @Test(arguments: ["http", "https", "ftp"])
    func `a file reply of a URL that is not a file fails and opens no connection`(scheme: String) async throws
    {
        let raw = try RawServer { _ in [.close] }
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(raw.port)/tea.json"))
        let server = MockServer { Route(.any) { Reply.file(url).conditional() } }
        let error = try await server.refusal(of: "http://shop.example/")
        #expect(error.contains("\(url), which is not the URL of a file"))
        #expect(raw.connections == 0)
    }

    @Test func `a JSON reply encodes the given value`() async throws {
        struct Draft: Codable, Equatable { var name: String; var price: Int }
        let bytes = try #require(URL(string: "http://shop.example/bytes"))
        let server = MockServer {
            Route(.get, bytes) { Reply.json(Data("[7]".utf8)) }
            Route("/value") { Reply.json(Draft(name: "tea", price: 2)) }
            Route("/literal") { Reply.json(["zeta": 1, "alpha": nil, "mixed": ["x", 2, true]]) }
            Route("/interpolated") { Reply.json(["name": .value(Draft(name: "tea", price: 2)), "tags": []]) }
        }
        #expect(try await server.text("http://shop.example/bytes") == "[7]")
        #expect(try await server.text("http://shop.example/value") == #"{"name":"tea","price":2}"#)
        #expect(
            try await server.text("http://shop.example/literal")
                == #"{"zeta":1,"alpha":null,"mixed":["x",2,true]}"#)
        #expect(
            try await server.text("http://shop.example/interpolated")
                == #"{"name":{"name":"tea","price":2},"tags":[]}"#)
    }

    @Test func `a value that cannot be encoded fails the request with MockServerError`() async throws {
        let server = MockServer { Route(.any) { Reply.json(Double.nan) } }
        let error = await #expect(throws: MockServerError.self) { try await server.text(url) }
        let isExpected =
            if case .unusableReply(.unencodableValue("Reply.json", _)) = error?.kind { true } else { false }
        #expect(isExpected)
        #expect(error?.description.hasPrefix("the value passed to Reply.json cannot be encoded") == true)
    }

    @Test
    func `a file reply reads the file for each request and takes its type from the extension`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = MockServer {
            Route("/items") { Reply.file(file) }
            Route("/folder") { Reply.file(FileManager.default.temporaryDirectory) }
        }
        let missing = try await server.refusal(of: url)
        #expect(missing.contains(file.path))
        for text in ["[1]", "[2]", ""] {
            try Data(text.utf8).write(to: file)
            let (data, response) = try await server.data(url)
            #expect(String(decoding: data, as: UTF8.self) == text)
            #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
        await #expect(throws: MockServerError.self) { try await server.data("http://shop.example/folder") }
    }

    @Test func `the error for a missing resource contains its name`() async throws {
        let server = MockServer { Route(.any) { Reply.resource("nothing.json", in: .main) } }
        let error = await #expect(throws: MockServerError.self) { try await server.text(url) }
        #expect(error?.description.hasPrefix("there is no resource \"nothing.json\" in ") == true)
    }

    @Test func `a source waits until its events are delivered or the delivery ends`() async throws {
        let request = URLRequest(url: try #require(URL(string: url)))
        let clock = ServerClock(ContinuousClock())
        let delivery = ReplyDelivery(request, on: clock, hold: nil, work: DeliveryWork()) { _ in }
        for end in [{ _ = delivery.takeEvents() }, { delivery.finish() }] {
            delivery.post([.data(Data(count: 2 << 20))])
            let hasSpace = LockedState(false)
            let source = Task {
                await delivery.waitForSpace()
                hasSpace.withLock { $0 = true }
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(!hasSpace.withLock { $0 })
            end()
            await source.value
        }
        await delivery.waitForSpace()
    }

    @Test func `a reply without a type has no Content-Type, and an empty one no data`() async throws {
        let server = MockServer {
            Route(.put, "/x") { Reply.status(202) }
            Route("/empty") { Reply.data(Data(), status: 400) }
        }
        let (data, response) = try await server.data(URLRequest("http://h.example/x", method: "PUT"))
        #expect(data.isEmpty)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == nil)
        let (none, empty) = try await server.data("http://h.example/empty")
        #expect(none.isEmpty)
        #expect(empty.statusCode == 400)
    }

    @Test func `a repeated last reply answers further requests`() async throws {
        let server = MockServer {
            Route(.any) {
                for status in [503, 429] { Reply.status(HTTPStatus(rawValue: status)) }
                Reply.text("tea").repeats()
            }
        }
        var statuses: [Int] = []
        for _ in 0..<5 { statuses.append(try await server.data(url).1.statusCode) }
        #expect(statuses == [503, 429, 200, 200, 200])
        try server.verify()
    }

    @Test func `a reply that repeats before the last one is refused`() async throws {
        let server = MockServer {
            Route("/tea") {
                Reply.text("tea").repeats()
                Reply.text("milk")
            }
        }
        let error = try await server.refusal(of: url)
        #expect(error.contains("reply 1 of 2 repeats(), so those after it are never sent"))
    }

    @Test(arguments: [0, -1, 99, 1_000] as [HTTPStatus])
    func `a number that is not a status fails the request`(status: HTTPStatus) async throws {
        let server = MockServer { Route(.any) { Reply.text("tea", status: status) } }
        let error = try await server.refusal(of: url)
        #expect(error == "\(status.rawValue) is not the status of a response: use 100 to 999")
    }

    // MARK: First guesses

    @Test func `conditions and replies can be written as other libraries have them`() async throws {
        struct Tea: Codable { var id = 7 }
        let server = MockServer {
            Route(.post, "/teas", .body(json: Tea()), .query("page", 2)) {
                Reply.status(201).header("X-A", "1").json(["id": 7])
                Reply.status(202).json(Tea())
            }
            Route("/slow") { Reply.error(.timedOut) }
            Route("/gone") { Reply.text("tea", status: .notFound) }
        }
        let base = "http://shop.example"
        let post = try URLRequest("\(base)/teas?page=2", method: "POST", body: "{\"id\":7}")
        for status in [201, 202] {
            let (body, response) = try await server.data(post)
            #expect(String(decoding: body, as: UTF8.self) == "{\"id\":7}" && response.statusCode == status)
            #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
        #expect(try await server.data("\(base)/gone").1.statusCode == 404)
        let error = await #expect(throws: URLError.self) { try await server.text("\(base)/slow") }
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: ["{\"id\":7}", "[1]"])
    func `JSON text is not sent as a JSON string`(text: String) async throws {
        let server = MockServer { Route(.any) { Reply.json(text) } }
        let error = try await server.refusal(of: url)
        #expect(error.contains("Use Reply.text(text, as: .json)"))
        let word = MockServer { Route(.any) { Reply.json("tea") } }
        #expect(try await word.text(url) == "\"tea\"")
    }

    @Test(arguments: [300, 301, 304, 307, 311] as [HTTPStatus])
    func `a redirect is delivered as a 3xx response`(status: HTTPStatus) async throws {
        let target = try #require(URL(string: "https://shop.example/a?b=c"))
        let server = MockServer {
            Route("/items") { Reply.redirect(to: "/there", status: status) }
            Route("/url") { Reply.redirect(to: target, status: status) }
        }
        for (path, location) in [("items", "/there"), ("url", "https://shop.example/a?b=c")] {
            let (_, response) = try await server.data("http://shop.example/\(path)")
            #expect(response.statusCode == status.rawValue)
            #expect(response.value(forHTTPHeaderField: "Location") == location)
        }
    }

    @Test(arguments: [204, 304] as [HTTPStatus])
    func `a status that allows no body is delivered without one`(status: HTTPStatus) async throws {
        let server = MockServer { Route(.any) { Reply.text("tea", status: status) } }
        let (data, response) = try await server.data(url)
        #expect(data.isEmpty)
        #expect(response.statusCode == status.rawValue)
    }

    @Test func `an error thrown by a stream fails the request`() async throws {
        let server = MockServer {
            Route(.any) { _ in
                .stream(
                    AsyncThrowingStream<Data, any Error> { continuation in
                        continuation.yield(Data("tea".utf8))
                        continuation.finish(throwing: URLError(.networkConnectionLost))
                    })
            }
        }
        let recorder = Recorder()
        let session = server.session(recorder)
        let transcript = await recorder.run(session.dataTask(with: try #require(URL(string: url))))
        #expect(
            transcript.lines == [
                .head(200), .chunk("tea"), .failure(URLError.networkConnectionLost.rawValue),
            ])
    }

    // MARK: Time

    /// Returns the plan of a reply as text, with waits in seconds and the sizes of chunks.
    private func plan(_ reply: Reply, _ conditions: NetworkConditions = .none) -> [String] {
        var random = SeededGenerator(seed: conditions.seed)
        return ReplyPlan(reply, for: .get, conditions, &random).steps.map { step in
            switch step {
            case .wait(let duration): "wait \((duration / .seconds(1) * 1_000).rounded() / 1_000)"
            case .work: "work"
            case .stall: "stall"
            case .head: "head"
            case .chunk(let data): "\(data.count)"
            case .stream: "chunks"
            case .end: "end"
            case .connectionFailure(let failure): "\(failure)"
            case .failure: "failure"
            case .passthrough: "passthrough"
            }
        }
    }

    private static let ten = Reply.text("0123456789")
    private static let slow = NetworkConditions(latency: .fixed(.seconds(1)))

    @Test(
        arguments: [
            (ten, .none, ["head", "10", "end"]), (ten.delay(.zero), .none, ["head", "10", "end"]),
            (ten.delay(.seconds(2)), .none, ["wait 2.0", "head", "10", "end"]),
            (
                ten.dribble(chunks: 4, over: .seconds(2)), .none,
                ["head", "wait 0.5", "2", "wait 0.5", "3", "wait 0.5", "2", "wait 0.5", "3", "end"]
            ),
            (
                .text("ab").dribble(chunks: 5, over: .seconds(2)), .none,
                ["head", "wait 1.0", "1", "wait 1.0", "1", "end"]
            ),
            (.status(200).dribble(chunks: 5, over: .seconds(2)), .none, ["head", "end"]),
            (
                ten, NetworkConditions(bytesPerSecond: 40),
                ["head", "wait 0.1", "4", "wait 0.1", "4", "wait 0.05", "2", "end"]
            ),
            (ten.delay(.seconds(2)), slow, ["wait 3.0", "head", "10", "end"]),
            (ten.conditions(.none), slow, ["head", "10", "end"]),
        ] as [(Reply, NetworkConditions, [String])])
    func `a reply is a plan of waits and chunks`(
        reply: Reply, conditions: NetworkConditions, steps: [String]
    ) {
        #expect(plan(reply, conditions) == steps)
    }

    @Test(
        arguments: [
            (20, 20, 0.1), (21, 11, 0.2), (40, 20, 0.2), (41, 9, 0.5), (100, 20, 0.5), (101, 11, 1),
            (3_600, 360, 1),
        ] as [(Int, Int, Double)])
    func `a slow body has up to 20 chunks, but at least one a second`(
        tenths: Int, waits: Int, interval: Double
    ) {
        let body = Reply.data(Data(repeating: 1, count: 100 * tenths))
        let steps = plan(body, NetworkConditions(bytesPerSecond: 1_000))
        #expect(steps.count { $0.hasPrefix("wait") } == waits)
        #expect(steps.dropFirst().first == "wait \(interval)")
    }

    @Test func `the given fraction of replies is reset`() {
        var random = SeededGenerator(seed: 7)
        let lossy = NetworkConditions(loss: 0.25)
        var lost = 0
        for _ in 0..<1_000 {
            let steps = ReplyPlan(Self.ten, for: .get, lossy, &random).steps
            if case .connectionFailure(.reset) = steps.last { lost += 1 }
        }
        #expect((200...300).contains(lost))
    }

    @Test func `the same seed gives the same delays`() {
        let delays = { (seed: UInt64) -> [Duration] in
            var random = SeededGenerator(seed: seed)
            return (0..<10).map { _ in Reply.Delay.uniform(.zero ... .seconds(1)).next(&random) }
        }
        #expect(delays(1) == delays(1))
        #expect(delays(1) != delays(2))
    }

    @Test func `random delays have the given distribution`() {
        var random = SeededGenerator(seed: 3)
        let second = Duration.seconds(1)
        let range: ClosedRange<Duration> = second ... .seconds(3)
        let uniform = (0..<2_000).map { _ -> Double in
            let delay: Duration = Reply.Delay.uniform(range).next(&random)
            return delay / second
        }
        #expect(uniform.allSatisfy { $0 >= 1.0 && $0 <= 3.0 })
        let mean: Double = uniform.reduce(0, +) / 2_000
        #expect(abs(mean - 2) < 0.05)
        let normal = (0..<2_001).map { _ -> Double in
            let delay: Duration = Reply.Delay.logNormal(median: .seconds(2), sigma: 0.5).next(&random)
            return delay / second
        }.sorted()
        let (median, upper): (Double, Double) = (normal[1_000], normal[1_680])
        #expect(abs(median - 2) < 0.1)
        let expected: Double = 2 * exp(0.5)
        #expect(abs(upper - expected) < 0.3)
    }

    @Test func `a delegate receives each chunk at its time`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) { Reply.text("abcd").dribble(chunks: 2, over: .seconds(10)) }
        }
        let recorder = Recorder()
        let session = server.session(recorder, isInline: true)
        let task = session.dataTask(with: try #require(URL(string: url)))
        async let end = recorder.run(task)
        #expect(try await clock.advance() == .seconds(5))
        #expect(try await clock.advance() == .seconds(5))
        let transcript = await end
        #expect(transcript.lines == [.head(200), .chunk("ab"), .chunk("cd"), .end])
    }
}
