import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct ListingRetryTests {
    private static let retry = RetryPolicy(backoff: .constant(.zero))

    /// The number of bytes of a page that are received before the fault.
    private static let body = #"{"total": 3, "items": ["first", "second", "third"]}"#

    @Test(arguments: [
        Fault.refused, .emptyReply, .reset(.beforeHead), .reset(.afterHead), .reset(.inBody(after: 5)),
        .reset(.inBody(after: 28)), .close(.inBody(after: 28)),
    ])
    func `a failure before the first item is retried`(fault: Fault) async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(Self.body, as: .json).fault(fault)
                Reply.text(Self.body, as: .json)
            }
        }
        let client = server.client(interceptors: [.retry(Self.retry)])
        let (items, error) = await client.items().collect()
        #expect(error == nil)
        #expect(items == ["first", "second", "third"])
        #expect(server.requests.count == 2)
    }

    @Test func `a list waits for a rate limit that is stated in the body of a success`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any) {
                Reply.json(["ok": false, "error": "ratelimited", "retry_after": 30])
                Reply.text(Self.body, as: .json)
            }
        }
        let client = server.client(interceptors: [.retry(Self.retry)], clock: clock)
        let (items, error) = await client.items().collect()
        #expect(error == nil)
        #expect(items == ["first", "second", "third"])
        #expect(server.requests.map(\.time) == [.zero, .seconds(30)])
    }

    @Test(arguments: [30, 33, 40])
    func `a failure after the first item is not retried`(bytes: Int) async throws {
        let server = MockServer {
            Route(.any) { Reply.text(Self.body, as: .json).fault(.reset(.inBody(after: bytes))) }
        }
        let client = server.client(interceptors: [.retry(Self.retry)])
        let (items, error) = await client.items().collect()
        #expect(items.first == "first")
        let failure = try #require(error as? RESTClientError)
        #expect(failure.listingProgress?.itemCount == items.count)
        #expect(failure.attempts.count == 1)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [["Retry-After": "1"], ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "1"]])
    func `two hundred lists succeed at a server that allows sixty requests per second`(
        wait: HTTPHeaders
    ) async throws {
        let clock = VirtualClock()
        let allowed = LockedState((second: Int64(0), count: 0))
        let server = MockServer(clock: clock) {
            Route(.any) { _ in
                let second = clock.now.offset.components.seconds
                let count = allowed.withLock {
                    $0 = (second, $0.second == second ? $0.count + 1 : 1)
                    return $0.count
                }
                guard count > 60 else { return .text(Self.body, as: .json) }
                return wait.reduce(Reply.status(429)) { $0.header($1.name, $1.value) }
            }
        }
        let errors = await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    var errors: [(any Error)?] = []
                    for _ in 0..<4 {
                        errors.append(
                            await server.client(
                                path: "http://shop.example/items", interceptors: [.retry()], clock: clock
                            ).items().collect().error)
                    }
                    return errors
                }
            }
            return await group.reduce(into: []) { $0 += $1.compactMap(\.self) }
        }
        #expect(errors.isEmpty, "\(errors.count) failed: \(errors.first.map { "\($0)" } ?? "")")
    }

    @Test func `a prefetched page is retried`() async throws {
        let collection = PagedCollection(.totalPages, count: 30)
        let failed = LockedState<Set<Int>>([])
        let server = MockServer {
            Route(.any) { request in
                let page = collection.page(of: request)
                guard page % 3 == 1, failed.withLock({ $0.insert(page).inserted }) else {
                    return collection.reply(to: request)
                }
                return .status(503)
            }
        }
        let client = server.client(ItemListing(maxConcurrentPages: 5), interceptors: [.retry(Self.retry)])
        #expect(try await client.getAvailableItems(as: String.self) == collection.items)
        #expect(server.requests.count == 13)
    }

    /// Returns an interceptor that reads each body to its end, and returns the changed one.
    private static func readingBodies(
        _ change: @escaping @Sendable (Data) -> Data
    ) -> any RequestInterceptor {
        .intercept { request, _, next in
            let response = try await next(request)
            guard case .stream(let stream) = response.body else { return response }
            var body = Data()
            for try await chunk in stream { body += chunk }
            return response.map { [body] _ in .data(change(body)) }
        }
    }

    @Test func `an interceptor can read the whole body of a page`() async throws {
        let server = MockServer { Route(.any) { Reply.text(Self.body, as: .json) } }
        let seen = LockedState(Data())
        let client = server.client(interceptors: [
            Self.readingBodies { body in
                seen.withLock { $0 = body }
                return body
            }
        ])
        #expect(try await client.getAvailableItems() == ["first", "second", "third"])
        #expect(String(decoding: seen.withLock { $0 }, as: UTF8.self) == Self.body)
    }

    @Test func `the items are those of the body that an interceptor returns`() async throws {
        let server = MockServer { Route(.any) { Reply.text(Self.body, as: .json).repeats() } }
        let client = server.client(interceptors: [
            Self.readingBodies { body in
                Data(String(decoding: body, as: UTF8.self).replacing("first", with: "other").utf8)
            }
        ])
        // The new stream can have the place in memory of the one that was read.
        for _ in 0..<50 {
            #expect(try await client.getAvailableItems() == ["other", "second", "third"])
        }
    }

    @Test func `the cancellation of all requests ends a list whose page is being read`() async throws {
        let server = MockServer { Route(.any) { Reply.text(Self.body, as: .json).repeats() } }
        let manager = server.manager()
        let client = MyRESTClient(url: "https://shop.example/items", manager: manager)
        await #expect(throws: CancellationError.self) {
            for try await _ in client.items() { manager.cancelAll() }
        }
    }

    @Test func `a failure after 1 MB is not retried, also before the first item`() async throws {
        let long = String(repeating: "x", count: 5 << 20)
        let server = MockServer {
            Route(.any) {
                Reply.text("{\"intro\": \"\(long)\", \"items\": [\"a\"]}", as: .json).dribble(
                    chunks: 100, over: .zero
                ).fault(.reset(.inBody(after: 4 << 20)))
            }
        }
        let (_, error) = await server.client(interceptors: [.retry(Self.retry)]).items().collect()
        #expect((error as? RESTClientError)?.attempts.count == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `a missing list is reported before the response ends`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(#"{"items": [oops, "and more"]}"#, as: .json).fault(.stall(.inBody(after: 15)))
            }
        }
        let error = await #expect(throws: RESTClientError.self) {
            try await server.client().getAvailableItems()
        }
        guard case .malformedJSON(offset: 11, _, _)? = error?.kind else { throw try #require(error) }
    }

    @Test func `the total timeout applies to the whole listing`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any) { request in
                let page = request.number("page", or: 1)
                return .json(["items": ["\(page)"], "next": "?page=\(page + 1)"]).delay(.seconds(10))
            }
        }
        let manager = server.manager(clock: clock)
        let client = MyRESTClient(manager.request(PagedCollection.path).timeout(.seconds(45)))
        let (items, error) = await client.items(as: String.self).collect()
        #expect(items == ["1", "2", "3", "4"])
        #expect((error as? RESTClientError)?.kind == .timedOut(.total))
        #expect((error as? RESTClientError)?.message.contains("(limit: 45 s") == true, "\(error as Any)")
        #expect((error as? RESTClientError)?.listingProgress?.itemCount == 4)
        // The reply at 50 s can still be pending when the timeout at 45 s fires.
        #expect(clock.now.offset <= .seconds(50))
    }

    @Test func `pages known in advance take the time of a few requests, chained pages the time of all`()
        async throws
    {
        for (convention, jobs, expected) in [
            (PagedCollection.Convention.totalPages, 8, 4), (.totalPages, 2, 11), (.totalPages, 1, 20),
            (.next, 8, 20),
        ] {
            let clock = VirtualClock()
            let collection = PagedCollection(convention, count: 60)
            let server = MockServer(clock: clock) {
                Route(.any) { request in collection.reply(to: request).delay(.seconds(1)) }
            }
            let client = server.client(ItemListing(maxConcurrentPages: jobs), clock: clock)
            #expect(try await client.getAvailableItems(as: String.self) == collection.items)
            let took = clock.now.offset / .seconds(1)
            #expect(took <= Double(expected) * 1.2, "\(convention), \(jobs) jobs: \(took) s")
            #expect(took >= Double(expected), "\(convention), \(jobs) jobs: \(took) s")
        }
    }
}
