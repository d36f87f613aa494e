// A custom client and its tests.

import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

struct TeaShop: Sendable {
    var manager = SessionManager.default

    func price(of tea: String) async throws -> Int {
        struct Price: Decodable { var cents: Int }
        let url = URL(string: "https://shop.example/teas")!.appending(path: tea)
        return try await manager.request(url).decode(Price.self).cents
    }
}

@Suite(.mocked) struct TeaShopTests {
    @Test func `a tea has a price`() async throws {
        let server = MockServer {
            Route(.get, "https://shop.example/teas/sencha") { Reply.json(["cents": 420]) }
        }
        let shop = TeaShop(manager: SessionManager(configuration: server.configuration))
        #expect(try await shop.price(of: "sencha") == 420)
    }

    @Test(arguments: ["{}", #"{"cents":null}"#, #"{"cents":"420"}"#, "[420]", #"{"cents":42"#, "<html>"])
    func `a wrong response is an error`(text: String) async {
        let server = MockServer { Route(.any) { Reply.text(text, as: .json) } }
        let shop = TeaShop(manager: SessionManager(configuration: server.configuration))
        await #expect(throws: (any Error).self) { try await shop.price(of: "sencha") }
    }

    @Test func `a busy shop is retried after its Retry-After delay`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.get, "/teas/:tea") {
                Reply.status(503).header(.retryAfter, "30")
                Reply.json(["cents": 420])
            }.called(2)
        }
        let shop = TeaShop(
            manager: SessionManager(
                configuration: server.configuration, interceptors: [.retry()], clock: clock))
        #expect(try await shop.price(of: "sencha") == 420)
        #expect(server.requests.map(\.time) == [.zero, .seconds(30)])
    }

    @Test func `a shop that does not answer is a timeout`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) { Route(.any) { Reply.fault(.stall(.beforeHead)) } }
        let shop = TeaShop(manager: SessionManager(configuration: server.configuration, clock: clock))
        let error = await #expect(throws: RESTClientError.self) { try await shop.price(of: "sencha") }
        #expect(error?.kind == .timedOut(.idle))
    }
}
// snippet.hide
