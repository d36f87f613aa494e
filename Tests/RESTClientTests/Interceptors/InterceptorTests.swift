import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct InterceptorTests {
    /// Appends its letter to a header field of the request and of the response.
    private struct Letter: RequestInterceptor {
        let letter: String

        func intercept(
            _ request: URLRequest, context: RequestContext, next: Next
        ) async throws -> Response<ResponseBody> {
            var request = request
            let before = request.value(forHTTPHeaderField: "X-Way") ?? ""
            request.setValue(before + letter, forHTTPHeaderField: "X-Way")
            var response = try await next(request)
            response.headers["X-Way-Back"] = (response.headers["X-Way-Back"] ?? "") + letter
            return response
        }
    }

    @Test func `manager interceptors run before request interceptors, each in order`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = server.manager(Letter(letter: "a"), Letter(letter: "b"))
        let response = try await manager.request(shop()).interceptors(Letter(letter: "c")).interceptors(
            Letter(letter: "d")
        ).response()
        #expect(server.requests.first?.headers["X-Way"] == "abcd")
        #expect(response.headers["X-Way-Back"] == "dcba")
    }

    @Test func `an interceptor can answer without the network`() async throws {
        let server = MockServer { Route(.any) { Reply.status(500) } }
        let manager = server.manager(
            .intercept { request, _, _ in Response(to: request, status: 200, body: .data(Data("cached".utf8)))
            })
        #expect(try await manager.request(shop()).string() == "cached")
        #expect(server.requests.isEmpty)
    }

    @Test
    func `a stream of an interceptor is the body of a buffered response, up to the limit`() async throws {
        let request = SessionManager(options: RequestOptions(maxBodyBytes: 6)).request(try shop())
        for (chunks, text) in [(["cac", "hed"], "cached"), (["cache", "d."], nil)] {
            let answered = request.interceptors(
                .intercept { request, _, _ in
                    let stream = AsyncThrowingStream<Data, any Error> { source in
                        for chunk in chunks { source.yield(Data(chunk.utf8)) }
                        source.finish()
                    }
                    return Response(to: request, status: 200, body: .stream(ByteStream(stream)))
                })
            let received = try? await answered.string()
            #expect(received == text)
        }
    }

    @Test func `each call of next is an attempt`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.status(503)
                Reply.text("tea")
            }
        }
        let manager = server.manager(
            .intercept { request, _, next in
                let first = try await next(request)
                return first.status == 503 ? try await next(request) : first
            })
        let response = try await manager.request(shop()).response()
        #expect(response.attempts.map { try? $0.outcome.get() } == [503, 200])
    }

    @Test func `an interceptor can be tested without a server`() async throws {
        let url = try shop()
        let response = try await Letter(letter: "x").intercept(
            URLRequest(url: url), context: RequestContext(),
            next: Next { request in Response(to: request, status: 200, body: .data(Data())) })
        #expect(response.request.value(forHTTPHeaderField: "X-Way") == "x")
    }

    @Test func `an interceptor's own error reaches the caller unchanged`() async throws {
        struct NoToken: Error, Equatable {}
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let request = try server.manager().request(shop()).interceptors(.adapt { _ in throw NoToken() })
        await #expect(throws: NoToken()) { try await request.response() }
    }

    @Test func `cancelling one of two parallel attempts does not affect the other`() async throws {
        let server = MockServer(clock: VirtualClock(.stepped)) {
            Route(.get, "/slow") { Reply.text("slow").delay(.seconds(3600)) }
            Route(.get, "/items") { Reply.text("fast") }
        }
        let race = RaceInterceptor()
        let request = try server.manager().request(shop()).interceptors(race)
        #expect(try await request.string() == "fast")
    }

    /// Sends the request twice in parallel and returns the first response.
    private struct RaceInterceptor: RequestInterceptor {
        func intercept(
            _ request: URLRequest, context: RequestContext, next: Next
        ) async throws -> Response<ResponseBody> {
            try await withThrowingTaskGroup(of: Response<ResponseBody>.self) { group in
                var slow = request
                slow.url = request.url?.deletingLastPathComponent().appending(path: "slow")
                group.addTask { [slow] in try await next(slow) }
                group.addTask { try await next(request) }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        }
    }

    @Test(arguments: [
        ("http://shop.example/items", true), ("http://SHOP.example:80/other", true),
        ("http://shop.example:8080/items", false), ("https://shop.example/items", false),
        ("http://evil.example/items", false),
    ])
    func `a credential is sent to its origin only`(url: String, isSent: Bool) async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = server.manager(.basic(user: "u", password: "p", for: try shop()))
        _ = try await manager.request(try #require(URL(string: url))).response()
        #expect(server.requests.first?.headers[.authorization] == (isSent ? "Basic dTpw" : nil))
    }
}
