import Foundation
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import MockTransport

/// Many concurrent clients.
@Suite struct LoopbackCrowdTests {
    private let server = MockServer {
        Route("/now/:n") { request in .text("<\(request["n"] ?? "")>") }
        Route("/stream/:n") { request in .stream(.chunks("<", request["n"] ?? "", ">")) }
        Route("/great/:n") { request in
            .data(Data(repeating: 7, count: 3 << 20) + Data("<\(request["n"] ?? "")>".utf8))
        }
    }

    @Test func `32 concurrent connections receive their own replies in order`() async throws {
        let loopback = try await server.listen()
        let clients = try (0..<32).map { _ in try TestSocket(loopback) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, client) in clients.enumerated() {
                let paths = [
                    "/now/\(index)", "/stream/\(index)",
                    index == 0 ? "/great/\(index)" : "/now/\(index)",
                ]
                let last = "GET /now/last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined() + last)
                group.addTask {
                    let (text, end) = await client.receive()
                    #expect(end == .closed)
                    let bodies = text.replacing(/\r\n[0-9]+\r\n/, with: "")
                    #expect(bodies.components(separatedBy: "<\(index)>").count == 4)
                    #expect(text.hasSuffix("<last>"))
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 32 * 4)
    }

    @Test(.enabled(if: sysconf(Int32(_SC_OPEN_MAX)) > 4_096))
    func `512 connections are kept open and answered`() async throws {
        let loopback = try await server.listen()
        let clients = try (0..<512).map { _ in try TestSocket(loopback) }
        for round in 0..<2 {
            for (index, client) in clients.enumerated() {
                client.send("GET /now/\(round)-\(index) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            for (index, client) in clients.enumerated() {
                let (text, end) = await client.receive { $0.hasSuffix(">") }
                #expect(text.hasSuffix("<\(round)-\(index)>"))
                #expect(end == nil)
            }
        }
        await loopback.close()
    }

    @Test
    func `a client that reads slowly and busy clients do not hinder each other`() async throws {
        let loopback = try await server.listen()
        let slow = try TestSocket(loopback)
        let get = { @Sendable (path: String) in "GET /\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
        // More than the buffers of both sockets hold.
        let last = "GET /now/last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        slow.send((0..<4).map { get("great/\($0)") }.joined() + last)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let client = try TestSocket(loopback)
                group.addTask {
                    for number in 0..<20 {
                        client.send(get("now/\(number)"))
                        #expect(await client.receive { $0.hasSuffix(">") }.text.hasSuffix("<\(number)>"))
                    }
                }
            }
            group.addTask {
                let (text, _) = await slow.receive()
                #expect(text.utf8.count > 12 << 20 && text.hasSuffix("<last>"))
                #expect(Data(text.utf8).count(ofBytes: Data("<".utf8)) == 5)
            }
            try await group.waitForAll()
        }
        await loopback.close()
    }

    @Test(.hangLimit)
    func `a server whose queue is blocked does not delay others`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (blocked, other) = (try await server.listen(), try await server.listen())
        await blocked.listener.eventLoop.queue.async { gate.wait() }
        let clients = [try TestSocket(blocked), try TestSocket(other)]
        for client in clients { client.send("GET /now/1 HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        #expect(await clients[1].receive { $0.hasSuffix(">") }.text.hasSuffix("<1>"))
        await other.close()
        gate.signal()
        #expect(await clients[0].receive { $0.hasSuffix(">") }.text.hasSuffix("<1>"))
        await blocked.close()
    }

    // A limit of the process is an enumeration in glibc only. The test is about the server, which is the same elsewhere.
    #if canImport(Glibc)
    @Test func `without free descriptors a client waits until another one closes`() async {
        await #expect(processExitsWith: .success) {
            let server = MockServer { Route(.any) { Reply.text("tea") } }
            let loopback = try await server.listen()
            let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
            var idle: TestSocket? = try TestSocket(loopback)
            idle?.send(get)
            _ = await idle?.receive { $0.hasSuffix("tea") }
            // Leaves one descriptor for the client and none for the server. Free ones below those of the connection are used up:
            // the process has inherited others.
            let highest = (0..<min(getdtablesize(), 1 << 16)).last { fcntl($0, F_GETFD) != -1 } ?? 0
            var next = dup(0)
            while next < highest { next = dup(0) }
            close(next)
            var limit = rlimit(rlim_cur: rlim_t(next + 1), rlim_max: rlim_t(next + 1))
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                fatalError("no limit")
            }
            let late = try TestSocket(loopback)
            late.send(get)
            idle = nil
            guard await late.receive(until: { $0.hasSuffix("tea") }).text.hasSuffix("tea") else {
                fatalError("not served")
            }
        }
    }

    @Test func `listening without free descriptors throws, and needs none afterwards`() async {
        await #expect(processExitsWith: .success) {
            let server = MockServer { Route(.any) { Reply.text("tea") } }
            let lowestFree = {
                let free = dup(0)
                close(free)
                return free
            }
            var next: CInt = 0
            // The first round also opens what the process keeps, such as the descriptor of its events.
            for round in 1...2 {
                next = lowestFree()
                var failures = 0
                // With 0, 1 and more descriptors, the call that needs one fails once.
                for free in 0..<64 {
                    var limit = rlimit(rlim_cur: rlim_t(Int(next) + free), rlim_max: 512)
                    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                        fatalError("no limit")
                    }
                    do {
                        try await server.listen().close()
                        break
                    } catch let error as POSIXError where error.code == .EMFILE {
                        failures += 1
                    }
                }
                guard failures >= 1 else { fatalError("no failure in round \(round)") }
            }
            guard lowestFree() <= next else { fatalError("a descriptor is still open") }
        }
    }
    #endif
}
