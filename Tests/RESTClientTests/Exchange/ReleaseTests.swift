import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// The objects of a request are released when it ends.
@Suite(.hangLimit) struct ReleaseTests {
    /// The ways in which a request ends.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case answer, refusal, failure, cancel, idleTimeout, totalTimeout, stuck, streamRead, streamLeft,
            streamDropped
        case cancelAll, renewal, retry, download

        var testDescription: String { rawValue }
    }

    /// An object that reports its deallocation.
    private final class Canary: Sendable {
        private let source: AsyncStream<Void>.Continuation

        init(_ source: AsyncStream<Void>.Continuation) { self.source = source }

        deinit { source.finish() }
    }

    /// References to objects that must be released.
    private struct Remains {
        weak var manager: SessionManager?
        weak var transport: AnyObject?
        weak var deadlines: AnyObject?
        weak var task: RequestTask?

        var isEmpty: Bool { manager == nil && transport == nil && deadlines == nil && task == nil }
    }

    @Test(arguments: End.allCases) func `an ended request releases everything it used`(end: End) async throws
    {
        let (gone, source) = AsyncStream.makeStream(of: Void.self)
        let remains = try await Self.run(end, Canary(source))
        // The canary was captured by the request, its progress handler and its interceptors.
        for await _ in gone {}
        while !remains.isEmpty { await Task.yield() }
    }

    private static func run(_ end: End, _ canary: Canary) async throws -> Remains {
        let clock = VirtualClock(.stepped)
        let server = server(end, clock)
        let tasks = LockedState<[RequestTask]>([])
        let url = try #require(URL(string: "http://shop.example/items"))
        var interceptors: [any RequestInterceptor] = [
            .intercept { request, context, next in
                tasks.withLock { $0 = [context.task] }
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
        let request = manager.request(url).timeout(.seconds(60)).progress { [canary] _ in _ = canary }
            .interceptors(.adapt { [canary] _ in _ = canary })
        await perform(end, request, manager, server, clock)
        let transport = try #require(
            Mirror(reflecting: manager).descendant("transport") as? URLSessionTransport)
        let task = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks.first
        }
        _ = try #require(task)
        return Remains(manager: manager, transport: transport, deadlines: transport.deadlines, task: task)
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

    private static func perform(
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
            // Only the end of the request matters, not its result.
        }
    }

    // Exit tests exist on macOS and Linux only, so the other arm is empty.
    #if os(macOS) || os(Linux)
    /// Runs in a subprocess, because it counts the file descriptors of the whole process.
    @Test(.hangLimit) func `many requests leak no file descriptor and no temporary file`() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "restclient-tests-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            setenv("TMPDIR", folder.path(percentEncoded: false), 1)
            try await Workload(folder).run(rounds: 2)
            let before = try Workload.descriptors()
            try await Workload(folder).run(rounds: 20)
            // The last object may still be in its deinitializer.
            let path = folder.path(percentEncoded: false)
            while try Workload.descriptors() > before
                || !FileManager.default.contentsOfDirectory(atPath: path).isEmpty
            { await Task.yield() }
        }
    }
    #endif
}

/// Requests that use file descriptors or files.
private struct Workload {
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
        let manager = server.manager()
        let target = folder.appending(path: "tea.txt")
        for _ in 0..<rounds {
            let shop = try #require(URL(string: "http://shop.example/"))
            let url = { (path: String) in shop.appending(path: path) }
            // Exceeds the capacity of the buffer.
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
            ] { _ = try await manager.request(url("upload"), method: .put, body: body).response() }
            for try await _ in other.body {}
        }
        await manager.shutdown()
        try FileManager.default.removeItem(at: target)
    }

    static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
    }
}
