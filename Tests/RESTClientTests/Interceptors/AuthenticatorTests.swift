import Foundation
import RESTClientHTTP
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// Refreshes through a manager, with a mock that accepts one token only.
@Suite struct AuthenticatorTests {
    static func shop(_ path: String = "/items") throws -> URL {
        try #require(URL(string: "http://shop.example\(path)"))
    }

    /// A server that answers 200 to the token "new" and 401 to any other, and returns "new" at /login.
    static func server(clock: any Clock<Duration> = ContinuousClock()) -> MockServer {
        MockServer(clock: clock) {
            Route(.post, "/login") { Reply.text("new") }
            Route(.any) { request in
                request.headers[.authorization] == "Bearer new" ? .text("tea") : .status(401)
            }
        }
    }

    static func login(_ manager: SessionManager) async throws -> Credential {
        .bearer(try await manager.request(shop("/login"), method: .post).string())
    }

    // MARK: Origin

    @Test func `without an origin a credential is sent to the base URL only`() async throws {
        let credentials: [any RequestInterceptor] = [
            .bearer("new"), Authenticator(.bearer("new")), .credential(.bearer("new")),
            Authenticator { _, manager in .bearer(try await manager.request("login", method: .post).string())
            },
        ]
        for credential in credentials {
            let server = Self.server()
            let manager = SessionManager(
                baseURL: try Self.shop("/"), configuration: server.configuration, interceptors: [credential])
            #expect(try await manager.request("items").string() == "tea")
            let other = await #expect(throws: RESTClientError.self) {
                try await manager.request("http://other.example/items").response()
            }
            #expect(other?.kind == .status(401))
            #expect(server.requests.last?.headers[.authorization] == nil)
        }
    }

    @Test func `a credential without an origin or a base URL is an error`() async throws {
        let server = Self.server()
        for credential in [Authenticator(.bearer("new")), Authenticator { _, _ in .bearer("new") }] {
            let error = await #expect(throws: RESTClientError.self) {
                try await server.manager(credential).request(Self.shop()).response()
            }
            #expect(error?.kind == .authentication(.missingOrigin))
            #expect(error?.hint == "set SessionManager.baseURL, or pass for: to the credential")
        }
        #expect(server.requests.isEmpty)
    }

    // MARK: Refresh

    @Test func `without a credential the first request starts with a refresh`() async throws {
        let server = Self.server()
        let session = try Authenticator(for: Self.shop()) { refused, manager in
            #expect(refused == nil)
            return try await Self.login(manager)
        }
        let manager = server.manager(session)
        #expect(try await manager.request(Self.shop()).string() == "tea")
        #expect(try await manager.request(Self.shop("/more")).string() == "tea")
        #expect(server.requests.map { $0.url.path() } == ["/login", "/items", "/more"])
        #expect(server.requests.first?.headers[.authorization] == nil)
    }

    @Test func `a refused credential is refreshed and the complete request is sent again`() async throws {
        let server = Self.server()
        let session = try Authenticator(for: Self.shop(), credential: .bearer("old")) { refused, manager in
            #expect(refused == .bearer("old"))
            return try await Self.login(manager)
        }
        let request = try server.manager(session).request(
            Self.shop(), method: .post, headers: ["X-Trace": "7"], body: .form(["id": "7"]))
        #expect(try await request.string() == "tea")
        let sent = server.requests.filter { $0.url.path() == "/items" }
        #expect(sent.map { $0.headers[.authorization] } == ["Bearer old", "Bearer new"])
        #expect(sent.map(\.body) == [Data("id=7".utf8), Data("id=7".utf8)])
        #expect(sent.map { $0.headers["X-Trace"] } == ["7", "7"])
    }

    @Test(arguments: [0, 60])
    func `a credential is refreshed before it is sent if it expires within the leeway`(
        leeway: Int
    ) async throws {
        let server = Self.server()
        let expiry = Date(timeIntervalSince1970: 1_000)
        let renewal = expiry.addingTimeInterval(-Double(leeway))
        let time = LockedState(renewal - 1)
        let seen = LockedState<[Credential?]>([])
        let session = try Authenticator(
            for: Self.shop(), credential: .bearer("new", expires: expiry), leeway: .seconds(leeway),
            now: { time.withLock { $0 } }
        ) { refused, manager in
            seen.withLock { $0.append(refused) }
            return try await Self.login(manager)
        }
        let manager = server.manager(session)
        _ = try await manager.request(Self.shop()).response()
        #expect(seen.withLock { $0.count } == 0)
        time.withLock { $0 = renewal }
        _ = try await manager.request(Self.shop()).response()
        _ = try await manager.request(Self.shop()).response()
        #expect(seen.withLock { $0 } == [.bearer("new", expires: expiry)])
        #expect(server.requests.map { $0.url.path() } == ["/items", "/login", "/items", "/items"])
    }

    @Test(arguments: [200, 403, 404, 407, 500]) func `only a 401 causes a refresh`(status: Int) async throws {
        let server = MockServer { Route(.any) { Reply.status(HTTPStatus(rawValue: status)) } }
        let session = try Authenticator(for: Self.shop(), credential: .bearer("old")) { _, _ in
            Issue.record("unexpected refresh")
            return .bearer("new")
        }
        let response = try await server.manager(session).request(Self.shop()).validation(.none).response()
        #expect(response.status == HTTPStatus(rawValue: status))
    }

    @Test(arguments: [Credential.bearer("old"), nil])
    func `a 401 for a credential that was just refreshed is returned`(initial: Credential?) async throws {
        let server = MockServer { Route(.any) { Reply.text("no", status: 401) } }
        let refreshes = LockedState(0)
        let session = try Authenticator(for: Self.shop(), credential: initial) { _, _ in
            .bearer("newer \(refreshes.withLock { $0 += 1; return $0 })")
        }
        let request = try server.manager(.retry(), session).request(Self.shop())
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(error?.kind == .status(401))
        #expect(error?.response?.body == Data("no".utf8))
        let sent = [initial?.value, "Bearer newer 1"].compactMap(\.self)
        #expect(server.requests.map { $0.headers[.authorization] } == sent)
        #expect(refreshes.withLock { $0 } == 1)
    }

    // MARK: Unchanged requests

    @Test func `a request with its own Authorization is sent unchanged and is not repeated`() async throws {
        let server = MockServer { Route(.any) { Reply.status(401) } }
        for credential in [Credential.bearer("old"), nil] {
            let session = try Authenticator(for: Self.shop(), credential: credential) { _, _ in
                Issue.record("unexpected refresh")
                return .bearer("new")
            }
            let request = try server.manager(session).request(
                Self.shop(), headers: [.authorization: "Bearer mine"])
            await #expect(throws: RESTClientError.self) { try await request.response() }
        }
        #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer mine", "Bearer mine"])
    }

    @Test func `a body stream is not sent again after a 401`() async throws {
        let server = Self.server()
        let session = try Authenticator(for: Self.shop(), credential: .bearer("old")) { _, manager in
            Issue.record("unexpected refresh")
            return try await Self.login(manager)
        }
        var upload = URLRequest(url: try Self.shop())
        upload.httpMethod = "PUT"
        upload.httpBodyStream = InputStream(data: Data("tea".utf8))
        let request = server.manager(session).request(upload)
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        #expect(error?.kind == .status(401))
    }

    @Test(arguments: [401, 419] as [HTTPStatus])
    func `a credential in a custom header is refreshed, also after another status`(
        status: HTTPStatus
    ) async throws {
        let server = MockServer {
            Route(.any) { request in request.headers["X-Api-Key"] == "new" ? .text("tea") : .status(status) }
        }
        let session = try Authenticator(
            for: Self.shop(), credential: .header("X-Api-Key", "old"), statuses: [401, 419]
        ) { _, _ in
            .header("X-Api-Key", "new")
        }
        #expect(try await server.manager(session).request(Self.shop()).string() == "tea")
    }

    @Test func `a streamed request is repeated after a 401`() async throws {
        let server = Self.server()
        let session = try Authenticator(for: Self.shop(), credential: .bearer("old")) { _, manager in
            try await Self.login(manager)
        }
        var text = Data()
        for try await chunk in try await server.manager(session).request(Self.shop()).stream().body {
            text += chunk
        }
        #expect(text == Data("tea".utf8))
    }

    // MARK: The refresh manager

    @Test(.hangLimit) func `the refresh manager can be used in a detached task`() async throws {
        let server = Self.server()
        let session = try Authenticator(for: Self.shop(), credential: .bearer("old")) { _, manager in
            try await Task.detached { try await Self.login(manager) }.value
        }
        let manager = server.manager(session)
        #expect(try await manager.request(Self.shop()).string() == "tea")
        #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer old", nil, "Bearer new"])
    }

    @Test func `a refresh through the waiting manager does not deadlock`() async throws {
        let server = Self.server()
        let outer = LockedState<SessionManager?>(nil)
        let session = try Authenticator(for: Self.shop(), credential: .bearer("old")) { _, _ in
            let manager = try #require(outer.withLock { $0 })
            return try await Self.login(manager)
        }
        let manager = server.manager(session)
        outer.withLock { $0 = manager }
        defer { outer.withLock { $0 = nil } }
        #expect(try await manager.request(Self.shop()).string() == "tea")
        #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer old", nil, "Bearer new"])
    }

    @Test func `the refresh manager keeps the other interceptors and the event monitor`() async throws {
        let server = Self.server()
        let events = EventLog()
        let session = try Authenticator(for: Self.shop()) { _, manager in try await Self.login(manager) }
        let manager = server.manager(
            session, .adapt { $0.setValue("shop", forHTTPHeaderField: "X-App") }, monitor: events.monitor)
        _ = try await manager.request(Self.shop()).response()
        #expect(server.requests.map { $0.headers["X-App"] } == ["shop", "shop"])
        #expect(events.lines.contains("POST http://shop.example/login"))
        #expect(events.lines.contains("refreshing the credential"))
    }

    @Test func `a request in progress can refresh its credential during shutdown`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) {
            Route(.post, "/login") { Reply.text("new") }
            Route(.get, "/ping") { Reply.status(204) }
            Route(.any) { request in
                request.headers[.authorization] == "Bearer new"
                    ? .text("tea") : Reply.status(401).delay(.seconds(1))
            }
        }
        let kept = LockedState<SessionManager?>(nil)
        let session = try Authenticator(for: Self.shop(), credential: .bearer("old")) { _, manager in
            kept.withLock { $0 = manager }
            return try await Self.login(manager)
        }
        let manager = server.manager(session)
        let request = manager.request(try Self.shop())
        let call = Task { try await request.string() }
        _ = try await server.requests(count: 1)
        async let shutdown: Void = manager.shutdown()
        while await Self.isOpen(manager) { await Task.yield() }
        try await clock.advance()
        #expect(try await call.value == "tea")
        await shutdown
        let left = try #require(kept.withLock { $0 })
        let error = await #expect(throws: RESTClientError.self) { try await Self.login(left) }
        #expect(error?.kind == .shutDown)
    }

    private static func isOpen(_ manager: SessionManager) async -> Bool {
        let ping = try? await manager.request(shop("/ping"), headers: [.authorization: "none"]).response()
        return ping != nil
    }

    /// Each credential was obtained by another request, and is refused as well.
    @Test func `a request is sent with at most three credentials`() async throws {
        let count = LockedState(0)
        let session = try Authenticator(for: Self.shop(), credential: .bearer("0")) { _, _ in
            .bearer("\(count.withLock { $0 += 1; return $0 })")
        }
        let refuse = { @Sendable (request: URLRequest) in
            Response(to: request, status: 401, body: ResponseBody.data(Data()))
        }
        let sent = LockedState<[String?]>([])
        let other = URLRequest(url: try Self.shop("/other"))
        let request = URLRequest(url: try Self.shop())
        let response = try await session.intercept(
            request, context: RequestContext(),
            next: Next { request in
                sent.withLock { $0.append(request.value(forHTTPHeaderField: "Authorization")) }
                _ = try await session.intercept(other, context: RequestContext(), next: Next(refuse))
                return refuse(request)
            })
        #expect(response.status == 401)
        #expect(sent.withLock { $0 } == ["Bearer 0", "Bearer 1", "Bearer 2"])
    }

    @Test func `a failed refresh is forgotten after a later success`() async throws {
        let store = CredentialStore(.bearer("old"), now: { Date() }) { _, _ in .bearer("unused") }
        let task = RequestTask(number: 1, clock: AnyClock(ContinuousClock()), timeout: nil, events: nil)
        let failing: CredentialStore.Refresh = { _ in throw URLError(.timedOut) }
        let first = try await store.current(task, failing)
        await #expect(throws: RefreshFailure.self) { try await store.replacement(for: first, task, failing) }
        let second = try await store.current(task, failing)
        _ = try await store.replacement(for: second, task) { _ in .bearer("new") }
        // Another request that was refused with the same credential does not refresh it again.
        #expect(try await store.replacement(for: second, task, failing).credential.value == "Bearer new")
    }
}
