import Foundation
import MockTransport
import RESTClient
import Testing

/// Servers with misleading or extreme pages. No item is lost without an error, none is repeated, and nothing traps.
@Suite struct HostilePagesTests {
    @Test(arguments: [
        ("/v1/items?page=1", "#more"), ("/v1/items?page=1", "?page=1#more"),
        ("/v1/items?page=1", "http://SHOP.example:80/v1/items?page=1"),
        ("/v1/items?page=1", "http://shop.example/v1/items?page=1#"), ("", "/"),
        ("/v1/items", "https://shop.example/v1/items"),
    ])
    func `a page is recognized if its URL is written differently`(path: String, next: String) async throws {
        let server = MockServer { Route(.any) { Reply.json(["items": ["a"], "next_url": .value(next)]) } }
        let (items, error) = await server.client(path: "http://shop.example\(path)").items().collect()
        #expect(items == ["a"])
        #expect("\(try #require(error))".contains("form a loop"))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [.automatic, .token(at: "meta.nextPageToken")] as [any Pagination], [true, false])
    func `a token that exceeds the size limit is an error`(
        pagination: any Pagination, isWhole: Bool
    ) async throws {
        let token = String(repeating: "t", count: isWhole ? 1 << 18 : 70_000)
        let server = MockServer {
            Route(.any) {
                Reply.text(#"{"items": ["a"], "meta": {"n": 1, "nextPageToken": "\#(token)"}}"#, as: .json)
                    .dribble(chunks: isWhole ? 1 : 9, over: .zero)
            }
        }
        let (items, error) = await server.client(ItemListing(pagination: pagination)).items().collect()
        #expect(items == ["a"])
        let failure = try #require(error as? RESTClientError)
        guard case .pagination(let pagination) = failure.kind else { throw failure }
        #expect("\(pagination)".contains("too large"), "\(pagination)")
    }

    @Test func `a next link that was dropped from the envelope is an error`() async throws {
        let large = (0..<9).map { #""k\#($0)":"\#(String(repeating: "x", count: 9_000))""# }.joined(
            separator: ",")
        let token = String(repeating: "t", count: 20_000)
        let server = MockServer {
            Route(.any) { Reply.text(#"{"next_url": "/\#(token)", \#(large), "items": ["a"]}"#, as: .json) }
        }
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a"])
        #expect("\(try #require(error))".contains(#""next_url" may exist"#))
    }

    @Test func `an envelope that is too large to find the next page is an error`() async throws {
        let value = String(repeating: "x", count: 600)
        let members = (0..<700).map { "\"key \($0)\":\"\(value)\"" }.joined(separator: ",")
        let body = "{\"items\": [\"a\"], \(members)}"
        let server = MockServer { Route(.any) { Reply.text(body, as: .json) } }
        let (items, error) = await server.client().items().collect()
        #expect(items == ["a"])
        #expect("\(try #require(error))".contains("too large to determine whether another page follows"))
        let one = server.client(ItemListing(pagination: .none))
        #expect(try await one.getAvailableItems() == ["a"])
    }

    @Test func `a long token is followed, and large unrelated members are ignored`() async throws {
        let token = String(repeating: "é&", count: 5_000)
        let server = MockServer {
            Route(.any, .query("cursor", token)) { Reply.json(["items": ["b"]]) }
            Route(.any) {
                Reply.json([
                    "included": .value(String(repeating: "x", count: 1 << 17)), "next_cursor": .value(token),
                    "items": ["a"],
                ])
            }
        }
        #expect(try await server.client().getAvailableItems() == ["a", "b"])
    }

    @Test func `the next link is found among three hundred links`() async throws {
        let links = (0..<300).map { "</v1/items?page=\($0)>; rel=\"x\($0)\"" }.joined(separator: ", ")
        let server = MockServer {
            Route(.any, .query("page", "2")) { Reply.json(["items": ["b"]]) }
            Route(.any) {
                Reply.json(["items": ["a"]]).header(.link, links + ", </v1/items?page=2>; rel=next")
            }
        }
        #expect(try await server.client().getAvailableItems() == ["a", "b"])
    }

    @Test(arguments: [1, 2, 8])
    func `offsets follow the number of received items if page sizes change`(jobs: Int) async {
        let result = await numbers(ItemListing(maxConcurrentPages: jobs)) { request in
            let offset = request.number("offset")
            // Pages of 3, 7 and 5 items. Prefetched pages overlap with these, and must not be delivered.
            let items = Array(offset..<min(offset + [3, 7, 5][offset % 3], 40))
            return .json(["items": .value(items), "offset": .value(offset), "total": 40])
        }
        #expect(result.error == nil)
        #expect(result.items == Array(0..<40))
    }

    @Test(arguments: [Int.min, -1, 0, .max]) func `extreme limits do not trap`(limit: Int) async throws {
        let server = PagedCollection(.totalPages).server
        let patient = server.client(ItemListing(maxConcurrentPages: limit == .max ? 64 : limit))
        #expect(try await patient.getAvailableItems(as: String.self).count == 7)
        let (items, error) = await server.client(ItemListing(maxPages: limit)).items(as: String.self)
            .collect()
        #expect(items.count == (limit == .max ? 7 : 3))
        #expect((error == nil) == (limit == .max))
    }

    @Test func `the largest valid numbers of a token do not trap`() async throws {
        let most = Int.max >> 2
        let server = PagedCollection(.totalPages).server
        let url = PagedCollection.path + "?page=2"
        let late = try #require(
            ResumeToken(rawValue: "1;page=\(most);items=\(most);skip=0;url=\(url)"))
        let (items, _) = await server.client(ItemListing(maxConcurrentPages: 8)).items(
            as: String.self, from: late
        ).collect()
        #expect(items.first == "item 3")
        let deep = try #require(
            ResumeToken(rawValue: "1;page=1;items=0;skip=\(most);last=0;total=\(most);url=\(url)"))
        let (none, error) = await server.client().items(as: String.self, from: deep).collect()
        #expect(none.isEmpty)
        #expect("\(try #require(error))".contains("has changed"))
    }
}
