import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

/// Runs the code of the guide about servers.
@Suite(.mocked) struct ServerSideTests {
    private func services(_ server: MockServer, monitor: EventMonitor? = nil) throws -> Services {
        Services(
            shop: try #require(URL(string: "https://shop.example/v1")), configuration: server.configuration,
            monitor: monitor)
    }

    @Test func `requests have the identifier of the request that is being served`() async throws {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let server = MockServer {
            Route(
                .get, "https://shop.example/v1/price", .query("name", "sencha"), .header("X-Request-ID", "7")
            ) { Reply.json(["cents": 420]) }
        }
        let services = try services(server, monitor: EventMonitor { line.yield("\($0)") })
        #expect(try await servePrice(of: "sencha", id: "7", with: services) == "200 420")
        await services.shutdown()
        line.finish()
        let log = await lines.reduce(into: []) { $0.append($1) }
        #expect(log.contains("request 7"))
    }

    @Test(arguments: ["1?discount=100", "a&discount=100", "../admin", "a#b"])
    func `text from a client does not change the request`(tea: String) async throws {
        let server = MockServer {
            Route(.get, "https://shop.example/v1/price", .query("name", tea), !.query("discount", "100")) {
                Reply.json(["cents": 420])
            }
        }
        #expect(try await servePrice(of: tea, id: "7", with: services(server)) == "200 420")
    }

    @Test(arguments: [(Reply.status(404), "404"), (Reply.status(500), "502"), (Reply.text("tea"), "502")])
    func `a failure has a status`(reply: Reply, status: String) async throws {
        let server = MockServer { Route(.any) { reply.repeats() } }
        #expect(try await servePrice(of: "sencha", id: "7", with: services(server)) == status)
    }

    @Test func `a request ends with the request that it serves`() async throws {
        let (endings, ending) = AsyncStream.makeStream(of: Void.self)
        let server = MockServer {
            Route(.any) { _ in
                defer { ending.finish() }
                try await Task.sleep(for: .seconds(60))  // until the client cancels its request
                return .json(["cents": 420])
            }
        }
        let services = try services(server)
        let task = Task { try await servePrice(of: "sencha", id: "7", with: services) }
        _ = try await server.requests(count: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in endings {}
    }

    @Test func `after the shutdown nothing is sent`() async throws {
        let server = MockServer { Route(.any) { Reply.status(500) }.called(0) }
        let services = try services(server)
        await services.shutdown()
        #expect(try await servePrice(of: "sencha", id: "7", with: services) == "502")
    }

    @Test func `twenty lists are read at the rate of the limiter`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(
                .get, "https://api.github.com/repos/tea/:name/issues",
                list: PagedList(of: Array(1...90).map { ["number": $0] }, by: .github, at: .root))
        }
        let job = IssueCounts(token: "t0ken", configuration: server.configuration, clock: clock)
        let names = (0..<20).map { "tea/\($0)" }
        let counts = try await job.counts(of: names)
        #expect(counts == Dictionary(uniqueKeysWithValues: names.map { ($0, 90) }))
        // Ten requests in each second.
        #expect(clock.now.offset == .seconds((server.requests.count - 1) / 10))
    }
}
