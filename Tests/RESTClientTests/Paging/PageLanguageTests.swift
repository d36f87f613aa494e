import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

/// Members with names in other languages, sentences, and numbers in them. The page has three items.
@Suite(.hangLimit) struct PageLanguageTests {
    private static func isContinued(_ body: String, headers: HTTPHeaders = [:]) throws -> Bool {
        let page = PageInfo(
            url: try #require(URL(string: "http://shop.example/items")), headers: headers,
            envelope: Envelope(stringLiteral: "{\(body)}"), itemCount: 3)
        // What cannot be followed is an error.
        do { return try !StandardPagination.automatic.pages(after: page).isEmpty } catch { return true }
    }

    @Test(arguments: [
        #""letzteSeite": false"#, #""esUltimaPagina": false"#, #""последняяСтраница": false"#,
        #""hay_mas_paginas": true"#, #""harFlere": true"#, #""czyJestWięcej": true"#, #""다음페이지존재": true"#,
        #""还有更多": true"#, #""paginaSiguiente": 2"#, #""proxima_pagina": 2"#, #""następnaStrona": 2"#,
        #""gesamtanzahl": 7, "anzahl": 3"#, #""nombreTotal": 7"#, #""totaltAntall": 7"#, #""всего": 7"#,
        #""全件数": 7, "表示件数": 3"#, #""dokumenteGesamt": 7"#, #""itens_totais": 7"#,
        #""no_more_pages": false"#, #""pagine": 3, "pagina": 1, "totale": 7"#,
        #""numero_pagine": 3, "totale": 7"#,
        #""страницы": 3, "страница": 1, "всего": 7"#, #""viimeinen_sivu": "ei""#,
        #""letzteSeite": "nein""#, #""paginasRestantes": 2"#, #""proximoIndice": 4"#,
        #""numeroProximaPagina": 2"#,
        #""existujeDalsie": true"#, #""seite": 1, "seitenanzahl": 3"#, #""side": 1, "antallSider": 3"#,
        #""trang": 1, "tongSoTrang": 3"#, #""toplamKayit": 7"#, #""total_encontradas": 7"#,
        #""页码": 1, "总页数": 3"#, #""halaman": 1, "jumlahHalaman": 3"#, #""page": 1, "nombreDePages": 3"#,
    ])
    func `names in other languages are translated word by word`(body: String) throws {
        #expect(try Self.isContinued(body))
    }

    @Test(arguments: [
        #""info": "Showing 3 of 7 results""#, #""caption": "Top 3 of 7""#,
        #""mensaje": "Mostrando 3 de 7 registros""#,
        #""résumé": "3 sur 7 résultats""#, #""label": "1-3 of 1,007""#, #""displaying": "1 to 3 of 7""#,
        #""summary": "Showing 1–3 (7 total)""#, #""表示": "7件中1-3件を表示""#, #""footer": "Seite 1 von 3""#,
        #""label": "p. 1/3""#, #""info": "3 results of 7""#, #""info": "3 Treffer von insgesamt 7""#,
        #""note": "Results limited to 3; refine your query""#,
    ])
    func `a sentence with the numbers of the page and of all items says that there is more`(
        body: String
    ) throws {
        #expect(try Self.isContinued(body))
    }

    @Test(arguments: [
        #""following_page": 2"#, #""nextPos": 4"#, #""next_i": 3"#, #""more_ids": [14, 15, 16, 17]"#,
        #""cursors": {"bottom": "Zm9vYmFyMTIzNDU2Nzg5MA==", "top": null}"#,
        #""unreturned": 4"#, #""matches": 7, "queryParameters": {"numResults": 3, "offset": 0}"#,
        ##""Hits": {"@pageNumber": "1", "@pageSize": "3", "#text": "7"}"##,
        #""Start": 0, "Count": 3, "ResultCount": 3, "Links": {}"#, #""part": {"i": 1, "n": 3}"#,
        #""currentPage": 1, "endPage": 3"#, #""search_after": [1588, "b7"]"#,
        #""meta": {"searchAfter": [1588, null]}"#, #""continuationToken": ["a", 3]"#,
        #""NextShardIterator": "arn:aws:dynamodb:eu-west-1:1:table/a/stream/2026|1|AAAA==""#,
    ])
    func `a number or a list that continues the page says that there is more`(body: String) throws {
        #expect(try Self.isContinued(body))
    }

    @Test(arguments: [
        ("X-Gesamtanzahl", "7"), ("X-Anzahl-Seiten", "3"), ("X-Batch", "1 of 3"), ("X-Slice", "1/3"),
        ("X-Item-Range", "1-3 of 7"), ("X-Rows-Available", "7"),
    ])
    func `header fields are understood like members`(name: String, value: String) throws {
        #expect(try Self.isContinued("", headers: [HTTPHeaders.Name(name): value]))
    }

    @Test(arguments: [
        #""no_more_pages": true"#, #""item_no": 5"#, #""followers": 10, "following": 3"#,
        #""heading": "Top 3 films""#,
        #""note": "3 results for 42""#, #""note": "3 items from 12 shops""#, #""nombre_pagina": 3"#,
        #""more": [{"label": "About"}]"#, #""siguiente": "Capítulo 2""#, #""total_taille": 700"#,
        #""info2": {"hasMore": false, "message": "Upgrade for more results"}"#, #""seiten": 320"#,
        #""mwst": 19, "gesamt": 119"#, #""cantidad_total": 12"#, #""numero_pagina": 12"#,
        #""numero_registro": 4711"#, #""mais": 30"#, #""temMais": "não""#, #""weiter": "Adresse""#,
        #""nästa": "10:05""#,
        #""last_es": false"#, #""info": "1-3 Werktage, ab 50 € frei""#, #""info": "Spagna 1 in 3""#,
        #""info": "Match rating 3/5""#, #""info": "Ergebnis 3 zu 5""#,
        #""page_no": 1, "page_count": 10, "total_count": 3, "total_page": 1"#,
        #""anzahl": 3"#, #""nombre": "Té""#, #""numero": 7"#, #""seite": 1, "seitenanzahl": 1"#,
        #""letzteSeite": true"#,
        #""label": "Delivery in 3 to 7 days""#, #""updated": "1-3 July 2026""#, #""rating": "3 of 5""#,
        #""text": "Seite 1 von 1""#, #""summary": "Showing 3 of 3 results""#, #""next_level": 2, "level": 1"#,
        #""channels": {"stable": "1.2", "next": "2.0"}"#, #""mehrwertsteuer": 19"#, #""gesamtpreis": 1999"#,
        #""label": "Version 1.3.7 (3 of 4 stars)""#, #""более": null"#,
        #""supportToken": "a1b2c3d4e5f6a7b8c9""#, #""search_after": [null, null]"#,
        #""before": ["a"], "after": ["b", "c"]"#,
        #""position": [52.5, 13.4]"#,
        #""marker": [52.5, 13.4]"#, #""filters": {"after": [2020, 5]}"#, #""after": ["job-a"]"#,
        #""token": ["The", "cat"]"#, #""start": [1, 2], "end": [3, 4]"#, #""cursor": [12, 4]"#,
        #""next": null, "search_after": [1588, "b7"]"#, #""has_more": false, "remaining": 97"#,
        #""has_more": false, "complete": false"#, #""metadata": {"title": "Census", "complete": false}"#,
        #""next_validators_hash": "q8/vEjQ1T0A7bq3kGm5y7w==""#, #""deck_id": "x1", "remaining": 49"#,
    ])
    func `what only resembles a sign lists in peace`(body: String) throws {
        #expect(try !Self.isContinued(body))
    }

    @Test(arguments: [
        ("X-RateLimit-Window", "1/60"), ("X-Search-Limit", "1/30"), ("X-Filtered-Results", "1"),
    ])
    func `header fields about something else list in peace`(name: String, value: String) throws {
        #expect(try !Self.isContinued("", headers: [HTTPHeaders.Name(name): value]))
    }

    @Test func `a long name takes no time`() throws {
        let names =
            [String(repeating: "件数seitenanzahl", count: 4_000) + "x"]
            + ["X" + String(repeating: "-a", count: 20_000), String(repeating: "is", count: 20_000)]
        let body = names.map { "\"\($0)\": 1" }.joined(separator: ", ")
        #expect(try !Self.isContinued(body))
    }
}
