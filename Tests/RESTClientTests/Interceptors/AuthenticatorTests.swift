import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// Refreshes through a manager, with a mock that accepts one token only.
@Suite struct AuthenticatorTests {
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

    /// An authenticator that logs in after `wait`, and the credentials that it has refreshed.
    static func session(
        _ initial: Credential? = .bearer("old"), wait: @escaping @Sendable () async -> Void = {}
    ) throws -> (Authenticator, refreshed: LockedState<[Credential?]>) {
        let refreshed = LockedState<[Credential?]>([])
        let session = try Authenticator(for: shop(), credential: initial) { refused, manager in
            refreshed.withLock { $0.append(refused) }
            await wait()
            return try await login(manager)
        }
        return (session, refreshed)
    }

    /// An authenticator that must not refresh its credential.
    static func steady(_ initial: Credential? = .bearer("old")) throws -> Authenticator {
        try Authenticator(for: shop(), credential: initial) { _, _ in
            Issue.record("unexpected refresh")
            return .bearer("new")
        }
    }

    @Test func `a POST is not repeated after the target of its redirect has refused`() async throws {
        let server = MockServer {
            Route(.post, "/orders") { Reply.redirect(to: "/orders/7", status: 303) }
            Route("/orders/7") { Reply.status(401) }
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: [try Self.steady()])
        let order = manager.request(try shop("/orders"), method: .post)
        #expect(try await failure { try await order.response() }.kind == .status(401))
        #expect(server.requests.filter { $0.method == .post }.count == 1)
    }

    @Test func `a POST that 307 has moved is repeated with a new credential`() async throws {
        let server = MockServer {
            Route(.post, "/login") { Reply.text("new") }
            Route(.post, "/orders") { Reply.redirect(to: "/orders/", status: 307) }
            Route(.post, "/orders/") { request in
                request.headers[.authorization] == "Bearer new" ? .text("tea") : .status(401)
            }
        }
        let (session, _) = try Self.session()
        let manager = SessionManager(configuration: server.configuration, interceptors: [session])
        #expect(try await manager.request(try shop("/orders"), method: .post).string() == "tea")
    }

    // MARK: Origin

    @Test func `without an origin a credential is sent to the base URL only`() async throws {
        let credentials: [any RequestInterceptor] = [
            .bearer("new"), Authenticator(.bearer("new")), .credential(.bearer("new")),
            Authenticator { _, manager in
                .bearer(try await manager.request("login", method: .post).string())
            },
        ]
        for credential in credentials {
            let server = Self.server()
            let manager = SessionManager(
                baseURL: try shop("/"), configuration: server.configuration, interceptors: [credential])
            #expect(try await manager.request("items").string() == "tea")
            let other = manager.request("http://other.example/items")
            #expect(try await failure { try await other.response() }.kind == .status(401))
            #expect(server.requests.last?.headers[.authorization] == nil)
        }
    }

    @Test func `a credential without an origin or a base URL is an error`() async throws {
        let server = Self.server()
        for credential in [Authenticator(.bearer("new")), Authenticator { _, _ in .bearer("new") }] {
            let error = try await failure { try await server.manager(credential).request(shop()).response() }
            #expect(error.kind == .authentication(.missingOrigin))
            #expect(error.hint == "set SessionManager.baseURL, or pass for: to the credential")
        }
        #expect(server.requests.isEmpty)
    }

    // MARK: Refresh

    @Test func `without a credential the first request starts with a refresh`() async throws {
        let server = Self.server()
        let (session, refreshed) = try Self.session(nil)
        let manager = server.manager(session)
        #expect(try await manager.request(shop()).string() == "tea")
        #expect(try await manager.request(shop("/more")).string() == "tea")
        #expect(server.requests.map { $0.url.path() } == ["/login", "/items", "/more"])
        #expect(server.requests.first?.headers[.authorization] == nil)
        #expect(refreshed.withLock { $0 } == [nil])
    }

    @Test func `a refused credential is refreshed and the complete request is sent again`() async throws {
        let server = Self.server()
        let (session, refreshed) = try Self.session()
        let request = try server.manager(session).request(
            shop(), method: .post, headers: ["X-Trace": "7"], body: .form(["id": "7"]))
        #expect(try await request.string() == "tea")
        #expect(refreshed.withLock { $0 } == [.bearer("old")])
        let sent = server.requests.filter { $0.url.path() == "/items" }
        #expect(sent.map { $0.headers[.authorization] } == ["Bearer old", "Bearer new"])
        #expect(sent.map(\.text) == ["id=7", "id=7"])
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
            for: shop(), credential: .bearer("new", expires: expiry), leeway: .seconds(leeway),
            now: { time.withLock { $0 } }
        ) { refused, manager in
            seen.withLock { $0.append(refused) }
            return try await Self.login(manager)
        }
        let manager = server.manager(session)
        _ = try await manager.request(shop()).response()
        #expect(seen.withLock { $0.count } == 0)
        time.withLock { $0 = renewal }
        for _ in 1...2 { _ = try await manager.request(shop()).response() }
        #expect(seen.withLock { $0 } == [.bearer("new", expires: expiry)])
        #expect(server.requests.map { $0.url.path() } == ["/items", "/login", "/items", "/items"])
    }

    @Test func `a credential expires on the virtual clock of the manager`() async throws {
        let clock = VirtualClock()
        let server = Self.server()
        let refreshes = LockedState(0)
        let session = try Authenticator(
            for: shop(), credential: .bearer("new", expires: Date().addingTimeInterval(3_600))
        ) { _, _ in
            refreshes.withLock { $0 += 1 }
            return .bearer("new")
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: [session], clock: clock)
        try await clock.sleep(for: .seconds(3_000))
        _ = try await manager.request(shop()).response()
        #expect(refreshes.withLock { $0 } == 0)
        try await clock.sleep(for: .seconds(600))
        _ = try await manager.request(shop()).response()
        #expect(refreshes.withLock { $0 } == 1)
    }

    @Test(arguments: [200, 403, 404, 407, 500] as [HTTPStatus])
    func `only a 401 causes a refresh`(status: HTTPStatus) async throws {
        let server = MockServer { Route(.any) { Reply.status(status) } }
        let request = try server.manager(Self.steady()).request(shop())
        #expect(try await request.validation(.none).response().status == status)
    }

    @Test(arguments: [Credential.bearer("old"), nil])
    func `a 401 for a credential that was just refreshed is returned`(initial: Credential?) async throws {
        let server = MockServer {
            Route(.post, "/login") { Reply.text("newer") }
            Route(.any) { Reply.text("no", status: 401) }
        }
        let (session, refreshed) = try Self.session(initial)
        let error = try await failure {
            try await server.manager(.retry(), session).request(shop()).response()
        }
        #expect(error.kind == .status(401))
        #expect(error.response?.body == Data("no".utf8))
        let sent = server.requests.filter { $0.method == .get }
        #expect(
            sent.map { $0.headers[.authorization] } == [initial?.value, "Bearer newer"].compactMap(\.self))
        #expect(refreshed.withLock { $0.count } == 1)
    }

    // MARK: Unchanged requests

    @Test func `a request with its own Authorization is sent unchanged and is not repeated`() async throws {
        let server = MockServer { Route(.any) { Reply.status(401) } }
        for credential in [Credential.bearer("old"), nil] {
            let request = try server.manager(Self.steady(credential)).request(
                shop(), headers: [.authorization: "Bearer mine"])
            await #expect(throws: RESTClientError.self) { try await request.response() }
        }
        #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer mine", "Bearer mine"])
    }

    @Test func `a body stream is not sent again after a 401`() async throws {
        let server = Self.server()
        var upload = URLRequest(url: try shop())
        upload.httpMethod = "PUT"
        upload.httpBodyStream = InputStream(data: Data("tea".utf8))
        let request = try server.manager(Self.steady()).request(upload)
        #expect(try await failure { try await request.response() }.kind == .status(401))
    }

    @Test(arguments: [401, 419] as [HTTPStatus])
    func `a credential in a custom header is refreshed, also after another status`(
        status: HTTPStatus
    ) async throws {
        let server = MockServer {
            Route(.any) { request in request.headers["X-Api-Key"] == "new" ? .text("tea") : .status(status) }
        }
        let session = try Authenticator(
            for: shop(), credential: .header("X-Api-Key", "old"), statuses: [401, 419]
        ) { _, _ in .header("X-Api-Key", "new") }
        #expect(try await server.manager(session).request(shop()).string() == "tea")
    }

    @Test func `a streamed request is repeated after a 401`() async throws {
        let server = Self.server()
        let (session, _) = try Self.session()
        let chunks = try await server.manager(session).request(shop()).stream().body.collect().elements
        #expect(chunks.reduce(Data(), +) == Data("tea".utf8))
    }

    // MARK: The manager of the refresh

    @Test(.hangLimit, arguments: [true, false])
    func `a refresh can use its manager in a detached task, or the waiting manager`(
        isDetached: Bool
    ) async throws {
        let server = Self.server()
        let outer = LockedState<SessionManager?>(nil)
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { _, manager in
            let waiting = try #require(outer.withLock { $0 })
            guard isDetached else { return try await Self.login(waiting) }
            return try await Task.detached { try await Self.login(manager) }.value
        }
        let manager = server.manager(session)
        outer.withLock { $0 = manager }
        defer { outer.withLock { $0 = nil } }
        #expect(try await manager.request(shop()).string() == "tea")
        #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer old", nil, "Bearer new"])
    }

    @Test func `the refresh manager keeps the other interceptors and the event monitor`() async throws {
        let server = Self.server()
        let events = EventLog()
        let (session, _) = try Self.session(nil)
        let manager = server.manager(
            session, .adapt { $0.setValue("shop", forHTTPHeaderField: "X-App") }, monitor: events.monitor)
        _ = try await manager.request(shop()).response()
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
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { _, manager in
            kept.withLock { $0 = manager }
            return try await Self.login(manager)
        }
        let manager = server.manager(session)
        let request = manager.request(try shop())
        let call = Task { try await request.string() }
        _ = try await server.requests(count: 1)
        async let shutdown: Void = manager.shutdown()
        let ping = manager.request(try shop("/ping"), headers: [.authorization: "none"])
        while await (try? ping.response()) != nil { await Task.yield() }
        try await clock.advance()
        #expect(try await call.value == "tea")
        await shutdown
        let left = try #require(kept.withLock { $0 })
        #expect(try await failure { try await Self.login(left) }.kind == .shutDown)
    }

    /// Each credential was obtained by another request, and is refused as well.
    @Test func `a request is sent with at most three credentials`() async throws {
        let count = LockedState(0)
        let session = try Authenticator(for: shop(), credential: .bearer("0")) { _, _ in
            .bearer("\(count.next())")
        }
        let refuse = { @Sendable (request: URLRequest) in
            Response(to: request, status: 401, body: ResponseBody.data(Data()))
        }
        let sent = LockedState<[String?]>([])
        let other = URLRequest(url: try shop("/other"))
        let response = try await session.intercept(
            URLRequest(url: try shop()), context: RequestContext(),
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
