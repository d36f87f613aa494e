import Dispatch
import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

/// Runs the code of the guide about authentication.
@Suite(.mocked) struct AuthenticationTests {
    private let stored = AsyncStream.makeStream(of: Tokens?.self)

    private func account(
        _ server: MockServer, _ tokens: Tokens?, clock: any Clock<Duration> = ContinuousClock(),
        beforeStoring: @escaping @Sendable (Tokens?) -> Void = { _ in }
    ) throws -> Account {
        Account(
            api: try #require(URL(string: "https://api.example.com")), tokens: tokens,
            configuration: server.configuration, clock: clock
        ) { [stored] tokens in
            beforeStoring(tokens)
            stored.continuation.yield(tokens)
        }
    }

    /// The access tokens that were stored, or `nil` for their removal.
    private func storedTokens() async -> [String?] {
        stored.continuation.finish()
        return await stored.stream.reduce(into: []) { $0.append($1?.access) }
    }

    private let old = Tokens(access: "old", refresh: "r1", expires: .distantFuture)

    @Test func `after signing in requests have the token`() async throws {
        let server = MockServer {
            Route(
                .post, "/oauth/token",
                .body(form: ["grant_type": "password", "username": "ann", "password": "tea"])
            ) { Reply.json(["access_token": "new", "expires_in": 3600]) }
            Route(.get, "/profile", .header(.authorization, "Bearer new")) { Reply.text("Ann") }
        }
        let account = try account(server, nil)
        #expect(try await show(account) == "sign in, please")
        try await account.signIn(user: "ann", password: "tea")
        #expect(try await show(account) == "Ann")
        #expect(await storedTokens() == ["new"])
    }

    @Test(arguments: [Date.distantFuture, Date(timeIntervalSinceNow: 30)])
    func `a token that is refused or expires soon is refreshed once`(expires: Date) async throws {
        let server = MockServer {
            Route(.post, "/oauth/token", .body(form: ["grant_type": "refresh_token", "refresh_token": "r1"]))
            { Reply.json(["access_token": "new", "expires_in": 3600]) }.called(1)
            Route(.get, "/profile") { request in
                request.headers[.authorization] == "Bearer new" ? .text("Ann") : .status(401)
            }
        }
        let account = try account(server, Tokens(access: "old", refresh: "r1", expires: expires))
        async let first = show(account)
        async let second = show(account)
        #expect(try await [first, second] == ["Ann", "Ann"])
        #expect(await storedTokens() == ["new"])
    }

    @Test(arguments: [HTTPStatus(400), HTTPStatus(401)])
    func `a refresh token that is refused requires signing in`(status: HTTPStatus) async throws {
        let server = MockServer {
            Route(.post, "/oauth/token") { Reply.json(["error": "invalid_grant"], status: status) }
            Route(.get, "/profile") { Reply.status(401) }
        }
        #expect(try await show(account(server, old)) == "sign in, please")
        #expect(await storedTokens().isEmpty)
    }

    @Test(arguments: [Reply.status(503), Reply.status(200).fault(.refused)])
    func `a refresh that fails temporarily does not require signing in`(reply: Reply) async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.post, "/oauth/token") { reply.repeats() }
            Route(.get, "/profile") { Reply.status(401) }
        }
        let account = try account(server, old, clock: clock)
        let error = await #expect(throws: RESTClientError.self) { try await show(account) }
        #expect(error?.kind == .authentication(.refreshFailed))
        #expect(await storedTokens().isEmpty)
    }

    @Test func `a refresh is repeated after a temporary failure`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.post, "/oauth/token") {
                Reply.status(503)
                Reply.json(["access_token": "new", "expires_in": 3600])
            }
            Route(.get, "/profile") { request in
                request.headers[.authorization] == "Bearer new" ? .text("Ann") : .status(401)
            }
        }
        #expect(try await show(account(server, old, clock: clock)) == "Ann")
        #expect(await storedTokens() == ["new"])
    }

    @Test func `tokens that are being stored during a sign-out are removed`() async throws {
        let server = MockServer {
            Route(.post, "/oauth/token") { Reply.json(["access_token": "new", "expires_in": 3600]) }
            Route(.get, "/profile") { request in
                request.headers[.authorization] == "Bearer new" ? .text("Ann") : .status(401)
            }
        }
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let signedOut = DispatchSemaphore(value: 0)
        let account = try account(server, old) { tokens in
            guard tokens != nil else { return }
            beginning.finish()
            // A sign-out that does not wait for the lock would end here.
            _ = signedOut.wait(timeout: .now() + 0.2)
        }
        async let text = show(account)
        for await _ in beginnings {}
        account.signOut()
        signedOut.signal()
        _ = try await text
        #expect(await storedTokens() == ["new", nil])
    }

    @Test func `after signing out nothing is sent`() async throws {
        let server = MockServer { Route(.any) { Reply.text("Ann") }.called(0) }
        let account = try account(server, old)
        account.signOut()
        #expect(try await show(account) == "sign in, please")
        #expect(await storedTokens() == [nil])
    }
}
