package import Foundation
package import MockTransport
import RESTClient
import Testing

/// A server with the endpoints of httpbin.
package struct TestServer: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case inProcess = "in the process"
        case loopback = "loopback"
        case httpbin
        case nginx
    }

    package let kind: Kind
    private let base: URL
    /// The configuration of a session that connects to the server.
    package let configuration: URLSessionConfiguration
    private let mock: MockServer?
    /// Keeps the loopback server running.
    private let loopback: LoopbackServer?

    /// A mock that is connected through its session configuration.
    package static func inProcess(_ mock: MockServer = .httpbin()) throws -> TestServer {
        let base = try #require(URL(string: "http://mock.example"))
        return TestServer(
            kind: .inProcess, base: base, configuration: mock.configuration, mock: mock, loopback: nil)
    }

    /// A mock that listens on a socket.
    package static func loopback(_ mock: MockServer = .httpbin()) async throws -> TestServer {
        let loopback = try await mock.listen()
        return TestServer(
            kind: .loopback, base: loopback.url, configuration: .ephemeral, mock: mock, loopback: loopback
        )
    }

    /// A running server outside of the test process.
    package static func external(_ kind: Kind, at base: URL) -> TestServer {
        TestServer(kind: kind, base: base, configuration: .ephemeral, mock: nil, loopback: nil)
    }

    /// Starts a mock as a server of the given kind.
    package static func start(_ kind: Kind, _ mock: MockServer = .httpbin()) async throws -> TestServer {
        kind == .inProcess ? try inProcess(mock) : try await loopback(mock)
    }

    package func url(_ path: String) throws -> URL {
        try #require(URL(string: path, relativeTo: base)).absoluteURL
    }

    /// Returns when a mock has received a request; returns at once for an external server.
    package func waitForRequest() async throws { _ = try await mock?.requests(count: 1) }
}

/// A session manager that sends requests to a test server.
struct TestClient: Sendable {
    let server: TestServer
    let manager: SessionManager

    func request(
        _ path: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody? = nil
    ) throws -> DataRequest {
        manager.request(try server.url(path), method: method, headers: headers, body: body)
    }

    /// Returns the response without validation and without following redirects.
    func response(
        _ path: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody? = nil
    ) async throws -> DataResponse {
        try await request(path, method: method, headers: headers, body: body)
            .validation(.none).redirects(.doNotFollow).response()
    }

    /// Returns the request as the server received it.
    func echo(
        method: HTTPMethod = .post, headers: HTTPHeaders = [:], body: RequestBody? = nil,
        query: String = ""
    ) async throws -> Echo {
        try await request("/anything\(query)", method: method, headers: headers, body: body).decode(Echo.self)
    }
}

/// A request as the server received it, in the JSON format of httpbin.
struct Echo: Codable, Sendable {
    var method: String
    var args: [String: String]
    var headers: [String: String]
    var form: [String: String]
    var data: String

    /// Returns the value of a header field. Names are compared without case, because servers capitalise them differently.
    func header(_ name: String) -> String? {
        headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }
}
