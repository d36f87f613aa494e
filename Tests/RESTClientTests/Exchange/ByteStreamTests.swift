import Foundation
import MockTransport
import Testing

@testable import RESTClient

@Suite struct ByteStreamTests {
    @Test func `a stream is returned after the head and delivers bytes as received`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = MockServer { Route(.any) { Reply.stream(chunks).header("X-Kind", "tea") } }
        let response = try await server.manager().request(shop()).stream()
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

    @Test(arguments: [true, false])
    func `leaving the loop, or dropping an unread stream, cancels the request`(isRead: Bool) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("tea".utf8))
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        let manager = server.manager()
        let request = try manager.request(shop())
        if isRead {
            for try await _ in try await request.stream().body { break }
        } else {
            _ = try await request.stream()
        }
        await manager.shutdown()
    }

    /// Returns a manager of a stream that has one chunk and does not end: the server's, or that of an interceptor.
    private static func manager(isCustom: Bool) -> SessionManager {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("tea".utf8))
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        return SessionManager(
            configuration: server.configuration, interceptors: isCustom ? [endless()] : [])
    }

    @Test(arguments: [false, true])
    func `cancelAll ends a stream before its end`(isCustom: Bool) async throws {
        let manager = Self.manager(isCustom: isCustom)
        var iterator = try await manager.request(shop()).stream().body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("tea".utf8))
        manager.cancelAll()
        await #expect(throws: CancellationError.self) { try await iterator.next() }
        await manager.shutdown()
    }

    @Test(arguments: [false, true])
    func `cancelling the task ends a stream immediately`(isCustom: Bool) async throws {
        let manager = Self.manager(isCustom: isCustom)
        let first = Gate()
        let request = try manager.request(shop())
        let reader = Task { for try await _ in try await request.stream().body { first.open() } }
        await first.pass()
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        await manager.shutdown()
    }

    @Test func `a cancelled task receives no buffered bytes`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(String(repeating: "x", count: 100_000)).dribble(chunks: 10, over: .zero)
            }
        }
        let manager = server.manager()
        let request = try manager.request(shop())
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
        let response = try await server.manager().request(shop()).stream()
        var got = Data()
        let error = try await failure { for try await chunk in response.body { got += chunk } }
        #expect(got == Data("tea".utf8))
        #expect(error.kind == .incompleteBody(received: 3, expected: 12))
        #expect(error.attempts.count == 1)
    }

    @Test func `a stalled stream times out`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.any) { Reply.text("tea and milk").fault(.stall(.inBody(after: 3))) }
        }
        let manager = server.manager(clock: clock)
        var iterator = try await manager.request(shop()).stream().body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("tea".utf8))
        try await clock.advance(by: .seconds(30))
        #expect(try await failure { try await iterator.next() }.kind == .timedOut(.idle))
    }

    @Test func `a stream can be read once`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let stream = try await server.manager().request(shop()).stream().body
        var got = Data()
        for try await chunk in stream { got += chunk }
        #expect(got == Data("tea".utf8))
        let error = await #expect(throws: ByteStream.AlreadyRead.self) { for try await _ in stream {} }
        #expect(error.map { "\($0)" } == "a stream can be read only once")
    }

    @Test func `other requests can be awaited between the chunks of two streams`() async throws {
        let piece = String(repeating: "x", count: 64 << 10)
        let server = MockServer {
            Route(.get, "/big") {
                Reply.text(String(repeating: piece, count: 64)).dribble(chunks: 64, over: .zero)
            }
            Route(.get, "/small") { Reply.text("ok") }
        }
        let manager = server.manager()
        var first = try await manager.request(shop("/big")).stream().body.makeAsyncIterator()
        var second = try await manager.request(shop("/big")).stream().body.makeAsyncIterator()
        var counts = (0, 0)
        while true {
            let one = try await first.next()
            let two = try await second.next()
            #expect(try await manager.request(shop("/small")).string() == "ok")
            counts.0 += one?.count ?? 0
            counts.1 += two?.count ?? 0
            if one == nil, two == nil { break }
        }
        #expect(counts == (4 << 20, 4 << 20))
    }

    // MARK: Custom streams

    /// Returns a stream with one chunk and no end for every request.
    private static func endless(_ status: HTTPStatus = 200) -> some RequestInterceptor {
        .intercept { request, _, _ in
            let chunks = AsyncThrowingStream<Data, any Error> { $0.yield(Data("tea".utf8)) }
            return Response(to: request, status: status, body: .stream(ByteStream(chunks)))
        }
    }

    @Test(arguments: [true, false])
    func `a reader that waits for the chunk of an interceptor ends with its task, and with cancelAll`(
        isTask: Bool
    ) async throws {
        let manager = SessionManager(interceptors: [Self.endless()])
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let request = try manager.request(shop())
        let call = Task {
            for try await _ in try await request.stream().body { begins.finish() }
        }
        for await _ in begun {}
        if isTask { call.cancel() } else { manager.cancelAll() }
        await #expect(throws: CancellationError.self) { try await call.value }
        await manager.shutdown()
    }

    @Test func `the total timeout ends a reader that waits for the chunk of an interceptor`() async throws {
        let clock = VirtualClock(.stepped)
        let manager = SessionManager(interceptors: [Self.endless()], clock: clock)
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let request = try manager.request(shop()).timeout(.seconds(7))
        let call = Task {
            for try await _ in try await request.stream().body { begins.finish() }
        }
        for await _ in begun {}
        try await clock.passTime(.seconds(7))
        let error = try await failure { try await call.value }
        #expect(error.kind == .timedOut(.total))
        await manager.shutdown()
    }

    @Test func `a request cancelled while an error body is read throws CancellationError`() async throws {
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let manager = SessionManager(interceptors: [Self.endless(503)])
        let request = try manager.request(shop()).validation(
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
