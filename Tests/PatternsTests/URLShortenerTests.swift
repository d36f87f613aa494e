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

    /// Shortens `long` and calls one of the two callbacks.
    func shorten(
        _ long: String, onSuccess: @escaping @Sendable (String) -> Void,
        onError: @escaping @Sendable (any Error) -> Void
    ) {
        Task {
            do { onSuccess(try await shorten(long)) } catch { onError(error) }
        }
    }
}

extension Shortener {
    fileprivate static func make(_ server: MockServer, clock: any Clock<Duration> = ContinuousClock()) -> Self
    {
        let manager = SessionManager(configuration: server.configuration, clock: clock)
        return Shortener(login: "tea", key: "R_7", manager: manager)
    }
}

@Suite struct URLShortenerTests {
    @Test func `a recorded reply is decoded as a short URL`() async throws {
        let server = MockServer {
            Route(.get, "http://api.sho.rt/v3/shorten") { Reply.resource("shorten.json", in: .module) }
        }
        #expect(try await Shortener.make(server).shorten("http://shop.example/tea") == "http://sho.rt/T3a")
    }

    @Test func `the request URL contains the encoded parameters`() async throws {
        let server = MockServer { Route(.get) { Reply.resource("shorten.json", in: .module) } }
        _ = try await Shortener.make(server).shorten("http://shop.example/tea?pot=big&cups=2")
        #expect(
            server.requests.map(\.url.absoluteString) == [
                """
                http://api.sho.rt/v3/shorten?login=tea&apiKey=R_7\
                &longUrl=http%3A%2F%2Fshop.example%2Ftea%3Fpot%3Dbig%26cups%3D2&format=json
                """
            ])
    }

    @Test func `a mocked error reaches the error callback`() async throws {
        let server = MockServer { Route(.any) { Reply.error(URLError(.notConnectedToInternet)) } }
        let error = await withCheckedContinuation { done in
            Shortener.make(server).shorten(
                "http://shop.example/tea",
                onSuccess: { _ in done.resume(returning: nil) },
                onError: { done.resume(returning: $0 as? RESTClientError) })
        }
        #expect((error?.underlying as? URLError)?.code == .notConnectedToInternet)
    }

    @Test(arguments: [403, 404, 500] as [HTTPStatus])
    func `a mocked status is an error with that status`(status: HTTPStatus) async {
        let server = MockServer { Route(.any) { Reply.json(["status_txt": "NO"], status: status) } }
        let error = await #expect(throws: RESTClientError.self) {
            try await Shortener.make(server).shorten("tea")
        }
        #expect(error?.kind == .status(status))
    }

    @Test func `a request without a matching route fails and is reported`() async {
        // Method, scheme and path are conditions: only GET requests with http below /v3 match.
        let server = MockServer {
            Route(.get, "http://api.sho.rt/v3/**") { Reply.text("") }.optional()
        }
        var elsewhere = Shortener.make(server)
        elsewhere.service = "https://api.sho.rt"
        let error = await #expect(throws: RESTClientError.self) { try await elsewhere.shorten("tea") }
        #expect(error?.underlying is MockServerError)
        #expect(throws: MockServerError.self) { try server.verify() }
    }

    @Test func `a delayed reply takes no real time`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.get) { Reply.resource("shorten.json", in: .module).delay(.seconds(20)) }
        }
        _ = try await Shortener.make(server, clock: clock).shorten("http://shop.example/tea")
        #expect(clock.now.offset == .seconds(20))
    }

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

    @Test func `a slow network delays the reply on the virtual clock`() async throws {
        let clock = VirtualClock()
        let bad = NetworkConditions(latency: .fixed(.seconds(2)), bytesPerSecond: 10)
        let server = MockServer(clock: clock, conditions: bad) {
            Route(.get) { Reply.json(["data": ["url": "http://sho.rt/T3a"]]) }
        }
        #expect(try await Shortener.make(server, clock: clock).shorten("tea") == "http://sho.rt/T3a")
        // 2 seconds of latency, and 36 bytes at 10 bytes per second.
        #expect(clock.now.offset == .milliseconds(5_600))
    }

    @Test func `the client works over a socket`() async throws {
        let server = MockServer {
            Route(.get, "/v3/shorten", .query("login", "tea")) { Reply.resource("shorten.json", in: .module) }
        }
        let loopback = try await server.listen()
        let shortener = Shortener(login: "tea", key: "R_7", service: loopback.url.absoluteString)
        #expect(try await shortener.shorten("http://shop.example/tea") == "http://sho.rt/T3a")
        await loopback.close()
    }
}
