import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import MockTransport

/// Messages about requests mask the values that a cassette masks in its file.
@Suite struct MaskedMessageTests {
    private static let masking = HAR.Masking.members("email").headers("X-Tenant")
    // "a@b.c" is too short to be masked in other places.
    private static let leaks = ["ann@example.org", "ann%40example.org", "a@b.c", "acme-corp"]

    /// A replay of an archive without entries, and other routes.
    private func server(
        _ masking: HAR.Masking = Self.masking, clock: any Clock<Duration> = ContinuousClock(),
        order: MockServer.Order = .any, @RouteBuilder routes: () -> [Route] = { [] }
    ) -> MockServer {
        MockServer(
            routes(), masking, clock: clock, conditions: .none, order: order,
            at: CodeLocation(#fileID, #filePath, #line, #column))
    }

    private func request(_ path: String = "/users/ann@example.org") throws -> URLRequest {
        try URLRequest(
            "http://shop.example\(path)?email=ann@example.org&email=a@b.c&page=2", method: "POST",
            headers: ["X-Tenant": "acme-corp"], body: #"{"email":"a@b.c","name":"tea"}"#)
    }

    @Test func `an unmatched request and its differences are masked`() async throws {
        let server = server {
            Route(
                .get, "/users", .query("email", "x@example.org"), .header("X-Tenant", "other"),
                .body(text: "milk"), fileID: "Shop/ShopTests.swift", line: 12
            ) { Reply.status(204) }.optional()
        }
        let request = try request()
        let error = await #expect(throws: MockServerError.self) { try await server.text(request) }
        let message = """
            POST http://shop.example/users/***?email=***&email=***&page=2 does not match the only route of the mock server:
              Route(.get, "/users", .query("email", "x@example.org"), .header("X-Tenant", "other"), .body(text: "milk")) \
            at ShopTests.swift:12
                method: expected GET, found POST
                path: expected /users, found /users/***
                query email: expected "x@example.org", found "***", "***"
                header X-Tenant: expected "other", found "***"
                body: expected "milk", found "{\\"email\\":\\"***\\",\\"name\\":\\"tea\\"}"
            Nothing was sent to the network. Add a route for it, or one that replies with Reply.passthrough.
            """
        #expect(error?.description == message)
        #expect(error?.localizedDescription == message)
        let failure = #expect(throws: MockServerError.self) { try server.verify() }
        #expect(failure?.issues.map(\.message) == [message])
        #expect(server.accessLog.contains("POST http://shop.example/users/***?email=***&email=***&page=2"))
        for leak in Self.leaks { #expect(!server.accessLog.contains(leak), "\(server.accessLog)") }
    }

    @Test func `a condition that the masked request would meet shows only the mask`() async throws {
        let server = server { Route("/users", !.query("email", "***")) { Reply.status(204) } }
        let request = try request("/teas")
        let error = try await server.refusal(of: request)
        #expect(error.contains("path: expected /users, found /teas"))
        let other = self.server { Route(!.query("email", "a@b.c")) { Reply.status(204) } }
        let second = await #expect(throws: MockServerError.self) { try await other.text(request) }
        #expect(
            second?.description.contains(#"not: expected not .query("email", "a@b.c"), found ***"#) == true,
            "\(String(describing: second))")
    }

    @Test(arguments: [
        (RequestMatcher.body(form: ["user": "a"]), #"{"password": "hunter2hunter2"}"#),
        (.body(json: ["a": [1]]), #"{"a": {"password": "hunter2hunter2"}}"#),
        (.body(at: "user", "x"), #"{"user": {"password": "hunter2hunter2"}}"#),
        (
            .graphQL("Teas", variables: ["input": 1]),
            #"{"variables": {"input": {"password": "hunter2hunter2"}}}"#
        ),
    ])
    func `what a body has instead is shown without its secrets`(
        matcher: RequestMatcher, body: String
    ) async throws {
        let server = MockServer { Route(.post, "/p;token=hunter2hunter2", matcher) { Reply.status(204) } }
        let request = try URLRequest(
            "http://shop.example/q;token=hunter2hunter2", method: "POST",
            headers: ["Content-Type": "application/json"], body: body)
        let error = try await server.refusal(of: request)
        #expect(error.contains("***") && !error.contains("found {\"password\":\"hunter2"), "\(error)")
        #expect(!error.contains("found /q;token=hunter2"), "\(error)")
    }

    @Test func `the nearest route has the path of the request, even if it has more differences`() async throws
    {
        let server = MockServer {
            Route(.post, "/v1/orders", .header("X-Tenant", "a"), .header("X-App", "b"), .body(json: ["n": 1]))
            {
                Reply.status(204)
            }
            Route(.get, "/v1/a") { Reply.status(204) }
            Route(.get, "/v1/b") { Reply.status(204) }
            Route(.get, "/c") { Reply.status(204) }
            Route("/v1/orders", .header("X-Empty", "")) { Reply.text("another") }
        }
        let error = try await server.refusal(of: URLRequest("http://shop.example/v1/orders", method: "POST"))
        #expect(error.contains("/v1/orders\", .header(\"X-Tenant"), "\(error)")
    }

    @Test func `the changes of a closure apply to messages`() async throws {
        let masking = HAR.Masking.standard.transformRequests { request in
            request.url = URL(literal: "http://shop.example/users/***")
        }
        let server = server(masking) { Route("/users") { Reply.status(204) } }
        let request = try request()
        let text = try await server.refusal(of: request)
        #expect(text.hasPrefix("POST http://shop.example/users/*** does not match the only route"))
        #expect(text.contains("path: expected /users, found /users/***"))
        for leak in Self.leaks { #expect(!text.contains(leak), "\(text)") }
    }

    @Test func `a recorded request is masked once for its differences`() async throws {
        let masking = HAR.Masking.standard.transformRequests { request in
            request.url = request.url.appending(path: "changed")
        }
        let recorded = HAR.Entry(HAR.Request(url: URL(literal: "http://shop.example/teas")))
        let server = server(masking) { HAR([recorded]).routes(matching: .exact, masking: masking) }
        let error = await #expect(throws: MockServerError.self) {
            try await server.text("http://shop.example/milk")
        }
        #expect(
            error?.description.contains("path: expected /teas/changed, found /milk/changed\n") == true,
            "\(String(describing: error))")
    }

    @Test func `every kind of message masks the values`() throws {
        let url = try #require(try request().url)
        let received = ReceivedRequest(
            method: .post, url: url, headers: ["X-Tenant": "acme-corp"],
            body: Data(#"{"email":"a@b.c"}"#.utf8))
        let location = CodeLocation(#fileID, #filePath, #line, #column)
        let kinds: [MockServerError.Kind] = [
            .unmatched(received, routes: 0, nearest: []),
            .exhausted(received, route: "Route(.any)", location: location, call: 2, replies: 1),
            .serverGone(method: "POST", url: url),
            .unsupportedTask(.download, method: "POST", url: url),
            .cassette(.tooLarge(url)),
            .tooFewRequests(expected: 2, received: [received], limit: .seconds(1)),
        ]
        for kind in kinds {
            let text = MockServerError(kind, Self.masking).description
            #expect(text.contains("http://shop.example/users/***?email=***&email=***&page=2"), "\(text)")
            for leak in Self.leaks { #expect(!text.contains(leak), "\(text)") }
            let usual = MockServerError(kind).description
            #expect(usual.contains("email=ann@example.org"), "\(usual)")
        }
    }

    @Test func `the errors of a server mask the values`() async throws {
        let clock = VirtualClock()
        let server = server(clock: clock, order: .asWritten) {
            Route("/first") { Reply.text("tea") }
            Route("/second") {
                Reply.text("tea").delay(.seconds(1))
                Reply.text("milk")
            }
        }
        var texts: [String] = []
        func send(_ path: String) async throws {
            let request = try request(path)
            do { _ = try await server.text(request) } catch { texts.append("\(error)") }
        }
        try await send("/second")
        try await send("/first")
        for _ in 0..<3 { try await send("/second") }
        _ = server.core.clientClocks.withLock { $0.insert(.other) }
        #expect(texts.count == 2, "\(texts)")
        do {
            _ = try await server.requests(count: 9, within: .milliseconds(1))
        } catch { texts.append("\(error)") }
        do { try server.verify() } catch { texts.append("\(error)") }
        #expect(texts.count == 4)
        for text in texts {
            #expect(text.contains("email=***"), "\(text)")
            for leak in Self.leaks { #expect(!text.contains(leak), "\(text)") }
        }
        #expect(texts.last?.contains("on the virtual clock of the server") == true, "\(texts)")
    }

    @Test(.linuxOnly("download tasks are answered on Apple platforms"))
    func `the error of a task that a mock does not answer masks the values`() async throws {
        let server = server { Route(.any) { Reply.text("tea") } }
        let session = URLSession(configuration: server.configuration)
        let request = try request()
        let error = await #expect(throws: MockServerError.self) { try await session.download(for: request) }
        let text = error?.description ?? ""
        #expect(text.contains("http://shop.example/users/***?email=***&email=***&page=2"), "\(text)")
    }

    @Test func `an incomplete recording is reported with masked values`() async throws {
        var response = HAR.Response(status: 0)
        response.failure = .incomplete("the body was not recorded")
        let recorded = HAR.Entry(
            HAR.Request(url: URL(literal: "http://shop.example/teas?email=a@b.c")), response)
        let server = server { HAR([recorded]).routes(matching: .exact, masking: Self.masking) }
        let error = try await server.refusal(of: "http://shop.example/teas?email=d@e.f")
        #expect(
            error == """
                the recorded response to GET http://shop.example/teas?email=*** cannot be replayed: the body was not \
                recorded
                """)
    }

    @Test(arguments: [true, false])
    func `a reply that takes time fails if the server was deallocated meanwhile`(hasBodyStream: Bool) throws {
        let core = ServerCore(
            router: Router([Route(.any) { Reply.text("tea").delay(.seconds(1)) }], masking: Self.masking),
            clock: VirtualClock(.stepped), conditions: .none)
        core.close()
        let request = try request()
        let url = try #require(request.url)
        let delivery = ReplyDelivery(request, on: core.clock, hold: nil, work: core.work) { _ in }
        let body = hasBodyStream ? RequestBody.stream(InputStream(data: Data())) : .data(Data())
        let received = ReceivedRequest(method: .post, url: url)
        guard case .failure(let error)? = core.start(received, body, { delivery })?.first else {
            Issue.record("the reply has started")
            return
        }
        #expect((error as? MockServerError)?.isServerGone == true)
        #expect("\(error)".contains("email=***"))
    }
}
