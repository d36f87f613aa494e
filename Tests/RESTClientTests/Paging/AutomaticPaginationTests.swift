import Foundation
import RESTClient
import Testing

/// A table of response bodies and the pages that `.automatic` finds in them. The fixtures have the usual names.
@Suite struct AutomaticPaginationTests {
    private static let here = "http://shop.example/v1/items?q=tea"

    private static func following(
        _ body: String, at url: String = here, number: Int = 1, count: Int = 2, soFar: Int? = nil
    ) throws -> [String] {
        let page = PageInfo(
            url: try #require(URL(string: url)), number: number,
            envelope: Envelope(stringLiteral: "{\(body)}"), itemCount: count, itemsSoFar: soFar)
        return try StandardPagination.automatic.pages(after: page).map(\.url.absoluteString)
    }

    @Test(arguments: [
        (#""next": "../items?page=2""#, "http://shop.example/items?page=2"),
        (#""next": "items?page=2""#, "http://shop.example/v1/items?page=2"),
        (#""next": "http://shop.example/2""#, "http://shop.example/2"),
        (#""next_url": "", "links": {"next": "?page=2"}"#, "http://shop.example/v1/items?page=2"),
        (#""next": "./2?""#, "http://shop.example/v1/2?"),
        (#""next": "?page=2#top""#, "http://shop.example/v1/items?page=2#top"),
        (#""next": "/é ü?a=b c""#, "http://shop.example/%C3%A9%20%C3%BC?a=b%20c"),
        (#""next": "&page=2&q=green%20tea""#, "http://shop.example/v1/items?page=2&q=green%20tea"),
        (#""cursors": {"previous": "", "current": "1", "next": "2"}"#, "\(here)&cursor=2"),
        (#""page": 0, "max_page": 1, "total_pages": 2"#, "\(here)&page=1"),
        (#""page": 1, "page_size": 2, "number_of_pages": 2"#, "\(here)&page=2"),
        (#""Paginacao": {"PaginaAtual": 1, "QtdPaginas": 2}"#, "\(here)&page=2"),
        (#""next": "?page=2", "next": "?page=3""#, "http://shop.example/v1/items?page=2"),
        (#""next": null, "links": {"next": {"href": "?page=2"}}"#, "http://shop.example/v1/items?page=2"),
        (#""next": "/9j/4AA=", "next_url": "?page=2""#, "http://shop.example/v1/items?page=2"),
        (#""next_cursor": "a b&c=d+é/%""#, "\(here)&cursor=a%20b%26c%3Dd%2B%C3%A9%2F%25"),
        (#""next": {"page": 2}"#, "\(here)&page=2"),
        (#""next": {"offset": 4, "limit": 2}"#, "\(here)&offset=4"),
        (#""next_cursor": 17"#, "\(here)&cursor=17"),
        (#""has_more": true, "cursor": 17"#, "\(here)&cursor=17"),
        (#""has_more": 1, "cursor": "c""#, "\(here)&cursor=c"),
        (#""has_more": "true", "page": "1""#, "\(here)&page=2"),
        (#""page": "1", "total_pages": "3""#, "\(here)&page=2,\(here)&page=3"),
        (#""page": 1, "total_pages": 3.0"#, "\(here)&page=2,\(here)&page=3"),
        (#""page": 1, "total_pages": 1000000000000000000"#, "\(here)&page=2,\(here)&page=3"),
        (#""page": 1, "next_page": "2""#, "\(here)&page=2"),
        (#""page": 1, "per_page": "2", "total": "3""#, "\(here)&page=2"),
        (#""offset": 0, "total": "3""#, "\(here)&offset=2"),
        (#""offset": 0, "total": 1000000000000000000"#, "\(here)&offset=2,\(here)&offset=4"),
        (#""total": {"value": 5}, "offset": 0"#, "\(here)&offset=2,\(here)&offset=4"),
        (#""links": {"next": "?2"}"#, "http://shop.example/v1/items?2"),
        (#""_links": {"next": {"href": "?2"}}"#, "http://shop.example/v1/items?2"),
        (#""next": {"href": "?2"}"#, "http://shop.example/v1/items?2"),
        (#""next": {"url": "?2"}"#, "http://shop.example/v1/items?2"),
        // Nothing names the query item: the most likely one is tried.
        // Without a total, page 1 is tried first, because pages can be counted from 0.
        (#""has_more": "1""#, "\(here)&page=1"), (#""total": 9"#, "\(here)&page=2"),
        (#""page": 1, "total": 9"#, "\(here)&page=2"),
        (#""page": 0, "limit": 0, "total": 9"#, "\(here)&page=1"),
        (#""limit": 5, "total": 9"#, "\(here)&page=2"),
        (#""page": 1, "per_page": 9, "total": 9"#, "\(here)&page=2"),
    ])
    func `next pages are found`(body: String, pages: String) throws {
        #expect(try Self.following(body) == pages.split(separator: ",").map(String.init))
    }

    @Test(arguments: [
        ("page=3", 3, #""total_pages": 4"#, ["page=4"]),
        ("page_number=3", 3, #""total_pages": 4"#, ["page_number=4"]),
        ("pageNumber=3", 3, #""total_pages": 4"#, ["pageNumber=4"]),
        ("page%5Bnumber%5D=3", 3, #""total_pages": 4"#, ["page%5Bnumber%5D=4"]),
        ("p=2", 2, #""total_pages": 3"#, ["p=3"]),
        ("startAt=4&maxResults=2", 1, #""total": 9"#, ["startAt=6&maxResults=2", "startAt=8&maxResults=2"]),
        // A duplicate is sent once.
        ("page=1&q=a%20b+c&page=1&x", 1, #""total_pages": 2"#, ["page=2&q=a%20b+c&x"]),
    ])
    func `the query item with the current number has the next one`(
        query: String, number: Int, body: String, next: [String]
    ) throws {
        let base = "http://shop.example/?"
        #expect(try Self.following(body, at: base + query, number: number) == next.map { base + $0 })
    }

    @Test(arguments: ["offset", "skip", "start", "startAt"])
    func `offsets are found under all usual names, in the body and the query`(name: String) throws {
        #expect(try Self.following("\"\(name)\": 0, \"total\": 4") == ["\(Self.here)&\(name)=2"])
        // The total of a list that begins in the middle, although the request does not say so, is that of another one.
        #expect(try Self.following("\"\(name)\": 4, \"total\": 7") == [])
        #expect(
            try Self.following(#""total": 7"#, at: "http://shop.example/?\(name)=4") == [
                "http://shop.example/?\(name)=6"
            ])
    }

    // MARK: Ends and errors

    @Test(arguments: [
        "", #""next": """#, #""next_url": """#, #""next": null"#, #""next": false"#, #""next": {}"#,
        #""number": 12, "pages": 96, "total": 2"#, #""limit": 2, "links": {"self": "?limit=2&offset=0"}"#,
        #""next": [ ]"#, ##""next": "#""##, #""next": "about:blank""#, #""next": 0"#, #""next_cursor": "0""#,
        #""next": "-""#, #""next_cursor": "done""#, #""next_cursor": "undefined""#, #""next_page": "false""#,
        #""next_cursor": "00000000-0000-0000-0000-000000000000""#, #""next_cursor": "AA==""#,
        #""pagination": {"next": {"page": 1, "active": false}}"#, #""listState": "WHOLE""#,
        #""page": 1, "perPage": 3, "totalItems": -1, "totalPages": -1"#,
        #""nextStart": -1"#, #""bookmark": "nil""#, #""next": {"href": null}"#,
        #""next": {"url": "", "title": "none"}"#, #""links": {"next": { }}"#, #""next": {"after": null}"#,
        #""nextPageToken": {}"#, #""nextPageToken": false"#,
        // A last page can repeat the last cursor, or contain a link to an empty page.
        #""has_more": false, "next": "?page=9""#, #""hasMore": "false", "next_cursor": "c""#,
        #""meta": {"has_more": 0}, "links": {"next": "?page=9"}"#, #""total_pages": 0"#, #""total_pages": 1"#,
        #""total_pages": null"#, #""page": 5, "total_pages": 3"#, #""offset": 0, "total": 1"#,
        #""offset": 7, "total": 3"#, #""page": 5, "per_page": 2, "total": 10"#, #""page": 5, "total": 9"#,
        #""page": 1, "total": 2"#, #""total": -1"#, #""pages": ["a"]"#, #""pages": "all""#,
    ])
    func `a page without a next page ends the list`(body: String) throws {
        #expect(try Self.following(body) == [])
    }

    @Test(arguments: [
        (#""next": true"#, #""next" is true, an unknown reference"#),
        (#""meta": {"next": ["a"]}"#, #""meta.next" is ["a"], an unknown reference"#),
        (#""links": {"next": {"rel": "x"}}"#, #""links.next" is {"rel": "x"}, an unknown reference"#),
        (#""LastEvaluatedKey": {"id": "x"}"#, #""LastEvaluatedKey" is {"id": "x"}, an unknown reference"#),
        (#""nextPageToken": {"at": 1}"#, #""nextPageToken" is {"at": 1}, an unknown reference"#),
        (#""page": -1, "total_pages": 3"#, "-1 is not a valid page number"),
        (#""offset": -1, "total": 3"#, "-1 is not a valid offset"),
        (#""page": 1, "total_pages": 2.5"#, #""total_pages" is 2.5, which is not a count"#),
        (#""page": 1, "meta": {"pages": -2}"#, #""meta.pages" is -2, which is not a count"#),
        (#""page": 1, "total_pages": 1e30"#, #""total_pages" is 1e30, which is not a count"#),
        (#""page": 1, "per_page": 2, "total": -2"#, #""total" is -2, which is not a count"#),
        (#""offset": 0, "total": -2"#, #""total" is -2, which is not a count"#),
        (#""page": 1, "total_pages": 1.\#(String(repeating: "0", count: 98))1"#, "is not a count"),
    ])
    func `a page with an unknown reference to more items is an error`(body: String, reason: String) throws {
        let error = #expect(throws: RESTClientError.self) { try Self.following(body) }
        guard case .pagination(let text)? = error?.kind else { throw try #require(error) }
        #expect("\(text)".contains(reason), "\(text)")
    }

    @Test func `a Link header takes precedence over the body`() throws {
        let page = PageInfo(
            url: try #require(URL(string: Self.here)), headers: [.link: "<?page=2>; rel=next"],
            envelope: #"{"next": "?page=9", "has_more": false}"#, itemCount: 2)
        #expect(
            try StandardPagination.automatic.pages(after: page).map(\.url.absoluteString) == [
                "http://shop.example/v1/items?page=2"
            ])
    }
}
