import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

// Exit tests exist on macOS and Linux only, so the other arm is empty.
#if os(macOS) || os(Linux)
/// The resources left by a loopback server, measured in a separate process, because parallel tests use descriptors as well.
@Suite struct LoopbackLeakTests {
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
    func `closing, deallocating and disconnecting in every phase leave no resources`() async {
        await #expect(processExitsWith: .success) {
            // A limit of the process is an enumeration in glibc only. With fewer descriptors, fewer servers are needed below.
            #if canImport(Glibc)
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #endif
            let empty = Resources.now
            // The first run creates permanent resources of the platform: its event loop and threads.
            for phase in Resources.Phase.allCases { try await Resources.run(phase, .close) }
            // The sockets of the last servers that were deallocated without being closed stay open.
            let open = AbandonedListeners.limit(descriptors: sysconf(Int32(_SC_OPEN_MAX)))
            for _ in 0..<open / Resources.Phase.allCases.count {
                for phase in Resources.Phase.allCases { try await Resources.run(phase, .deallocate) }
            }
            let kept = try await Resources.waited(for: Resources(tasks: 0, descriptors: .max, threads: .max))
            for _ in 0..<2 {
                for phase in Resources.Phase.allCases {
                    for ending in Resources.Ending.allCases { try await Resources.run(phase, ending) }
                }
            }
            let left = try await Resources.waited(for: kept)
            guard left.tasks == 0, left.descriptors <= kept.descriptors, left.threads <= kept.threads + 2
            else { fatalError("left \(left), at first \(empty), then \(kept)") }
        }
    }
}

/// The running handlers, descriptors and threads of this process.
private struct Resources {
    var tasks: Int
    var descriptors: Int
    var threads: Int

    private static let running = LockedState(0)
    private static let large = Data(count: 8 << 20)

    static var now: Resources {
        let count = { (folder: String) in
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
        }
        return Resources(tasks: running.withLock { $0 }, descriptors: count("fd"), threads: count("task"))
    }

    /// Waits until no more resources are used than in `goal`, or until a timeout, and returns them.
    static func waited(for goal: Resources) async throws -> Resources {
        var last = now
        for _ in 0..<2_000 {
            if last.tasks <= goal.tasks, last.descriptors <= goal.descriptors, last.threads <= goal.threads {
                return last
            }
            try await Task.sleep(for: .milliseconds(5))
            last = now
        }
        return last
    }

    /// The phase of a client's request.
    enum Phase: CaseIterable { case connected, head, body, handler, reply, blocked, stalled, keptAlive }

    /// The way the connection ends.
    enum Ending: CaseIterable { case close, deallocate, disconnect }

    static func run(_ phase: Phase, _ ending: Ending) async throws {
        let server = MockServer {
            Route("/wait") { _ in
                running.withLock { $0 += 1 }
                defer { running.withLock { $0 -= 1 } }
                try await Task.sleep(for: .seconds(3_600))
                return .text("late")
            }
            Route("/stream") { _ in .stream(AsyncStream<Data> { $0.yield(Data("tea".utf8)) }) }
            Route("/large") { Reply.data(large) }
            Route("/stall") { Reply.text("tea").fault(.stall(.afterHead)) }
            Route("/tea") { Reply.text("tea") }
        }
        var loopback: LoopbackServer? = try await server.listen()
        guard let url = loopback?.url, let open = loopback else { return }
        var client: TestSocket? = try TestSocket(open)
        let get = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: \(url.host() ?? "")\r\n\r\n" }
        switch phase {
        case .connected: break
        case .head: client?.send("GET /tea HT")
        case .body: client?.send("POST /tea HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\ntea")
        case .handler:
            client?.send(get("/wait"))
            _ = try await server.requests(count: 1)
        case .reply:
            client?.send(get("/stream"))
            _ = await client?.receive { $0.hasSuffix("tea\r\n") }
        case .blocked:
            client?.send(get("/large"))
            _ = try await server.requests(count: 1)
        case .stalled:
            client?.send(get("/stall"))
            _ = await client?.receive { $0.hasSuffix("\r\n\r\n") }
        case .keptAlive:
            client?.send(get("/tea"))
            _ = await client?.receive { $0.hasSuffix("tea") }
        }
        switch ending {
        case .close: await open.close()
        case .deallocate: break
        case .disconnect:
            client = nil
            await open.close()
        }
        loopback = nil
    }
}
#endif
