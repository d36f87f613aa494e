import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

/// Requests that wait for a connection to their host, because all connections are in use.
@Suite(.hangLimit, .linuxOnly("other platforms do not report the wait")) struct ConnectionWaitTests {
    /// A session with one connection to a server on a socket, and a request that uses this connection.
    private struct Setup {
        private let server: MockServer
        private let source: AsyncStream<Data>.Continuation
        private var body: ByteStream.AsyncIterator
        private let loopback: LoopbackServer
        let clock = VirtualClock(.stepped)
        let manager: SessionManager
        private let base: @Sendable (_ path: String) -> URL

        /// - Parameter usesProxy: `true` if the server is the proxy of the process, and each path has another host.
        init(usesProxy: Bool = false) async throws {
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            self.source = source
            server = MockServer {
                Route(.get, "/held") { Reply.stream(chunks) }
                Route(.get, "/tea") { Reply.text("tea").repeats() }
                Route(.get, "/stalled") { Reply.text("late").delay(.seconds(3600)) }
            }
            loopback = try await server.listen()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = 1
            manager = SessionManager(
                configuration: configuration,
                options: RequestOptions(timeouts: Timeouts(idle: .seconds(5))), clock: clock)
            base = { [loopback] path in
                let host = usesProxy ? URL(string: "http://\(path).example") : nil
                return (host ?? loopback.url).appending(path: path)
            }
            if usesProxy { setenv("http_proxy", loopback.url.absoluteString, 1) }
            source.yield(Data("x".utf8))
            body = try await manager.request(base("held")).stream().body.makeAsyncIterator()
            _ = try await body.next()
        }

        /// Starts `count` requests, and returns when they have begun.
        func start(_ count: Int, _ path: String, timeout: Duration? = nil) async -> [Task<String, any Error>]
        {
            let events = manager.events()
            var request = manager.request(base(path))
            if let timeout { request = request.timeout(timeout) }
            let calls = (0..<count).map { [request] _ in Task { try await request.string() } }
            var begun = 0
            for await event in events {
                if case .attempt = event.kind { begun += 1 }
                if begun == count { break }
            }
            return calls
        }

        /// Waits longer than the idle timeout, in which the connection receives data twice.
        mutating func passTime() async throws {
            for _ in 0..<2 {
                try await clock.passTime(.seconds(4))
                source.yield(Data("x".utf8))
                _ = try await body.next()
            }
        }

        mutating func releaseConnection() async throws {
            source.finish()
            while try await body.next() != nil {}
        }
    }

    @Test func `the wait for a connection is not idle time`() async throws {
        var setup = try await Setup()
        let calls = await setup.start(20, "tea")
        try await setup.passTime()
        try await setup.passTime()
        try await setup.releaseConnection()
        for call in calls { #expect(try await call.value == "tea") }
    }

    // libcurl reads the proxy from the environment. On Apple platforms the system settings apply.
    #if canImport(FoundationNetworking)
    /// libcurl reads the environment variable, which applies to the whole process.
    @Test func `the wait for a connection to a proxy is not idle time`() async {
        await #expect(processExitsWith: .success) {
            for name in ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
            var setup = try await Setup(usesProxy: true)
            let calls = await setup.start(20, "tea")
            try await setup.passTime()
            try await setup.passTime()
            try await setup.releaseConnection()
            for call in calls { #expect(try await call.value == "tea") }
        }
    }
    #endif

    @Test func `the idle timeout begins with the connection`() async throws {
        var setup = try await Setup()
        let call = try #require(await setup.start(1, "stalled").first)
        try await setup.passTime()
        try await setup.releaseConnection()
        await setup.clock.passTime(.seconds(1), until: call)
        let error = await #expect(throws: RESTClientError.self) { try await call.value }
        #expect(error?.kind == .timedOut(.idle))
        #expect(error?.attempts.first.map { $0.duration >= .seconds(13) } == true)
    }

    @Test func `the total timeout includes the wait for a connection`() async throws {
        var setup = try await Setup()
        let call = try #require(await setup.start(1, "tea", timeout: .seconds(7)).first)
        try await setup.passTime()
        #expect(try await failure { try await call.value }.kind == .timedOut(.total))
    }

    @Test func `a request that waits for a connection can be cancelled`() async throws {
        var setup = try await Setup()
        let calls = await setup.start(20, "tea")
        for call in calls.dropLast() { call.cancel() }
        for call in calls.dropLast() {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try await setup.releaseConnection()
        #expect(try await calls.last?.value == "tea")
    }
}
