import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The swizzled connection and the paged loader of 2012.

/// One coach of the list.
private struct Coach: Decodable, Equatable, Sendable {
    enum CodingKeys: String, CodingKey {
        case id, name
        case thumbnail = "thumbnail_url"
    }

    var id: Int
    var name: String
    var thumbnail: URL
}

/// Loads the popular coaches, all pages of them.
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

/// Code that takes no session: all that a test can do is to divert it from outside.
private struct LegacyCoachLoader: Sendable {
    struct Page: Decodable { var coaches: [Coach] }

    func firstPage() async throws -> [Coach] {
        let url = try #require(URL(string: "http://coaches.example/coaches?per_page=6&page=1&popular=true"))
        let (data, _) = try await URLSession.shared.data(from: url)
        return try JSONDecoder().decode(Page.self, from: data).coaches
    }
}

@Suite(.mocked) struct CoachesTests {
    private static func routes(_ conditions: RequestMatcher = .any) -> [Route] {
        (1...2).map { page in
            Route(.get, "/coaches", .query("page", "\(page)"), .query("per_page", "6"), conditions) {
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

    @Test func `the Accept header is there, and a password where it belongs`() async throws {
        let server = MockServer { Self.routes(.header(.authorization, "Basic YW5uOnRlYQ==")) }
        let url = try #require(URL(string: "http://coaches.example/"))
        let manager = SessionManager(
            configuration: server.configuration,
            interceptors: [.basic(user: "ann", password: "tea", for: url)])
        #expect(try await CoachLoader(manager: manager).popular().count == 11)
        #expect(server.requests.allSatisfy { $0.headers[.accept] == "application/json" })
    }

    @Test func `a page that fails is an error that says how far it had got`() async throws {
        let server = MockServer {
            Self.routes().prefix(1) + [Route(.get, "/coaches") { Reply.status(500) }]
        }
        let loader = CoachLoader(manager: SessionManager(configuration: server.configuration))
        let error = await #expect(throws: RESTClientError.self) { try await loader.popular() }
        #expect(error?.kind == .status(500))
        #expect(error?.listing?.items == 6)
    }

    @Test func `part of a web service is mocked, the rest is the real one`() async throws {
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

    @Test func `the real path - the same loader over a socket`() async throws {
        let server = MockServer { Self.routes() }
        let loopback = try await server.listen()
        #expect(try await CoachLoader(service: loopback.url.absoluteString).popular().count == 11)
        await loopback.close()
    }
}

#if canImport(FoundationNetworking)
/// In a process of its own: the shared session is one for all, and on Linux remembers its first use.
@Suite struct DivertedCoachesTests {
    @Test func `code that cannot be injected is diverted from outside`() async {
        await #expect(processExitsWith: .success) {
            let server = MockServer {
                Route(.get, "/coaches") { Reply.resource("coaches-1.json", in: .module) }
            }
            let coaches = try await server.replacingSharedSession {
                try await LegacyCoachLoader().firstPage()
            }
            try #require(coaches.count == 6)
        }
    }
}
#endif
