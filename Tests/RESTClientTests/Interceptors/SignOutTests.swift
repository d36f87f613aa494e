import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// Credentials that are set, removed and refreshed early.
@Suite struct SignOutTests {
    private typealias Shop = AuthenticatorTests

    @Test
    func `after signing out requests fail without being sent, until a credential is set`() async throws {
        let server = Shop.server()
        let session = try Shop.steady(.bearer("new"))
        let request = try server.manager(.retry(), session).request(shop())
        #expect(try await request.string() == "tea")
        session.signOut()
        #expect(session.credential == nil)
        #expect(try await failure { try await request.string() }.kind == .authentication(.signedOut))
        #expect(server.requests.count == 1)
        session.signIn(.bearer("new"))
        #expect(session.credential == .bearer("new"))
        #expect(try await request.string() == "tea")
    }

    @Test func `without its credential an authenticator refreshes`() async throws {
        let server = Shop.server()
        let (session, refreshed) = try Shop.session(.bearer("new"))
        let request = try server.manager(session).request(shop())
        session.clearCredential()
        #expect(try await request.string() == "tea")
        #expect(refreshed.withLock { $0 } == [nil])
        #expect(server.requests.map { $0.url.path() } == ["/login", "/items"])
    }

    // MARK: Requests in progress

    enum Change: CaseIterable {
        case signIn, signOut, clear

        func apply(to session: Authenticator) {
            switch self {
            case .signIn: session.signIn(.bearer("new"))
            case .signOut: session.signOut()
            case .clear: session.clearCredential()
            }
        }

        var credential: Credential? { self == .signIn ? .bearer("new") : nil }
    }

    @Test(.hangLimit, arguments: [Change.signIn, .signOut], [nil, Credential.bearer("old")])
    func `signing out or in during a refresh ends the waiting requests, and discards the result`(
        change: Change, initial: Credential?
    ) async throws {
        let server = Shop.server()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let session = try Authenticator(for: shop(), credential: initial) { _, _ in
            start.finish()
            await gate.pass()
            defer { end.finish() }
            return .bearer("late")
        }
        let request = try server.manager(session).request(shop())
        let call = Task { try await request.string() }
        for await _ in started {}
        change.apply(to: session)
        let result = await call.result
        gate.open()
        for await _ in ended {}
        // The discarded result is processed in the task of the refresh, which has nothing else to do.
        for _ in 0..<100 { await Task.yield() }
        #expect(session.credential == change.credential)
        let error = #expect(throws: RESTClientError.self) { try result.get() }
        #expect(error?.kind == .authentication(.signedOut))
        #expect(server.requests.count == (initial == nil ? 0 : 1))
    }

    @Test(.hangLimit, arguments: Change.allCases)
    func `replacing the credential cancels the refresh in progress`(change: Change) async throws {
        let server = Shop.server()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (cancelled, cancel) = AsyncStream.makeStream(of: Bool.self)
        let refused = LockedState<[Credential?]>([])
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { credential, _ in
            let count = refused.withLock {
                $0.append(credential)
                return $0.count
            }
            guard count == 1 else { return .bearer("new") }
            start.finish()
            // Ends when the task is cancelled.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            cancel.yield(Task.isCancelled)
            return .bearer("late")
        }
        let request = try server.manager(session).request(shop())
        let call = Task { try await request.string() }
        for await _ in started {}
        change.apply(to: session)
        var isCancelled = cancelled.makeAsyncIterator()
        #expect(await isCancelled.next() == true)
        if change == .clear {
            // The waiting request starts another refresh.
            #expect(try await call.value == "tea")
            #expect(refused.withLock { $0 } == [.bearer("old"), nil])
        } else {
            await #expect(throws: RESTClientError.self) { try await call.value }
            #expect(refused.withLock { $0 } == [.bearer("old")])
        }
    }

    @Test(.hangLimit, arguments: Change.allCases)
    func `a request is not repeated with the credential of another user`(change: Change) async throws {
        let server = Shop.server()
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { refused, _ in
            #expect(refused == nil)
            return .bearer("new")
        }
        let (received, receive) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let delayed = ClosureInterceptor { request, next in
            let response = try await next(request)
            receive.finish()
            await gate.pass()
            return response
        }
        let request = try server.manager(session, delayed).request(shop(), method: .delete)
        let call = Task { try await request.string() }
        // The first user is refused after the second one has signed in.
        for await _ in received {}
        change.apply(to: session)
        gate.open()
        if change == .clear {
            #expect(try await call.value == "tea")
        } else {
            #expect(try await failure { try await call.value }.kind == .authentication(.signedOut))
            #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer old"])
        }
    }

    @Test(.hangLimit, arguments: [Change.signIn, .signOut])
    func `a retry is not sent with the credential of another user`(change: Change) async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) { Route(.any) { Reply.status(503) } }
        let (waiting, wait) = AsyncStream.makeStream(of: Void.self)
        let session = try Shop.steady()
        let changed = ClosureInterceptor { request, next in
            let response = try await next(request)
            change.apply(to: session)
            wait.finish()
            return response
        }
        let manager = server.manager(.retry(), changed, session, clock: clock)
        let error = try await failure { try await manager.request(shop()).string() }
        for await _ in waiting {}
        #expect(error.kind == .authentication(.signedOut))
        #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer old"])
    }

    @Test(.hangLimit, arguments: Change.allCases)
    func `a list has no pages of another user`(change: Change) async throws {
        let server = MockServer {
            Route(.any, .query("page", "2")) { Reply.json(["items": ["milk"]]) }.optional()
            Route(.any) { Reply.json(["items": ["tea"], "next": "?page=2"]) }
        }
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { _, _ in .bearer("new")
        }
        let client = MyRESTClient(
            url: try shop(), manager: server.manager(session),
            listing: ItemListing(maxConcurrentPages: 1))
        var items: [String] = []
        do {
            for try await page in client.pages(as: String.self) {
                items += page.items
                if items.count == 1 { change.apply(to: session) }
            }
            #expect(change == .clear)
            #expect(items == ["tea", "milk"])
        } catch let error as RESTClientError {
            #expect(error.kind == .authentication(.signedOut))
            #expect(items == ["tea"])
            #expect(server.requests.count == 1)
        }
    }

    @Test(.hangLimit)
    func `a refresh that clears the credential and fails is not started again`() async throws {
        struct Refused: Error {}
        let server = Shop.server()
        let refreshes = LockedState(0)
        let own = LockedState<Authenticator?>(nil)
        let session = try Authenticator(for: shop(), credential: .bearer("old")) { _, _ in
            refreshes.withLock { $0 += 1 }
            own.withLock { $0 }?.clearCredential()
            throw Refused()
        }
        own.withLock { $0 = session }
        let request = try server.manager(session).request(shop())
        let error = try await failure { try await request.string() }
        #expect(error.kind == .authentication(.refreshFailed))
        #expect(error.underlying is Refused)
        #expect(refreshes.withLock { $0 } == 1)
        #expect(session.credential == nil)
        own.withLock { $0 = nil }
    }

    // MARK: Expiry

    /// Time passes by a quarter of the lifetime between the requests.
    @Test(arguments: [100, 60, 50, 10])
    func `a refreshed credential is used for half of its lifetime, also if the leeway is longer`(
        leeway: Int
    ) async throws {
        let server = Shop.server()
        let time = LockedState(Date(timeIntervalSince1970: 1_000))
        let session = try Authenticator(
            for: shop(), leeway: .seconds(leeway), now: { time.withLock { $0 } }
        ) { _, manager in
            _ = try await Shop.login(manager)
            return .bearer("new", expires: time.withLock { $0.addingTimeInterval(60) })
        }
        let manager = server.manager(session)
        for _ in 1...5 {
            _ = try await manager.request(shop()).response()
            time.withLock { $0 += 15 }
        }
        let refreshes = server.requests.count { $0.url.path() == "/login" }
        #expect(refreshes == (leeway == 10 ? 2 : 3))
    }

    @Test
    func `the refresh token is passed to the refresh and kept if the server sends no other`() async throws {
        let server = MockServer { Route(.any) { Reply.status(401) } }
        let tokens = LockedState<[String?]>([])
        let session = try Authenticator(for: shop(), credential: .bearer("a", refreshToken: "first")) {
            refused, _ in
            let count = tokens.withLock { tokens in
                tokens.append(refused?.refreshToken)
                return tokens.count
            }
            return .bearer("token \(count)", refreshToken: count == 2 ? "second" : nil)
        }
        let request = try server.manager(session).request(shop())
        for _ in 1...3 { await #expect(throws: RESTClientError.self) { try await request.response() } }
        #expect(tokens.withLock { $0 } == ["first", "first", "second"])
        #expect(session.credential?.refreshToken == "second")
    }

    @Test func `a refresh token is not shown`() {
        let credential = Credential.bearer("secret", refreshToken: "secret too")
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped] {
            #expect(!text.contains("secret"))
        }
    }
}
