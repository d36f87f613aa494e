import Foundation
import RESTClientHTTP
import MockTransport
import Testing

/// What a loopback server leaves behind, in a process of its own, because tests beside it open and close things, too.
@Suite struct LoopbackLeakTests {
    #if os(Linux)
    @Test func `closing, dropping and leaving in every phase leave nothing`() async {
        await #expect(processExitsWith: .success) {
            let empty = Remains.now
            // Once for what the platform keeps for ever: its event loop, its threads.
            for phase in Remains.Phase.allCases { try await Remains.visit(phase, .close) }
            let kept = try await Remains.settled(to: Remains(tasks: 0, descriptors: .max, threads: .max))
            for _ in 0..<10 {
                for phase in Remains.Phase.allCases {
                    for ending in Remains.Ending.allCases { try await Remains.visit(phase, ending) }
                }
            }
            let left = try await Remains.settled(to: kept)
            guard left.tasks == 0, left.descriptors <= kept.descriptors, left.threads <= kept.threads + 2
            else {
                fatalError("left \(left), at first \(empty), then \(kept)")
            }
        }
    }
    #endif
}

#if os(Linux)
/// Handlers under way, descriptors and threads of this process.
private struct Remains {
    var tasks: Int
    var descriptors: Int
    var threads: Int

    private static let running = LockedState(0)

    static var now: Remains {
        let count = { (folder: String) in
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
        }
        return Remains(tasks: running.withLock { $0 }, descriptors: count("fd"), threads: count("task"))
    }

    /// What is left when as little is left as `goal`, or after many turns.
    static func settled(to goal: Remains) async throws -> Remains {
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

    /// How far a client is.
    enum Phase: CaseIterable { case connected, head, body, handler, reply, stuck, stalled, kept }

    /// Who ends it.
    enum Ending: CaseIterable { case close, grace, drop, leave }

    static func visit(_ phase: Phase, _ ending: Ending) async throws {
        let server = MockServer {
            Route("/wait") { _ in
                running.withLock { $0 += 1 }
                defer { running.withLock { $0 -= 1 } }
                try await Task.sleep(for: .seconds(3_600))
                return .text("late")
            }
            Route("/stream") { _ in .stream(AsyncStream<Data> { $0.yield(Data("tea".utf8)) }) }
            Route("/great") { Reply.data(Data(count: 8 << 20)) }
            Route("/stall") { Reply.text("tea").fault(.stall(.afterHead)) }
            Route("/tea") { Reply.text("tea") }
        }
        var loopback: LoopbackServer? = try await server.listen()
        guard let url = loopback?.url, let open = loopback else { return }
        var client: WireClient? = try WireClient(open)
        let get = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: \(url.host() ?? "")\r\n\r\n" }
        switch phase {
        case .connected: break
        case .head: client?.send("GET /tea HT")
        case .body: client?.send("POST /tea HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\ntea")
        case .handler:
            client?.send(get("/wait"))
            _ = try await server.requests(count: 1)
        case .reply:
            client?.send(get("/stream"))
            _ = await client?.receive { $0.hasSuffix("tea\r\n") }
        case .stuck:
            client?.send(get("/great"))
            _ = try await server.requests(count: 1)
        case .stalled:
            client?.send(get("/stall"))
            _ = await client?.receive { $0.hasSuffix("\r\n\r\n") }
        case .kept:
            client?.send(get("/tea"))
            _ = await client?.receive { $0.hasSuffix("tea") }
        }
        switch ending {
        case .close: await open.close()
        case .grace: await open.close(grace: .milliseconds(5))
        case .drop: break
        case .leave:
            client = nil
            await open.close(grace: .seconds(60))
        }
        loopback = nil
    }
}
#endif
