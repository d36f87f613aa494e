import Foundation
import FoundationNetworking
import MockTransport
import RESTClient

/// Measures the processor time and latency while requests wait for a slow server.
struct Waiting {
    func run() async throws {
        for isNew in [true, false] {
            for (milliseconds, requests) in [(5, 100), (50, 20), (200, 10), (3_000, 1)] {
                try await compare(milliseconds, requests, onNewConnections: isNew)
            }
        }
    }

    private func compare(_ milliseconds: Int, _ requests: Int, onNewConnections isNew: Bool) async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text("ok").header("Connection", isNew ? "close" : "keep-alive")
                    .delay(.milliseconds(milliseconds))
            }
        }
        let loopback = try await server.listen()
        let url = loopback.url.appending(path: "ok")
        let session = URLSession(configuration: .ephemeral)
        let manager = SessionManager()
        let comparison = Comparison(
            title:
                "\(requests) responses after \(milliseconds) ms each, \(isNew ? "a new connection" : "kept alive")",
            operations: requests, rounds: 5)
        try await comparison.run([
            .init(name: "URLSession") {
                for _ in 0..<requests { _ = try await session.data(from: url) }
            },
            .init(name: "SessionManager") {
                for _ in 0..<requests { _ = try await manager.request(url).data() }
            },
        ])
        session.invalidateAndCancel()
        await manager.shutdown()
        await loopback.close()
    }
}
