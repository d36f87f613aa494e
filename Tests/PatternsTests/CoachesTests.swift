import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

// A paged loader that was tested in 2012 by swizzling the connection.

/// A coach in the list.
private struct Coach: Decodable, Equatable, Sendable {
    enum CodingKeys: String, CodingKey {
        case id, name
        case thumbnail = "thumbnail_url"
    }

    var id: Int
    var name: String
    var thumbnail: URL
}

/// Loads all pages of the popular coaches.
private struct CoachLoader: Sendable {
    var service = "http://coaches.example"
    var manager = SessionManager.default

    func popular() async throws -> [Coach] {
        guard let url = URL(string: service + "/coaches") else { throw URLError(.badURL) }
        let firstPage = manager.request(url, query: ["per_page": "6", "page": "1", "popular": "true"])
        return try await MyRESTClient(firstPage, listing: ItemListing(at: "coaches")).getAvailableItems(
            as: Coach.self)
    }
}

@Suite(.mocked) struct CoachesTests {
    private static func routes() -> [Route] {
        (1...2).map { page in
            Route(.get, "/coaches", .query("page", "\(page)"), .query("per_page", "6")) {
                Reply.resource("coaches-\(page).json", in: .module)
            }
        }
    }

    @Test func `eleven coaches come from two pages`() async throws {
        let server = MockServer { Self.routes() }
        let loader = CoachLoader(manager: SessionManager(configuration: server.configuration))
        let coaches = try await loader.popular()
        #expect(coaches.map(\.id) == Array(1...11))
        #expect(coaches.last?.thumbnail.absoluteString == "http://cdn.example/coaches/11.png")
        #expect(
            server.requests.map(\.url.absoluteString) == [
                "http://coaches.example/coaches?per_page=6&page=1&popular=true",
                "http://coaches.example/coaches?per_page=6&page=2&popular=true",
            ])
    }

    @Test func `a failed page is an error with the number of items so far`() async throws {
        let server = MockServer { Self.routes().prefix(1) + [Route(.get, "/coaches") { Reply.status(500) }] }
        let loader = CoachLoader(manager: SessionManager(configuration: server.configuration))
        let error = await #expect(throws: RESTClientError.self) { try await loader.popular() }
        #expect(error?.kind == .status(500))
        #expect(error?.listingProgress?.itemCount == 6)
    }

    @Test func `some routes are mocked and the rest pass through`() async throws {
        let real = MockServer {
            Route(.get, "/coaches/7") { Reply.json(["name": "Goran"]) }
            Route(.get, "/coaches") { Reply.status(500) }.optional()
        }
        let loopback = try await real.listen()
        let server = MockServer {
            Self.routes()
            Route(.any) { Reply.passthrough }
        }
        let manager = SessionManager(configuration: server.configuration)
        let loader = CoachLoader(service: loopback.url.absoluteString, manager: manager)
        #expect(try await loader.popular().count == 11)
        let detail = try await manager.request(loopback.url.appending(path: "coaches/7")).string()
        #expect(detail == #"{"name":"Goran"}"#)
        #expect(real.requests.map(\.url.path) == ["/coaches/7"])
        await loopback.close()
    }
}
