import Foundation
import MockTransport
import Testing

/// Many concurrent clients.
@Suite struct LoopbackCrowdTests {
    private let server = MockServer {
        Route("/now/:n") { request in .text("<\(request["n"] ?? "")>") }
        Route("/stream/:n") { request in .stream(Array.chunks("<", request["n"] ?? "", ">")) }
        Route("/great/:n") { request in
            .data(Data(repeating: 7, count: 3 << 20) + Data("<\(request["n"] ?? "")>".utf8))
        }
    }

    @Test func `64 concurrent connections receive their own replies in order`() async throws {
        let loopback = try await server.listen()
        let clients = try (0..<64).map { _ in try TestSocket(loopback) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, client) in clients.enumerated() {
                let paths = [
                    "/now/\(index)", "/stream/\(index)",
                    index % 32 == 0 ? "/great/\(index)" : "/now/\(index)",
                ]
                let last = "GET /now/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined() + last)
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
        #expect(server.requests.count == 64 * 4)
    }

    // A limit of the process is an enumeration in glibc only. The test is about the server, which is the same elsewhere.
    #if canImport(Glibc)
    @Test func `without free descriptors only idle connections are replaced`() async {
        await #expect(processExitsWith: .success) {
            let server = MockServer { Route(.any) { Reply.text("tea") } }
            let loopback = try await server.listen()
            let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            // These connections become idle in this order.
            var idle: [TestSocket] = []
            for _ in 0..<40 {
                let client = try TestSocket(loopback)
                client.send(get)
                _ = await client.receive { $0.hasSuffix("tea") }
                idle.append(client)
            }
            // Leaves one descriptor for the client and none for the server.
            let next = dup(0)
            close(next)
            var limit = rlimit(rlim_cur: rlim_t(next + 1), rlim_max: rlim_t(next + 1))
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                fatalError("no limit")
            }
            let late = try TestSocket(loopback)
            late.send(get)
            guard await late.receive(until: { $0.hasSuffix("tea") }).text.hasSuffix("tea") else {
                fatalError("not served")
            }
            var cut = 0
            for client in idle {
                client.send(get)
                if await client.receive(until: { $0.hasSuffix("tea") }).end != nil { cut += 1 }
            }
            guard (1...2).contains(cut) else { fatalError("\(cut) were cut") }
        }
    }
    #endif
}
