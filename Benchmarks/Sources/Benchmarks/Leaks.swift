import Foundation
import MockTransport
import RESTClient

/// Measures the resources that remain in use after many requests: memory, descriptors, threads, temporary files, tasks and
/// protocol classes, compared with URLSession.
///
/// The server runs in the same process. A loopback server stores no requests. A mock stores all of them, so each hundred
/// requests use a new mock and a new session.
struct Leaks {
    var requests = 100_000
    private static let inFlight = 16
    private static let warmUp = 30_000
    private static let each = 100

    private typealias Request = @Sendable () async throws -> Void
    /// Returns the number of tasks of a session.
    private typealias Tasks = @Sendable () async -> Int

    func run() async throws {
        try await runOnSockets()
        try await runThroughMocks()
    }

    // MARK: Sockets

    private func runOnSockets() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.json(["items": ["tea", "milk", "sugar"]]) }.optional()
        }
        var limits = LoopbackServer.Limits()
        limits.recordedRequests = 1
        let loopback = try await server.listen(limits: limits)
        let url = loopback.url.appending(path: "items")

        let session = URLSession(configuration: .ephemeral)
        try await measure("URLSession.data(for:)", of: session) { _ = try await session.data(from: url) }
        let manager = SessionManager()
        let own = try Self.session(of: manager)
        try await measure("SessionManager.data()", of: own) { _ = try await manager.request(url).data() }
        let retrying = SessionManager(
            interceptors: [.retry(), .bearer("t0k3n", for: url)],
            options: RequestOptions(timeouts: Timeouts(idle: .seconds(5), total: .seconds(60))))
        try await measure("with retry, credential, deadlines", of: try Self.session(of: retrying)) {
            _ = try await retrying.request(url).data()
        }
        let client = MyRESTClient(url: url, manager: manager)
        try await measure("MyRESTClient.getAvailableItems()", of: own) {
            _ = try await client.getAvailableItems()
        }
        try await measure("SessionManager.data(), half of them cancelled", of: own) {
            let call = Task { try await manager.request(url).data() }
            if Bool.random() { call.cancel() }
            _ = await call.result
        }
        // Returns when all requests have ended.
        await manager.shutdown()
        await retrying.shutdown()
        await loopback.close()
    }

    private func measure(_ name: String, of session: URLSession, _ request: @escaping Request) async throws {
        try await measure(name, tasks: { await session.taskCount }) { count in
            for _ in 0..<count { try await request() }
        }
    }

    // MARK: Mocks

    private func runThroughMocks() async throws {
        guard let url = URL(string: "http://shop.example/items") else { return }
        let tasks = Counter()
        try await measure("custom URLProtocol, URLSession.data(for:)", tasks: { tasks.total }) { count in
            for _ in 0..<count / Self.each {
                let session = URLSession(configuration: StubProtocol.configuration)
                for _ in 0..<Self.each { _ = try await session.data(from: url) }
                tasks.add(await session.taskCount)
                session.finishTasksAndInvalidate()
            }
        }
        let classes = Classes()
        try await measure("MockServer, SessionManager.data()", tasks: { tasks.total }) { count in
            for _ in 0..<count / Self.each {
                let server = MockServer { Route(.get, "/items") { Reply.data(StubProtocol.body, as: .json) } }
                classes.record(server.protocolClass)
                let manager = SessionManager(configuration: server.configuration)
                for _ in 0..<Self.each { _ = try await manager.request(url).data() }
                await manager.shutdown()
                tasks.add(try await Self.session(of: manager).taskCount)
            }
        }
        try await sendToNewServers(url, classes)
        print("protocol classes of \(classes.total) servers: \(classes.distinct)")
    }

    /// Creates enough servers to reuse protocol classes.
    private func sendToNewServers(_ url: URL, _ classes: Classes) async throws {
        for _ in 0..<requests / 10 {
            let server = MockServer { Route(.get, "/items") { Reply.data(StubProtocol.body, as: .json) } }
            classes.record(server.protocolClass)
            let session = URLSession(configuration: server.configuration)
            _ = try await session.data(from: url)
            session.finishTasksAndInvalidate()
        }
    }

    // MARK: Measuring

    private func measure(
        _ name: String, tasks: Tasks, _ send: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await spread(Self.warmUp, send)
        let before = await Footprint.settled(tasks)
        try await spread(requests, send)
        let after = await Footprint.settled(tasks)
        print("\(name): \(after.difference(from: before, over: requests))")
    }

    private func spread(
        _ count: Int, _ send: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.inFlight { group.addTask { try await send(count / Self.inFlight) } }
            try await group.waitForAll()
        }
    }

    /// Returns the private session of a manager by reflection.
    private static func session(of manager: SessionManager) throws -> URLSession {
        guard
            let session = Mirror(reflecting: manager).descendant("transport", "session", "session")
                as? URLSession
        else { throw Failure("cannot find the session of a SessionManager") }
        return session
    }
}

extension URLSession {
    /// The number of tasks that have not ended.
    fileprivate var taskCount: Int {
        get async {
            await withCheckedContinuation { done in getAllTasks { done.resume(returning: $0.count) } }
        }
    }
}

/// The resources of this process.
private struct Footprint {
    /// The resident memory in bytes.
    private var memory = 0
    private var descriptors = 0
    private var threads = 0
    private var files = 0
    private var tasks = 0

    /// Returns the resources after the platform had time to close idle connections and threads.
    static func settled(_ tasks: @Sendable () async -> Int) async -> Self {
        try? await Task.sleep(for: .seconds(3))
        func entries(_ path: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
        }
        var now = Self()
        now.descriptors = entries("/proc/self/fd")
        now.threads = entries("/proc/self/task")
        now.files = entries(FileManager.default.temporaryDirectory.path)
        now.tasks = await tasks()
        // The second field is the number of resident pages.
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        now.memory = (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        return now
    }

    func difference(from before: Self, over requests: Int) -> String {
        let bytes = Double(memory - before.memory) / Double(requests)
        return
            "\((bytes * 10).rounded() / 10) bytes a request, \(descriptors - before.descriptors) descriptors, "
            + "\(files - before.files) files, \(tasks - before.tasks) tasks, \(threads - before.threads) threads"
    }
}

/// A thread-safe counter.
private final class Counter: @unchecked Sendable {
    // SAFETY: `count` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var count = 0

    var total: Int { lock.withLock { count } }

    func add(_ more: Int) { lock.withLock { count += more } }
}

/// Counts the protocol classes of the servers.
private final class Classes: @unchecked Sendable {
    // SAFETY: all properties are accessed only while `lock` is held.
    private let lock = NSLock()
    private var identities: Set<ObjectIdentifier> = []
    private var count = 0

    var total: Int { lock.withLock { count } }
    var distinct: Int { lock.withLock { identities.count } }

    func record(_ type: URLProtocol.Type) {
        lock.withLock {
            count += 1
            identities.insert(ObjectIdentifier(type))
        }
    }
}
