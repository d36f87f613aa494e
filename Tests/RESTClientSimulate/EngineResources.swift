// The engine exists on Linux only, so the other arm is empty.
#if canImport(FoundationNetworking)
import Foundation
import RESTClient
import RESTClientTestSupport

/// The resources that remain in use after requests on sockets: memory, descriptors and processor time. They are those of the
/// process, so that nothing else may run in it.
enum EngineResources {
    /// Sends requests with managers that are released, half of them cancelled. Returns the figures, or the first failure.
    static func check(requests: Int) async throws -> (text: String, isFailure: Bool) {
        let server = try RawServer.serving { connection in
            while case let request = connection.readRequest(), !request.isEmpty {
                if request.contains("/silent") { return connection.pause(1) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let url = try server.url("/")
        try await send(requests / 4, to: url)
        let before = try await settled(below: Int.max)
        try await send(requests, to: url)
        // The engine closes its pipe when its thread ends.
        let after = try await settled(below: before.descriptors + 1)
        let used = processorTime()
        _ = await Task { try await SessionManager().request(server.url("/silent")).data() }.result
        let milliseconds = Int((processorTime() - used) * 1_000)
        let bytes = (after.memory - before.memory) / requests
        let text =
            "\(requests) requests: \(bytes) bytes each, \(after.descriptors - before.descriptors) descriptors; "
            + "\(milliseconds) ms of processor time in 1 s of waiting"
        return (text, bytes > 400 || after.descriptors > before.descriptors || milliseconds > 50)
    }

    private static func send(_ count: Int, to url: URL) async throws {
        await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<max(1, count / 16 / 100) {
                        let manager = SessionManager()
                        for number in 0..<100 {
                            let call = Task { try await manager.request(url).data() }
                            if number.isMultiple(of: 2) { call.cancel() }
                            _ = await call.result
                        }
                    }
                }
            }
        }
    }

    /// Returns the resident memory and the number of descriptors, when there are few enough or after ten seconds.
    private static func settled(below limit: Int) async throws -> (memory: Int, descriptors: Int) {
        var descriptors = 0
        for _ in 0..<100 {
            try await Task.sleep(for: .milliseconds(100))
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            if limit < Int.max, descriptors < limit { break }
            if limit == Int.max { try await Task.sleep(for: .milliseconds(20)) }
        }
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return ((pages.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096, descriptors)
    }

    private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
#endif
