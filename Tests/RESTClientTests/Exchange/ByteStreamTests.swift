import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@testable import RESTClient

@Suite struct ByteStreamTests {
    private static func url(_ path: String = "/items") throws -> URL {
        try #require(URL(string: "http://shop.example\(path)"))
    }

    @Test func `a stream is returned after the head and delivers bytes as received`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = MockServer { Route(.any) { Reply.stream(chunks).header("X-Kind", "tea") } }
        let response = try await SessionManager(configuration: server.configuration).request(Self.url())
            .stream()
        #expect(response.status == 200)
        #expect(response.headers["X-Kind"] == "tea")

        var iterator = response.body.makeAsyncIterator()
        for letter in ["t", "e", "a"] {
            source.yield(Data(letter.utf8))
            #expect(try await iterator.next() == Data(letter.utf8))
        }
        source.finish()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func `leaving the loop cancels the request`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("tea".utf8))
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        let manager = SessionManager(configuration: server.configuration)
        for try await chunk in try await manager.request(Self.url()).stream().body {
            #expect(chunk == Data("tea".utf8))
            break
        }
        await manager.shutdown()
    }

    @Test func `dropping an unread stream cancels the request`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("tea".utf8))
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        let manager = SessionManager(configuration: server.configuration)
        #expect(try await manager.request(Self.url()).stream().status == 200)
        await manager.shutdown()
    }

    @Test func `cancelAll ends a stream before its end`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("tea".utf8))
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        let manager = SessionManager(configuration: server.configuration)
        var iterator = try await manager.request(Self.url()).stream().body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("tea".utf8))
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await iterator.next() }
    }

    @Test func `cancelling the task ends a stream immediately`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let (first, gotFirst) = AsyncStream.makeStream(of: Void.self)
        source.yield(Data("tea".utf8))
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        let request = try SessionManager(configuration: server.configuration).request(Self.url())
        let reader = Task {
            for try await _ in try await request.stream().body { gotFirst.finish() }
        }
        for await _ in first {}
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func `a cancelled task receives no buffered bytes`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(String(repeating: "x", count: 100_000)).dribble(chunks: 10, over: .zero)
            }
        }
        let manager = SessionManager(configuration: server.configuration)
        let request = try manager.request(Self.url())
        let reader = Task {
            var body = try await request.stream().body.makeAsyncIterator()
            _ = try await body.next()
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await body.next()
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
        await manager.shutdown()
    }

    @Test func `an incomplete body throws after the received bytes`() async throws {
        let server = MockServer {
            Route(.any) { Reply.text("tea and milk").fault(.reset(.inBody(after: 3))) }
        }
        let response = try await SessionManager(configuration: server.configuration).request(Self.url())
            .stream()
        var got = Data()
        let error = await #expect(throws: RESTClientError.self) {
            for try await chunk in response.body { got += chunk }
        }
        #expect(got == Data("tea".utf8))
        #expect(error?.kind == .incompleteBody(received: 3, expected: 12))
        #expect(error?.attempts.count == 1)
    }

    @Test func `a stalled stream times out`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) { Reply.text("tea and milk").fault(.stall(.inBody(after: 3))) }
        }
        let manager = SessionManager(configuration: server.configuration, clock: clock)
        var iterator = try await manager.request(Self.url()).stream().body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("tea".utf8))
        try await clock.advance(by: .seconds(30))
        let error = await #expect(throws: RESTClientError.self) { try await iterator.next() }
        #expect(error?.kind == .timedOut(.idle))
    }

    @Test func `an error status throws with the start of the body`() async throws {
        let server = MockServer {
            Route(.any) { Reply.text(String(repeating: "x", count: 300_000), status: 503) }
        }
        let manager = SessionManager(configuration: server.configuration)
        let request = try manager.request(Self.url())
        let error = try #require(await #expect(throws: RESTClientError.self) { try await request.stream() })
        #expect(error.kind == .status(503))
        #expect(error.response?.body.count == 65_536)
        await manager.shutdown()
    }

    @Test func `a stream can be read once`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let stream = try await SessionManager(configuration: server.configuration).request(Self.url())
            .stream().body
        var got = Data()
        for try await chunk in stream { got += chunk }
        #expect(got == Data("tea".utf8))
        await #expect(throws: ByteStream.AlreadyRead.self) { for try await _ in stream {} }
    }

    @Test func `other requests can be awaited between the chunks of two streams`() async throws {
        let piece = String(repeating: "x", count: 64 << 10)
        let server = MockServer {
            Route(.get, "/big") {
                Reply.text(String(repeating: piece, count: 64)).dribble(chunks: 64, over: .zero)
            }
            Route(.get, "/small") { Reply.text("ok") }
        }
        let manager = SessionManager(configuration: server.configuration)
        var first = try await manager.request(Self.url("/big")).stream().body.makeAsyncIterator()
        var second = try await manager.request(Self.url("/big")).stream().body.makeAsyncIterator()
        var counts = (0, 0)
        while true {
            let one = try await first.next()
            let two = try await second.next()
            #expect(try await manager.request(Self.url("/small")).string() == "ok")
            counts.0 += one?.count ?? 0
            counts.1 += two?.count ?? 0
            if one == nil, two == nil { break }
        }
        #expect(counts == (4 << 20, 4 << 20))
    }

    @Test func `an interceptor can return a custom stream`() async throws {
        let server = MockServer {}
        let manager = SessionManager(
            configuration: server.configuration,
            interceptors: [
                .intercept { request, _, _ in
                    let chunks = AsyncThrowingStream<Data, any Error> { source in
                        source.yield(Data("own".utf8))
                        source.finish()
                    }
                    return Response(to: request, status: 200, body: .stream(ByteStream(chunks)))
                }
            ])
        var got = Data()
        for try await chunk in try await manager.request(Self.url()).stream().body { got += chunk }
        #expect(got == Data("own".utf8))
        await manager.shutdown()
    }

    @Test func `a request cancelled after its head ends immediately`() async throws {
        let (chunks, _) = AsyncStream.makeStream(of: Data.self)
        let (head, gotHead) = AsyncStream.makeStream(of: Void.self)
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        let manager = SessionManager(configuration: server.configuration)
        let request = try manager.request(Self.url())
        let reader = Task {
            var body = try await request.stream().body.makeAsyncIterator()
            gotHead.finish()
            return try await body.next()
        }
        for await _ in head {}
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        await manager.shutdown()
    }

    // MARK: Custom streams

    /// Returns a stream with one chunk and no end for every request.
    private static func endless(_ status: HTTPStatus = 200) -> some RequestInterceptor {
        .intercept { request, _, _ in
            let chunks = AsyncThrowingStream<Data, any Error> { $0.yield(Data("own".utf8)) }
            return Response(to: request, status: status, body: .stream(ByteStream(chunks)))
        }
    }

    @Test func `a sequence that ends because of cancellation is incomplete`() async throws {
        let (first, gotFirst) = AsyncStream.makeStream(of: Void.self)
        let manager = SessionManager(interceptors: [Self.endless()])
        let request = try manager.request(Self.url())
        let reader = Task {
            for try await _ in try await request.stream().body { gotFirst.finish() }
        }
        for await _ in first {}
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        await manager.shutdown()
    }

    @Test func `cancelAll ends a custom stream`() async throws {
        let manager = SessionManager(interceptors: [Self.endless()])
        var body = try await manager.request(Self.url()).stream().body.makeAsyncIterator()
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await body.next() }
        await manager.shutdown()
    }

    @Test func `a request cancelled while an error body is read throws CancellationError`() async throws {
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let manager = SessionManager(interceptors: [Self.endless(503)])
        let request = try manager.request(Self.url()).validation(
            Validation { head in
                begins.finish()
                try Validation.successful.check(head)
            })
        let call = Task { try await request.response() }
        for await _ in begun {}
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await manager.shutdown()
    }
}
