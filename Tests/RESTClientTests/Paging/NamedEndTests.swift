import Foundation
import MockTransport
import RESTClient
import Testing

/// The ends of lists whose pagination is named, as servers signal them.
@Suite struct NamedEndTests {
    /// Lists the items of a server that answers with `reply` to a page, an offset or a token.
    private func list<Item: Decodable & Sendable>(
        _ pagination: PaginationConvention, as type: Item.Type = Int.self,
        _ reply: @escaping @Sendable (String?) -> Reply
    ) async throws -> [Item] {
        let parameter = try #require(pagination.parameter)
        let server = MockServer { Route(.any) { request in reply(request.query[parameter]) } }
        let client = server.client(ItemListing(pagination: pagination), path: "https://shop.example/items")
        return try await client.getAvailableItems(as: type)
    }

    /// Returns a page of `size` items with numbers from 0.
    private static func page(_ number: Int, size: Int) -> Reply {
        .json(["items": .value(Array(number * size..<(number + 1) * size))])
    }

    @Test(arguments: [500, 300, 1000])
    func `a 400 for a page beyond a round number of items can be a limit`(size: Int) async throws {
        let limit = size == 1000 ? 3 : 2
        let result = await Result {
            try await list(.number(count: nil)) { page in
                let number = page.flatMap { Int($0) } ?? 1
                return number > limit ? .status(400) : Self.page(number - 1, size: size)
            }
        }
        switch result {
        case .success(let items): #expect(items.count == 600)
        case .failure(let error as RESTClientError):
            #expect(size != 300)
            #expect(error.kind == .status(400))
        case .failure(let error): throw error
        }
    }

    @Test
    func `a status without a body ends a list without a count, but not one with a count`() async throws {
        @Sendable func reply(to page: String?, count: JSONLiteral = nil) -> Reply {
            page == "3" ? .status(204) : .json(["items": .value([page ?? "1"]), "total_pages": count])
        }
        #expect(try await list(.number(count: nil), as: String.self) { reply(to: $0) } == ["1", "2"])
        await #expect(throws: RESTClientError.self) {
            try await list(.number(), as: String.self) { reply(to: $0, count: 3) }
        }
    }

    @Test func `the id 0 of the last item does not end the list`() async throws {
        for more in [nil, "has_more"] as [PaginationConvention.Flag?] {
            let items = try await list(.token(at: "last_id", parameter: "after", more: more)) { after in
                after == nil
                    ? .json(["items": [0], "last_id": 0, "has_more": true])
                    : .json(["items": [1], "last_id": nil, "has_more": false])
            }
            #expect(items == [0, 1])
        }
    }

    @Test func `an empty page that repeats the token ends the list`() async throws {
        let items = try await list(.token(at: "cursor", parameter: "cursor")) { cursor in
            .json(["items": .value(cursor == nil ? [1, 2] : []), "cursor": "x2"])
        }
        #expect(items == [1, 2])
    }

    @Test(arguments: ["-4611686018427387904", "\"a0\""])
    func `a large negative number is a token`(token: String) async throws {
        let items = try await list(.token(at: "next_token", parameter: "token")) { value in
            value == nil
                ? .text(#"{"items": [1], "next_token": \#(token)}"#, as: .json) : .json(["items": [2]])
        }
        #expect(items == [1, 2])
    }

    @Test func `equal items of a list with a total are delivered, or their loss is an error`() async throws {
        struct Line: Decodable, Sendable, Equatable { var text: String }
        let pages: [[JSONLiteral]] = [[["text": "a"], ["text": "b"]], [["text": "b"], ["text": "c"]]]
        let all = pages.flatMap { $0 }
        let result = await Result {
            try await list(.offset(parameter: "start"), as: Line.self) { start in
                let start = start.flatMap { Int($0) } ?? 0
                return .json([
                    "items": JSONLiteral(.array(Array(all.dropFirst(start).prefix(2)))), "total": 4,
                ])
            }
        }
        if case .success(let items) = result { #expect(items.map(\.text) == ["a", "b", "b", "c"]) }
    }

    @Test func `equal items at the end of a page and the beginning of the next one are both delivered`()
        async throws
    {
        let pages: [JSONLiteral] = [["tea", "tea"], ["tea", "coffee"], []]
        let items = try await list(.offset(parameter: "start", total: nil), as: String.self) { start in
            .json(["items": pages[(start.flatMap { Int($0) } ?? 0) / 2]])
        }
        #expect(items == ["tea", "tea", "tea", "coffee"])
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
