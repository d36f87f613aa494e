import Foundation
import MockTransport
import RESTClient
import Testing

/// The end of a listing: errors, cancellation, and leaving the loop.
@Suite struct ListingEndTests {
    @Test(arguments: [301, 307] as [HTTPStatus])
    func `a redirect that drops the header fields or the body of a page is an error`(
        status: HTTPStatus
    ) async throws {
        struct Item: Decodable, Sendable { var id: String }
        let byHeader = PagedList(count: 6, size: 3, by: .heroku, at: .root)
        let byBody = PagedList(count: 6, size: 3, by: .notion, at: "results")
        let isPost = status == 301
        let list = isPost ? byBody : byHeader
        let server = MockServer {
            Route("http://other.example/items", list: list).optional()
            Route("http://shop.example/items") { request in
                let isFirst = request.headers[.range] == nil && !request.text.contains("start_cursor")
                let target = isPost ? "http://shop.example/moved" : "http://other.example/items"
                return isFirst ? list.page(for: request) : .redirect(to: target, status: status)
            }
            Route("http://shop.example/moved") { request in list.page(for: request) }.optional()
        }
        let manager = server.manager()
        let url = try #require(URL(string: "http://shop.example/items"))
        let request = manager.request(
            url, method: isPost ? .post : .get, body: isPost ? .json([:] as JSONLiteral) : nil)
        let listing = ItemListing(at: list.path, pagination: isPost ? .notion : .heroku)
        let client = MyRESTClient(request, listing: listing)
        let error = try await failure { try await client.getAvailableItems(as: Item.self) }
        let target = isPost ? "http://shop.example/moved" : "http://other.example/items"
        #expect(error.kind == .redirect(.refused(.dropsPage, to: target)))
        #expect(error.url == url)
    }

    @Test func `an item that does not decode ends the listing`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text(#"{"items": ["a", 7, "b", "c"          , "d", "e", "f"]}"#, as: .json).dribble(
                    chunks: 12, over: .zero)
            }
        }
        var items = server.client().items().makeAsyncIterator()
        #expect(try await items.next() == "a")
        let error = try await failure { _ = try await items.next() }
        #expect(error.listingProgress?.itemCount == 1)
        #expect(try await items.next() == nil)
        #expect(try await items.next() == nil)
    }

    @Test func `a page with an item that does not decode ends the listing`() async throws {
        let collection = PagedCollection(.totalPages, count: 60)
        let server = MockServer {
            Route(.any) { request in
                collection.page(of: request) == 1
                    ? .json(["items": [7], "page": 2, "total_pages": 20]) : collection.reply(to: request)
            }
        }
        var pages = server.client(ItemListing(maxConcurrentPages: 4)).pages().makeAsyncIterator()
        #expect(try await pages.next()?.items.count == 3)
        let error = try await failure { _ = try await pages.next() }
        #expect(error.kind == .wrongShape(path: "$.items[0]", expected: .string, found: .number))
        #expect(error.listingProgress?.itemCount == 3)
        #expect(try await pages.next() == nil)
    }

    // MARK: Cancellation

    /// The API that lists the items.
    enum Form: String, CaseIterable, CustomTestStringConvertible {
        case whole, items, pages, elements

        var testDescription: String { rawValue }
    }

    /// Lists all items of `client`, up to a limit.
    private static func list(
        _ client: MyRESTClient, as form: Form, into items: LockedState<[String]>,
        isEnough: @Sendable () async throws -> Bool = { false }
    ) async throws {
        func add(_ more: [String]) async throws -> Bool {
            items.withLock { $0 += more }
            return try await isEnough()
        }
        switch form {
        case .whole: _ = try await add(client.getAvailableItems(as: String.self))
        case .items:
            for try await item in client.items(as: String.self) where try await add([item]) { return }
        case .pages:
            for try await page in client.pages(as: String.self) where try await add(page.items) { return }
        case .elements:
            for try await batch in client.elements() {
                var texts: [String] = []
                batch.forEach { texts.append(ListScanner.string($0) ?? "?") }
                if try await add(texts) { return }
            }
        }
    }

    @Test(arguments: Form.allCases)
    func `a listing that is cancelled at any time is complete or ends with CancellationError`(
        form: Form
    ) async throws {
        let collection = PagedCollection(.totalPages, count: 24)
        var wereCancelled = 0
        for moment in stride(from: 0, to: 60, by: 10) {
            let server = MockServer {
                Route(.any) { collection.reply(to: $0).dribble(chunks: 2, over: .zero) }.optional()
            }
            let listing = LockedState<Task<Void, any Error>?>(nil)
            let events = LockedState((all: 0, created: 0, finished: 0))
            let monitor = EventMonitor { event in
                let isMoment = events.withLock { count in
                    count.all += 1
                    if case .created = event.kind { count.created += 1 }
                    if case .finished = event.kind { count.finished += 1 }
                    return count.all == moment
                }
                if isMoment { listing.withLock { $0 }?.cancel() }
            }
            let manager = server.manager(monitor: monitor)
            let client = MyRESTClient(
                url: PagedCollection.path, manager: manager, listing: ItemListing(maxConcurrentPages: 4))
            let items = LockedState<[String]>([])
            let task = listing.withLock { listing in
                let task = Task { try await Self.list(client, as: form, into: items) }
                listing = task
                return task
            }
            if moment == 0 { task.cancel() }
            switch await task.result {
            case .success: #expect(items.withLock { $0 } == collection.items, "moment \(moment)")
            case .failure(let error):
                #expect(error is CancellationError, "moment \(moment): \(error)")
                #expect(collection.items.starts(with: items.withLock { $0 }), "moment \(moment)")
                wereCancelled += 1
            }
            await manager.shutdown()
            let ends = events.withLock { $0 }
            #expect(ends.created == ends.finished, "moment \(moment)")
        }
        #expect(wereCancelled > 3)
    }

    @Test(arguments: Form.allCases)
    func `leaving the loop, or cancelling, ends all transfers, including prefetched pages`(
        form: Form
    ) async throws {
        let collection = PagedCollection(.totalPages, count: 60)
        let server = MockServer {
            Route(.any) { request in
                let page = collection.page(of: request)
                guard page > 0 else { return collection.reply(page: 0) }
                // Some transfers have started, some have not.
                return collection.reply(page: page).fault(
                    .stall(page % 2 == 0 ? .beforeHead : .inBody(after: 30)))
            }
        }
        let manager = server.manager(options: RequestOptions(timeouts: Timeouts(idle: nil)))
        let client = MyRESTClient(
            url: PagedCollection.path, manager: manager, listing: ItemListing(maxConcurrentPages: 6))
        let items = LockedState<[String]>([])
        let listing = Task {
            try await Self.list(client, as: form, into: items) {
                _ = try await server.requests(count: 6)
                return true
            }
        }
        if form == .whole {
            _ = try await server.requests(count: 6)
            listing.cancel()
            await #expect(throws: CancellationError.self) { try await listing.value }
        } else {
            try await listing.value
            #expect(items.withLock { $0.first } == "item 0")
        }
        await manager.shutdown()
    }

    @Test func `pages that no longer follow are not waited for`() async throws {
        let server = MockServer {
            Route(.any) { request in
                let page = request.number("page", or: 1)
                let reply = Reply.json([
                    "items": ["\(page)"], "page": .value(page), "total_pages": .value(page == 1 ? 6 : 2),
                ])
                return page > 2 ? reply.fault(.stall(page == 3 ? .beforeHead : .inBody(after: 5))) : reply
            }
        }
        let manager = server.manager(options: RequestOptions(timeouts: Timeouts(idle: nil)))
        let client = MyRESTClient(
            url: PagedCollection.path, manager: manager, listing: ItemListing(maxConcurrentPages: 6))
        var items = client.items(as: String.self).makeAsyncIterator()
        #expect(try await items.next() == "1")
        _ = try await server.requests(count: 6)
        #expect(try await items.next() == "2")
        #expect(try await items.next() == nil)
        await manager.shutdown()
    }
}
