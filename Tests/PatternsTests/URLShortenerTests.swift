import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

// A mock protocol with one canned reply, as written in 2011 for a client of a URL shortener.

/// Shortens URLs with the login and key of an account.
private struct Shortener: Sendable {
    var login: String
    var key: String
    var manager = SessionManager.default
    var service = "http://api.sho.rt"

    /// Returns the short URL of `long`.
    ///
    /// - Throws: `RESTClientError` if the request fails or the response is invalid.
    func shorten(_ long: String) async throws -> String {
        struct Answer: Decodable {
            struct Link: Decodable { var url: String }
            var data: Link
        }
        guard let endpoint = URL(string: service + "/v3/shorten") else { throw URLError(.badURL) }
        let query: QueryItems = ["login": login, "apiKey": key, "longUrl": long, "format": "json"]
        return try await manager.request(endpoint, query: query).decode(Answer.self).data.url
    }
}

extension Shortener {
    fileprivate static func make(_ server: MockServer) -> Self {
        let manager = SessionManager(configuration: server.configuration)
        return Shortener(login: "tea", key: "R_7", manager: manager)
    }
}

@Suite struct URLShortenerTests {
    @Test(.mocked) func `a redirect is followed`() async throws {
        let server = MockServer {
            Route(.get, "/v3/shorten") { Reply.redirect(to: "/v4/shorten") }
            Route(.get, "/v4/shorten") { Reply.resource("shorten.json", in: .module) }
        }
        #expect(try await Shortener.make(server).shorten("http://shop.example/tea") == "http://sho.rt/T3a")
    }

    @Test func `a handler computes data, status and headers from the request`() async throws {
        let server = MockServer {
            Route(.get, "/v3/shorten") { request in
                guard request.query["apiKey"] == "R_7" else { return .status(403) }
                let length = request.query["longUrl"]?.count ?? 0
                return .json(["data": ["url": .value("http://sho.rt/\(length)")]]).header("X-Quota", "99")
            }
        }
        var shortener = Shortener.make(server)
        #expect(try await shortener.shorten("12345") == "http://sho.rt/5")
        shortener.key = "stolen"
        await #expect(throws: RESTClientError.self) { try await shortener.shorten("12345") }
    }
}
