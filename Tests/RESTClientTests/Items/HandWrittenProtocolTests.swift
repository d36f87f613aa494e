import Foundation
import RESTClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The classic set-up: a URLProtocol written by hand, at the front of the configuration's protocol classes.
private final class CannedProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.httpMethod == "GET" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let client, let url = request.url else { return }
        let body =
            switch url.host()?.lowercased() {
            case "notnil", "dataFirst".lowercased(): #"{"items": ["a", "b", "c"]}"#
            case "concepts": #"{"concepts": ["a", "b"]}"#
            default: "GARBAGE"
            }
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        guard let response else { return }
        let dataFirst = url.host()?.lowercased() == "datafirst"
        if !dataFirst { client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
        // In two pieces, as bodies come from a network.
        client.urlProtocol(self, didLoad: Data(body.utf8.prefix(5)))
        client.urlProtocol(self, didLoad: Data(body.utf8.dropFirst(5)))
        if dataFirst { client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
        client.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

@Suite struct HandWrittenProtocolTests {
    private func client(_ host: String) throws -> MyRESTClient {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses?.insert(CannedProtocol.self, at: 0)
        let url = try #require(URL(string: "http://\(host)"))
        return MyRESTClient(url: url, manager: SessionManager(configuration: configuration))
    }

    @Test(arguments: ["notNil", "dataFirst"])
    func `three items come, whichever comes first, the response or the data`(host: String) async throws {
        let client = try client(host)
        #expect(try await client.getAvailableItems() == ["a", "b", "c"])
        let items = await withCheckedContinuation { done in
            client.getAvailableItems { done.resume(returning: $0) }
        }
        #expect(items?.count == 3)
    }

    @Test(arguments: ["nil", "concepts"])
    func `garbage and a wrong shape give nil`(host: String) async throws {
        let client = try client(host)
        let items = await withCheckedContinuation { done in
            client.getAvailableItems { done.resume(returning: $0) }
        }
        #expect(items == nil)
    }
}
