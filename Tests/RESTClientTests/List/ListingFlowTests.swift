import Foundation
import MockTransport
import Testing

@testable import RESTClient

@Suite struct ListingFlowTests {
    @Test(arguments: [PagedCollection.Convention.link, .next, .totalPages, .offset])
    func `the next page is requested while the first is being read`(
        convention: PagedCollection.Convention
    ) async throws {
        let server = PagedCollection(convention).server
        var items = server.client().items(as: String.self).makeAsyncIterator()
        #expect(try await items.next() == "item 0")
        // The consumer has received one of three items.
        #expect(try await server.requests(count: 2).count == 2)
        #expect(try await items.next() == "item 1")
    }

    @Test(arguments: [.automatic, .init(.link), .init(.github)] as [StandardPagination])
    func `a page in the Link header is requested before the body of the first arrives`(
        pagination: StandardPagination
    ) async throws {
        let collection = PagedCollection(.link)
        let server = MockServer {
            Route(.any) { request in
                let reply = collection.reply(to: request)
                return collection.page(of: request) == 0 ? reply.fault(.stall(.inBody(after: 25))) : reply
            }
        }
        let client = server.client(ItemListing(pagination: pagination))
        var items = client.items(as: String.self).makeAsyncIterator()
        #expect(try await items.next() == "item 0")
        #expect(try await server.requests(count: 2).map(collection.page) == [0, 1])
    }

    @Test(arguments: [PagedCollection.Convention.link, .next, .totalPages])
    func `with one concurrent page, a page is requested after the previous one was read`(
        convention: PagedCollection.Convention
    ) async throws {
        let server = PagedCollection(convention).server
        let client = server.client(ItemListing(maxConcurrentPages: 1))
        var inOrder: [Int] = []
        for try await page in client.pages(as: String.self) {
            inOrder.append(page.items.count)
            #expect(server.requests.count == inOrder.count)
        }
        #expect(inOrder == [3, 3, 1])
    }

    @Test(arguments: [5, 16])
    func `pages known in advance are transferred concurrently and delivered in order`(jobs: Int) async throws
    {
        let collection = PagedCollection(.totalPages, count: 4 * 3 * jobs)
        let gates = (0..<collection.pageCount).map { _ in Gate() }
        gates[0].open()
        let server = MockServer {
            Route(.any) { request in
                await gates[collection.page(of: request)].pass()
                return collection.reply(to: request)
            }
        }
        let client = server.client(ItemListing(maxConcurrentPages: jobs))
        let listing = Task { try await client.getAvailableItems(as: String.self) }
        // The first page has been read. `jobs` pages after it are waiting, and no others.
        let first = try await server.requests(count: jobs + 1)
        #expect(Set(first.map(collection.page)) == Set(0...jobs))
        // The last page is answered first.
        for gate in gates.reversed() { gate.open() }
        #expect(try await listing.value == collection.items)
        #expect(server.requests.count == collection.pageCount)
    }

    @Test func `a consumer that awaits other requests and lists does not deadlock`() async throws {
        let big = PagedCollection(
            convention: .totalPages, items: (0..<40).map { "\($0)" + String(repeating: "x", count: 30_000) },
            pageSize: 10)
        let server = big.server
        let client = server.client(ItemListing(maxConcurrentPages: 4))
        var count = 0
        for try await item in client.items(as: String.self) {
            if count % 10 == 0 {
                let other = server.client(ItemListing(maxConcurrentPages: 3)).items(as: String.self)
                var others = 0
                for try await item in other {
                    #expect(item == big.items[others])
                    others += 1
                    if others == 15 { break }
                }
            }
            #expect(item == big.items[count])
            count += 1
        }
        #expect(count == 40)
    }

    @Test func `a client can list twice at the same time`() async throws {
        let collection = PagedCollection(.next, count: 30)
        let client = collection.server
        let server = client
        let lister = server.client()
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { try await lister.getAvailableItems(as: String.self) } }
            for try await items in group { #expect(items == collection.items) }
        }
        let sequence = lister.items(as: String.self)
        var one = sequence.makeAsyncIterator()
        var two = sequence.makeAsyncIterator()
        for item in collection.items {
            #expect(try await one.next() == item)
            #expect(try await two.next() == item)
        }
        #expect(try await one.next() == nil)
        #expect(try await one.next() == nil)
    }

    @Test func `pages contain their envelope and a resume token`() async throws {
        let server = PagedCollection(.totalPages).server
        var pages: [ItemPage<String>] = []
        for try await page in server.client().pages(as: String.self) { pages.append(page) }
        #expect(pages.map(\.items.count) == [3, 3, 1])
        #expect(pages.map(\.info.number) == [1, 2, 3])
        #expect(pages.map(\.info.itemsSoFar) == [3, 6, 7])
        #expect(pages.map { $0.info.envelope.integer("total_pages") } == [3, 3, 3])
        #expect(pages.map { $0.resume != nil } == [true, true, false])
        let token = try #require(pages[0].resume)
        let kept = try #require(ResumeToken(rawValue: token.rawValue))
        let (rest, error) = await server.client().items(as: String.self, from: kept).collect()
        #expect(rest == (3..<7).map { "item \($0)" })
        #expect(error == nil)
    }

    @Test func `batches report the end of each page and when nothing more is buffered`() async throws {
        let collection = PagedCollection(.totalPages)
        let server = collection.server
        var items: [String] = []
        var ends: [PageEnd] = []
        var bytes = 0
        var flushes = 0
        for try await batch in server.client().elements() {
            batch.forEach { items.append(ListScanner.string($0) ?? "?") }
            if let end = batch.pageEnd { ends.append(end) }
            if !batch.hasMoreBuffered { flushes += 1 }
            bytes += batch.receivedBytes
        }
        #expect(items == collection.items)
        #expect(ends.map(\.info.number) == [1, 2, 3])
        #expect(ends.map { $0.resume != nil } == [true, true, false])
        #expect(flushes >= 3)
        #expect(bytes > 0)
    }

    @Test func `an item above the size limit is an error`() async throws {
        let server = MockServer { Route(.any) { Reply.json(["items": ["tea", "a longer one"]]) } }
        let (items, error) = await server.client(ItemListing(maxItemBytes: 5)).items().collect()
        #expect(items == ["tea"])
        let failure = try #require(error as? RESTClientError)
        #expect(failure.kind == .limit(.itemBytes(5, path: "$.items[1]")))
        #expect(failure.listingProgress?.itemCount == 1)
    }

    @Test func `pages above the total size limit are an error`() async throws {
        let server = PagedCollection(.next, count: 300).server
        let listing = ItemListing(maxBytes: 1000)
        let (items, error) = await server.client(listing).items(as: String.self).collect()
        let failure = try #require(error as? RESTClientError)
        #expect(failure.kind == .limit(.listingBytes(1000)))
        #expect(failure.listingProgress?.itemCount == items.count)
        #expect(failure.listingProgress?.resume != nil)
    }

    @Test func `pages of exactly the total size limit are listed`() async throws {
        let body = Data(#"{"items":["tea","milk"]}"#.utf8)
        let server = MockServer { Route(.any) { Reply.data(body).repeats() } }
        let exact = ItemListing(maxBytes: Int64(body.count))
        #expect(try await server.client(exact).getAvailableItems() == ["tea", "milk"])
        let less = ItemListing(maxBytes: Int64(body.count) - 1)
        await #expect(throws: RESTClientError.self) { try await server.client(less).getAvailableItems() }
    }

    @Test func `a total that changes during the listing is respected`() async throws {
        for (first, later, expected) in [(2, 4, 4), (6, 3, 3)] {
            let server = MockServer {
                Route(.any) { request in
                    let page = request.number("page", or: 1)
                    return .json([
                        "items": ["\(page)"], "page": .value(page),
                        "total_pages": .value(page == 1 ? first : later),
                    ])
                }
            }
            let items = try await server.client(ItemListing(maxConcurrentPages: 3)).getAvailableItems(
                as: String.self)
            #expect(items == (1...expected).map { "\($0)" })
        }
    }
}
