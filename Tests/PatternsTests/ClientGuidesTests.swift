import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

/// Runs the shortest samples of the guides of the client.
@Suite(.mocked) struct ClientGuidesTests {
    private func manager(_ server: MockServer, _ base: String) -> SessionManager {
        SessionManager(
            baseURL: URL(string: base), configuration: server.configuration,
            interceptors: [.retry(), .bearer("secret")], clock: VirtualClock())
    }

    private func temporaryFile() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    }

    @Test func `all charges of Stripe are listed`() async throws {
        let all: [JSONLiteral] = (1...250).map { ["id": .value("ch_\($0)"), "amount": .value($0)] }
        let server = MockServer {
            Route(
                .get, "https://api.stripe.com/v1/charges", .bearerToken("secret"),
                list: PagedList(of: all, by: .stripe, at: "data")
            ).called(3)
        }
        let found = try await charges(manager(server, "https://api.stripe.com"))
        #expect(found.map(\.amount) == Array(1...250))
    }

    @Test func `all repositories of an organization are listed`() async throws {
        let all: [JSONLiteral] = (1...120).map { ["name": .value("tea-\($0)")] }
        let server = MockServer {
            Route(
                .get, "https://api.github.com/orgs/tea/repos", .query("per_page", "100"),
                list: PagedList(of: all, by: .github, at: .root)
            ).called(2)
        }
        try await printRepositories(of: "tea", manager(server, "https://api.github.com"))
    }

    @Test func `a POST is repeated with the same key`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.post, "/orders", .header(.idempotencyKey)) {
                Reply.status(503)
                Reply.status(201)
            }.called(2)
        }
        let manager = SessionManager(
            baseURL: URL(string: "https://shop.example"), configuration: server.configuration, clock: clock)
        try await orderTea(manager)
        #expect(Set(server.requests.map { $0.headers[.idempotencyKey] }).count == 1)
    }

    @Test func `a POST without a key is not repeated`() async throws {
        let server = MockServer { Route(.post, "/orders") { Reply.status(503) }.called(1) }
        let request = manager(server, "https://shop.example").request(
            "orders", method: .post, body: .json(["item": "tea"]))
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(error?.kind == .status(503))
    }

    @Test func `a photo is uploaded from a file`() async throws {
        let file = temporaryFile()
        try Data("PNG".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = MockServer { Route(.put, "/photos/tea", .body(Data("PNG".utf8))) { Reply.status(201) } }
        #expect(try await upload(file, manager(server, "https://shop.example")) == 201)
    }

    @Test func `a download that breaks off is continued by a retry`() async throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(at: file) }
        let whole = Reply.text("tea and milk").header(.eTag, "\"1\"").conditional()
        let server = MockServer {
            Route(.get, "/archive.zip") {
                whole.fault(.close(.inBody(after: 4)))
                whole
            }
        }
        try await download(to: file, manager(server, "https://shop.example"))
        #expect(try String(contentsOf: file, encoding: .utf8) == "tea and milk")
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=4-"])
    }
}
