package import Foundation
package import MockTransport
import RESTClient
import Testing

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Something that answers, and speaks the paths of httpbin.
package struct Target: Sendable {
    /// What kind of server it is.
    package enum Kind: String, Sendable, CaseIterable {
        case inProcess = "in the process"
        case loopback = "loopback"
        case httpbin
        case nginx
    }

    package let kind: Kind
    private let base: URL
    /// What a session needs to reach it.
    package let configuration: URLSessionConfiguration
    /// The mock behind it, where it is one of ours.
    private let server: MockServer?
    /// Kept, so that it listens as long as the target is there.
    private let loopback: LoopbackServer?

    /// A mock in the process.
    package static func inProcess(_ server: MockServer = .conforming()) throws -> Target {
        let base = try #require(URL(string: "http://mock.example"))
        return Target(
            kind: .inProcess, base: base, configuration: server.configuration, server: server, loopback: nil)
    }

    /// A mock on a socket.
    package static func loopback(_ server: MockServer = .conforming()) async throws -> Target {
        let loopback = try await server.listen()
        return Target(
            kind: .loopback, base: loopback.url, configuration: .ephemeral, server: server, loopback: loopback
        )
    }

    /// A server that is not ours.
    package static func real(_ kind: Kind, at base: URL) -> Target {
        Target(kind: kind, base: base, configuration: .ephemeral, server: nil, loopback: nil)
    }

    /// A new one of `kind`, made from the mock's routes.
    package static func made(_ kind: Kind, _ server: MockServer = .conforming()) async throws -> Target {
        kind == .inProcess ? try inProcess(server) : try await loopback(server)
    }

    package func url(_ path: String) throws -> URL {
        try #require(URL(string: path, relativeTo: base)).absoluteURL
    }

    /// Returns when a request has come to the server, where that can be seen.
    package func isReached() async throws { _ = try await server?.requests(count: 1) }
}

/// What a behaviour is looked for on.
struct Subject: Sendable {
    let target: Target
    let manager: SessionManager

    func request(
        _ path: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody? = nil
    ) throws -> DataRequest {
        manager.request(try target.url(path), method: method, headers: headers, body: body)
    }

    /// The answer whatever its status; a redirect is one, too.
    func response(
        _ path: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody? = nil
    ) async throws -> DataResponse {
        try await request(path, method: method, headers: headers, body: body)
            .validation(.none).redirects(.refuse).response()
    }

    /// What the server got.
    func echo(
        method: HTTPMethod = .post, headers: HTTPHeaders = [:], body: RequestBody? = nil,
        query: String = ""
    ) async throws -> Echo {
        try await request("/anything\(query)", method: method, headers: headers, body: body).decode(Echo.self)
    }
}

/// What a server says it got, in the words of httpbin.
struct Echo: Codable, Sendable {
    var method: String
    var args: [String: String]
    var headers: [String: String]
    var form: [String: String]
    var data: String

    /// Names compare without case: every server writes them in its own.
    func header(_ name: String) -> String? {
        headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }
}
