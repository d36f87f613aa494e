import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

private let shop = URL(string: "https://shop.example") ?? URL(filePath: "/")

/// The samples of the guides of the mock server about credentials, uploads, downloads and streams.
@Suite(.mocked) struct MockServerGuidesTests {
    @Test(.mocked) func `a tea is found by its number`() async throws {
        let server = MockServer {
            Route(.get, "/teas/:id<Int>") { request in .text("tea \(request["id"] ?? "")") }
        }
        let session = URLSession(configuration: server.configuration)
        let url = try #require(URL(string: "https://shop.example/teas/7"))
        let (data, _) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "tea 7")
    }

    @Test(.mocked) func `a tea is ordered once`() async throws {
        let server = MockServer { Route(.post, "/orders") { Reply.status(201) }.called(1) }
        var order = URLRequest(url: try #require(URL(string: "https://shop.example/orders")))
        order.httpMethod = "POST"
        _ = try await URLSession(configuration: server.configuration).data(for: order)
    }

    @Test func `a session gives up after a minute`() async throws {
        let server = MockServer(clock: VirtualClock()) {
            Route(.get, "/teas") { Reply.fault(.stall(.beforeHead)) }
        }
        let session = URLSession(configuration: server.configuration)
        let error = await #expect(throws: URLError.self) {
            try await session.data(from: shop.appending(path: "teas"))
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `an expired token is refreshed once for all requests`() async throws {
        let server = MockServer {
            Route(.get, "/teas/:id", .bearerToken("new")) { Reply.text("tea") }.called(8)
            Route(.get, "/teas/:id") { Reply.status(401) }.called(...8)
            Route(.post, "/token") { Reply.json(["value": "new"]) }.called(1)
        }
        let authenticator = Authenticator(credential: .bearer("old")) { _, manager in
            struct Token: Decodable { var value: String }
            return .bearer(try await manager.request("token", method: .post).decode(Token.self).value)
        }
        let manager = SessionManager(
            baseURL: shop, configuration: server.configuration, interceptors: [authenticator])
        try await withThrowingTaskGroup { group in
            for id in 1...8 { group.addTask { try await manager.request("teas/\(id)").data() } }
            try await group.waitForAll()
        }
    }

    @Test func `an interrupted download continues with a range`() async throws {
        let file = Reply.text("tea and milk").header(.eTag, "\"v1\"").conditional()
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.get, "/tea.txt") {
                file.fault(.close(.inBody(after: 4)))
                file
            }
        }
        let manager = SessionManager(
            baseURL: shop, configuration: server.configuration, interceptors: [.retry()], clock: clock)
        let target = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: target) }
        try await manager.request("tea.txt").download(to: target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "tea and milk")
        #expect(server.requests.last?.headers[.range] == "bytes=4-")
    }
}
