import Foundation
import RESTClient
import Testing

/// Redirects between real servers.
@Suite(.running(.httpbin)) struct RedirectTests {
    private let manager = SessionManager()
    private let secrets: HTTPHeaders = [.authorization: "Basic dTpw", .cookie: "a=1", "X-Caller": "me"]

    /// Returns the URL of a redirect to `target`.
    private func redirect(to target: String, status: Int = 302) throws -> URL {
        let query: QueryItems = ["url": target, "status_code": "\(status)"]
        return try Servers.httpbin("/redirect-to?\(query.percentEncoded)")
    }

    @Test func `a redirect to another origin drops credentials, cookies and custom headers`() async throws {
        let url = try redirect(to: Servers.otherOrigin("/anything").absoluteString)
        let echo = try await manager.request(url, headers: secrets).decode(Echo.self)
        let names = Set(echo.headers.keys.map { $0.lowercased() })
        #expect(names.isDisjoint(with: ["authorization", "cookie", "x-caller"]))
        #expect(echo.url == (try Servers.otherOrigin("/anything").absoluteString))
    }

    @Test func `a redirect to the same origin keeps all headers`() async throws {
        let echo = try await manager.request(redirect(to: "/anything"), headers: secrets).decode(Echo.self)
        #expect(echo.headers["Authorization"] == "Basic dTpw")
        #expect(echo.headers["Cookie"] == "a=1")
        #expect(echo.headers["X-Caller"] == "me")
    }

    @Test(arguments: [307, 308])
    func `307 and 308 keep method and body`(status: Int) async throws {
        let echo = try await manager.request(
            redirect(to: "/anything", status: status), method: .put, body: .data(Data("tea".utf8))
        ).decode(Echo.self)
        #expect(echo.method == "PUT")
        #expect(echo.data == "tea")
    }

    @Test(arguments: [302, 303])
    func `302 and 303 change a POST to a GET`(status: Int) async throws {
        let echo = try await manager.request(
            redirect(to: "/anything", status: status), method: .post, body: .data(Data("tea".utf8))
        ).decode(Echo.self)
        #expect(echo.method == "GET")
        #expect(echo.data == "")
    }

    @Test func `a response contains its redirects`() async throws {
        let response = try await manager.request(Servers.httpbin("/redirect/3")).response()
        #expect(response.redirects.count == 3)
        #expect(response.request.url?.path == "/get")
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/plain,x"])
    func `a redirect to another scheme than HTTP is an error`(target: String) async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(redirect(to: target)).response()
        }
        guard case .redirect = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a redirect loop ends after ten redirects`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.nginx("/loop")).response()
        }
        guard case .redirect(.tooMany(max: 10, _)) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `redirects are not followed with the refuse policy`() async throws {
        let response = try await manager.request(Servers.nginx("/loop")).redirects(.doNotFollow).validation(
            .none
        )
        .response()
        #expect(response.status == 302)
    }
}
