import Foundation
import MockTransport
import RESTClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The items client with a session manager, and a mock protocol that answers by host. The client is the library's own:
// a struct of a URL and a manager that may be nil.

// The suite of the README, `Items by host`, is next to this file; these are the tests that it has no room for.

extension `Items by host` {
    @Test func `the completion gets the items of a list`() async {
        #expect(await client("notNil").itemsOfCompletion() == ["a", "b", "c"])
    }

    @Test(arguments: [nil, SessionManager.default])
    func `the real path - no manager is the default one, and meets a socket`(
        manager: SessionManager?
    ) async throws {
        let server = MockServer { Route(.get, "/") { Reply.json(["items": ["a", "b", "c"]]) } }
        let loopback = try await server.listen()
        let client = MyRESTClient(url: loopback.url, manager: manager)
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
        await loopback.close()
    }
}

/// The mock protocol as it was written by hand, which a manager meets as well.
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
        // In two pieces, as bodies come from a network.
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

    @Test(arguments: ["notNil", "dataFirst"])
    func `three items come, whichever comes first, the response or the data`(host: String) async throws {
        let client = try client(host)
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
        #expect(await client.itemsOfCompletion()?.count == 3)
    }

    @Test(arguments: ["nil", "concepts"])
    func `garbage and a wrong shape give nil here, too`(host: String) async throws {
        #expect(try await client(host).itemsOfCompletion() == nil)
    }
}

extension MyRESTClient {
    /// What the completion handler is called with.
    fileprivate func itemsOfCompletion() async -> [MyItem]? {
        await withCheckedContinuation { done in
            getAvailableItems { done.resume(returning: $0) }
        }
    }
}
