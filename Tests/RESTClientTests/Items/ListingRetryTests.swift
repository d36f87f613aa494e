import Foundation
import RESTClientHTTP
import MockTransport
import RESTClient
import Testing

@Suite struct ListingRetryTests {
    private static let retry = RetryPolicy(backoff: .constant(.zero))

    /// The bytes of a page's body that come before it breaks.
    private static let body = #"{"total": 3, "items": ["first", "second", "third"]}"#

    @Test(arguments: [
        Fault.refused, .emptyReply, .reset(.beforeHead), .reset(.afterHead), .reset(.inBody(after: 5)),
        .reset(.inBody(after: 28)), .close(.inBody(after: 28)),
    ])
    func `what fails before the first item is out is tried again`(fault: Fault) async throws {
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

    @Test(arguments: [30, 33, 40])
    func `what fails behind the first item is not`(bytes: Int) async throws {
        let server = MockServer {
            Route(.any) { Reply.text(Self.body, as: .json).fault(.reset(.inBody(after: bytes))) }
        }
        let client = server.client(interceptors: [.retry(Self.retry)])
        let (items, error) = await client.items().collect()
        #expect(items.first == "first")
        let failure = try #require(error as? RESTClientError)
        #expect(failure.listing?.items == items.count)
        #expect(failure.attempts.count == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `a page ahead of its turn is tried again, too`() async throws {
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
        let client = server.client(ItemListing(jobs: 5), interceptors: [.retry(Self.retry)])
        #expect(try await client.getAvailableItems(as: String.self) == collection.items)
        #expect(server.requests.count == 13)
    }

    @Test func `waits of retries are on the manager's clock`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any, .query("page", "2")) {
                Reply.status(503).header(.retryAfter, "600")
                Reply.json(["items": ["b"]])
            }
            Route(.any) { Reply.json(["items": ["a"], "next": "?page=2"]) }
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: [.retry()], clock: clock)
        let url = try #require(URL(string: PagedCollection.path))
        #expect(try await MyRESTClient(url: url, manager: manager).getAvailableItems() == ["a", "b"])
        #expect(server.requests.map(\.time) == [.zero, .zero, .seconds(600)])
    }

    @Test func `an interceptor gets the whole body of a page, that which was read ahead, too`() async throws {
        let server = MockServer { Route(.any) { Reply.text(Self.body, as: .json) } }
        let seen = LockedState(Data())
        let client = server.client(interceptors: [
            .intercept { request, _, next in
                let response = try await next(request)
                guard case .stream(let stream) = response.body else { return response }
                var body = Data()
                for try await chunk in stream { body += chunk }
                seen.withLock { $0 = body }
                return response.map { _ in .data(body) }
            }
        ])
        #expect(try await client.getAvailableItems() == ["first", "second", "third"])
        #expect(String(decoding: seen.withLock { $0 }, as: UTF8.self) == Self.body)
    }

    @Test func `what is long before its list is not kept for the sake of the first item`() async throws {
        let long = String(repeating: "x", count: 5 << 20)
        let server = MockServer {
            Route(.any) {
                Reply.text("{\"intro\": \"\(long)\", \"items\": [\"a\"]}", as: .json).dribble(
                    chunks: 100, over: .zero)
            }
        }
        #expect(try await server.client().getAvailableItems() == ["a"])
    }

    @Test func `what fails that far behind its start, though before an item, is not tried again`()
        async throws
    {
        let long = String(repeating: "x", count: 5 << 20)
        let server = MockServer {
            Route(.any) {
                Reply.text("{\"intro\": \"\(long)\", \"items\": [\"a\"]}", as: .json)
                    .dribble(chunks: 100, over: .zero).fault(.reset(.inBody(after: 4 << 20)))
            }
        }
        let (_, error) = await server.client(interceptors: [.retry(Self.retry)]).items().collect()
        #expect((error as? RESTClientError)?.attempts.count == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `what is no list is told at once, whatever else may come`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(#"{"items": [oops, "and more"]}"#, as: .json).fault(.stall(.inBody(after: 15)))
            }
        }
        let error = await #expect(throws: RESTClientError.self) {
            try await server.client().getAvailableItems()
        }
        guard case .malformedJSON(offset: 11, _, _) = error?.kind else {
            Issue.record("\(String(describing: error?.kind))")
            return
        }
    }

    @Test func `the total timeout is for the listing as a whole`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any) { request in
                let page = request.query["page"].flatMap { Int($0) } ?? 1
                return .json(["items": ["\(page)"], "next": "?page=\(page + 1)"]).delay(.seconds(10))
            }
        }
        let manager = SessionManager(configuration: server.configuration, clock: clock)
        let url = try #require(URL(string: PagedCollection.path))
        let client = MyRESTClient(manager.request(url).timeout(.seconds(45)))
        let (items, error) = await client.items(as: String.self).collect()
        #expect(items == ["1", "2", "3", "4"])
        #expect((error as? RESTClientError)?.kind == .timedOut(.total))
        #expect((error as? RESTClientError)?.listing?.items == 4)
        // The reply at 50 s may still be on its way when the guard at 45 s has fired.
        #expect(clock.now.offset <= .seconds(50))
    }

    @Test func `pages known ahead take the time of few, a chain the time of all`() async throws {
        for (convention, jobs, expected) in [
            (PagedCollection.Convention.totalPages, 8, 4), (.totalPages, 2, 11), (.totalPages, 1, 20),
            (.next, 8, 20),
        ] {
            let clock = VirtualClock()
            let collection = PagedCollection(convention, count: 60)
            let server = MockServer(clock: clock) {
                Route(.any) { request in collection.reply(to: request).delay(.seconds(1)) }
            }
            let manager = SessionManager(configuration: server.configuration, clock: clock)
            let url = try #require(URL(string: PagedCollection.path))
            let client = MyRESTClient(url: url, manager: manager, listing: ItemListing(jobs: jobs))
            #expect(try await client.getAvailableItems(as: String.self) == collection.items)
            let took = clock.now.offset / .seconds(1)
            #expect(took <= Double(expected) * 1.2, "\(convention), \(jobs) jobs: \(took) s")
            #expect(took >= Double(expected), "\(convention), \(jobs) jobs: \(took) s")
        }
    }
}
