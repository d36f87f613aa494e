import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import Testing

/// The exchanges of APIs, as their documentation describes them, in `Fixtures/paging-conventions.jsonl`.
struct RecordedAPI: Decodable, Sendable, CustomTestStringConvertible {
    struct Exchange: Decodable, Sendable {
        let request: String
        let status: Int
        let headers: [String: String]
        let body: JSONLiteral?
    }

    enum CodingKeys: String, CodingKey {
        case name = "api"
        case path = "list at"
        case ids, visible, exchanges
        case parameter = "asked for by"
    }

    let name: String
    let path: String
    let ids: [String]
    let visible: String
    let parameter: String?
    let exchanges: [Exchange]

    var testDescription: String { name }
    var listPath: MemberPath { path == "." ? .root : MemberPath(path) }
    var target: String { String(exchanges[0].request.drop { $0 != " " }.dropFirst()) }

    static let all: [RecordedAPI] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/paging-conventions.jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(RecordedAPI.self, from: Data(line.utf8))
        }
    }()

    /// The reply to a request: the recorded page that the paging parameter names, an empty page after the last one.
    func reply(to request: ReceivedRequest) -> Reply {
        let first = exchanges[0]
        guard let parameter, let colon = parameter.firstIndex(of: ":") else {
            guard let exchange = exchanges.first(where: { Self.path(of: $0) == request.url.path() }) else {
                return .status(404)
            }
            return Self.reply(exchange)
        }
        let name = String(parameter[parameter.index(after: colon)...])
        guard let value = request.query[name] else { return Self.reply(first) }
        if let exchange = exchanges.first(where: { Self.query(of: $0)[name] == value }) {
            return Self.reply(exchange)
        }
        let numbers = exchanges.compactMap { Self.query(of: $0)[name].flatMap { Int($0) } }
        if let number = Int(value), let last = numbers.max(), number <= last { return .status(404) }
        return Self.reply(exchanges[exchanges.count - 1], emptied: listPath.names)
    }

    private static func reply(_ exchange: Exchange, emptied path: [String]? = nil) -> Reply {
        var body = exchange.body ?? [:]
        if let path { body = body.emptyingList(at: path[...]) }
        guard let data = try? body.encoded() else { return .status(500) }
        let reply = Reply.data(data, as: .json, status: HTTPStatus(rawValue: exchange.status))
        return exchange.headers.reduce(reply) { reply, field in
            field.key == "Content-Type" ? reply : reply.header(HTTPHeaders.Name(field.key), field.value)
        }
    }

    private static func url(of exchange: Exchange) -> URL? {
        let target = exchange.request.drop { $0 != " " }.dropFirst()
        return URL(string: "https://api.example\(target)")
    }
    private static func path(of exchange: Exchange) -> String { url(of: exchange)?.path() ?? "" }
    private static func query(of exchange: Exchange) -> QueryItems {
        url(of: exchange).map { QueryItems(of: $0) } ?? [:]
    }
}

extension JSONLiteral {
    /// The same document with the list at `path` emptied.
    fileprivate func emptyingList(at path: ArraySlice<String>) -> JSONLiteral {
        guard let name = path.first else { return [] }
        guard case .object(let members) = node else { return self }
        return JSONLiteral(
            .object(members.map { $0.0 == name ? ($0.0, $0.1.emptyingList(at: path.dropFirst())) : $0 }))
    }
}

@Suite struct PaginationConventionTests {
    /// Recordings that lack a page that their own links or numbers name.
    private static let incomplete: Set = [
        "salesforce", "json-api", "json-api-object", "spring-hal", "spring-page", "spring-paged-model",
        "spring-slice",
    ]

    private func list(
        _ api: RecordedAPI, _ pagination: any Pagination = .automatic
    ) async throws -> (items: [String], requests: Int, error: (any Error)?) {
        let server = MockServer { Route(.any) { request in api.reply(to: request) } }
        let url = try #require(URL(string: "https://api.example\(api.target)"))
        let manager = SessionManager(configuration: server.configuration)
        let client = MyRESTClient(
            url: url, manager: manager, listing: ItemListing(at: api.listPath, pagination: pagination))
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

    @Test(
        arguments: [
            ("airtable", .airtable), ("anthropic", .anthropic), ("asana", .asana), ("azure", .azure),
            ("bitbucket", .bitbucket), ("digitalocean", .digitalOcean), ("facebook", .facebook),
            ("github", .github), ("gitlab", .gitlab), ("google-drive", .google), ("youtube", .google),
            ("hubspot-no-link", .hubSpot), ("intercom", .intercom), ("jira-jql", .jira),
            ("kubernetes", .kubernetes), ("graph", .microsoftGraph), ("notion-users", .notion),
            ("okta", .okta), ("shopify", .shopify), ("slack", .slack), ("spotify", .spotify),
            ("twilio-v1", .twilio), ("wordpress", .wordPress), ("zoom", .zoom),
        ] as [(String, PaginationConvention)])
    func `a preset lists the recording of its API`(name: String, preset: PaginationConvention) async throws {
        let api = try #require(RecordedAPI.all.first { $0.name == name })
        let (items, requests, error) = try await list(api, preset)
        #expect(error == nil)
        #expect(items.count == api.ids.count)
        #expect(Set(items).count == items.count)
        #expect(requests == api.exchanges.count)
    }

    @Test func `preset names are unique words`() {
        let names = PaginationConvention.presets.map(\.name)
        #expect(names.count >= 30)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
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
