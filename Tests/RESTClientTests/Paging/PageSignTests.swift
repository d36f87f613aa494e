import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Members that describe the next page only together with others, or with the request.
@Suite struct PageSignTests {
    private static let here = "http://shop.example/items"

    private static func pages(
        _ body: String, at url: String = here, headers: HTTPHeaders = [:], count: Int = 2,
        path: MemberPath = "items", by pagination: any Pagination = .automatic
    ) throws -> [PageRequest] {
        let page = PageInfo(
            url: try #require(URL(string: url)), headers: headers,
            envelope: Envelope(stringLiteral: "{\(body)}"), itemCount: count)
        let standard = pagination as? StandardPagination
        return try standard?.pages(after: page) ?? pagination.pages(after: page).map(\.pageRequest)
    }

    @Test(arguments: [
        ("/items?page=2", "/api/v1/items?page=2"), ("/v1/items?page=2", "/api/v1/items?page=2"),
        ("/?page=2", "/api/v1/items?page=2"), ("/api/v1/items?page=2", "/api/v1/items?page=2"),
        ("/ms?page=2", "/ms?page=2"), ("/teas?page=2", "/teas?page=2"), ("/v1/items", "/v1/items"),
    ])
    func `a link without the start of the path of its server has it`(link: String, target: String) throws {
        let pages = try Self.pages("\"next\": \"\(link)\"", at: "http://shop.example/api/v1/items?q=tea")
        #expect(pages.map(\.url.absoluteString) == ["http://shop.example\(target)"])
    }

    @Test(arguments: ["Eve Smith", "eve", "2026-01-02", "2026-01-02 10:00", "/a", "a?b=1", "a, b"])
    func `the member that led to a page is the token of the next one, whatever it looks like`(
        token: String
    ) throws {
        for name in ["cursor", "after", "next_cursor", "nextPageToken"] {
            let parameter = ["next_cursor": "cursor", "nextPageToken": "pageToken"][name] ?? name
            var page = PageInfo(
                url: try #require(URL(string: "\(Self.here)?\(parameter)=a1X9")), number: 2,
                envelope: Envelope(stringLiteral: #"{"\#(name)": "\#(token)"}"#), itemCount: 2, itemsSoFar: 4)
            page.previousEnvelope = Envelope(stringLiteral: #"{"\#(name)": "a1X9"}"#)
            let next = try StandardPagination.automatic.pages(after: page)
            #expect(next.map { page.url.setting(parameter, to: token) == $0.url } == [true], "\(name)")
        }
    }

    @Test func `a filter that the server echoes in another form is no token`() throws {
        let echo = #"{"after": "2024-01-01T00:00:00Z", "page": 2, "pages": 3}"#
        var page = PageInfo(
            url: try #require(URL(string: "\(Self.here)?after=2024-01-01&page=2")), number: 2,
            envelope: Envelope(stringLiteral: echo), itemCount: 2, itemsSoFar: 4)
        page.previousEnvelope = Envelope(stringLiteral: echo)
        let next = try StandardPagination.automatic.pages(after: page)
        #expect(next.map { $0.url.query() } == ["after=2024-01-01&page=3"])
    }

    @Test(arguments: [
        (#""next_cursor": "Eve Smith""#, "cursor=Eve%20Smith"), (#""cursor": "abc""#, "cursor=abc"),
        (#""next": "Next page""#, nil),
        (#""next": "Nächste Seite""#, nil),
    ])
    func `a name can be a token, unless it is the label of a link`(body: String, query: String?) throws {
        #expect(try Self.pages(body).first?.url.query(percentEncoded: true) == query)
    }

    @Test(arguments: [
        // Words around the name of the list, or around a usual name, do not matter.
        (#""result_offset": 0, "result_total": 9"#, "result_offset=2"),
        (#""cur_page": 1, "num_pages": 9"#, "page=2"),
        (#""is_more": true, "start_index": 0"#, "start_index=2"),
        (#""pagination_key": "k7""#, "pagination_key=k7"), (#""cursor_string": "c7""#, "cursor_string=c7"),
        (#""total_rows_items": 9"#, "page=2"), (#""num_rows": 9, "meta": {"page": 1}"#, "page=2"),
        (#""items_aggregate": {"aggregate": {"count": 9}}"#, "page=2"), (#""paging": {"of": 9}"#, "page=2"),
        // A link in an unknown object is followed if it leads to this list.
        (#""batch": {"next": "/items?b_start=2"}"#, "b_start=2"),
        (#""load_more_items": "/items?page=1""#, "page=1"),
        // An absolute link is preferred to a path.
        (#""next": "/v1/items?page=2", "_links": {"next": "http://shop.example/items?page=2"}"#, "page=2"),
        // Counted from 1.
        (#""from": 1, "total": 9"#, "from=3"),
        // A flag about something else, or about the number of items on this page, does not end the list.
        (#""next": "/items?page=2", "additional_services_available": false"#, "page=2"),
        (#""next": "/items?page=2", "older_available": false"#, "page=2"),
        (#""page": 1, "per_page": 2, "subtotal": 2"#, "page=2"),
        // The identifier of the first item of the next page.
        (#""result": {"next_page_offset": 40}"#, "offset=40"),
        // The token of the next page, not that of this one.
        (#""Marker": "a1", "NextMarker": "b2""#, "marker=b2"),
    ])
    func `names of several words are recognized`(body: String, query: String) throws {
        let pages = try Self.pages(body)
        #expect(pages.first?.url.absoluteString == "\(Self.here)?\(query)")
    }

    /// The page has three items.
    @Test(arguments: [
        // A position that the request does not have is that of the next page.
        (#""paging": {"offset": 3}"#, "offset=3"), (#""start": 3"#, "start=3"),
        // A total that is smaller than the page is one of pages.
        (#""page": "1", "total": 2, "records": "6""#, "page=2"),
        // A link in another language, one object further inside.
        (
            #""metadata": {"neste": {"href": "/items?antall=3&start=eyJpZCI6MTAxNX0"}}"#,
            "antall=3&start=eyJpZCI6MTAxNX0"
        ),
        (#""_links": {"weiter": {"href": "/items?groesse=3&seite=1"}}"#, "groesse=3&seite=1"),
        // A title or a name is no reason to stop.
        (#""id": "1", "name": "x", "total": 7"#, "page=2"),
        (#""title": "x", "page": 1, "page_count": 3"#, "page=2"),
        (#""title": "Results", "page_count": 3"#, "page=2"),
        (#""title": "x", "next": {"title": "Next page", "href": "/items?page=2"}"#, "page=2"),
        (#""isDone": false, "continueCursor": "eyJvIjozfQ""#, "continueCursor=eyJvIjozfQ"),
        // A server that does not know its own path.
        (#""next_page_url": "/?page=2""#, "page=2"),
    ])
    func `the next position is found beside a page of three`(body: String, query: String) throws {
        let pages = try Self.pages(body, count: 3)
        #expect(pages.first?.url.absoluteString == "\(Self.here)?\(query)")
    }

    /// The page has three items.
    @Test(arguments: [
        #""page": 2, "total": 6"#, #""total": 2, "records": 6"#, #""limit": 3, "offset": 0, "count": 3"#,
        #""numberOfHits": 7, "pageInfo": {"resultsPerPage": 3, "current": 1, "total": 3}"#,
        #""p": {"paginacao": {"paginaAtual": 0, "quantidadeDePaginas": 3, "quantidadeTotalDeItens": 7}}"#,
        #""metadata": {"side": 0, "totaltAntallTreff": 7, "treffPerSide": 3, "viserTil": 3}"#,
        #""messages": [{"status": "ok", "cursor": 0, "count": 3, "total": "7"}]"#,
        #""itemCount": 7, "attribution": []"#, #""id": "1", "title": "x", "items_count": 7"#,
        #""title": "x", "next": {"label": "Next", "url": "/items/page/2"}"#,
        #""total": 7, "limit": 3, "offset": 0, "searchAfter": "WyIxMDAwMDAwMDAiXQ==""#,
        #""title": "x", "has_more": true"#, #""title": "x", "next": "/items?page=2""#,
    ])
    func `a page with a larger number of items or pages is not the last one`(body: String) {
        let pages = try? Self.pages(body, count: 3)
        #expect(pages?.isEmpty != true)
    }

    @Test(arguments: [
        (#""facts": {"total": 9}"#, "limit=2", "offset=2"), (#""items_max": 9"#, "count=2", "offset=2"),
        (#""offset": 0"#, "limit=2", "offset=2"), (#""page": 1"#, "per_page=2", "page=2"),
        (#""treesize": 9"#, "top=2", "skip=2"), (#""totalResultsCount": 9"#, "maxRows=2", "startRow=2"),
        (#""total": 9, "offset": 0"#, "b_size=2", "offset=2"), (#""total": 9"#, "b_size=2", "b_start=2"),
        (#""total": 9"#, "X-Plex-Container-Size=2", "X-Plex-Container-Start=2"),
        (#""IsTruncated": true, "NextContinuationToken": "t""#, "list-type=2", "continuation-token=t"),
    ])
    func `a page as large as requested is not the last one if a count is larger`(
        body: String, query: String, next: String
    ) throws {
        let pages = try Self.pages(body, at: "\(Self.here)?\(query)")
        #expect(pages.first?.url.absoluteString == "\(Self.here)?\(query)&\(next)")
    }

    /// The page has two items, and the request no parameters.
    @Test(arguments: [
        // A part of several.
        #""batch": 1, "batches": 3"#, #""chunk": {"index": 0, "count": 3}"#,
        #""slice_no": 1, "slice_total": 5"#,
        #""page": "1", "of": "3""#, #""pageIndex": 0, "lastPageIndex": 2"#, #""page": {"num": 1, "den": 3}"#,
        #""paging": "1/3/5""#, ##""page": "#1 of #3""##,
        // The range of this page, and the last number.
        #""showing": {"first": 1, "last": 2, "max": 5}"#, #""bounds": {"lower": 0, "upper": 1, "max": 4}"#,
        #""info": "Results 1-2 of 5""#, #""caption": "1–2 von 5""#, #""summary": "Page 1 of 3""#,
        // The next request.
        #""goto": {"page": 2}"#, #""callAgain": {"with": {"page": 2}}"#, #""then": {"skip": 2}"#,
        #""pager": "<a class='next' href='/items?page=2'>Next</a>""#, #""links": "next=/items?page=2""#,
        #""hint": "pass page=2 for the next page""#,
        // JSON in base64.
        #""stopKey": "eyJvIjozfQ""#, #""list": {"id": "eyJvIjozfQ"}"#,
        #""again": {"with": {"key": "eyJvIjozfQ"}}"#,
        #""resultCode": "SQL+MORE""#, #""outcome": "LIMITED""#, #""return_code": "W-TRUNCATED""#,
        #""status": {"code": 0, "more": true, "cursor": "7bc3ca68769437ce"}"#, #""anotherPage": "yes""#,
        #""slice_no": 1, "slice_total": 2"#, #""pageIndex": 0, "lastPageIndex": 1"#,
        #""page": 1, "pages": [1, 2, 3]"#, #""omitted": {"count": 3}"#,
        #""contd": true"#,
        // A token in base64.
        #""position": "bzowMDAzOng=""#, #""start": "t1", "end": "bzowMDAzOng=""#,
        #""checkpoint": "bzowMDAzOng=""#,
        #""moreResults": "NOT_FINISHED""#,
        #""meta": {"items": {"page": 1, "page_count": 3, "next_href": "/items?page=2", "include": []}}"#,
        // Messages.
        #""note": "Only the first 2 rows are shown""#,
        // Five items make three pages of two, whatever the names mean.
        #""seite": 1, "seitenGesamt": 3, "gesamt": 5"#, #""strona": 1, "liczbaStron": 3, "liczbaWynikow": 5"#,
        #""hits": 5, "pages": 3"#, #""sida": 1, "sidor": 2, "antal": 4"#, #""総件数": 5, "ページ": 1, "ページ数": 3"#,
        // Totals in other words, or in an object with an unknown name.
        #""totalNumInResultSet": 5"#, #""total_hit_count": 5, "hit_per_page": 2, "page_offset": 1"#,
        #""details": {"totalResult": "5", "processedSequence": "155"}"#,
        #""meta": {"mine_count": 1, "all_count": 5}"#, #""QueryRows": "5", "PageNo": "1""#,
        #""headers": {"code": 0, "results_count": 2, "results_fullcount": 5}"#,
        #""header": {"status_code": 200, "available": 5}"#,
        // A link as in the Link header, and an object as the position.
        #""linkUrls": ["<http://shop.example/items?after=2>; rel=\"next\""]"#,
        #""limit": 2, "marker": {"ledger": 99, "seq": 3}"#, #""continuationToken": {"id": 3}"#,
        #""page_token": {"offset_id": 3}"#, #""cursor": {"id": 3}"#,
        #""resume_token": {"_data": "8263"}"#,
        // A number as the token in an object.
        #""continuationToken": {"token": 42}"#,
        // A total that is not exact.
        #""total": "2+""#, #""total": ">2""#, #""total": "2 or more""#, #""total": "about 2""#,
        #""count": "at least 2""#, #""totalCount": "1,002+""#,
        // A position, and the size of a full page.
        #""startIndex": 1, "itemsPerPage": 2"#, #""position": 0, "limit": 2"#, #""seite": 1, "groesse": 2"#,
        #""pagina": 1, "grootte": 2"#,
        // What is left, and where the list goes on.
        #""older_available": true"#, #""pending": 4"#, #""count": 2, "pending": 4"#,
        #""more_items": "5""#, #""moreRecords": "10+""#,
        #""meta": {"pending": 4}"#, #""last_id": "g3QAb3""#, #""checkpoint": "g3QAb3""#,
        #""neste": "g3QAb3""#,
        #""end": "g3QAb3""#, #""meta": {"end": "g3QAb3"}"#, #""meta": {"last_id": "g3QAb3"}"#,
        #""meta": {"checkpoint": "g3QAb3"}"#, #""meta": {"neste": "g3QAb3"}"#,
    ])
    func `numbers and texts that agree with the page and show that the list continues are not ignored`(
        body: String
    ) throws {
        guard let pages = try? Self.pages(body) else { return }
        #expect(!pages.isEmpty)
    }

    @Test(arguments: [
        #""batch": 2, "batches": 3"#, #""part": 2, "parts": 7"#, #""page": 1, "out_of": 57000"#,
        #""screen": 1, "screens": 3"#,
        #""paging": {"index": 0, "count": 2}"#, #""pagination": {"from": 1, "to": 2, "perpage": 3}"#,
        #""terms": "https://example.org/terms?page=2""#, #""first": "/items?page=1""#,
        #""read": {"page": 58}"#,
        #""totals": {"items": 57, "price": 1290}"#, #""id_token": "eyJvIjozfQ.eyJvIjozfQ.c2ln""#,
        #""state": "eyJvIjozfQ""#,
        #""result": "partial_success""#, #""pages": {"MaxPageSizeAllowed": 1000, "Page": 0}"#,
        #""clipped": true"#, #""slice_no": 1, "slice_total": 1"#, #""slice_no": 1, "slice_total": 0"#,
        #""pageIndex": 0, "lastPageIndex": 0"#, #""page": 1, "pages": [1]"#,
        #""startIndex": 0, "pageIndex": 1"#,
        #""paging": "1,3,2""#, #""omitted": {"count": 0}"#, #""depleted": false"#, #""capped": true"#,
        #""expected": 5, "received": 2"#, #""warnings": []"#,
        #""warnings": ["The parameter color is deprecated."]"#,
        #""warnings": ["Name truncated to 30 characters"]"#,
        #""messages": [{"code": 0, "text": "No more rows"}]"#,
        #""note": "The first 20 rows are free""#,
        #""endCursor": "CiQSHmoJc35mcmVl", "moreResults": "NO_MORE_RESULTS""#,
        #""page": 1, "isLastPageAvailable": false, "isNextPageAvailable": false"#,
        #""warnings": ["Search query truncated to 256 characters"]"#,
        #""notes": ["Descriptions are truncated in list responses."]"#, #""promo_code": "MORE10""#,
        #""from_id": 1, "end_id": 2"#, #""first_id": 1, "end_id": 2"#,
        #""startIndex": 0, "endIndex": 1, "maxResults": 25"#, #""startIndex": 0, "endIndex": 1, "max": 25"#,
        #""firstRow": 1, "lastRow": 2, "maxRows": 25"#, #""page": {"page": 1, "maxResults": 100}"#,
        #""count": 2, "available": 252"#, #""metadata": {"pages": [3, 7, 12]}"#,
        #""access_token": {"type": "bearer", "value": "g3QAb3"}"#,
        #""cursor": {"before": null, "after": null}"#,
        #""cursor": {"id": 0, "ns": "shop.teas"}"#, #""cursor": {"id": null, "limit": 25}"#,
        #""cursor": {"limit": 25}"#, #""cursor": {"before": "b7"}"#,
        #""pageToken": {"value": null, "expiresIn": 300}"#, #""centerMarker": {"lat": 52.5, "lng": 13.4}"#,
        #""fromToken": {"symbol": "ETH", "decimals": 18}, "toToken": {"symbol": "LP"}"#,
        #""previous_token": {"id": 3}"#, #""continuationToken": {}"#,
        #""prev_cursor": "eyJvIjozfQ""#, #""cursor": {"current": "eyJvIjozfQ", "next": null, "count": 2}"#,
        #""next_cursor": null, "meta": {"id": "eyJvIjozfQ"}"#,
        #""meta": {"page": 1, "limit": 20, "revision": "7bc3ca68769437ce509455064bffab41197ba4ea"}"#,
        #""meta": {"page": 1, "limit": 20, "session": "0d6b9f52-6a3b-4cf2-9f30-5dd74c3a1c1e"}"#,
        #""remainingPagedResults": -1"#, #""likes": {"totalCount": 90}"#, #""quota": {"totalRecords": 1000}"#,
        #""total": 2, "facets": {"color": {"count": 2, "total": 9}}"#,
        #""total_in": 5000, "total_out": 2000"#,
        #""totalCount": 2, "organization": {"membersWithRole": {"totalCount": 90}}"#,
        #""usage": {"count": 2, "total": 100}"#, #""counts": {"all": 120, "unread": 4}"#,
        #""doc_count": 120"#,
        #""season": 1, "seasons": 4, "episodes": 8"#, #""limit": 2, "position": {"lat": 52.5, "lng": 13.4}"#,
        #""count": 20, "start": 0, "total": 2"#, #""marker": {"x": 3, "y": 4}"#,
        #""limit": 25, "marker": {"ledger": 99, "seq": 3}"#, #""id": 5, "version": 3, "page": 1"#,
        #""seite": 1, "seitenGesamt": 1, "gesamt": 2"#, #""usage": {"totalTokens": 300}"#,
        #""usage": {"totalCount": 300}"#, #""pagina": 1, "perPagina": 3, "totaal": 2"#,
        #""players": 8, "round": 1, "teams": 4"#,
        #""data": {"page": {"num": 1, "size": 4, "count": 2}}"#, #""details": {"totalResult": 2}"#,
        #""total_hit_count": 2, "hit_per_page": 3, "page_offset": 1"#, #""all_count": 2"#,
        #""linkUrls": ["<http://shop.example/items?before=2>; rel=\"prev\""]"#,
        // Exact totals, and other texts.
        #""total": "2""#, #""total": "2 EUR""#, #""total": "about 1""#, #""size": "over 2""#,
        #""ages": "3+""#,
        #""total": "about 2", "has_more": false"#, #""total": "about 2", "next": null"#,
        // A position without a page size, a book, and a page that is not full.
        #""position": 0, "limit": 25"#, #""position": 3, "limit": 2"#, #""position": 0"#, #""limit": 2"#,
        #""seite": 320, "groesse": 2"#, #""groesse": 2"#, #""groesse": 42"#, #""taille": "XL""#,
        #""startIndex": 1, "itemsPerPage": 25"#, #""size": 2, "position": "left""#,
        // Ordinary data.
        #""older_available": false"#, #""earlier_available": "9:30""#, #""pending": 0"#, #""pending": 2"#,
        #""count": 2, "pending": 1"#, #""total": 2, "pending": 4"#, #""has_more": false, "pending": 4"#,
        #""next": null, "pending": 4"#, #""more_info_available": true"#,
        #""total": 2, "page": 1, "pages": 1, "more_photos_available": true"#,
        #""nextToken": {"token": "0"}"#,
        #""pending": 4, "approved": 3"#, #""id": 5, "pending": 4"#, #""pending": true"#,
        #""title": "x", "pending": 4"#,
        #""meta": {"pending": 4, "approved": 3}"#, #""jobs": {"pending": 4}"#,
        #""settings": {"limit": 2, "position": 0}"#, #""cart": {"position": 0, "pending": 4}"#,
        #""end": "Gate2A""#, #""end": "18:00""#, #""meta": {"end": "2026-01-02"}"#,
        #""meta": {"end": "Depot7"}"#,
        #""upcoming_release": "R2024a""#, #""next_release": "R2024a""#,
        #""next": {"title": "x", "position": 2}"#,
        #""checkpoint": "Gate7""#, #""checkpoint": "CP4""#, #""checkpoint": 7"#, #""last_id": 7"#,
        #""last_id": "b""#, #""first_id": "a3QAb3", "last_id": "g3QAb3""#,
        #""last_id": "g3QAb3", "has_more": false"#,
        #""neste": "Side to""#, #""neste": null"#,
    ])
    func `numbers and texts that are about something else end the list`(body: String) throws {
        #expect(try Self.pages(body).isEmpty)
    }

    @Test(arguments: [
        "</items?page=2>; rel=\"more\"", "</items?page=2>; rel='next'", "</items?page=2>; rel=\"nextPage\"",
        "/items?page=2",
    ])
    func `a link to the next page with another relation is followed`(link: String) throws {
        let pages = try Self.pages("", headers: ["Link": link])
        #expect(pages.first?.url.absoluteString == "\(Self.here)?page=2")
    }

    @Test(arguments: [
        (["X-Offset": "0", "X-Limit": "2", "X-Count": "2"], "offset=2"),
        (["Offset": "0", "Limit": "2"], "offset=2"),
        (["X-Limit": "2"], nil), (["X-Offset": "0", "X-Limit": "25"], nil),
        (["X-Timezone-Offset": "0", "X-Limit": "2"], nil),
        (["X-RateLimit-Limit": "2", "X-Offset": "0"], nil),
    ])
    func `an offset and a limit in header fields describe a full page`(
        fields: [String: String], query: String?
    )
        throws
    {
        var headers: HTTPHeaders = [:]
        for (field, value) in fields { headers[HTTPHeaders.Name(field)] = value }
        let pages = try Self.pages("", headers: headers)
        #expect(pages.first?.url.query() == query)
    }

    @Test func `the names of header fields can have underscores`() throws {
        let pages = try Self.pages("", headers: ["total_count": "5", "total_page": "3"])
        #expect(pages.first?.url.absoluteString == "\(Self.here)?page=2")
    }

    @Test func `the only item of a list that counts from 1 is the last one`() throws {
        let body = #""metadata": {"resultset": {"offset": 1, "count": 1, "limit": 25}}"#
        #expect(try Self.pages(body, count: 1).isEmpty)
    }

    @Test func `remaining items without a way to request them are an error`() throws {
        #expect(throws: (any Error).self) { try Self.pages(#""remainingItemCount": 5"#) }
        #expect(try Self.pages(#""remainingItemCount": 0"#).isEmpty)
    }

    @Test(arguments: [("remaining", #""count": 2, "#), ("pending", ""), ("left", "")])
    func `a number of remaining items is not suggested as a token`(name: String, others: String) throws {
        let error = #expect(throws: RESTClientError.self) { try Self.pages("\(others)\"\(name)\": 4") }
        #expect(error?.kind == .pagination(.unknownNext(in: MemberPath(names: [name]), "4")))
        #expect(error?.suggestedPagination == nil)
    }

    @Test func `pending items after a page as large as requested are an error`() throws {
        #expect(throws: (any Error).self) { try Self.pages(#""pending": 1"#, at: "\(Self.here)?limit=2") }
        #expect(try Self.pages(#""pending": 1"#, at: "\(Self.here)?limit=3").isEmpty)
        #expect(try Self.pages(#""pending": 0"#, at: "\(Self.here)?limit=2").isEmpty)
    }

    @Test(arguments: ["18446744073709551617", "99999999999999999999999999"])
    func `a token of many digits is sent without a loss`(digits: String) throws {
        let body = "\"next_cursor\": \(digits)"
        #expect(try Self.pages(body).first?.url.absoluteString == "\(Self.here)?cursor=\(digits)")
        let named = StandardPagination(.token(at: "next_cursor", parameter: "after"))
        #expect(try Self.pages(body, by: named).first?.url.absoluteString == "\(Self.here)?after=\(digits)")
    }

    @Test func `a token in a header field is sent as the same header field if a query item is ignored`()
        async throws
    {
        let server = MockServer {
            Route(.any) { request in
                request.headers["X-MS-Continuation"] == "t2"
                    ? .json(["items": [3]]) : .json(["items": [1, 2]]).header("x-ms-continuation", "t2")
            }
        }
        let client = server.client(path: Self.here)
        #expect(try await client.getAvailableItems(as: Int.self) == [1, 2, 3])
        #expect(server.requests.count == 3)
    }

    /// Lists of numbers on pages that are counted from 0, with a total and nothing else.
    private static func server(_ total: Int) -> MockServer {
        MockServer {
            Route(.any) { request in
                let page = request.number("page")
                let numbers = (page * 2..<max(page * 2, min(page * 2 + 2, total))).map {
                    JSONLiteral.value($0)
                }
                return .json(["items": .value(numbers), "total": .value(total)])
            }
        }
    }

    @Test(arguments: [(3, true), (4, true), (5, false), (7, false)])
    func `pages that are counted from 0 are complete, or the suggestion completes them`(
        total: Int, isComplete: Bool
    ) async throws {
        let server = Self.server(total)
        let url = try #require(URL(string: Self.here))
        let manager = server.manager()
        do {
            let items = try await MyRESTClient(url: url, manager: manager).getAvailableItems(as: Int.self)
            #expect(items == Array(0..<total))
        } catch let error as RESTClientError {
            #expect(!isComplete, "\(error)")
            let suggestion = try #require(error.suggestedPagination)
            let client = MyRESTClient(
                url: url, manager: manager, listing: ItemListing(pagination: suggestion))
            #expect(try await client.getAvailableItems(as: Int.self) == Array(0..<total))
        }
    }

    @Test(
        arguments: [
            ("next", #""next": "https://shop.example/items?cursor=x9""#),
            ("paging.next", #""paging": {"next": "/items?cursor=x9"}"#),
            ("links.next", #""links": [{"rel": "next", "href": "/items?cursor=x9"}]"#),
        ] as [(MemberPath, String)])
    func `a wrong rule for a list with the URL of the next page suggests that of URLs`(
        path: MemberPath, members: String
    ) throws {
        let page = PageInfo(
            url: try #require(URL(string: Self.here)), envelope: Envelope(stringLiteral: "{\(members)}"),
            itemCount: 3)
        let wrong = PaginationConvention.token(at: "t", parameter: "after")
        let error = #expect(throws: RESTClientError.self) { try wrong.pages(after: page) }
        let suggestion = try #require(error?.suggestedPagination)
        #expect(suggestion == .next(at: path))
        #expect(try suggestion.pages(after: page).map(\.url.query) == ["cursor=x9"])
    }

    @Test(
        arguments: [
            (.next(at: "next"), #""next_cursor": "x9", "has_more": true"#, true),
            (.number(count: "pages"), #""pages": -1, "next": "/items?page=2""#, true),
            (.next(at: "next"), #""next": "http://[""#, false),
        ] as [(PaginationConvention, String, Bool)])
    func `a wrong rule on the first page of a list that the default follows is an error that says so`(
        wrong: PaginationConvention, members: String, isPagedByDefault: Bool
    ) throws {
        let page = PageInfo(
            url: try #require(URL(string: Self.here)), envelope: Envelope(stringLiteral: "{\(members)}"),
            itemCount: 3)
        let error = #expect(throws: RESTClientError.self) { try wrong.pages(after: page) }
        #expect(error?.isPagedByDefault == isPagedByDefault)
        #expect(error?.hint?.hasSuffix(", or use the default, .automatic") == isPagedByDefault)
    }

    @Test(arguments: [1, 2])
    func `a named rule that has followed the list is not said to be wrong`(number: Int) throws {
        var page = PageInfo(
            url: try #require(URL(string: Self.here)), envelope: #"{"next": "x9", "has_more": true}"#,
            itemCount: 3)
        page.number = number
        let rule = PaginationConvention.token(at: "token", parameter: "after", more: "has_more")
        let error = #expect(throws: RESTClientError.self) { try rule.pages(after: page) }
        #expect(error?.isPagedByDefault == (number == 1))
    }

    @Test func `a counted list that begins in the middle ends with its last page`() async {
        let result = await numbers(query: "page=3") { request in
            let page = request.number("page", or: 1)
            let items = Array((page - 1) * 2..<min(page * 2, 9))
            return .json(["items": .value(items), "page": .value(page), "per_page": 2, "total": 9])
        }
        #expect(result.error == nil)
        #expect(result.items == [4, 5, 6, 7, 8])
        #expect(result.requests == 3)
    }

    @Test(arguments: [
        ("X-DB-Query-Count", false), ("X-Envoy-Attempt-Count", false), ("X-Error-Count", false),
        ("X-RateLimit-Total", false), ("X-Total-Count", true), ("XTotal-Count", true), ("XNextLink", true),
        ("X-Shop-Total-Count", true), ("Items-Count", true), ("X-Shop-Items", true),
    ])
    func `a header field about something else is not a total`(field: String, isTotal: Bool) throws {
        var page = PageInfo(url: try #require(URL(string: Self.here)), envelope: "{}", itemCount: 3)
        page.headers[HTTPHeaders.Name(field)] = "17"
        #expect(page.hasPaginationFields == isTotal)
    }
}
