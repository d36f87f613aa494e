import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

/// The same requests in the process and on a socket, with all fields that a server receives and a client receives.
@Suite struct ServerDifferenceTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let method: HTTPMethod
        let path: String
        var headers: HTTPHeaders = [:]
        var body: String?
        /// The user info of the URL.
        var user = ""
        var testDescription: String { "\(method) \(user)\(path) \(headers)" }
    }

    enum Client: CaseIterable, Sendable { case plainSession, manager }

    static let samples = [
        Sample(method: .get, path: "/tea?q=a%20b+c&n=%C3%BC&flag&empty="),
        Sample(method: .get, path: "/caf%C3%A9/%2F/a%3Ab;c=1"), Sample(method: .head, path: "/tea"),
        Sample(
            method: .get, path: "/tea",
            headers: ["X-B": "2", "x-a": "1", "Cookie": "a=1; b=2", .authorization: "Bearer t"]),
        Sample(method: .get, path: "/file", headers: [.ifNoneMatch: #""v1""#]),
        Sample(method: .get, path: "/file", headers: [.range: "bytes=1-2"]),
        Sample(method: .get, path: "/chunks"), Sample(method: .get, path: "/late"),
        Sample(method: .post, path: "/tea", headers: [.contentType: "application/json"], body: "{}"),
        Sample(method: .put, path: "/tea", headers: [.contentType: "text/plain"], body: "grün"),
        Sample(method: .delete, path: "/empty"), Sample(method: "PURGE", path: "/tea"),
    ]

    /// The fields that URLSession adds to a request on Linux before it sends it.
    static let completedSamples = [
        Sample(method: .post, path: "/tea", body: "a=1"), Sample(method: .post, path: "/tea", body: "{}"),
        Sample(method: .put, path: "/tea", body: "a=1"), Sample(method: .post, path: "/tea"),
        Sample(method: .get, path: "/tea", user: "ann:s%20cr%C3%A9t@"),
        Sample(method: .get, path: "/tea", user: "ann@"),
        Sample(method: .get, path: "/tea", headers: [.authorization: "Bearer t"], user: "ann:secret@"),
    ]

    private static func server() -> MockServer {
        MockServer {
            Route("/file") { Reply.text("oolong").header(.eTag, #""v1""#).conditional() }
            Route("/chunks") { Reply.text("green tea").dribble(chunks: 3, over: .milliseconds(3)) }
            Route("/late") { _ in .text("tea", status: 203).delay(.milliseconds(2)) }
            Route("/empty") { Reply.status(204) }
            Route("/**") {
                Reply.text("tea").header("X-A", "1").header("X-A", "2").header(.setCookie, "a=1; Path=/")
            }
        }
    }

    /// The fields that only a connection needs, or that libcurl and the loading system of Apple platforms add.
    private static let transportFields: Set<HTTPHeaders.Name> = [
        .host, .userAgent, .accept, .acceptEncoding, "Accept-Language", "Connection", .contentLength, .date,
        .transferEncoding,
    ]

    private func lines(_ headers: HTTPHeaders) -> [String] {
        let names = Set(headers.map(\.name)).subtracting(Self.transportFields)
        return names.map { "\($0.rawValue.lowercased()): \(headers[$0] ?? "")" }.sorted()
    }

    @Test(arguments: samples, Client.allCases)
    func `a server and its client receive the same in the process and on a socket`(
        sample: Sample, client: Client
    ) async throws {
        try await compare(sample, client)
    }

    @Test(
        .linuxOnly("URLSession on Apple platforms completes a request only for its own protocols"),
        arguments: completedSamples, Client.allCases)
    func `a server receives what URLSession adds to a request in the process and on a socket`(
        sample: Sample, client: Client
    ) async throws {
        try await compare(sample, client)
    }

    private func compare(_ sample: Sample, _ client: Client) async throws {
        let (inProcess, onSocket) = (Self.server(), Self.server())
        let loopback = try await onSocket.listen()
        let address = loopback.url.absoluteString.replacing(
            "//", with: "//\(sample.user)", maxReplacements: 1)
        let url = try #require(URL(string: address + sample.path))
        func exchange(_ configuration: URLSessionConfiguration, _ server: MockServer) async throws -> [String]
        {
            configuration.httpCookieStorage = nil
            let (status, headers, body) = try await send(sample, to: url, client, configuration)
            let request = try #require(server.requests.first)
            var fields: [String] = ["\(server.requests.count)", "\(request.method) \(request.url)"]
            fields += ["\(request.query)", request.text, request.route ?? "no route"]
            fields += lines(request.headers)
            fields += ["\(status)", body]
            fields += lines(headers)
            return fields
        }
        let expected = try await exchange(.ephemeral, onSocket)
        let found = try await exchange(inProcess.configuration, inProcess)
        #expect(found == expected)
    }

    private func send(
        _ sample: Sample, to url: URL, _ client: Client, _ configuration: URLSessionConfiguration
    ) async throws -> (status: Int, headers: HTTPHeaders, body: String) {
        switch client {
        case .manager:
            let body = sample.body.map {
                RequestBody.data(
                    Data($0.utf8),
                    type: sample.headers[.contentType].map(MediaType.init(rawValue:)) ?? .octetStream)
            }
            let response = try await SessionManager(configuration: configuration)
                .request(url, method: sample.method, headers: sample.headers, body: body)
                .validation(.none).response()
            return (
                response.status.rawValue, response.headers, String(decoding: response.body, as: UTF8.self)
            )
        case .plainSession:
            var request = URLRequest(url: url)
            request.httpMethod = sample.method.rawValue
            request.httpBody = sample.body.map { Data($0.utf8) }
            for (name, value) in sample.headers { request.setValue(value, forHTTPHeaderField: name.rawValue) }
            let (data, response) = try await URLSession(configuration: configuration).data(for: request)
            let http = try #require(response as? HTTPURLResponse)
            return (
                http.statusCode, HTTPHeaders(http.allHeaderFields as? [String: String] ?? [:]),
                String(decoding: data, as: UTF8.self)
            )
        }
    }
}
