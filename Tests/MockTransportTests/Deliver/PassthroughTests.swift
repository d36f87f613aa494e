import Foundation
import RESTClientHTTP
import MockTransport
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

// Written for the errors and the order of callbacks of URLSession on Linux; not yet run on Apple platforms.
#if canImport(FoundationNetworking)
@Suite struct PassthroughTests {
    private let ok = "HTTP/1.1 200 OK\r\nX-From: socket\r\nContent-Length: 4\r\n\r\nreal"

    @Test func `only a passthrough route sends requests to the network`() async throws {
        let ok = ok
        let raw = try RawServer { _ in [.send(ok), .close] }
        let server = MockServer {
            Route("/real") { Reply.passthrough }
            Route("/mocked") { Reply.text("mocked") }
        }
        let (data, response) = try await server.data(raw.url("/real").absoluteString)
        #expect(String(decoding: data, as: UTF8.self) == "real")
        #expect(response.value(forHTTPHeaderField: "X-From") == "socket")
        #expect(try await server.text(raw.url("/mocked").absoluteString) == "mocked")
        await #expect(throws: MockServerError.self) {
            try await server.text(raw.url("/other").absoluteString)
        }
        #expect(raw.requests.count == 1)
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [false, true])
    func `a passthrough request keeps its method, headers and body`(asStream: Bool) async throws {
        let ok = ok
        let raw = try RawServer { _ in [.send(ok), .close] }
        let server = MockServer { Route(.any) { Reply.passthrough } }
        let body = Data("name=tea".utf8)
        var request = URLRequest(
            try raw.url("/items?page=2"), method: "POST", headers: ["X-Trace": "7"],
            body: asStream ? nil : body)
        if asStream { request.httpBodyStream = InputStream(data: body) }
        #expect(try await server.text(request) == "real")
        let sent = try #require(raw.requests.first)
        #expect(sent.hasPrefix("POST /items?page=2 HTTP/1.1\r\n"))
        #expect(sent.contains("X-Trace: 7\r\n"))
        #expect(sent.hasSuffix("\r\n\r\nname=tea"))
        #expect(server.requests.first?.form["name"] == "tea")
    }

    @Test func `passthrough delivers redirects and 401 responses unchanged`() async throws {
        let raw = try RawServer { path in
            path == "/moved"
                ? [.send("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"), .close]
                : [
                    .send(
                        "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
                    ), .close,
                ]
        }
        let server = MockServer { Route(.any) { Reply.passthrough } }
        #expect(try await server.data(raw.url("/moved").absoluteString).1.statusCode == 302)
        // URLSession hangs on this 401 (PLATFORM A3), so a delegate must reject the challenge.
        let recorder = Recorder(answering: .cancelAuthenticationChallenge)
        let session = server.session(recorder)
        defer { session.finishTasksAndInvalidate() }
        let transcript = await recorder.run(session.dataTask(with: try raw.url("/secret")))
        #expect(transcript.response?.statusCode == 401)
        #expect(raw.requests.count == 2)
    }

    @Test func `a passthrough request receives a reply that ends a process with URLSession's own protocol`()
        async throws
    {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let raw = try RawServer { _ in [.send(head + "4\r\nreal\r\n0\r\nX-Sum: 7\r\n\r\n"), .close] }
        let server = MockServer { Route(.any) { Reply.passthrough } }
        #expect(try await server.text(raw.url("/").absoluteString) == "real")
    }

    @Test func `a connection error of the real server fails the request`() async throws {
        let raw = try RawServer { _ in [.reset] }
        let server = MockServer { Route(.any) { Reply.passthrough } }
        let error = await #expect(throws: URLError.self) {
            try await server.text(raw.url("/").absoluteString)
        }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test(.hangLimit) func `cancelling a passthrough request cancels the real one`() async throws {
        let raw = try RawServer { _ in [.silence] }
        let server = MockServer { Route(.any) { Reply.passthrough } }
        let recorder = Recorder()
        let session = server.session(recorder)
        let task = session.dataTask(with: try raw.url("/"))
        let completions = server.completions
        async let end = recorder.run(task)
        _ = try await server.requests(count: 1)
        DispatchQueue.global().async { task.cancel() }
        let lines = await end.lines
        #expect(lines == [.failure(URLError.cancelled.rawValue)])
        for await exchange in completions {
            #expect(exchange.description.contains("cancelled"))
            break
        }
    }
}
#endif
