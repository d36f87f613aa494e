import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// The lifetime of a server. `make lifetimes` runs the ways to lose a server in release mode, and measures the memory of ten
/// thousand servers.
@Suite struct ServerLifetimeTests {
    private static let url = URL(string: "http://shop.example/items")

    private func text(_ session: URLSession) async throws -> String {
        let (data, _) = try await session.data(from: try #require(Self.url))
        return String(decoding: data, as: UTF8.self)
    }

    private static func makeServer() -> MockServer { MockServer { Route("/items") { Reply.text("tea") } } }

    @Test(arguments: ServerLifetime.all)
    func `a function that loses its server works or ends in the message`(lifetime: ServerLifetime) async {
        #expect(await lifetime.failure() == nil)
    }

    @Test func `a server is released with its last manager`() async throws {
        weak var released: MockServer?
        do {
            let server = Self.makeServer()
            released = server
            let manager = SessionManager(configuration: server.configuration)
            #expect(try await manager.request(try #require(Self.url)).string() == "tea")
        }
        for _ in 0..<2_000 where released != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(released == nil)
    }

    @Test func `a hundred servers are released with their sessions`() async throws {
        var servers: [Weak] = []
        for _ in 0..<100 {
            let server = Self.makeServer()
            servers.append(Weak(server: server))
            let session = URLSession(configuration: server.configuration)
            #expect(try await text(session) == "tea")
            session.finishTasksAndInvalidate()
        }
        for _ in 0..<2_000 where servers.contains(where: { $0.server != nil }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(servers.allSatisfy { $0.server == nil })
    }

    private struct Weak { weak var server: MockServer? }
}
