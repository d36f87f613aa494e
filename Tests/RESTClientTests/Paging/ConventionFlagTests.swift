import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct ConventionFlagTests {
    private func page(
        _ members: String, url: String = "https://shop.example/items", items: Int = 3
    ) throws -> PageInfo {
        PageInfo(
            url: try #require(URL(string: url)), envelope: Envelope(stringLiteral: "{\(members)}"),
            itemCount: items)
    }

    private func next(_ convention: PaginationConvention, _ members: String) throws -> [String] {
        try convention.pages(after: page(members)).map { $0.url.query() ?? "" }
    }

    private static let onMore: [PaginationConvention] = [
        .token(at: "t", parameter: "after", more: "state.going"), .number(count: nil, more: "state.going"),
        .offset(total: nil, more: "state.going"),
    ]
    private static let onLast: [PaginationConvention] = [
        .token(at: "t", parameter: "after", last: "state.going"), .number(count: nil, last: "state.going"),
        .offset(total: nil, last: "state.going"),
    ]

    @Test(arguments: zip(onMore, onLast))
    func `the sense of a flag is that of its parameter, not of its name`(
        more: PaginationConvention, last: PaginationConvention
    ) throws {
        for value in ["true", "1", #""true""#, #""yes""#, #""YES""#, #""1""#] {
            let members = #""t": "x", "state": {"going": \#(value)}"#
            #expect(try next(more, members).count == 1, "\(value)")
            #expect(try next(last, members).isEmpty, "\(value)")
        }
        for value in ["false", "0", #""false""#, #""no""#, #""No""#, #""0""#] {
            let members = #""t": "x", "state": {"going": \#(value)}"#
            #expect(try next(more, members).isEmpty, "\(value)")
            #expect(try next(last, members).count == 1, "\(value)")
        }
    }

    @Test(arguments: onMore + onLast)
    func `a flag that cannot be read is an error`(convention: PaginationConvention) throws {
        for value in ["2", #""maybe""#, #""""#, "[]", "{}", "0.5"] {
            let error = #expect(throws: RESTClientError.self) {
                try next(convention, #""t": "x", "state": {"going": \#(value)}"#)
            }
            #expect(error?.kind == .pagination(.invalidFlag(in: "state.going", value)))
        }
    }

    @Test(arguments: onMore + onLast)
    func `a response without the flag is followed`(convention: PaginationConvention) throws {
        for members in [#""t": "x""#, #""t": "x", "state": {}"#, #""t": "x", "state": {"going": null}"#] {
            #expect(try next(convention, members).count == 1, "\(members)")
        }
    }

    @Test(
        arguments: [
            (
                .token(at: "t", parameter: "after", more: "isLast"),
                .token(at: "t", parameter: "after", last: "isLast")
            ),
            (
                .token(at: "t", parameter: "after", last: "has_more"),
                .token(at: "t", parameter: "after", more: "has_more")
            ),
            (.number(count: nil, more: "meta.is_last_page"), .number(count: nil, last: "meta.is_last_page")),
            (.lastItem(more: "done"), .lastItem(last: "done")),
            (.scroll(last: "hasMore"), .scroll(more: "hasMore")),
        ] as [(PaginationConvention, PaginationConvention)])
    func `a well-known flag of the other sense is an error that suggests the right one`(
        wrong: PaginationConvention, right: PaginationConvention
    ) throws {
        for value in [true, false] {
            let name = try #require(wrong.more ?? wrong.last).path
            let members =
                name.names.count > 1 ? #""meta": {"is_last_page": \#(value)}"# : #""\#(name)": \#(value)"#
            let error = #expect(throws: RESTClientError.self) { try next(wrong, #""t": "x", \#(members)"#) }
            #expect(error?.kind == .pagination(.oppositeFlag(name)))
            #expect(error?.suggestedPagination == right)
        }
    }

    @Test func `flags that contradict each other or the rest of the page are an error`() throws {
        let both = PaginationConvention.token(at: "t", parameter: "after", more: "a", last: "b")
        #expect(try next(both, #""t": "x", "a": true, "b": false"#) == ["after=x"])
        #expect(try next(both, #""t": "x", "a": false, "b": true"#).isEmpty)
        #expect(throws: RESTClientError.self) { try next(both, #""t": "x", "a": true, "b": true"#) }
        #expect(throws: RESTClientError.self) { try next(both, #""t": "x", "a": false, "b": false"#) }
        let token = PaginationConvention.token(at: "t", parameter: "after", more: "a")
        #expect(throws: RESTClientError.self) { try next(token, #""t": null, "a": true"#) }
        #expect(throws: RESTClientError.self) { try next(token, #""t": "x", "a": false, "has_more": true"#) }
        #expect(throws: RESTClientError.self) { try next(token, #""t": "x", "a": false, "total": 90"#) }
        #expect(throws: RESTClientError.self) { try next(.number(), #""total_pages": 1, "has_more": true"#) }
    }

    @Test func `a token is not evidence of more on a page that a flag calls the last one`() throws {
        let convention = PaginationConvention.token(at: "next_cursor", parameter: "cursor", last: "the_end")
        #expect(try next(convention, #""next_cursor": "x9", "the_end": true"#).isEmpty)
    }

    @Test func `a named count is preferred to other totals`() throws {
        #expect(try next(.offset(total: "filtered"), #""filtered": 3, "total": 90"#).isEmpty)
        #expect(try next(.number(count: "pages"), #""pages": 1, "total": 90"#).isEmpty)
        #expect(throws: RESTClientError.self) {
            try next(.number(count: "pages"), #""pages": 1, "next_cursor": "x""#)
        }
    }

    @Test func `a flag decides before a count`() throws {
        let more = PaginationConvention.number(more: "going")
        #expect(try next(more, #""total_pages": 1, "going": true"#) == ["page=2"])
        #expect(try next(.offset(more: "going"), #""total": 3, "going": true"#) == ["offset=3"])
        #expect(try next(.number(last: "going"), #""total_pages": 1, "going": true"#).isEmpty)
        #expect(throws: RESTClientError.self) {
            try PaginationConvention.offset(total: nil, more: "going").pages(
                after: page(#""going": true"#, items: 0))
        }
    }

    @Test func `an empty header field is the end of a list`() throws {
        var page = try page("")
        page.headers = ["X-Next": ""]
        #expect(try PaginationConvention.header("X-Next", sentAs: "X-Cursor").pages(after: page).isEmpty)
    }

    @Test(arguments: [
        ("https://wiki.example/wiki", "https://wiki.example/wiki/rest/list?page=2"),
        ("https://other.example/wiki/", "https://wiki.example/wiki/rest/list?page=2"),
        ("https://wiki.example", "https://wiki.example/rest/list?page=2"),
        ("https://wiki.example/other", "https://wiki.example/rest/list?page=2"),
    ])
    func `a link is relative to the base next to it`(base: String, next: String) throws {
        let members = #""_links": {"base": "\#(base)", "next": "/rest/list?page=2"}"#
        let page = try page(members, url: "https://wiki.example/wiki/rest/list")
        let pages = try PaginationConvention.confluence.pages(after: page)
        #expect(pages.map(\.url.absoluteString) == [next])
        let full = #""_links": {"base": "\#(base)", "next": "/wiki/rest/list?page=2"}"#
        let again = try PaginationConvention.confluence.pages(
            after: self.page(full, url: "https://wiki.example/wiki/rest/list"))
        #expect(again.map(\.url.absoluteString) == ["https://wiki.example/wiki/rest/list?page=2"])
    }
}
