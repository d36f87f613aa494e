import Foundation
import MockTransportTesting
import Testing

private let teasURL = URL(string: "https://shop.example/teas") ?? URL(filePath: "/")

/// The tests that the documentation compares with those of other libraries.
@Suite struct SameTestTests {
    @Test(.mocked) func `teas are requested once`() async throws {
        let server = MockServer { Route(.get, "https://shop.example/teas") { Reply.json(["tea"]) }.called(1) }
        let session = URLSession(configuration: server.configuration)
        let (data, _) = try await session.data(from: teasURL)
        #expect(try JSONDecoder().decode([String].self, from: data) == ["tea"])
    }

    @Test func `a timeout is reported`() async throws {
        let server = MockServer { Route(.get, "/teas") { Reply.error(URLError(.timedOut)) } }
        let session = URLSession(configuration: server.configuration)
        let error = await #expect(throws: URLError.self) { try await session.data(from: teasURL) }
        #expect(error?.code == .timedOut)
    }

    @Test(.replay("shop")) func `recorded teas are listed`() async throws {
        let session = URLSession(configuration: try MockServer.current.configuration)
        let (data, _) = try await session.data(from: teasURL)
        #expect(String(decoding: data, as: UTF8.self).contains("tea"))
    }
}
