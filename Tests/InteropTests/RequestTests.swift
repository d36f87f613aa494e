import Foundation
import RESTClient
import RESTClientTestingSupport
import Testing

/// What only real servers have. `ConformanceTests` checks the behaviors that they share with mock servers.
@Suite(.running(.httpbin), .hangLimit) struct RequestTests {
    private let manager = SessionManager()

    @Test func `the error for a rejected status contains the body`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(Servers.nginx("/missing-page")).response()
        }
        #expect(error?.kind == .status(404))
        #expect(error?.response.map { String(decoding: $0.body, as: UTF8.self) }?.contains("no such") == true)
    }

    @Test(arguments: ["gzip", "deflate", "brotli"])
    func `an encoded body is decoded`(encoding: String) async throws {
        #expect(try await manager.request(Servers.httpbin("/\(encoding)")).string().contains("true"))
    }

    @Test(arguments: ["/basic-auth/u/p", "/digest-auth/auth/u/p", "/bearer"])
    func `a challenge is returned as a 401 without a timeout`(path: String) async throws {
        let response = try await manager.request(Servers.httpbin(path)).timeout(.seconds(20))
            .validation(.none).response()
        #expect(response.status == 401)
        #expect(response.headers["WWW-Authenticate"] != nil)
    }

    @Test func `wrong credentials are a status error`() async throws {
        let error = await #expect(throws: RESTClientError.self) {
            try await manager.request(
                Servers.httpbin("/basic-auth/u/p"), headers: [.authorization: "Basic eHg6eHg="]
            ).response()
        }
        #expect(error?.kind == .status(401))
    }

    @Test func `received bytes restart the idle timeout`() async throws {
        var request = try manager.request(Servers.httpbin("/drip?duration=2&numbytes=8&delay=0"))
        request.options.timeouts = Timeouts(idle: .seconds(1))
        #expect(try await request.data().count == 8)
    }

    @Test func `a redirect to another origin drops credentials, cookies and custom headers`() async throws {
        struct Echo: Decodable {
            var url: String
            var headers: [String: String]
        }
        let target = try Servers.otherOrigin("/anything").absoluteString
        let query: QueryItems = ["url": target, "status_code": "302"]
        let echo = try await manager.request(
            Servers.httpbin("/redirect-to?\(query.percentEncoded)"),
            headers: [.authorization: "Basic dTpw", .cookie: "a=1", "X-Caller": "me"]
        ).decode(Echo.self)
        let names = Set(echo.headers.keys.map { $0.lowercased() })
        #expect(names.isDisjoint(with: ["authorization", "cookie", "x-caller"]))
        #expect(echo.url == target)
    }

    @Test(arguments: [Servers.nginx, .python])
    func `a list returns its items`(server: Servers) async throws {
        #expect(try await MyRESTClient(url: server("/items.json")).getAvailableItems() == ["a", "b", "c"])
    }

    @Test func `a list of two million items is complete`() async throws {
        let items = try await MyRESTClient(url: Servers.nginx("/big/items.json")).getAvailableItems()
        #expect(items.count == 2_000_000)
        #expect(items.first == "item 0")
        #expect(items.last == "item 1999999")
    }
}
