import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// Tests of the workarounds for URLSession; the numbers are those of `Documentation/PlatformFacts.md`.
///
/// They verify the workarounds; `make platform` verifies that the facts still hold.
@Suite struct PlatformTests {
    private static func request(_ server: MockServer, monitor: EventMonitor? = nil) throws -> DataRequest {
        SessionManager(configuration: server.configuration, monitor: monitor).request(try shop())
    }

    @Test func `A1 A17 requests cancelled at their start end`() async throws {
        let server = MockServer { Route(.any) { Reply.text("ok").delay(.milliseconds(1)) } }
        let request = try Self.request(server)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let call = Task { try await request.response() }
                    call.cancel()
                    return (try? await call.value) == nil
                }
            }
            // A request may also succeed; the test verifies that all of them end.
            for await _ in group {}
        }
        #expect(try await request.string() == "ok")
    }

    @Test func `A2 a request can be cancelled from its events`() async throws {
        let call = LockedState<Task<DataResponse, any Error>?>(nil)
        let (ready, source) = AsyncStream.makeStream(of: Void.self)
        let server = MockServer { Route(.any) { Reply.redirect(to: "/there") } }
        let monitor = EventMonitor { event in
            if case .redirect = event.kind { call.withLock { $0 }?.cancel() }
        }
        let request = try Self.request(server, monitor: monitor)
        let task = Task {
            for await _ in ready {}
            return try await request.response()
        }
        call.withLock { $0 = task }
        source.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        "Basic realm=\"shop\"", "Digest realm=\"shop\", nonce=\"n\"", "Bearer", "Negotiate", "garbage=,", "",
    ])
    func `A3 a 401 with any challenge is a 401 with its body`(challenge: String) async throws {
        let server = MockServer {
            Route(.any) { Reply.text("who are you?", status: 401).header(.wwwAuthenticate, challenge) }
        }
        let error = try #require(
            await #expect(throws: RESTClientError.self) { try await Self.request(server).response() })
        #expect(error.kind == .status(401))
        #expect(error.response?.body == Data("who are you?".utf8))
    }

    @Test func `A5 A7 every chunk of a body arrives, in order`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        for number in 0..<1_000 { source.yield(Data("\(number),".utf8)) }
        source.finish()
        let server = MockServer { Route(.any) { Reply.stream(chunks) } }
        let expected = (0..<1_000).map { "\($0)," }.joined()
        #expect(try await Self.request(server).string() == expected)
    }

    @Test func `A6 completion handlers run outside the shared work queue`() async throws {
        let server = MockServer { Route(.any) { Reply.text("ok") } }
        let request = try Self.request(server)
        // The creation of a task waits for that queue; on the queue itself it would trap.
        let session = URLSession(configuration: server.configuration)
        let url = try shop()
        await withCheckedContinuation { done in
            request.response { _ in
                session.dataTask(with: url).cancel()
                done.resume()
            }
        }
        session.invalidateAndCancel()
    }

    @Test func `A16 the session has no cache, cookies or stored credentials`() throws {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-App": "shop"]
        let own = configuration.withoutStores()
        #expect(own.urlCache == nil)
        #expect(own.httpCookieStorage == nil)
        #expect(own.urlCredentialStorage == nil)
        #expect(!own.httpShouldSetCookies)
        #expect(own.httpAdditionalHeaders == nil)
        #expect(configuration.httpAdditionalHeaders != nil, "the caller's configuration is copied")
    }

    @Test func `A18 hosts are compared case-insensitively`() throws {
        #expect(Origin(URL(string: "http://notNil/")) == Origin(URL(string: "HTTP://NOTNIL:80/x")))
    }

    @Test func `A24 a cookie with any name is received`() async throws {
        let server = MockServer { Route(.any) { Reply.text("ok").header(.setCookie, "🇩🇪=1") } }
        let loopback = try await server.listen()
        let response = try await SessionManager().request(loopback.url).response()
        #expect(response.headers[.setCookie]?.hasSuffix("=1") == true)
    }

    @Test(arguments: [nil, 0, 0.3, 1, 1e300] as [Double?])
    func `B the timeout of URLSession never elapses`(seconds: Double?) async throws {
        let server = MockServer { Route(.any) { Reply.text("ok") } }
        var request = URLRequest(url: try shop())
        if let seconds { request.timeoutInterval = seconds }
        let manager = SessionManager(configuration: server.configuration)
        #expect(try await manager.request(request).string() == "ok")
        #expect(request.withoutPlatformFeatures().timeoutInterval == 86_400 * 365)
    }

    @Test(.linuxOnly("a protocol on Apple platforms may deliver only one response"))
    func `B interim responses are ignored`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses?.insert(InterimProtocol.self, at: 0)
        let response = try await SessionManager(configuration: configuration).request(shop()).response()
        #expect(response.status == 200)
        #expect(response.headers["X-Last"] == "1")
    }

    @Test func `B responses are not cached`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text("1").header("Cache-Control", "max-age=3600")
                Reply.text("2").header("Cache-Control", "max-age=3600")
            }
        }
        let request = try Self.request(server)
        #expect(try await request.string() == "1")
        #expect(try await request.string() == "2")
    }

    // The documentation advises against this option. If the test fails, the platform has repaired it.
    @Test(.linuxOnly("the decoder of Apple platforms rejects such a number"))
    func `a JSON5 number with two signs of base 16 ends the process`() async {
        await #expect(processExitsWith: .failure) {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            _ = try? decoder.decode([Int].self, from: Data("[0x0X]".utf8))
        }
    }
}

/// A protocol that delivers a 103 before its 200.
private final class InterimProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        for (status, headers) in [(103, ["Link": "</a>"]), (200, ["X-Last": "1"])] {
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
            if let response {
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            }
        }
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
