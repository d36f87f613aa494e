import Dispatch
import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import Testing

@testable import MockTransport

/// Unusual routes, replies and clients.
@Suite struct RobustnessTests {
    private let url = URL(literal: "http://shop.example/items")

    private func cancel(_ task: URLSessionTask) { DispatchQueue.global().async { task.cancel() } }

    // MARK: Replies

    @Test func `random replies are not cached`() async throws {
        let server = MockServer(conditions: NetworkConditions(loss: 0.5, seed: 3)) {
            Route("/lost") { Reply.text("tea") }
        }
        var lost = 0
        for _ in 0..<40 where (try? await server.text("http://shop.example/lost")) == nil { lost += 1 }
        #expect((5...35).contains(lost))
    }

    @Test(arguments: [
        Reply.Delay.fixed(.seconds(Int64.max)), .logNormal(median: .seconds(1), sigma: 1e6),
        .logNormal(median: .seconds(Int64.max), sigma: .nan),
        .uniform(.seconds(1 << 60) ... .seconds(Int64.max)),
    ])
    func `a delay can have any length`(delay: Reply.Delay) async throws {
        let server = MockServer { Route(.any) { Reply.text("late").delay(delay) } }
        let recorder = Recorder()
        let task = server.session(recorder, isInline: true).dataTask(with: url)
        async let transcript = recorder.run(task)
        _ = try await server.requests(count: 1)
        cancel(task)
        #expect(await transcript.ends == 1)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<100 { #expect(delay.next(&random) >= .zero) }
    }

    @Test(
        arguments: [.contentLength(offBy: .max), .contentLength(offBy: .min), .reset(.inBody(after: .min))]
            as [Fault])
    func `a content length can be off by any number`(fault: Fault) async throws {
        let server = MockServer { Route(.any) { Reply.text("tea").fault(fault) } }
        let recorder = Recorder()
        #expect(await recorder.run(server.session(recorder, isInline: true).dataTask(with: url)).ends == 1)
    }

    @Test(arguments: [
        "", ";", "a/b;;=\"", "text/html; charset=\"", "\u{0}", "é", "\r\nX: 1",
        String(repeating: "a", count: 300),
    ])
    func `a header value can contain any text`(value: String) async throws {
        let names: [HTTPHeaders.Name] = [
            .contentType, .contentLength, "Content-Disposition", .contentEncoding, .setCookie, "Expires",
            HTTPHeaders.Name("X-\(value)"),
        ]
        let server = MockServer { Route(.any) { names.reduce(Reply.text("tea")) { $0.header($1, value) } } }
        let recorder = Recorder()
        let transcript = await recorder.run(server.session(recorder, isInline: true).dataTask(with: url))
        #expect(transcript.ends == 1)
        #expect(transcript.body == Data("tea".utf8))
    }

    // MARK: Routes

    @Test func `a long path does not slow down a pattern with wildcards`() throws {
        let pattern = RequestMatcher.url("/" + String(repeating: "**/a/", count: 12) + "b")
        let path = String(repeating: "/a", count: 500)
        func matches(_ path: String) throws -> Bool {
            pattern ~= (try ReceivedRequest("http://shop.example\(path)"))
        }
        #expect(try !matches(path))
        #expect(try matches(path + "/b"))
    }

    @Test(arguments: [
        ("/**/:id<Int>/end", "/1/x/2/end", "2"), ("/**/:id/**", "/a/b", "a"), ("/:id/**", "/a", "a"),
    ])
    func `a capture contains the text of the final match`(
        pattern: String, path: String, id: String
    ) async throws {
        let server = MockServer { Route(.url(pattern)) { request in .text(request["id"] ?? "") } }
        #expect(try await server.text("http://shop.example\(path)") == id)
    }

    // MARK: Handlers

    @Test func `a handler can send nested requests to its own server`() async throws {
        let own = LockedState<URLSession?>(nil)
        let server = MockServer {
            Route("/:depth<Int>") { request in
                guard let depth = request["depth", as: Int.self], depth > 0 else { return .text("bottom") }
                let session = try #require(own.withLock { $0 })
                let next = try #require(URL(string: "http://shop.example/\(depth - 1)"))
                return .data(try await session.data(from: next).0)
            }
        }
        own.withLock { $0 = URLSession(configuration: server.configuration) }
        #expect(try await server.text("http://shop.example/20") == "bottom")
    }

    @Test func `a handler that never returns does not keep its client`() async throws {
        let stuck = LockedState<[CheckedContinuation<Void, Never>]>([])
        var server: MockServer? = MockServer {
            Route(.any) { _ in
                await withCheckedContinuation { continuation in stuck.withLock { $0.append(continuation) } }
                return .text("too late")
            }
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: try .notRetaining(server), delegate: recorder, delegateQueue: nil)
        let cancelled = session.dataTask(with: url)
        let abandoned = session.dataTask(with: url)
        async let first = recorder.run(cancelled)
        async let second = recorder.run(abandoned)
        _ = try await server?.requests(count: 2)
        cancel(cancelled)
        #expect(await first.lines == [.failure(URLError.cancelled.rawValue)])
        server = nil
        #expect(await (second.error as? MockServerError)?.isServerGone == true)
        // A reply after the end of the request is dropped.
        for continuation in stuck.withLock({ $0 }) { continuation.resume() }
        #expect(recorder.transcript(of: cancelled)?.ends == 1)
        #expect(recorder.transcript(of: abandoned)?.ends == 1)
    }

    // MARK: Bodies

    @Test func `large bodies are sent and received completely, even by a slow reader`() async throws {
        let body = Data(repeating: 0x61, count: 8 << 20)
        let server = MockServer {
            Route(.post, "/items") { request in
                .stream(
                    AsyncStream<Data> { continuation in
                        for start in stride(from: 0, to: request.body.count, by: 1 << 18) {
                            continuation.yield(request.body.dropFirst(start).prefix(1 << 18))
                        }
                        continuation.finish()
                    })
            }
        }
        var request = URLRequest(url, method: "POST")
        request.httpBodyStream = InputStream(data: body)
        let recorder = Recorder()
        let slow = server.session(recorder)
        #expect(await recorder.run(slow.dataTask(with: request)).body == body)
        #expect(server.requests.first?.body == body)
    }
}
