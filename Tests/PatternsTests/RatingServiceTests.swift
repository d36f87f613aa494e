import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

// A fake service and a wait function, as written in 2009: one protocol, two implementations, the same tests for both.

/// Rates pictures with stars.
private protocol RatingService: Sendable {
    /// Returns when the rating is stored.
    func rate(picture: Int, stars: Int) async throws
}

/// The real service, which posts ratings to a host and port.
private struct RemoteRatingService: RatingService {
    var host: String
    var port: Int
    var manager = SessionManager.default

    func rate(picture: Int, stars: Int) async throws {
        guard let url = URL(string: "http://\(host):\(port)/ratings") else { throw URLError(.badURL) }
        let rating: JSONLiteral = ["picture": .value(picture), "stars": .value(stars)]
        _ = try await manager.request(url, method: .post, body: .json(rating)).response()
    }
}

/// A fake that answers after a delay, without a network.
private struct FakeRatingService: RatingService {
    struct NoSuchRating: Error {}

    var delay: Duration
    var clock: any Clock<Duration>

    func rate(picture: Int, stars: Int) async throws {
        try await clock.sleep(for: delay)
        guard (1...5).contains(stars) else { throw NoSuchRating() }
    }
}

@Suite(.mocked) struct RatingServiceTests {
    /// The service to test.
    enum Kind: CaseIterable, Sendable { case remote, fake }

    /// A service that takes three seconds, and its clock.
    private struct Subject {
        let clock = VirtualClock(.stepped)
        let server: MockServer
        let service: any RatingService

        init(_ kind: Kind) {
            let server = MockServer(clock: clock) {
                Route(.post, "http://ratings.example:8080/ratings") { request in
                    struct Rating: Decodable { var picture, stars: Int }
                    let rating: Rating = try request.decode()
                    return .status((1...5).contains(rating.stars) ? 204 : 422).delay(.seconds(3))
                }.optional()
            }
            let manager = SessionManager(configuration: server.configuration, clock: clock)
            self.server = server
            service =
                switch kind {
                case .remote: RemoteRatingService(host: "ratings.example", port: 8080, manager: manager)
                case .fake: FakeRatingService(delay: .seconds(3), clock: clock)
                }
        }
    }

    @Test(arguments: Kind.allCases) func `a rating succeeds after three seconds`(kind: Kind) async throws {
        let subject = Subject(kind)
        let rating = Task { try await subject.service.rate(picture: 7, stars: 5) }
        #expect(try await subject.clock.advance() == .seconds(3))
        try await rating.value
    }

    @Test(arguments: Kind.allCases) func `six stars are refused`(kind: Kind) async throws {
        let subject = Subject(kind)
        let rating = Task { try await subject.service.rate(picture: 7, stars: 6) }
        try await subject.clock.advance()
        await #expect(throws: (any Error).self) { try await rating.value }
    }

    @Test func `requests(count:within:) waits for five requests`() async throws {
        let server = MockServer { Route(.post, "/ratings") { Reply.status(204) } }
        let manager = SessionManager(configuration: server.configuration)
        let service = RemoteRatingService(host: "ratings.example", port: 8080, manager: manager)
        // The server reports when the ratings have arrived.
        let ratings = (1...5).map { stars in Task { try await service.rate(picture: 7, stars: stars) } }

        let requests = try await server.requests(count: 5, within: .seconds(10))
        #expect(Set(requests.map(\.text)) == Set((1...5).map { #"{"picture":7,"stars":\#($0)}"# }))
        for rating in ratings { try await rating.value }
    }
}
