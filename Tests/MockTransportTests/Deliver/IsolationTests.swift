import Foundation
import Testing

@testable import MockTransport

@Suite struct IsolationTests {
    private let url = URL(literal: "http://shop.example/who")

    @Test func `a hundred servers answer the same URL independently`() async throws {
        let url = url
        try await withThrowingTaskGroup(of: MockServer.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let server = MockServer {
                        Route(.get, "/who") {
                            Reply.text("\(number)")
                            Reply.text("\(number) again").delay(.milliseconds(1))
                            Reply.text("\(number) for ever").repeats()
                        }
                    }
                    let session = URLSession(configuration: server.configuration)
                    defer { session.finishTasksAndInvalidate() }
                    for answer in ["\(number)", "\(number) again", "\(number) for ever"] {
                        let (data, _) = try await session.data(from: url)
                        #expect(String(decoding: data, as: UTF8.self) == answer)
                    }
                    #expect(server.requests.count == 3)
                    return server
                }
            }
            // Retained, so that all hundred servers are live at once.
            var servers: [MockServer] = []
            for try await server in group { servers.append(server) }
            #expect(Set(servers.map { ObjectIdentifier($0.protocolClass) }).count == 100)
        }
    }

    @Test func `the number of protocol classes is limited by the live and recently released servers`() {
        for _ in 0..<11_000 { _ = MockServer { Route(.any) { Reply.status(204) } } }
        #expect(ProtocolRegistry.shared.allocated < 10_000)
    }

    @Test func `a released class that is still used moves to the end of the reuse queue`() throws {
        let registry = ProtocolRegistry(reuseDelay: 2)
        let core = ServerCore(router: Router([]), clock: ContinuousClock(), conditions: .none)
        let abandoned = registry.register(core)
        registry.release(abandoned)
        for _ in 0..<20 {
            let other = registry.register(core)
            #expect(other != abandoned)
            registry.release(other)
            #expect(registry.server(of: abandoned) == nil)
        }
    }

    @Test func `a request after its server was deallocated fails with serverGone`() async throws {
        var server: MockServer? = MockServer { Route(.any) { Reply.text("here") } }
        let session = URLSession(configuration: try .notRetaining(server))
        _ = try await session.data(from: url)
        server = nil
        let error = await #expect(throws: MockServerError.self) { try await session.data(from: url) }
        let isExpected = if case .serverGone("GET", url) = error?.kind { true } else { false }
        #expect(isExpected)
        #expect(
            error?.description == """
                GET http://shop.example/who: the mock server of this session was deallocated. Make the session from \
                server.configuration, which keeps the server alive, or keep a reference to the MockServer: its \
                protocolClass does not.
                """)
    }

    @Test func `a request in progress fails when its server is deallocated`() async throws {
        let clock = VirtualClock(.stepped)
        var server: MockServer? = MockServer(clock: clock) {
            Route(.any) { Reply.text("late").delay(.seconds(60)) }
        }
        let session = URLSession(configuration: try .notRetaining(server))
        let answer = Task { try await session.data(from: url) }
        _ = try await server?.requests(count: 1)
        server = nil
        let error = await #expect(throws: MockServerError.self) { try await answer.value }
        let isExpected = if case .serverGone("GET", url) = error?.kind { true } else { false }
        #expect(isExpected)
    }

    @Test func `released classes are reused, the oldest first`() throws {
        let registry = ProtocolRegistry(reuseDelay: 3)
        let core = ServerCore(router: Router([]), clock: ContinuousClock(), conditions: .none)
        var registered: [ObjectIdentifier] = []
        for _ in 0..<12 {
            let type = registry.register(core)
            registered.append(ObjectIdentifier(type))
            registry.release(type)
        }
        #expect(registry.allocated == 4)
        let classes: [ObjectIdentifier] = Array(registered.prefix(4))
        #expect(Set(classes).count == 4)
        #expect(registered == classes + classes + classes)
    }
}
