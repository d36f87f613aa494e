import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// Lists that change while they are read. `SimulationTests` lists random ones.
@Suite struct MovingListTests {
    struct Item: Decodable, Sendable { let id: Int }

    @Test
    func
        `equal strings at the end of a page and the beginning of the next one are dropped if the total has grown`()
        async throws
    {
        for hasGrown in [true, false] {
            let server = MockServer {
                Route(.any) { request in
                    request.query["page"] == "2"
                        ? .json(["items": ["b", "c"], "page": 2, "per_page": 2, "total": hasGrown ? 4 : 3])
                        : .json(["items": ["a", "b"], "page": 1, "per_page": 2, "total": 3])
                }
            }
            let result = await server.client(path: "https://shop.example/items").items(as: String.self)
                .collect()
            #expect(result.elements == (hasGrown ? ["a", "b", "c"] : ["a", "b", "b", "c"]))
            // More items than the total are an error.
            #expect((result.error == nil) == hasGrown)
        }
    }

    /// Lists the items of two pages, of which the first one is sent again if it is requested again after the second one.
    private func list(
        _ pages: [(ids: [Int], rest: JSONLiteral)], again: [Int]
    ) async throws -> (items: [Int], error: (any Error)?) {
        let state = LockedState(false)
        let server = MockServer {
            Route(.any) { request in
                let number = min(request.number("page", or: 1), pages.count)
                let isAgain = state.withLock { seen in
                    defer { seen = seen || number == 2 }
                    return seen && number == 1
                }
                let ids = isAgain ? again : pages[number - 1].ids
                return .json([
                    "items": JSONLiteral(.array(ids.map { ["id": .value($0)] })), "page": .value(number),
                    "info": pages[number - 1].rest,
                ])
            }
        }
        let result = await server.client(path: "https://shop.example/items").items(as: Item.self).collect()
        return (result.elements.map(\.id), result.error)
    }

    /// The number of pages is then that of the first one.
    @Test(arguments: ["total_pages", "last_page", "last", "finalPage", "last_page_no", "lastPageIndex"])
    func `a page is not listed twice if the list shrinks to one page of items without an identity`(
        name: String
    ) async throws {
        let state = LockedState(false)
        let server = MockServer {
            Route(.any) { request in
                let isFirst = state.withLock { seen in
                    defer { seen = true }
                    return !seen
                }
                let all = ["a", "b", "c", "d", "e"] + (isFirst ? ["f", "g"] : [])
                let number = request.number("page", or: 1)
                return .json([
                    "items": JSONLiteral(.array(all.dropFirst(number * 5 - 5).prefix(5).map { .value($0) })),
                    "total": .value(all.count), "page": .value(number),
                    name: .value((all.count + 4) / 5),
                ])
            }
        }
        let result = await server.client(path: "https://shop.example/items").items(as: String.self).collect()
        #expect(result.elements == ["a", "b", "c", "d", "e"])
        // Equal items cannot be distinguished, so that items may be missing.
        let error = try #require(result.error as? RESTClientError)
        #expect(error.kind == .pagination(.incompleteTotal(received: 5, total: 7, in: "total")))
    }

    @Test func `an item that has moved is found if only the number of pages has shrunk`() async throws {
        let result = try await list([([1, 2, 3], ["pages": 3]), ([5, 6], ["pages": 2])], again: [2, 3, 4])
        #expect(result.items == [1, 2, 3, 4, 5, 6] || result.items == [1, 2, 3, 5, 6, 4])
        #expect(result.error == nil)
    }

    @Test(arguments: [20_000, 150_000, 400_000])
    func `an item that has moved from a large page is found, and no other item is repeated`(
        size: Int
    ) async throws {
        let text = String(repeating: "x", count: size)
        let isShorter = LockedState(false)
        let server = MockServer {
            Route(.any) { request in
                let number = request.number("page", or: 1)
                let shorter = isShorter.withLock { isShorter in
                    isShorter = isShorter || number == 2
                    return isShorter
                }
                let all = Array(shorter ? 2...20 : 1...20)
                let ids = all.dropFirst(number * 10 - 10).prefix(10)
                let items = ids.map { id in
                    Data(#"{"id":\#(id),"text":"\#(text)"}\#(id == ids.last ? "" : ",")"#.utf8)
                }
                let start = Data(#"{"page":\#(number),"per_page":10,"total":\#(all.count),"items":["#.utf8)
                return .stream(
                    AsyncStream {
                        for chunk in [start] + items + [Data("]}".utf8)] { $0.yield(chunk) }
                        $0.finish()
                    }, as: .json)
            }
        }
        let result = await server.client(path: "https://shop.example/items").items(as: Item.self).collect()
        let ids = result.elements.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(result.error != nil || Set(ids) == Set(1...20))
        // The items of a page of up to a megabyte are known, so that the list is complete.
        #expect(result.error == nil || size > 100_000)
    }

    @Test(arguments: [(5, false), (6, true)])
    func `a repeated item in the place of another one is an error`(total: Int, isGrown: Bool) async throws {
        let result = try await list(
            [([1, 2, 3], ["total": 5]), (isGrown ? [3, 4, 5] : [3, 4], ["total": .value(total)])], again: [])
        #expect(result.items == (isGrown ? [1, 2, 3, 4, 5] : [1, 2, 3, 4]))
        #expect((result.error == nil) == isGrown)
    }

    /// Items whose last one has a flag for more, as in the API of Gerrit.
    @Test(arguments: [true, false])
    func `a flag of the last item that says that more follow is an error`(hasFlag: Bool) async throws {
        let last: JSONLiteral = hasFlag ? ["id": 2, "_more_changes": true] : ["id": 2, "read_more": true]
        let server = MockServer { Route(.any) { _ in .json([["id": 1], last]) } }
        let client = server.client(ItemListing(at: .root), path: "https://shop.example/changes")
        let result = await client.items(as: Item.self).collect()
        #expect(result.elements.map(\.id) == [1, 2])
        #expect((result.error != nil) == hasFlag)
    }

    @Test(arguments: [true, false])
    func `a flag of the last member of an object that says that more follow is an error`(hasFlag: Bool) async
    {
        let last: JSONLiteral = hasFlag ? ["id": 2, "_more_projects": true] : ["id": 2]
        let server = MockServer { Route(.any) { _ in .json(["a": ["id": 1], "b": last]) } }
        var listing = ItemListing(at: .root)
        listing.layout = .members
        var error: (any Error)?
        do {
            for try await _ in server.client(listing, path: "https://shop.example/projects").elements() {}
        } catch let failure { error = failure }
        #expect((error != nil) == hasFlag, "\(error as Any)")
    }

    @Test
    func `a flag of each item, or of the only one, is about the item, however the body arrives`() async {
        for count in [1, 5] {
            let items = (1...count).map { #"{"id": \#($0), "has_more_replies": true}"# }
            let chunks = items.map { Data("\($0),".utf8) }.dropLast() + [Data((items.last ?? "").utf8)]
            let body = [Data("[".utf8)] + chunks + [Data("]".utf8)]
            let server = MockServer {
                Route(.any) { _ in
                    .stream(
                        AsyncStream {
                            for chunk in body { $0.yield(chunk) }; $0.finish()
                        }, as: .json)
                }
            }
            let client = server.client(ItemListing(at: .root), path: "https://shop.example/comments")
            let result = await client.items(as: Item.self).collect()
            #expect(result.elements.map(\.id) == Array(1...count))
            #expect(result.error == nil)
        }
    }

    @Test(arguments: ["cursor", "page"])
    func `rows of which several have the same id are all delivered`(parameter: String) async throws {
        let server = MockServer {
            Route(.any) { request in
                let page = request.query[parameter].flatMap { Int($0.drop { !$0.isNumber }) } ?? 1
                let rows = (1...3).map {
                    JSONLiteral(dictionaryLiteral: ("id", .value($0)), ("at", .value(page * 10 + $0)))
                }
                let next =
                    page < 3 ? JSONLiteral.value(parameter == "page" ? "\(page + 1)" : "c\(page + 1)") : nil
                return parameter == "page"
                    ? .json(["items": .value(rows), "page": .value(page), "total_pages": 3])
                    : .json(["items": .value(rows), "next_cursor": next])
            }
        }
        struct Row: Decodable, Sendable { let at: Int }
        let client = server.client(path: "https://shop.example/items")
        let rows = try await client.getAvailableItems(as: Row.self)
        #expect(rows.map(\.at) == [11, 12, 13, 21, 22, 23, 31, 32, 33])
    }

    @Test func `the offset of a server that hides items grows by the limit`() async throws {
        let server = MockServer {
            Route(.any) { request in
                let start = request.number("offset")
                let ids = Array(start..<max(start, min(7, start + 3))).filter { $0 != 1 }
                return .json([
                    "entries": JSONLiteral(.array(ids.map { ["id": .value($0)] })), "limit": 3,
                    "offset": .value(start), "total_count": 7,
                ])
            }
        }
        let client = server.client(ItemListing(at: "entries"), path: "https://shop.example/items")
        #expect(try await client.getAvailableItems(as: Item.self).map(\.id) == [0, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [1, 2, 4])
    func `pages with links are requested in parallel if their number is known`(ahead: Int) async {
        let result = await numbers(ItemListing(maxConcurrentPages: ahead), query: "per_page=3") { request in
            let page = request.number("page", or: 1)
            var links = ["<https://shop.example/items?page=5&per_page=3>; rel=\"last\""]
            // The query items of a link are in any order.
            if page < 5 {
                let query = page % 2 == 0 ? "page=\(page + 1)&per_page=3" : "per_page=3&page=\(page + 1)"
                links.append("<https://shop.example/items?\(query)>; rel=\"next\"")
            }
            let items = JSONLiteral.value(Array(page * 3 - 3..<page * 3))
            return .json(["items": items]).header("Link", links.joined(separator: ", "))
        }
        #expect(result.error == nil)
        #expect(result.items == Array(0..<15))
        #expect(result.requests == 5)
    }

    // MARK: Identities

    /// Lists replies in the order of the requests, the last one again and again.
    private func list(
        replies: [JSONLiteral], ahead: Int = 1, at path: String = "items"
    ) async -> (items: [Int], error: (any Error)?, requests: Int) {
        let number = LockedState(0)
        let server = MockServer {
            Route(.any) { _ in .json(replies[min(number.next(), replies.count) - 1]) }
        }
        let result = await server.client(
            ItemListing(maxConcurrentPages: ahead), path: "https://shop.example/\(path)"
        ).items(as: Item.self).collect()
        return (result.elements.map(\.id), result.error, server.requests.count)
    }

    private static func page(_ ids: [Int], _ members: [String: JSONLiteral], views: Int = 0) -> JSONLiteral {
        let items = ids.map { id -> JSONLiteral in ["views": .value(views), "id": .value(id)] }
        return JSONLiteral(
            .object(
                [("items", .value(items))] + members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }

    @Test(arguments: [3, 6])
    func `a page that is sent again instead of the next one is an error unless the total was reached`(
        total: Int
    ) async {
        let page = Self.page([1, 2, 3], ["total": .value(total), "next": "/items?after=bmV4dA"])
        let result = await list(replies: [page, page])
        #expect(result.items == [1, 2, 3])
        #expect((result.error == nil) == (total == 3))
    }

    @Test func `a repeated item is dropped anywhere on a page and after an edit`() async {
        let pages = [
            Self.page([1, 2, 3], ["next_cursor": "bmV4dCBwYWdl"]),
            Self.page([8, 9, 1], ["next_cursor": "bmV4dCBwYWdm"], views: 1),
            Self.page([2, 3, 4], ["next_cursor": nil]),
        ]
        let result = await list(replies: pages)
        #expect(result.items == [1, 2, 3, 8, 9, 4])
        // Without a total, another item can have the same identity.
        #expect(result.error != nil)
        #expect(result.requests == 3)
    }

    @Test func `a page of items that were delivered does not end a list that goes on`() async {
        func page(_ ids: [Int], _ next: Int?) -> JSONLiteral {
            Self.page(
                ids, ["next": next.map { .value("/items?offset=\($0)") } ?? nil as JSONLiteral, "count": 10])
        }
        let first: [JSONLiteral] = [
            Self.page([1, 2, 3], ["next": "/items?offset=3", "count": 7]), page([1, 2, 3], 6),
            page([4, 5, 6], 9),
            page([7], nil),
        ]
        let result = await list(replies: first)
        #expect(result.items == [1, 2, 3, 4, 5, 6, 7])
        #expect(result.error == nil)
    }

    @Test func `links to the same items under new URLs end`() async {
        for hasFlag in [true, false] {
            let pages = (1..<9).map { number in
                Self.page(
                    number == 1 ? [1, 2, 3] : [4, 5, 6],
                    ["next": .value("/items?c=\(number)"), hasFlag ? "has_more" : "valid": true])
            }
            let result = await list(replies: pages)
            #expect(result.items == [1, 2, 3, 4, 5, 6])
            #expect(result.requests < 6)
            #expect((result.error != nil) == hasFlag)
        }
    }

    @Test func `an item that moves to the end hides another one, which is found when the list is read again`()
        async
    {
        func page(_ ids: [Int], _ number: Int) -> JSONLiteral {
            Self.page(ids, ["page": .value(number), "per_page": 3, "total": 7])
        }
        let pages = [
            page([1, 2, 3], 1), page([5, 6, 7], 2), page([2], 3), page([1, 3, 4], 1), page([5, 6, 7], 2),
            page([2], 3),
        ]
        let result = await list(replies: pages)
        #expect(result.items == [1, 2, 3, 5, 6, 7, 4])
        #expect(result.error == nil)
        // The list is complete after the first page.
        #expect(result.requests == 4)
    }

    @Test func `an item that moves to the front each time that the list is read is an error`() async {
        let pages = (0..<40).map { index in
            Self.page(
                index % 2 == 0 ? [index + 100, 1, 2] : [2, 4],
                ["page": .value(index % 2 + 1), "has_more": .value(index % 2 == 0)])
        }
        let result = await list(replies: pages)
        #expect(result.items.count == Set(result.items).count)
        #expect("\(result.error.map { "\($0)" } ?? "")".contains("the list has changed while it was read"))
    }

    @Test func `a deleted item that was delivered is no alarm in a list by keys`() async {
        let pages = [
            Self.page([1, 2, 3], ["next_cursor": "bmV4dCBwYWdl", "total": 7]),
            Self.page([1, 2, 3], ["next_cursor": "bmV4dCBwYWdl", "total": 7]),
        ]
        let rest = [
            Self.page([4, 5, 6], ["next_cursor": "bmV4dCBwYWdm", "total": 6]),
            // The page before is requested again, because the total has shrunk.
            Self.page([1, 3, 4], ["next_cursor": "bmV4dCBwYWdl", "total": 6]),
            Self.page([7], ["next_cursor": nil, "total": 6]),
        ]
        let result = await list(replies: pages.prefix(1) + rest)
        #expect(result.items == [1, 2, 3, 4, 5, 6, 7])
        #expect(result.error == nil)
    }

    @Test func `pages that begin anew end the list`() async {
        let pages = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3], [4, 5, 6]].enumerated().map {
            Self.page($1, ["page": .value($0 + 1), "per_page": 3])
        }
        let result = await list(replies: pages)
        #expect(result.items == Array(1...9))
        #expect(result.error == nil)
        #expect(result.requests == 5)
    }

    @Test func `equal items without an identity are delivered, and so is an equal page at another offset`()
        async throws
    {
        let server = MockServer {
            Route(.any) { request in
                let start = request.number("offset")
                let rows = (start..<min(9, start + 3)).map { index -> JSONLiteral in
                    ["reading": index == 0 ? 19 : 20]
                }
                return .json(["items": .value(rows), "offset": .value(start), "total": 9])
            }
        }
        struct Reading: Decodable, Sendable { let reading: Int }
        let client = server.client(path: "https://shop.example/items?offset=0&limit=3")
        #expect(try await client.getAvailableItems(as: Reading.self).count == 9)
    }

    /// Pages 2 and 3 are requested at the same time, and an item is inserted before page 2 is sent.
    @Test
    func `pages that were requested at the same time and differ in their totals are read again`() async {
        let visits = LockedState([Int: Int]())
        let server = MockServer {
            Route(.any) { request in
                let page = request.number("page", or: 1)
                let visit = visits.withLock { visits in
                    visits[page, default: 0] += 1
                    return visits[page] ?? 0
                }
                let isOld = page == 1 || page == 3 && visit == 1
                let all = isOld ? Array(1...9) : [100] + Array(1...9)
                let start = min(all.count, (page - 1) * 3)
                return .json(
                    Self.page(
                        Array(all[start..<min(all.count, start + 3)]),
                        ["page": .value(page), "per_page": 3, "total": .value(all.count)]))
            }
        }
        let client = server.client(ItemListing(maxConcurrentPages: 2), path: "https://shop.example/items")
        let result = await client.items(as: Item.self).collect()
        #expect(result.elements.map(\.id).sorted() == Array(1...9))
        #expect(result.error == nil)
    }

    /// A list of 12 items that changes after a number of replies.
    private struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let replies: Int
        let query: String
        let change: @Sendable (inout [Int]) -> Void

        init(
            _ replies: Int, _ description: String, _ query: String,
            _ change: @escaping @Sendable (inout [Int]) -> Void
        ) {
            testDescription = "\(query): \(description) after \(replies) replies"
            (self.replies, self.query, self.change) = (replies, query, change)
        }
    }

    private static let changes =
        ["limit=3&offset=0", "token", "next"].flatMap { query in
            [
                Change(2, "the first item moves to the end", query) { $0.append($0.removeFirst()) },
                Change(1, "the fifth item moves to the front", query) { $0.insert($0.remove(at: 4), at: 0) },
                Change(1, "the last item moves to the front", query) { $0.insert($0.removeLast(), at: 0) },
            ]
        }
        + [1, 2, 3].map { replies in
            Change(replies, "a page is inserted", "limit=3&offset=0") {
                $0.insert(contentsOf: [20, 21, 22], at: 0)
            }
        }

    @Test(arguments: changes)
    private func `items that have moved past one another are found at the end of the list`(
        change: Change
    ) async {
        let state = LockedState((ids: Array(1...12), replies: 0))
        let server = MockServer {
            Route(.any) { request in
                let offset =
                    request.query["cursor"].flatMap { Int($0.filter(\.isNumber)) }
                    ?? request.number("offset")
                let ids = state.withLock { state in
                    if state.replies == change.replies { change.change(&state.ids) }
                    state.replies += 1
                    return state.ids
                }
                let items = ids.dropFirst(offset).prefix(3).map { id -> JSONLiteral in ["id": .value(id)] }
                var members: [String: JSONLiteral] = ["items": .value(items)]
                let next = offset + 3 < ids.count ? offset + 3 : nil
                if change.query == "token" {
                    members["next_cursor"] = .value(next.map { "cGFnZSBvZmZzZXQg\($0)" })
                }
                if change.query == "next" { members["next_offset"] = .value(next) }
                return .json(.value(members))
            }
        }
        let client = server.client(
            ItemListing(maxConcurrentPages: 1), path: "https://shop.example/items?\(change.query)")
        let result = await client.items(as: Item.self).collect()
        #expect(Set(1...12).isSubset(of: result.elements.map(\.id)))
        #expect(result.elements.count == Set(result.elements.map(\.id)).count)
        #expect(result.error == nil)
    }

    @Test func `a page that is sent again because another one was requested before it is not the beginning`()
        async
    {
        let visits = LockedState(0)
        let server = MockServer {
            Route(.any) { request in
                let page = request.number("page", or: 1)
                let isOld = page == 1 && visits.next() == 1 || page == 3 && visits.withLock { $0 } == 1
                let all = isOld ? Array(1...12) : Array(101...103) + Array(1...12)
                let items = all.dropFirst(page * 3 - 3).prefix(3).map { id -> JSONLiteral in
                    ["id": .value(id)]
                }
                let link =
                    "</items?page=\(page + 1)>; rel=\"next\", </items?page=\(all.count / 3)>; rel=\"last\""
                let reply = Reply.json(["items": .value(items)])
                return page * 3 < all.count ? reply.header("Link", link) : reply
            }
        }
        let client = server.client(ItemListing(maxConcurrentPages: 2), path: "https://shop.example/items")
        let result = await client.items(as: Item.self).collect()
        #expect(Set(1...12).isSubset(of: result.elements.map(\.id)))
        #expect(result.error == nil)
    }

    @Test(arguments: [3, 6])
    func `a server that sends its last page for each position after it is asked twice`(total: Int) async {
        let server = MockServer {
            Route(.any) { request in
                let start = min(request.number("offset"), total - 3)
                return .json(.value((start..<start + 3).map { id -> JSONLiteral in ["id": .value(id)] }))
            }
        }
        let client = server.client(
            ItemListing(at: .root), path: "https://shop.example/items?limit=3&offset=0")
        let result = await client.items(as: Item.self).collect()
        #expect(result.elements.map(\.id) == Array(0..<total))
        #expect(result.error == nil)
        #expect(server.requests.count == total / 3 + 2)
    }

    @Test func `a cursor that includes the last item repeats it on each page`() async {
        let server = MockServer {
            Route(.any) { request in
                let start = request.query["cursor"].flatMap { Int($0.filter(\.isNumber)) } ?? 1
                let ids = Array(start..<min(start + 3, 10))
                let next = start + 3 < 10 ? "cGFnZSBvZmZzZXQg\(start + 2)" : nil
                return .json(Self.page(ids, ["next_cursor": .value(next)]))
            }
        }
        let result = await server.client(path: "https://shop.example/items").items(as: Item.self).collect()
        #expect(result.elements.map(\.id) == Array(1...9))
        #expect(result.error == nil)
        #expect(server.requests.count == 4)
    }
}
