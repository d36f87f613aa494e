import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import RESTClientTestSupport
import Testing

@Suite struct PaginationConventionTests {
    /// Recordings that lack a page that their own links or numbers name.
    private static let incomplete: Set = [
        "salesforce", "json-api", "json-api-object", "spring-hal", "spring-page", "spring-paged-model",
        "spring-slice",
    ]

    private func list(
        _ api: RecordedAPI
    ) async throws -> (items: [String], requests: Int, error: (any Error)?) {
        let server = MockServer { Route(.any) { request in api.reply(to: request) } }
        let url = try #require(URL(string: "https://api.example\(api.target)"))
        let manager = SessionManager(configuration: server.configuration)
        let client = MyRESTClient(
            url: url, manager: manager, listing: ItemListing(at: api.listPath))
        var items: [String] = []
        do {
            for try await batch in client.elements() {
                batch.forEach { element in
                    items.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                }
            }
            return (items, server.requests.count, nil)
        } catch {
            return (items, server.requests.count, error)
        }
    }

    @Test(arguments: RecordedAPI.all) func `a list is complete, or its end is an error`(
        _ api: RecordedAPI
    ) async throws {
        // The recorded second page of these is the first one again.
        guard !api.name.hasPrefix("json-api") else { return }
        let (items, requests, error) = try await list(api)
        #expect(Set(items).count == items.count, "an item was delivered twice")
        if error == nil, api.visible != "no" { #expect(items.count == api.ids.count, "the list ended early") }
        guard api.visible == "yes", !Self.incomplete.contains(api.name) else { return }
        #expect(error == nil)
        #expect(items.count == api.ids.count)
        #expect(requests <= api.exchanges.count + 1)
    }

    @Test func `preset names are unique words`() {
        let names = PaginationConvention.presets.map(\.name)
        #expect(names.count >= 60)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } })
    }

    @Test(arguments: [
        "MockTransport/MockTransport.docc/PagedLists.md",
        "RESTClient/RESTClient.docc/Paging.md",
    ])
    func `the documentation states the number of presets`(article: String) throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        let text = try String(contentsOf: sources.appending(path: article), encoding: .utf8)
        #expect(text.contains("\(PaginationConvention.presets.count) presets"))
    }

    @Test func `the guide has a row for each preset`() throws {
        let guide = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/RESTClient/RESTClient.docc/Paging.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        for preset in PaginationConvention.presets {
            let list = preset.list.map { "`\($0)`" } ?? "–"
            #expect(text.contains("` | `\(preset.name)` | \(list) |"), "\(preset.name)")
        }
    }

    @Test func `the recordings are there`() { #expect(RecordedAPI.all.count == 123) }

    @Test(arguments: [
        #"{"items":[],"total":12.5}"#, #"{"items":["a"],"total":120,"currency":"EUR"}"#,
        #"{"items":["a","b"],"count":2}"#,
        #"{"items":["a"],"links":{"next":null}}"#, #"{"items":["a"],"cursor":""}"#,
        #"{"items":["a"],"offset":"text"}"#,
        #"{"items":["a"],"offset":"+02:00","timezone":"CET"}"#,
        #"{"items":["a"],"next_run":"2026-01-01T00:00:00Z"}"#,
        #"{"items":["a"],"next_steps":"call us"}"#, #"{"items":["a"],"nextSyncToken":"abc1"}"#,
        #"{"items":["a"],"@odata.deltaLink":"https://shop.example/delta?token=1"}"#,
        #"{"items":["a"],"status":{"done":false}}"#,
        #"{"items":["a"],"page":{"title":"Teas","url":"/teas"}}"#,
        #"{"items":["a"],"page":1,"pages":1}"#, #"{"items":["a","b","c"],"limit":100}"#,
        #"{"items":["a"],"size":10}"#,
        #"{"items":["a"],"position":"left"}"#, #"{"items":["a"],"marker":"pin"}"#,
        #"{"items":["a"],"first":"Ann","last":"Lee"}"#,
        #"{"items":["a"],"from":"2026-01-01","to":"2026-02-01"}"#,
        #"{"items":["a"],"start":1700000000,"end":1700000001}"#, #"{"items":["a"],"access_token":"xyz1"}"#,
        #"{"items":["a"],"number":42}"#, #"{"items":["a"],"page":42}"#,
        #"{"items":["a"],"more":"see our docs"}"#,
        #"{"items":["a"],"more_info":"https://shop.example/docs"}"#,
        #"{"items":["a"],"links":{"self":"/items"}}"#,
        #"{"items":["a"],"stats":{"total":500,"count":700}}"#,
        #"{"items":["a"],"facets":{"color":{"count":10}}}"#,
        #"{"items":["a"],"quota":{"remaining":10,"limit":50}}"#, #"{"items":["a"],"remaining":10}"#,
        #"{"items":["a"],"user":{"next":"x"}}"#, #"{"items":["a"],"after":"lunch"}"#,
        #"{"items":["a"],"continue":true}"#,
        #"{"items":[],"page":1,"total_pages":0,"total":0}"#, #"{"items":["a"],"found":true}"#,
        #"{"items":["a"],"hits":12}"#, #"{"items":["a"],"size":"large"}"#, #"{"items":["a"],"length":12.5}"#,
        #"{"items":["a"],"query":{"count":100}}"#, #"{"items":["a"],"next":false}"#,
        #"{"items":["a"],"next":{}}"#,
        #"{"items":["a"],"total":"7 EUR"}"#, #"{"items":["a"],"version":7,"rows":80}"#,
    ]) func `a body with a misleading member is one page`(_ body: String) async throws {
        let server = MockServer { Route(.any) { Reply.text(body, as: .json).repeats() } }
        let url = try #require(URL(string: "https://shop.example/items"))
        let client = MyRESTClient(url: url, manager: SessionManager(configuration: server.configuration))
        _ = try await client.getAvailableItems()
        #expect(server.requests.count == 1)
    }

    @Test func `a page that comes again is not delivered twice`() async throws {
        let server = MockServer {
            Route(.any) { Reply.json(["items": ["a", "b", "c"], "total": 7] as JSONLiteral).repeats() }
        }
        let url = try #require(URL(string: "https://shop.example/items"))
        let client = MyRESTClient(url: url, manager: SessionManager(configuration: server.configuration))
        var items: [String] = []
        let error = await #expect(throws: RESTClientError.self) {
            for try await item in client.items(as: String.self) { items.append(item) }
        }
        #expect(items == ["a", "b", "c"])
        #expect(error?.listingProgress?.itemCount == 3)
        #expect(error?.listingProgress?.resume == nil)
        #expect(error?.kind == .pagination(.incompleteTotal(received: 3, total: 7)))
    }
}
