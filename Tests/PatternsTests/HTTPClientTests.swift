import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

// A client protocol and a stub keyed by URL, as written in 2023.

/// The HTTP client that a loader needs, small enough for a hand-written stub.
private protocol HTTPClient: Sendable {
    typealias Completion = @Sendable (Result<(Data, HTTPURLResponse), any Error>) -> Void

    /// Calls the completion handler once.
    func get(from url: URL, completion: @escaping Completion)
}

/// A client that uses `URLSession.shared` or an injected session.
private struct URLSessionHTTPClient: HTTPClient {
    var session = URLSession.shared

    func get(from url: URL, completion: @escaping Completion) {
        session.dataTask(with: url) { data, response, error in
            completion(
                Result {
                    if let error { throw error }
                    guard let data, let response = response as? HTTPURLResponse else {
                        throw URLError(.badServerResponse)
                    }
                    return (data, response)
                })
        }.resume()
    }
}

/// The same client with a session manager: it needs no protocol and returns one value.
private struct PageLoader: Sendable {
    var manager = SessionManager.default

    func get(_ url: URL) async throws -> DataResponse { try await manager.request(url).response() }
}

extension HTTPClient {
    fileprivate func get(_ url: URL) async throws -> (Data, HTTPURLResponse) {
        try await withCheckedThrowingContinuation { done in get(from: url) { done.resume(with: $0) } }
    }
}

@Suite(.mocked) struct HTTPClientTests {
    /// The stubs: a status and a body for each URL.
    private static let stubs: [String: (status: HTTPStatus, body: String)] = [
        "http://shop.example/tea": (200, "green"), "http://shop.example/coffee": (418, "I'm a teapot"),
        "https://cdn.example/tea": (200, "PNG"),
    ]

    private let server = MockServer {
        for (url, stub) in Self.stubs {
            Route(.get, .url(url)) { Reply.text(stub.body, status: stub.status) }.optional()
        }
    }

    @Test(arguments: stubs.keys.sorted()) func `each URL has its own reply`(text: String) async throws {
        let url = try #require(URL(string: text))
        let (data, response) = try await URLSessionHTTPClient(
            session: URLSession(configuration: server.configuration)
        ).get(url)
        #expect(String(decoding: data, as: UTF8.self) == Self.stubs[text]?.body)
        #expect(response.statusCode == Self.stubs[text]?.status.rawValue)
        #expect(response.url == url)
    }

    @Test func `only the manager turns a status above 299 into an error`() async throws {
        let url = try #require(URL(string: "http://shop.example/coffee"))
        let session = URLSession(configuration: server.configuration)
        #expect(try await URLSessionHTTPClient(session: session).get(url).1.statusCode == 418)
        let loader = PageLoader(manager: SessionManager(configuration: server.configuration))
        let error = await #expect(throws: RESTClientError.self) { try await loader.get(url) }
        #expect(error?.kind == .status(418))
        #expect(error?.response?.body == Data("I'm a teapot".utf8))
    }
}
