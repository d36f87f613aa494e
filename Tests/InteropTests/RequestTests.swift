import Foundation
import RESTClient
import RESTClientTestingSupport
import Testing

/// A request as httpbin received it.
struct Echo: Decodable, Sendable {
    var method: String?
    var url: String?
    var data: String?
    var headers: [String: String] = [:]
    var form: [String: String]?
    var args: [String: String]?
}

/// Requests to nginx and httpbin with `SessionManager`.
@Suite(.running(.httpbin)) struct RequestTests {
    private let manager = SessionManager()

    @Test(arguments: [200, 201, 204, 404, 418, 500, 503] as [HTTPStatus])
    func `a status is received unchanged`(status: HTTPStatus) async throws {
        let url = try Servers.httpbin("/status/\(status.rawValue)")
        #expect(try await manager.request(url).validation(.none).response().status == status)
    }

    @Test func `the error for a rejected status contains the body`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.nginx("/missing-page")).response()
        }
        #expect(error?.kind == .status(404))
        #expect(error?.response.map { String(decoding: $0.body, as: UTF8.self) }?.contains("no such") == true)
    }

    @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete])
    func `a method is sent unchanged`(method: HTTPMethod) async throws {
        let echo = try await manager.request(Servers.httpbin("/anything"), method: method).decode(Echo.self)
        #expect(echo.method == method.rawValue)
    }

    @Test func `a HEAD response has headers and no body`() async throws {
        let response = try await manager.request(Servers.nginx("/items.json"), method: .head).response()
        #expect(response.headers[.contentLength] == "24")
        #expect(response.body.isEmpty)
    }

    @Test func `query and headers are sent`() async throws {
        let echo = try await manager.request(
            Servers.httpbin("/anything"), query: ["q": "tea + milk & é"], headers: ["X-Caller": "me"]
        ).decode(Echo.self)
        #expect(echo.args == ["q": "tea + milk & é"])
        #expect(echo.headers["X-Caller"] == "me")
    }

    @Test func `a form body is sent`() async throws {
        let echo = try await manager.request(
            Servers.httpbin("/post"), method: .post, body: .form(["name": "tea & milk", "sum": "1+1"])
        ).decode(Echo.self)
        #expect(echo.form == ["name": "tea & milk", "sum": "1+1"])
    }

    @Test(arguments: [0, 1, 1_000, 1_000_000])
    func `a request body of any size is sent completely`(size: Int) async throws {
        let echo = try await manager.request(
            Servers.httpbin("/anything"), method: .put,
            body: .data(Data(repeating: 0x61, count: size), type: "text/plain")
        ).decode(Echo.self)
        #expect(echo.data?.count == size)
        #expect(echo.headers["Content-Length"] == "\(size)")
    }

    @Test func `duplicate headers are joined`() async throws {
        let response = try await manager.request(Servers.nginx("/duplicates")).response()
        #expect(response.headers["x-two"] == "first, second")
    }

    @Test(arguments: ["gzip", "deflate", "brotli"])
    func `an encoded body is decoded`(encoding: String) async throws {
        let text = try await manager.request(Servers.httpbin("/\(encoding)")).string()
        #expect(text.contains("true"))
    }

    @Test(arguments: ["/bytes/65536?seed=1", "/stream-bytes/65536?seed=1&chunk_size=997"])
    func `a response body is received completely`(path: String) async throws {
        #expect(try await manager.request(Servers.httpbin(path)).data().count == 65_536)
    }

    @Test func `a body that exceeds the limit is an error`() async throws {
        var request = try manager.request(Servers.nginx("/body"))
        request.options.maxBodyBytes = 10_000
        let error = await #expect(throws: RESTClientError.self) { try await request.data() }
        guard case .limit = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `two hundred concurrent requests each receive their own response`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let echo = try await manager.request(
                        Servers.httpbin("/anything"), query: ["n": "\(number)"]
                    )
                    .decode(Echo.self)
                    #expect(echo.args == ["n": "\(number)"])
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a closed port is a refused connection`() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let error = await #expect(throws: RESTClientError.self) { try await manager.request(url).response() }
        #expect(error?.kind == .connection(.refused))
    }
}

/// Responses with status 401 and `WWW-Authenticate`.
@Suite(.running(.httpbin)) struct ChallengeTests {
    private let manager = SessionManager()

    @Test(.hangLimit, arguments: ["/basic-auth/u/p", "/digest-auth/auth/u/p", "/bearer"])
    func `a challenge is returned as a 401 without a timeout`(path: String) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let response = try await manager.request(Servers.httpbin(path)).validation(.none).response()
        #expect(response.status == 401)
        #expect(response.headers["WWW-Authenticate"] != nil)
        #expect(start.duration(to: clock.now) < .seconds(20))
    }

    @Test func `the body of a 401 is received`() async throws {
        let response = try await manager.request(Servers.nginx("/unauthorized")).validation(.none).response()
        #expect(String(decoding: response.body, as: UTF8.self).contains("401 Authorization Required"))
    }

    @Test func `credentials in the first request are accepted`() async throws {
        let status = try await manager.request(
            Servers.httpbin("/basic-auth/u/p"), headers: [.authorization: "Basic dTpw"]
        ).response().status
        #expect(status == 200)
    }

    @Test func `wrong credentials are a status error`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(
                Servers.httpbin("/basic-auth/u/p"), headers: [.authorization: "Basic eHg6eHg="]
            ).response()
        }
        #expect(error?.kind == .status(401))
    }
}
