import Foundation
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One small JSON document, fetched and decoded many times: what the session manager costs beside plain URLSession.
struct SmallRequests {
    struct Document: Decodable, Sendable {
        var items: [String]
    }

    let url: URL
    var requests = 2_000

    func run() async throws {
        let session = URLSession(configuration: .ephemeral)
        let manager = SessionManager()
        let raw: @Sendable () async throws -> Void = { [url] in
            let (data, _) = try await session.data(for: URLRequest(url: url))
            _ = try JSONDecoder().decode(Document.self, from: data)
        }
        let managed: @Sendable () async throws -> Void = { [url] in
            _ = try await manager.request(url).decode(Document.self)
        }
        for inFlight in [1, 32] {
            try await Contest(title: "small JSON requests, \(inFlight) in flight", operations: requests).hold(
                [
                    .init(name: "URLSession + JSONDecoder") { try await many(inFlight, raw) },
                    .init(name: "SessionManager.decode") { try await many(inFlight, managed) },
                ])
        }
    }

    private func many(_ inFlight: Int, _ one: @escaping @Sendable () async throws -> Void) async throws {
        let each = requests / inFlight
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight { group.addTask { for _ in 0..<each { try await one() } } }
            try await group.waitForAll()
        }
    }
}
