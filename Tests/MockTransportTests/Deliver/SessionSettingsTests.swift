import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

import RESTClientPlatform
@testable import MockTransport

@Suite struct SessionSettingsTests {
    private let url = URL(literal: "http://shop.example/items")

    @Test func `additional headers of the session arrive unless the request has them`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let configuration = server.configuration
        configuration.httpAdditionalHeaders = ["X-Client": "shop", "accept": "text/plain"]
        let request = URLRequest(url, headers: ["Accept": "application/json"])
        _ = try await URLSession(configuration: configuration).data(for: request)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["X-Client"] == "shop")
        #expect(headers[all: .accept] == ["application/json"])
    }

    @Test func `each session of a server keeps its own settings`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let sessions = (0..<40).map { number in
            let configuration = server.configuration
            configuration.httpAdditionalHeaders = ["X-Number": "\(number)"]
            return URLSession(configuration: configuration)
        }
        for _ in 0..<2 {
            for session in sessions { _ = try await session.data(from: url) }
        }
        let numbers = (0..<40).map { "\($0)" }
        #expect(server.requests.map { $0.headers["X-Number"] } == numbers + numbers)
    }

    @Test func `a session with the address of a deallocated one has its own settings`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        for number in 0..<100 {
            let configuration = server.configuration
            configuration.httpAdditionalHeaders = ["X-Number": "\(number)"]
            weak var released: URLSession?
            do {
                let session = URLSession(configuration: configuration)
                released = session
                _ = try await session.data(from: url)
                session.finishTasksAndInvalidate()
            }
            for _ in 0..<2_000 where released != nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(released == nil)
        }
        #expect(server.requests.map { $0.headers["X-Number"] } == (0..<100).map { "\($0)" })
    }

    @Test(.linuxOnly("a protocol on Apple platforms does not know the cookie storage of its session"))
    func `cookies of a reply are stored and sent with the next request`() async throws {
        let server = MockServer {
            Route("/login") {
                Reply.status(204).header(.setCookie, "sid=7; Expires=Fri, 31 Dec 2100 23:59:59 GMT; Path=/")
                    .header(.setCookie, "theme=dark")
            }
            Route("/items") { Reply.text("tea") }
        }
        let session = URLSession(configuration: server.configuration)
        _ = try await session.data(from: URL(literal: "http://shop.example/login"))
        _ = try await session.data(from: url)
        let cookies = session.configuration.httpCookieStorage?.cookies(for: url) ?? []
        #expect(Set(cookies.map { "\($0.name)=\($0.value)" }) == ["sid=7", "theme=dark"])
        let sent = server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? []
        #expect(Set(sent) == ["sid=7", "theme=dark"])
        // A configuration of the same server has its own store.
        _ = try await URLSession(configuration: server.configuration).data(from: url)
        #expect(server.requests.last?.headers[.cookie] == nil)
    }

    @Test(arguments: ["never", "request"])
    func `cookies are not stored if the session or the request does not allow it`(by: String) async throws {
        let server = MockServer { Route(.any) { Reply.text("tea").header(.setCookie, "sid=7") } }
        let configuration = server.configuration
        if by == "never" { configuration.httpCookieAcceptPolicy = .never }
        let session = URLSession(configuration: configuration)
        var request = URLRequest(url: url)
        request.httpShouldHandleCookies = by != "request"
        _ = try await session.data(for: request)
        #expect(session.configuration.httpCookieStorage?.cookies?.isEmpty ?? true)
    }

    @Test
    func `a cookie that the platform cannot parse does not end the process - PLATFORM A24`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea").header(.setCookie, "🇩🇪=1") } }
        #expect(try await server.text("http://shop.example/") == "tea")
    }

    @Test(arguments: ["ftp", "ws", "gopher", "shop"])
    func `a request with another scheme stays in the mock`(scheme: String) async throws {
        let raw = try RawServer { _ in [.close] }
        let server = MockServer { Route(.get, "/here") { Reply.text("tea") } }
        #expect(try await server.text("\(scheme)://127.0.0.1:\(raw.port)/here") == "tea")
        await #expect(throws: MockServerError.self) {
            try await server.text("\(scheme)://127.0.0.1:\(raw.port)/other")
        }
        #expect(raw.connections == 0)
    }

    @Test func `data URLs are loaded by URLSession`() async throws {
        let server = MockServer { Route(.any) { Reply.text("mock") }.optional() }
        let session = URLSession(configuration: server.configuration)
        let (data, _) = try await session.data(from: URL(literal: "data:text/plain,tea"))
        #expect(String(decoding: data, as: UTF8.self) == "tea")
        #expect(server.requests.isEmpty)
    }
}
