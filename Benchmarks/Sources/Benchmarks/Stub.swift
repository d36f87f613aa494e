import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The least that a URLProtocol can do: answers at once, whatever is asked.
final class Stub: URLProtocol {
    static let body = Data(#"{"items": ["tea", "milk", "sugar", "lemon"], "total": 4}"#.utf8)

    /// Of a session that it answers.
    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [Stub.self]
        return configuration
    }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: [
                    "Content-Type": "application/json", "Content-Length": "\(Self.body.count)",
                ])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Self.body)
        client?.urlProtocolDidFinishLoading(self)
    }
}
