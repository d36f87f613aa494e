import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// Pages with items whose identities were on earlier pages, in chunks of any size.
@Suite struct SharedIdentityTests {
    private struct Item: Decodable, Sendable {
        let id: Int
        let text: String
    }

    /// The way to the next page, on pages of five items.
    private enum Convention: CaseIterable {
        case page, pageCount, total, token, link

        func members(ofPage number: Int, of count: Int) -> String {
            let next = number < count ? "\"\(number + 1)\"" : "null"
            let link = number < count ? "\"/items?page=\(number + 1)\"" : "null"
            return switch self {
            case .page: #""page":\#(number),"per_page":5"#
            case .pageCount: #""page":\#(number),"pages":\#(count)"#
            case .total: #""page":\#(number),"per_page":5,"total":\#(5 * count)"#
            case .token: #""next_cursor":\#(next),"has_more":\#(number < count)"#
            case .link: #""next":\#(link)"#
            }
        }
    }

    private static func page(_ members: String, _ items: [(id: Int, text: String)]) -> String {
        let items = items.map { #"{"id":\#($0.id),"text":"\#($0.text)"}"# }.joined(separator: ",")
        return #"{\#(members),"items":[\#(items)]}"#
    }

    /// A page of a list of two, with a link.
    private static func linkedPage(_ number: Int, _ items: [(id: Int, text: String)]) -> String {
        page(Convention.link.members(ofPage: number, of: 2), items)
    }

    /// A reply in chunks of a number of bytes.
    private static func reply(_ text: String, in size: Int) -> Reply {
        let bytes = Data(text.utf8)
        return .stream(
            AsyncStream { chunks in
                for start in stride(from: 0, to: bytes.count, by: size) {
                    chunks.yield(bytes[start..<min(bytes.count, start + size)])
                }
                chunks.finish()
            }, as: .json)
    }

    private static func client(
        _ listing: ItemListing = ItemListing(), pages: @escaping @Sendable (Int) -> Reply
    ) -> (MyRESTClient, MockServer) {
        let clock = VirtualClock(.automatic)
        let server = MockServer(clock: clock) {
            Route(.any) { pages($0.number("page", or: $0.number("cursor", or: 1))) }
        }
        let manager = SessionManager(configuration: server.configuration, clock: clock)
        let request = manager.request("https://shop.example/items")
        return (MyRESTClient(request, listing: listing), server)
    }

    @Test(arguments: Convention.allCases, [150, 400, 10_000])
    private func `items are different if their identities start again on each page`(
        convention: Convention, chunkSize: Int
    ) async {
        for haveSameFirstItem in [true, false] {
            let (client, _) = Self.client { number in
                let items = (number > 4 ? 0..<0 : 0..<5).map { index in
                    let isFirst = index == 0 && haveSameFirstItem
                    let text =
                        "item \(isFirst ? 0 : number * 5 - 5 + index)" + String(repeating: " x", count: 50)
                    return (index + 1, text)
                }
                return Self.reply(Self.page(convention.members(ofPage: number, of: 4), items), in: chunkSize)
            }
            let result = await client.items(as: Item.self).collect()
            #expect(Set(result.elements.map(\.text)).count == (haveSameFirstItem ? 17 : 20))
            #expect(result.elements.count == 20)
            #expect(result.error == nil)
        }
    }

    @Test(arguments: [3_000, 100_000, 250_000, 700_000, 5_000_000])
    func `no item of large pages is lost silently if their identities start again`(chunkSize: Int) async {
        let pad = String(repeating: "x", count: 100_000)
        let (client, _) = Self.client { number in
            let items = (0..<12).map { ($0, "page \(number) \($0) \(pad)") }
            return Self.reply(Self.page(Convention.link.members(ofPage: number, of: 3), items), in: chunkSize)
        }
        let result = await client.items(as: Item.self).collect()
        #expect(result.elements.count == 36 || result.error != nil)
        // In chunks of one item, only the identities of the last two of the first page are known.
        #expect(result.error == nil || chunkSize == 100_000)
    }

    @Test(arguments: Convention.allCases, 0...5)
    private func
        `no item is lost silently if a listing is resumed on a page of which the identities start again`(
            convention: Convention, received: Int
        ) async
    {
        for chunkSize in [10, 10_000] {
            let page = Self.page(convention.members(ofPage: 2, of: 2), (1...5).map { ($0, "page 2 \($0)") })
            let item = #"{"id":1,"text":"page 2 1"},"#.utf8.count
            let isCut = LockedState(true)
            let (client, _) = Self.client { number in
                guard number < 3 else {
                    return Self.reply(Self.page(convention.members(ofPage: 3, of: 2), []), in: chunkSize)
                }
                guard number == 2 else {
                    let items = (1...5).map { ($0, "page 1 \($0)") }
                    return Self.reply(
                        Self.page(convention.members(ofPage: 1, of: 2), items), in: chunkSize)
                }
                let reply = Self.reply(page, in: chunkSize)
                guard isCut.withLock(\.self) else { return reply }
                return reply.fault(.reset(.inBody(after: page.utf8.count - (5 - received) * item - 3)))
            }
            let result = await client.items(as: Item.self).collect()
            var texts = result.elements.map(\.text)
            guard let position = (result.error as? RESTClientError)?.listingProgress?.resume else { continue }
            isCut.withLock { $0 = false }
            let rest = await client.items(as: Item.self, from: position).collect()
            texts += rest.elements.map(\.text)
            #expect(
                texts == (1...5).map { "page 1 \($0)" } + (1...5).map { "page 2 \($0)" } || rest.error != nil)
        }
    }

    @Test(arguments: [(13, 11, 100_000), (10, 5, 400_000), (10, 1, 400_000)])
    func `items of a large page that the next one repeats are not delivered twice silently`(
        count: Int, overlap: Int, size: Int
    ) async {
        let pad = String(repeating: "x", count: size)
        let (client, _) = Self.client { number in
            let start = (number - 1) * (count - overlap)
            let items = (start..<start + count).map { ($0, "\($0) \(pad)") }
            return Self.reply(Self.linkedPage(number, items), in: 300_000)
        }
        let result = await client.items(as: Item.self).collect()
        #expect(result.error != nil || result.elements.map(\.id) == Array(0..<2 * count - overlap))
        // A cursor can include the last item.
        #expect(result.error == nil || overlap > 1)
    }

    @Test func `a guessed page that begins like the first one is delivered once`() async {
        let (client, _) = Self.client { number in
            let ids = number == 1 ? Array(0..<9) : number == 2 ? Array(0..<8) + [100] : []
            let items = ids.map { ($0, String(repeating: "x", count: $0 == 100 ? 410_000 : 100_000)) }
            return Self.reply(Self.page(#""page":\#(number),"per_page":9"#, items), in: 420_000)
        }
        let result = await client.items(as: Item.self).collect()
        #expect(result.elements.map(\.id) == Array(0..<9) + [100])
    }

    @Test(arguments: [10, 60, 1000], [0, 2, 3])
    func `a page that breaks off twice is continued without another reading of the list`(
        chunkSize: Int, items: Int
    ) async {
        let page = Self.linkedPage(2, (6...11).map { ($0, "a text") })
        let item = #"{"id":1,"text":"a text"},"#.utf8.count
        let visit = LockedState(0)
        var listing = ItemListing()
        listing.maxPageRestarts = 5
        let (client, server) = Self.client(listing) { number in
            guard number == 2 else {
                return Self.reply(Self.linkedPage(1, (1...5).map { ($0, "a text") }), in: chunkSize)
            }
            let start = page.utf8.count - 6 * item
            let reply = Self.reply(page, in: chunkSize)
            return switch visit.next() {
            case 1: reply.fault(.reset(.inBody(after: start + 4 * item + 5)))
            case 2: reply.fault(.reset(.inBody(after: start + items * item + 5)))
            default: reply
            }
        }
        let result = await client.items(as: Item.self).collect()
        #expect(result.elements.map(\.id) == Array(1...11))
        #expect(result.error == nil)
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [30, 10_000])
    func `the rest of a page that was requested again can have the identities of other items`(
        chunkSize: Int
    ) async {
        let items = (1...5).map { ($0 + 100, "page 2 \($0)") } + (1...15).map { ($0, "page 2 \($0 + 5)") }
        let page = Self.linkedPage(2, items)
        let visit = LockedState(0)
        var listing = ItemListing()
        listing.maxPageRestarts = 1
        let (client, server) = Self.client(listing) { number in
            guard number == 2 else {
                return Self.reply(Self.linkedPage(1, (1...20).map { ($0, "page 1 \($0)") }), in: chunkSize)
            }
            let reply = Self.reply(page, in: chunkSize)
            return visit.next() == 1 ? reply.fault(.reset(.inBody(after: 120))) : reply
        }
        let result = await client.items(as: Item.self).collect()
        #expect(
            result.elements.map(\.text) == (1...20).map { "page 1 \($0)" } + (1...20).map { "page 2 \($0)" })
        #expect(result.error == nil)
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [5, 30, 60, 1000])
    func `an item that cannot be decoded is the error of a page that breaks off later`(
        chunkSize: Int
    ) async throws {
        let text = Self.linkedPage(2, (5...10).map { ($0, "a text") }).replacing(
            #""id":7"#, with: #""id":"7""#)
        let (client, _) = Self.client { number in
            guard number == 2 else {
                return Self.reply(Self.linkedPage(1, (1...5).map { ($0, "a text") }), in: chunkSize)
            }
            return Self.reply(text, in: chunkSize).fault(.reset(.inBody(after: text.utf8.count - 30)))
        }
        let result = await client.items(as: Item.self).collect()
        #expect(result.elements.map(\.id) == Array(1...6))
        #expect("\(try #require(result.error))".contains("$.items[2].id"))
        var pages = client.pages(as: Item.self).makeAsyncIterator()
        #expect(try await pages.next()?.items.count == 5)
        await #expect(throws: RESTClientError.self) { try await pages.next() }
        #expect(try await pages.next() == nil)
    }
}
