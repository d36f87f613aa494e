import Foundation
import MockTransport
import RESTClient
import Testing

// The items client with a session manager, and a mock protocol that answers by host. The client is `MyRESTClient`,
// with a URL and an optional manager.

// The suite of the README, `Items by host`, is next to this file. These tests extend it.

extension `Items by host` {
    @Test func `the completion handler gets the items`() async {
        #expect(await client("notNil").itemsOfCompletion() == ["a", "b", "c"])
    }

    @Test(arguments: [nil, SessionManager.default])
    func `a nil manager is the default manager and works over a socket`(manager: SessionManager?) async throws
    {
        let server = MockServer { Route(.get, "/") { Reply.json(["items": ["a", "b", "c"]]) } }
        let loopback = try await server.listen()
        let client = MyRESTClient(url: loopback.url, manager: manager)
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
        await loopback.close()
    }
}

/// A hand-written mock protocol, which works with a manager, too.
private final class CannedProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.httpMethod == "GET" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let client, let url = request.url else { return }
        // Hosts match without case (PLATFORM A18).
        let host = url.host()?.lowercased()
        let body =
            switch host {
            case "notnil", "datafirst": #"{"items": ["a", "b", "c"]}"#
            case "concepts": #"{"concepts": ["a", "b"]}"#
            default: "GARBAGE"
            }
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        guard let response else { return }
        let isDataFirst = host == "datafirst"
        if !isDataFirst { client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
        // In two chunks, like a body from a network.
        client.urlProtocol(self, didLoad: Data(body.utf8.prefix(5)))
        client.urlProtocol(self, didLoad: Data(body.utf8.dropFirst(5)))
        if isDataFirst { client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
        client.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

@Suite struct HandWrittenProtocolTests {
    func client(_ host: String) throws -> MyRESTClient {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses?.insert(CannedProtocol.self, at: 0)
        let url = try #require(URL(string: "http://\(host)"))
        return MyRESTClient(url: url, manager: SessionManager(configuration: configuration))
    }

    @Test(arguments: ["notNil", "dataFirst"]) func `three items arrive in either order of response and data`(
        host: String
    ) async throws {
        let client = try client(host)
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
        #expect(await client.itemsOfCompletion()?.count == 3)
    }

    @Test(arguments: ["nil", "concepts"]) func `garbage and a wrong shape give nil with a custom protocol`(
        host: String
    ) async throws { #expect(try await client(host).itemsOfCompletion() == nil) }
}

extension MyRESTClient {
    /// The items that the completion handler gets.
    fileprivate func itemsOfCompletion() async -> [MyItem]? {
        await withCheckedContinuation { done in getAvailableItems { done.resume(returning: $0) } }
    }
}
