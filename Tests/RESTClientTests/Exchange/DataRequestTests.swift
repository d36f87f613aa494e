import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct DataRequestTests {
    @Test func `a response has status, headers, body and request`() async throws {
        let server = MockServer { Route(.get, "/items") { Reply.text("tea").header("X-Kind", "green") } }
        let response = try await server.manager().request(shop(), query: ["q": "a+b"]).response()

        #expect(response.status == 200)
        #expect(response.headers["x-kind"] == "green")
        #expect(response.body == Data("tea".utf8))
        #expect(response.url?.absoluteString == "http://shop.example/items?q=a%2Bb")
        #expect(response.attempts.count == 1)
        #expect(server.requests.first?.query["q"] == "a+b")
    }

    @Test func `a body that cannot be encoded is an error, and nothing is sent`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let request = try server.manager().request(shop(), method: .post, body: .json([Double.nan]))
        let error = try await failure { try await request.response() }
        #expect(error.kind == .invalidRequest(.bodyEncodingFailed))
        #expect(server.requests.isEmpty)
    }

    @Test func `headers of the request replace those of the configuration`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let configuration = server.configuration
        configuration.httpAdditionalHeaders = ["X-App": "shop", "Accept": "text/plain"]
        let manager = SessionManager(configuration: configuration)
        _ = try await manager.request(shop(), headers: [.accept: "text/html"]).response()

        #expect(server.requests.first?.headers["X-App"] == "shop")
        #expect(server.requests.first?.headers[.accept] == "text/html")
    }

    @Test func `a status outside 200 to 299 throws with head and start of the body`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(String(repeating: "x", count: 9_000), status: 503).header("X-Why", "busy")
            }
        }
        let request = try server.manager().request(shop())
        let error = try await failure { try await request.response() }
        #expect(error.kind == .status(503))
        #expect(error.response?.headers["X-Why"] == "busy")
        #expect(error.response?.body.count == 9_000)
        #expect(error.attempts.count == 1)
        #expect(try await request.validation(.none).response().body.count == 9_000)
    }

    @Test(
        arguments: [
            (#"{"title": "Out of credit", "detail": "Your balance is 30."}"#, "Your balance is 30."),
            (#"{"title": 5, "detail": "Broke.", "status": "x", "type": []}"#, "Broke."),
            (#"{"detail": {"a": 1}}"#, nil),
            (#"{"detail": "\u001b[2J\n", "type": "not a url \u0000"}"#, "\u{1B}[2J\n"), ("[]", nil),
            ("", nil), (String(repeating: "[", count: 4_096), nil), (#"{"detail": "cut"#, nil),
        ] as [(String, String?)])
    func `a problem document is part of the error, decoded as far as possible`(
        body: String, detail: String?
    ) async throws {
        let server = MockServer { Route(.any) { Reply.text(body, as: .problemJSON, status: 403) } }
        let request = try server.manager().request(shop())
        let error = try await failure { try await request.response() }
        #expect(error.problem?.detail == detail)
        if body.contains("credit") {
            #expect(error.problem?.title == "Out of credit")
            #expect("\(error)".contains("Your balance is 30."))
        }
        #expect(!"\(error)".unicodeScalars.contains { TerminalEscaping.isUnsafe($0) && $0 != "\n" })
    }

    @Test func `a body above the limit is an error`() async throws {
        let server = MockServer { Route(.any) { Reply.text(String(repeating: "x", count: 1_001)) } }
        var request = try server.manager().request(shop())
        request.options.maxBodyBytes = 1_000
        #expect(try await failure { try await request.data() }.kind == .limit(.bodyBytes(1000)))
        request.options.maxBodyBytes = 1_001
        #expect(try await request.data().count == 1_001)
    }

    @Test func `a platform error keeps its domain and code`() async throws {
        let server = MockServer { Route(.any) { Reply.error(URLError(.cannotConnectToHost)) } }
        let request = try server.manager().request(shop())
        let error = try await failure { try await request.response() }
        #expect(error.kind == .connection(.refused))
        #expect((error.underlying as? URLError)?.code == .cannotConnectToHost)
    }

    @Test func `a completion handler is called once with the result`() async throws {
        let server = MockServer { Route(.any) { Reply.json([1, 2, 3]) } }
        let request = try server.manager().request(shop())
        let numbers = await withCheckedContinuation { done in
            request.decode([Int].self) { done.resume(returning: try? $0.get()) }
        }
        #expect(numbers == [1, 2, 3])
        let status = await withCheckedContinuation { done in
            request.response { done.resume(returning: try? $0.get().status) }
        }
        #expect(status == 200)
    }

    @Test(arguments: [
        (HTTPMethod.get, 204, "the response has no content"), (.get, 205, "the response has no content"),
        (.head, 200, "the response is empty, not JSON"), (.get, 200, "the response is empty, not JSON"),
    ])
    func `an empty body decodes only to NoContent`(
        method: HTTPMethod, status: Int, words: String
    ) async throws {
        let server = MockServer { Route(.any) { Reply.status(HTTPStatus(rawValue: status)) } }
        let request = try server.manager().request(shop(), method: method)
        #expect(try await request.decode(NoContent.self) == NoContent())
        let error = await #expect(throws: RESTClientError.self) { try await request.decode([String].self) }
        #expect(error?.kind == .notJSON(found: ""))
        #expect(error?.message.hasPrefix("\(words): \(method) http://shop.example/") == true)
    }
}
