import Foundation
import MockTransport
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What many requests leave behind in the process: memory, descriptors, threads, temporary files; beside plain URLSession,
/// which leaves some memory of its own.
///
/// The server is in the process, too, and keeps nothing of a request; whatever it leaves, it leaves both times.
struct Leftovers {
    var requests = 100_000
    private static let inFlight = 16
    private static let warmUp = 30_000

    private struct Count {
        /// Bytes that are resident.
        var memory = 0
        var descriptors = 0
        var threads = 0
        var files = 0

        static func now() -> Self {
            func entries(_ path: String) -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
            }
            var count = Self()
            count.descriptors = entries("/proc/self/fd")
            count.threads = entries("/proc/self/task")
            count.files = entries(FileManager.default.temporaryDirectory.path)
            // The second number: resident pages.
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
                separator: " ")
            count.memory = (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
            return count
        }
    }

    func run() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.json(["items": ["tea", "milk", "sugar"]]) }.optional()
        }
        var limits = LoopbackServer.Limits()
        limits.requests = 1
        let loopback = try await server.listen(limits: limits)
        let url = loopback.url.appending(path: "items")

        let session = URLSession(configuration: .ephemeral)
        try await measure("URLSession.data(for:)") { _ = try await session.data(from: url) }
        let manager = SessionManager()
        try await measure("SessionManager.data()") { _ = try await manager.request(url).data() }
        let retrying = SessionManager(
            interceptors: [.retry(), .bearer("t0k3n", for: url)],
            options: RequestOptions(timeouts: Timeouts(idle: .seconds(5), total: .seconds(60))))
        try await measure("with retry, credential, deadlines") { _ = try await retrying.request(url).data() }
        let client = MyRESTClient(url: url, manager: manager)
        try await measure("MyRESTClient.getAvailableItems()") { _ = try await client.getAvailableItems() }
        try await measure("SessionManager.data(), every other one cancelled") {
            let call = Task { try await manager.request(url).data() }
            if Bool.random() { call.cancel() }
            _ = await call.result
        }
        await loopback.close()
    }

    private func measure(_ name: String, _ request: @escaping @Sendable () async throws -> Void) async throws
    {
        try await send(Self.warmUp, request)
        let before = await settled()
        try await send(requests, request)
        let after = await settled()
        let bytes = Double(after.memory - before.memory) / Double(requests)
        print(
            "\(name): \((bytes * 10).rounded() / 10) bytes a request, \(after.descriptors - before.descriptors) descriptors, "
                + "\(after.threads - before.threads) threads, \(after.files - before.files) files")
    }

    private func send(_ count: Int, _ request: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.inFlight {
                group.addTask { for _ in 0..<count / Self.inFlight { try await request() } }
            }
            try await group.waitForAll()
        }
    }

    /// Behind what the platform still has to put away: idle connections and threads go after a while.
    private func settled() async -> Count {
        try? await Task.sleep(for: .seconds(3))
        return .now()
    }
}
