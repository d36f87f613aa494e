import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@testable import RESTClient

/// What a request needed goes with it, however it ends.
@Suite(.timeLimit(.minutes(2))) struct ReleaseTests {
    /// How a request ends.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case answer, refusal, failure, cancel, idleTimeout, totalTimeout, stuck, streamRead, streamLeft,
            streamDropped
        case cancelAll, renewal, retry, download

        var testDescription: String { rawValue }
    }

    /// Says when nobody holds it any more.
    private final class Canary: Sendable {
        private let source: AsyncStream<Void>.Continuation

        init(_ source: AsyncStream<Void>.Continuation) { self.source = source }

        deinit { source.finish() }
    }

    /// What must be gone in the end.
    private struct Remains {
        weak var manager: SessionManager?
        weak var transport: AnyObject?
        weak var deadlines: AnyObject?
        weak var flight: Flight?

        var isEmpty: Bool { manager == nil && transport == nil && deadlines == nil && flight == nil }
    }

    @Test(arguments: End.allCases) func `a request leaves nothing behind`(end: End) async throws {
        let (gone, source) = AsyncStream.makeStream(of: Void.self)
        let remains = try await Self.run(end, Canary(source))
        // Nobody will be asked: request, exchange, reporter and interceptors have all held it.
        for await _ in gone {}
        while !remains.isEmpty { await Task.yield() }
    }

    private static func run(_ end: End, _ canary: Canary) async throws -> Remains {
        let clock = VirtualClock(.stepped)
        let server = server(end, clock)
        let flights = LockedState<[Flight]>([])
        let url = try #require(URL(string: "http://shop.example/items"))
        var interceptors: [any RequestInterceptor] = [
            .intercept { request, context, next in
                flights.withLock { $0 = [context.flight] }
                return try await next(request)
            }
        ]
        if end == .renewal { interceptors.append(Authenticator(for: url) { _, _ in .bearer("t") }) }
        if end == .retry { interceptors.insert(.retry(backoff: .constant(.zero)), at: 0) }
        if end == .stuck {
            interceptors.append(.adapt { _ in for await _ in AsyncStream<Void>.makeStream().stream {} })
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: interceptors, clock: clock)
        let request = manager.request(url).timeout(.seconds(60))
            .progress { [canary] _ in _ = canary }
            .interceptors(.adapt { [canary] _ in _ = canary })
        await carryOut(end, request, manager, server, clock)
        let transport = try #require(Mirror(reflecting: manager).descendant("transport") as? Transport)
        let flight = flights.withLock { flights in
            defer { flights = [] }
            return flights.first
        }
        _ = try #require(flight)
        return Remains(
            manager: manager, transport: transport, deadlines: transport.deadlines,
            flight: flight)
    }

    private static func server(_ end: End, _ clock: VirtualClock) -> MockServer {
        MockServer(clock: clock) {
            Route(.any) {
                switch end {
                case .cancel, .cancelAll, .idleTimeout, .totalTimeout:
                    Reply.text("late").delay(.seconds(3600))
                case .refusal: Reply.status(404)
                case .failure: Reply.error(URLError(.secureConnectionFailed))
                case .streamLeft, .streamDropped: Reply.text("tea and milk").fault(.stall(.inBody(after: 3)))
                case .retry:
                    Reply.status(503)
                    Reply.text("tea")
                default: Reply.text("tea")
                }
            }.optional()
        }
    }

    private static func carryOut(
        _ end: End, _ request: DataRequest, _ manager: SessionManager, _ server: MockServer,
        _ clock: VirtualClock
    ) async {
        do {
            switch end {
            case .answer, .refusal, .failure, .renewal, .retry: _ = try await request.response()
            case .cancel, .cancelAll:
                let call = Task { try await request.response() }
                _ = try await server.requests(count: 1)
                if end == .cancel { call.cancel() } else { manager.cancelAll() }
                _ = try await call.value
            case .idleTimeout, .totalTimeout:
                let call = Task {
                    try await request.timeout(.seconds(end == .idleTimeout ? 60 : 9)).response()
                }
                try await clock.advance(by: .seconds(30))
                _ = try await call.value
            case .stuck:
                let call = Task { try await request.response() }
                let wait = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(60))) }
                try await clock.advance(by: .seconds(60))
                try await wait.value
                _ = try await call.value
            case .streamRead: for try await _ in try await request.stream().body {}
            case .streamLeft: for try await _ in try await request.stream().body { break }
            case .streamDropped: _ = try await request.stream()
            case .download:
                let file = FileManager.default.temporaryDirectory.appending(
                    path: "restclient-tests-\(UUID())")
                _ = try await request.download(to: file)
                try FileManager.default.removeItem(at: file)
            }
        } catch {
            // Its end is what matters here, not which.
        }
    }

    /// In a process of its own, because it counts what the whole process has.
    @Test(.timeLimit(.minutes(5)))
    func `many requests leave no descriptor and no temporary file behind`() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "restclient-tests-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            setenv("TMPDIR", folder.path(percentEncoded: false), 1)
            try await Mixture(folder).run(rounds: 2)
            let before = try Mixture.descriptors()
            try await Mixture(folder).run(rounds: 50)
            // Who was the last to let go may still be at it.
            let path = folder.path(percentEncoded: false)
            while try Mixture.descriptors() > before
                || !FileManager.default.contentsOfDirectory(atPath: path).isEmpty
            {
                await Task.yield()
            }
        }
    }
}

/// Requests of every kind that holds a descriptor or a file.
private struct Mixture {
    private let folder: URL

    init(_ folder: URL) { self.folder = folder }

    func run(rounds: Int) async throws {
        let large = String(repeating: "tea and milk", count: 200_000)
        let server = MockServer {
            Route(.get, "/large") { Reply.text(large) }
            Route(.get, "/broken") { Reply.text(large).fault(.reset(.inBody(after: 100_000))) }
            Route(.get, "/never") { Reply.text("late").fault(.stall(.beforeHead)) }
            Route(.put, "/upload") { Reply.status(201) }
        }
        let manager = SessionManager(configuration: server.configuration)
        let target = folder.appending(path: "tea.txt")
        for _ in 0..<rounds {
            let shop = try #require(URL(string: "http://shop.example/"))
            let url = { (path: String) in shop.appending(path: path) }
            // Larger than what waits in memory: it waits on disk, and is dropped there.
            let other = try await manager.request(url("large")).stream()
            _ = try await manager.request(url("large")).stream()
            _ = try await manager.request(url("large")).download(to: target)
            _ = try? await manager.request(url("broken")).download(to: target)
            let never = manager.request(url("never"))
            let stalled = Task { _ = try await never.download(to: target) }
            stalled.cancel()
            _ = await stalled.result
            for body in [
                RequestBody.file(target), .stream { AsyncStream { $0.finish() } },
                .multipart(.init("a", .file(target))),
            ] {
                _ = try await manager.request(url("upload"), method: .put, body: body).response()
            }
            for try await _ in other.body {}
        }
        await manager.shutdown()
        try FileManager.default.removeItem(at: target)
    }

    static func descriptors() throws -> Int {
        #if os(Linux)
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #else
        try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
        #endif
    }
}
