import Foundation
import MockTransport
import RESTClientTestingSupport
import RESTClientTestSupport
import Testing

/// The mock with URLSession and without the rest of this package.
@Suite struct PlainURLSessionTests {
    private let url = URL(literal: "http://shop.example/items")

    @Test func `data(for:) returns status, headers and body`() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.json(["a"], status: 203).header("X-Trace", "7") }
        }
        let (data, response) = try await server.data("http://shop.example/items")
        #expect(String(decoding: data, as: UTF8.self) == #"["a"]"#)
        #expect(response.statusCode == 203)
        #expect(response.value(forHTTPHeaderField: "x-trace") == "7")
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "5")
        #expect(response.expectedContentLength == 5)
        #expect(response.url == url)
    }

    @Test func `a reply to many URLs has the URL and the method of each request`() async throws {
        let server = MockServer { Route("/items/:id") { Reply.text("tea") } }
        let session = URLSession(configuration: server.configuration)
        for number in Array(0..<300) + Array(200..<300) {
            let url = try #require(URL(string: "http://shop.example/items/\(number)"))
            let isHead = number % 7 == 0
            let request = URLRequest(url, method: isHead ? "HEAD" : "GET")
            let (data, response) = try await session.data(for: request)
            #expect(response.url == url)
            #expect(String(decoding: data, as: UTF8.self) == (isHead ? "" : "tea"))
        }
    }

    @Test(arguments: [true, false])
    func `chunks are joined for a completion handler - PLATFORM A7`(hasDelegate: Bool) async throws {
        let server = MockServer { Route(.any) { Reply.stream(.chunks("one ", "two ", "three")) } }
        let session =
            hasDelegate ? server.session(Recorder()) : URLSession(configuration: server.configuration)
        let (text, status) = await withCheckedContinuation { done in
            session.dataTask(with: url) { data, response, _ in
                let text = String(decoding: data ?? Data(), as: UTF8.self)
                done.resume(returning: (text, (response as? HTTPURLResponse)?.statusCode))
            }.resume()
        }
        #expect(text == "one two three")
        #expect(status == 200)
    }

    @Test(arguments: [true, false])
    func `a delegate receives every chunk`(inline: Bool) async throws {
        let server = MockServer { Route(.any) { Reply.stream(.chunks("one", "two", "three")) } }
        let recorder = Recorder()
        let session = server.session(recorder, isInline: inline)
        let transcript = await recorder.run(session.dataTask(with: url))
        #expect(transcript.lines == [.head(200), .chunk("one"), .chunk("two"), .chunk("three"), .end])
    }

    @Test func `header fields of the same name are joined, as from a socket`() async throws {
        let server = MockServer {
            Route(.any) { Reply.status(200).header("X-A", "1").header("x-a", "2").header(.setCookie, "a=1") }
        }
        let (_, response) = try await server.data("http://shop.example/")
        #expect(response.value(forHTTPHeaderField: "X-A") == "1, 2")
    }

    @Test(arguments: ["data", "stream", "file"])
    func `the server receives the body of a request`(kind: String) async throws {
        let body = String(repeating: "tea & milk ", count: 20_000)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = MockServer { Route(.post, "/items") { Reply.status(201) } }
        var request = URLRequest(url, method: "POST", headers: ["Content-Type": "text/plain"])
        switch kind {
        case "data": request.httpBody = Data(body.utf8)
        case "stream": request.httpBodyStream = InputStream(data: Data(body.utf8))
        default:
            try Data(body.utf8).write(to: file)
            request.httpBodyStream = InputStream(url: file)
        }
        let (_, response) = try await server.data(request)
        #expect(response.statusCode == 201)
        let received = try #require(server.requests.first)
        #expect(received.text == body)
        #expect(received.method == .post)
        #expect(received.headers["content-type"] == "text/plain")
        #expect(received.route == #"Route(.post, "/items")"#)
    }

    @Test(.linuxOnly("URLSession on Apple platforms keeps only the members of NSError (PLATFORM F4)"))
    func `an error reply fails the request with the same error`() async throws {
        struct TestError: Error, Equatable { let number: Int }
        let server = MockServer { Route(.any) { Reply.error(TestError(number: 7)) } }
        await #expect(throws: TestError(number: 7)) { try await server.text("http://shop.example/") }
    }

    @Test func `a HEAD request receives only the head`() async throws {
        let server = MockServer { Route(.head, "/items") { Reply.text("tea") } }
        let (data, response) = try await server.data(URLRequest(url, method: "HEAD"))
        #expect(data.isEmpty)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "3")
    }

    @Test func `a body is decoded with the given decoder`() async throws {
        struct Draft: Codable, Equatable { var itemName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let server = MockServer { Route(.post, "/x") { Reply.status(204) } }
        _ = try await server.text("http://h.example/x", method: "POST", body: #"{"item_name":"tea"}"#)
        _ = try await server.text("http://h.example/x", method: "POST", body: #"[{"a":"b"},{"a":"c"}]"#)
        #expect(try server.requests[0].decode(using: decoder) == Draft(itemName: "tea"))
        #expect(try server.requests[1].decode([[String: String]].self) == [["a": "b"], ["a": "c"]])
        #expect(throws: DecodingError.self) { try server.requests[1].decode(Draft.self) }
    }

    @Test(.linuxOnly("URLSession on Apple platforms keeps only the members of NSError (PLATFORM F4)"))
    func `an error thrown by a handler fails the request`() async throws {
        let server = MockServer {
            Route(.any) { request in
                struct Draft: Decodable { let name: String }
                return .text(try request.decode(Draft.self).name)
            }
        }
        await #expect(throws: DecodingError.self) { try await server.text("http://shop.example/") }
    }

    @Test func `a cancelled task receives only the cancellation error`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(60)) } }
        let recorder = Recorder()
        let session = server.session(recorder, isInline: true)
        let task = session.dataTask(with: url)
        async let transcript = recorder.run(task)
        _ = try await server.requests(count: 1)
        DispatchQueue.global().async { task.cancel() }
        #expect(await transcript.lines == [.failure(URLError.cancelled.rawValue)])
        // The reply may still be waiting, but must not be delivered.
        _ = try? await clock.advance(within: .milliseconds(20))
        #expect(recorder.transcript(of: task)?.ends == 1)
    }

    @Test func `a compressed body arrives compressed in the process`() async throws {
        let gzip = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let server = MockServer { Route(.any) { Reply.data(gzip).header("Content-Encoding", "gzip") } }
        let (data, response) = try await server.data("http://shop.example/")
        #expect(data == gzip)
        #expect(response.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
    }

    @Test func `header fields of a request are sorted and without those of the connection`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        _ = try await server.data(
            URLRequest(
                url, method: "POST", headers: ["X-C": "1", "X-A": "1", "X-B": "1"], body: Data("tea".utf8)))
        let names = try #require(server.requests.first).headers.map { $0.name.rawValue }
        #expect(names == names.sorted())
        #expect(names.filter { $0.hasPrefix("X-") } == ["X-A", "X-B", "X-C"])
        #expect(!names.contains("Host"))
    }

    @Test(.linuxOnly("a task that is suspended on Apple platforms does not call its protocol"))
    func `a suspended task continues after it resumes`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(60)) } }
        let recorder = Recorder()
        let session = server.session(recorder)
        let task = session.dataTask(with: url)
        async let transcript = recorder.run(task)
        _ = try await server.requests(count: 1)
        task.suspend()
        try await clock.advance()
        #expect(task.state == .suspended)
        #expect(recorder.transcript(of: task)?.lines == [])
        task.resume()
        #expect(await transcript.lines == [.head(200), .chunk("late"), .end])
        #expect(server.requests.count == 1)
    }
}
