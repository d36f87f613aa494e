import Foundation
import MockTransport
import RESTClient
import Testing

/// Lists that change between a listing that fails and another one that continues from its position.
@Suite struct ChangedListTests {
    /// A list with three items a page, whose third page fails at first, or breaks off after an item.
    private struct ChangingList {
        let ids = LockedState(Array(1...9))
        let isBroken = LockedState(true)
        var hasTotal = true
        var breaksInside = false
        var isText = false

        var server: MockServer {
            MockServer {
                Route(.any) { request in
                    let page = Int(request.query["page"] ?? "1") ?? 1
                    let ids = self.ids.withLock { $0 }
                    let items = ids.dropFirst(3 * page - 3).prefix(3).map { id in
                        isText ? "\"\(id)\"" : #"{"views": \#(Int.random(in: 0...9)), "id": \#(id)}"#
                    }
                    let total = hasTotal ? "\"total\": \(ids.count), " : ""
                    let pages = "\"page\": \(page), \"total_pages\": \((ids.count + 2) / 3), "
                    let body = "{\(pages)\(total)\"items\": [\(items.joined(separator: ", "))]}"
                    guard page == 3, self.isBroken.withLock({ $0 }) else { return .text(body, as: .json) }
                    let end = body.range(of: items[0])?.upperBound ?? body.endIndex
                    return breaksInside ? .text("\(body[..<end]), ", as: .json) : .status(500)
                }
            }
        }
    }

    private struct Item: Decodable {
        let id: String

        init(from decoder: any Decoder) throws {
            let text = try? decoder.singleValueContainer().decode(String.self)
            id = try text ?? "\(decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .id))"
        }

        private enum Keys: CodingKey { case id }
    }

    private typealias Row = (
        change: @Sendable (inout [Int]) -> Void, hasTotal: Bool, isText: Bool, rest: [Int], isComplete: Bool
    )

    /// The changes, and the items that another listing delivers after the first six.
    private static let rows: [Row] = [
        // Nothing, or only what follows the position.
        ({ _ in }, true, false, [7, 8, 9], true),
        ({ $0.append(10) }, false, false, [7, 8, 9, 10], true),
        ({ $0.removeLast() }, true, true, [7, 8], true),
        // Insertions and deletions before the position, which the total explains.
        ({ $0.insert(0, at: 0) }, true, false, [7, 8, 9], true),
        ({ $0.insert(contentsOf: Array(100..<120), at: 1) }, true, false, [7, 8, 9], true),
        ({ $0.remove(at: 1) }, true, false, [7, 8, 9], true),
        ({ $0.removeFirst(2) }, true, false, [7, 8, 9], true),
        // The same without a total: an item after the position can have moved to the one before it.
        ({ $0.insert(0, at: 0) }, false, false, [], false),
        ({ $0.insert($0.removeLast(), at: 0) }, true, false, [], false),
        ({ $0.remove(at: 1) }, false, false, [7], false),
        // The item at the position is gone, or cannot be found.
        ({ $0.remove(at: 5) }, true, false, [], false),
        ({ $0.insert(0, at: 0) }, true, true, [], false),
        ({ $0.removeFirst(6) }, true, false, [], false),
    ]

    @Test(arguments: Array(rows.indices))
    func `a list that has changed before the position is complete or an error`(row: Int) async throws {
        let (change, hasTotal, isText, expected, isComplete) = Self.rows[row]
        let list = ChangingList(hasTotal: hasTotal, isText: isText)
        let server = list.server
        let first = await server.client().items(as: Item.self).collect()
        #expect(first.elements.map(\.id) == (1...6).map(String.init))
        let progress = try #require((first.error as? RESTClientError)?.listingProgress)
        let text = try #require(progress.resume).rawValue
        let token = try #require(ResumeToken(rawValue: text))

        list.isBroken.withLock { $0 = false }
        list.ids.withLock { change(&$0) }
        let rest = await server.client().items(as: Item.self, from: token).collect()
        #expect(rest.elements.map(\.id) == expected.map(String.init))
        if isComplete { return #expect(rest.error == nil) }
        let error = try #require(rest.error as? RESTClientError)
        guard case .pagination(.positionMoved(page: 2, by: let shift)) = error.kind else { throw error }
        #expect((shift == nil) == expected.isEmpty)
        #expect(error.listingProgress?.resume == nil)

        // The list is accepted if the position is found.
        var listing = ItemListing()
        listing.allowsIncomplete = true
        let client = server.client(listing)
        let accepted = await client.items(as: Item.self, from: token).collect()
        #expect((accepted.error == nil) == list.ids.withLock { !isText && $0.contains(6) })
    }

    @Test func `a position inside a page is that of the item before it`() async throws {
        let list = ChangingList(breaksInside: true)
        let server = list.server
        let first = await server.client().items(as: Item.self).collect()
        #expect(first.elements.map(\.id) == (1...7).map(String.init))
        let token = (first.error as? RESTClientError)?.listingProgress?.resume
        #expect(token?.skip == 1)
        list.isBroken.withLock { $0 = false }
        for count in 0...4 {
            let rest = await server.client().items(as: Item.self, from: token).collect()
            #expect(rest.elements.map(\.id) == ["8", "9"], "\(count) inserted items")
            #expect(rest.error == nil)
            list.ids.withLock { $0.insert(-count, at: 0) }
        }
        // The item before the position is on an earlier page.
        list.ids.withLock { $0.removeFirst(6) }
        let rest = await server.client().items(as: Item.self, from: token).collect()
        #expect(rest.elements.isEmpty)
        #expect("\(try #require(rest.error))".contains("the list has changed"))
    }

    /// The replies to two listings. The first one ends with an error after `before` items.
    struct Replies: CustomTestStringConvertible {
        let testDescription: String
        let pages: [(items: [Int], total: Int)?]
        let before: [Int]
        let rest: [Int]
        var isComplete = true

        var replies: [Reply] {
            pages.enumerated().map { index, page in
                guard let page else { return .status(500) }
                let items = page.items.map { "{\"id\": \($0 % 100), \"n\": \($0)}" }.joined(separator: ", ")
                let next = page.items.contains(12) ? "null" : "\"?page=\(index + 2)\""
                let body = "{\"total\": \(page.total), \"next\": \(next), \"items\": [\(items)]}"
                // A total of 0 is that of a body that is cut.
                return .text(page.total == 0 ? "\(body.dropLast(2)), " : body, as: .json)
            }
        }
    }

    @Test(arguments: [
        Replies(
            testDescription: "an insertion before the second page",
            pages: [([1, 2, 3], 6), ([3, 4, 5], 7), nil, ([3, 4, 5], 7), ([12], 7)],
            before: [1, 2, 3, 4, 5], rest: [12]),
        Replies(
            testDescription: "an empty page before the position",
            pages: [([1, 2, 3], 5), ([], 5), nil, ([2, 3, 4], 4), ([], 4), ([12], 4)],
            before: [1, 2, 3], rest: [4, 12]),
        Replies(
            testDescription: "a deletion before a page that breaks off",
            pages: [([1, 2, 3], 7), ([5, 6], 0), ([5, 6, 12], 6)],
            before: [1, 2, 3, 5, 6], rest: [12], isComplete: false),
        Replies(
            testDescription: "equal identifiers",
            pages: [([1, 101, 201], 4), nil, ([1, 101, 201], 4), ([12], 4)],
            before: [1, 1, 1], rest: [12]),
    ])
    func `a list that changes in the first listing is complete or an error`(row: Replies) async throws {
        let replies = LockedState(row.replies)
        let server = MockServer { Route(.any) { _ in replies.withLock { $0.removeFirst() } } }
        let client = server.client(ItemListing(maxConcurrentPages: 1))
        let first = await client.items(as: Item.self).collect()
        #expect(first.elements.map(\.id) == row.before.map(String.init))
        let token = try #require((first.error as? RESTClientError)?.listingProgress?.resume)
        let rest = await client.items(as: Item.self, from: token).collect()
        #expect(rest.elements.map(\.id) == row.rest.map(String.init))
        #expect((rest.error == nil) == row.isComplete, "\(String(describing: rest.error))")
    }

    @Test func `the pages after a position do not include the one before it, nor count it`() async throws {
        let list = ChangingList()
        let server = list.server
        var pages = server.client().pages(as: Item.self).makeAsyncIterator()
        _ = try await pages.next()
        let token = try #require(try await pages.next()?.resume)
        list.isBroken.withLock { $0 = false }
        let rest = await server.client(ItemListing(maxPages: 1)).pages(as: Item.self, from: token).collect()
        #expect(rest.elements.map { $0.items.map(\.id) } == [["7", "8", "9"]])
        #expect(rest.elements.map(\.info.number) == [3])
        #expect(rest.error == nil)
    }
}
