import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// Every kind of session, task, reply, challenge and redirect, beside a real server at the requested address.
/// `make connections` combines all of them, in release mode.
@Suite struct NoConnectionTests {
    @Test(.hangLimit, arguments: SessionMatrix.all)
    func `no request of a plain session opens a connection`(matrix: SessionMatrix) async throws {
        let (ended, connections) = try await matrix.run(isComplete: false)
        #expect(ended > 15)
        #expect(connections == 0)
    }

    @Test(.hangLimit) func `no request of a manager opens a connection`() async throws {
        let raw = try RawServer { _ in [.close] }
        let server = MockServer { SessionMatrix.routes(raw) }
        let manager = SessionManager(configuration: server.configuration)
        for path in SessionMatrix.paths where path != "/stall" {
            _ = try? await manager.request(try raw.url(path)).data()
            _ = try? await manager.request(try raw.url(path), method: .post, body: .json(["a": 1])).data()
        }
        #expect(server.requests.count >= 2 * (SessionMatrix.paths.count - 1))
        // A redirect to another path is followed in the mock.
        #expect(server.requests.contains { $0.url.path == "/other" })
        #expect(raw.connections == 0)
    }

    @Test(arguments: ["http", "https", "ftp", "ftps", "ws", "wss", "gopher", "HTTP", "FTP"])
    func `no scheme opens a connection`(scheme: String) async throws {
        let raw = try RawServer { _ in [.close] }
        let server = MockServer { Route("/ok") { Reply.text("tea") }.optional() }
        let session = URLSession(configuration: server.configuration)
        for path in ["/ok", "/unmatched"] {
            let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(raw.port)\(path)"))
            _ = try? await session.data(from: url)
        }
        #expect(server.requests.count == 2)
        #expect(raw.connections == 0)
    }

    // Exit tests exist on macOS and Linux only, so the other arm is empty.
    #if os(macOS) || os(Linux)
    @Test(.linuxOnly("the challenge of a protocol's response is that of URLSession on Linux"))
    func `no request of the replaced shared session opens a connection`() async {
        await #expect(processExitsWith: .success) {
            let raw = try RawServer { _ in [.close] }
            let server = MockServer(clock: VirtualClock()) { SessionMatrix.routes(raw) }
            try await server.replacingSharedSession {
                for path in SessionMatrix.paths {
                    _ = try? await URLSession.shared.data(from: try raw.url(path))
                    _ = try? await URLSession.shared.download(from: try raw.url(path))
                }
            }
            try #require(server.requests.count == SessionMatrix.paths.count)
            try #require(raw.connections == 0)
        }
    }
    #endif
}
