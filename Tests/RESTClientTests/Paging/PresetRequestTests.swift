import Foundation
import MockTransport
import RESTClient
import Testing

/// The requests with which a list of 7 items on pages of 3 is listed by a preset.
struct PresetRequests: Sendable, CustomTestStringConvertible {
    let name: String
    let requests: [String]

    var testDescription: String { name }

    init(_ name: String, _ requests: [String]) {
        self.name = name
        self.requests = requests.map { $0.replacing("*", with: "/v1/list?q=tea") }
    }

    /// A row for each preset: its name, and the requests. `*` is `/v1/list?q=tea`.
    static let all = #"""
        airtable GET *&pageSize=3 | GET *&pageSize=3&offset=i3%2B%2F%3D%26%25 | GET *&pageSize=3&offset=i6%2B%2F%3D%26%25
        algolia GET *&hitsPerPage=3 | GET *&hitsPerPage=3&page=1 | GET *&hitsPerPage=3&page=2
        anthropic GET *&limit=3 | GET *&limit=3&after_id=item-3 | GET *&limit=3&after_id=item-6
        asana GET *&limit=3 | GET *&limit=3&offset=i3%2B%2F%3D%26%25 | GET *&limit=3&offset=i6%2B%2F%3D%26%25
        auth0 GET *&per_page=3 | GET *&per_page=3&page=1 | GET *&per_page=3&page=2 | GET *&per_page=3&page=3
        azure GET * | GET *&page=2 | GET *&page=3
        bitbucket GET *&pagelen=3 | GET *&pagelen=3&page=2 | GET *&pagelen=3&page=3
        bitbucket-server GET *&limit=3 | GET *&limit=3&start=3 | GET *&limit=3&start=6
        box GET *&limit=3 | GET *&limit=3&marker=i3%2B%2F%3D%26%25 | GET *&limit=3&marker=i6%2B%2F%3D%26%25
        clickup GET * | GET *&page=1 | GET *&page=2
        cloudflare GET *&per_page=3 | GET *&per_page=3&page=2 | GET *&per_page=3&page=3
        confluence GET *&limit=3 | GET *&limit=3&page=2 | GET *&limit=3&page=3
        contentful GET *&limit=3 | GET *&limit=3&skip=3 | GET *&limit=3&skip=6
        digitalocean GET *&per_page=3 | GET *&per_page=3&page=2 | GET *&per_page=3&page=3
        discord GET *&limit=3 | GET *&limit=3&after=item-3 | GET *&limit=3&after=item-6 | GET *&limit=3&after=item-7
        dropbox POST /v1/list {"limit":3,"q":"tea"} | POST /v1/list_folder/continue {"cursor":"i3+/=&%"} | POST /v1/list_folder/continue {"cursor":"i6+/=&%"}
        dynamodb POST /v1/list {"Limit":3,"q":"tea"} | POST /v1/list {"ExclusiveStartKey":{"id":{"S":"i3+/=&%"}},"Limit":3,"q":"tea"} | POST /v1/list {"ExclusiveStartKey":{"id":{"S":"i6+/=&%"}},"Limit":3,"q":"tea"}
        elasticsearch POST /v1/list {"q":"tea","size":3} | POST /v1/list {"q":"tea","search_after":"item-3","size":3} | POST /v1/list {"q":"tea","search_after":"item-6","size":3} | POST /v1/list {"q":"tea","search_after":"item-7","size":3}
        elasticsearch-scroll POST /v1/list {"q":"tea","size":3} | POST /_search/scroll {"scroll":"1m","scroll_id":"i3+/=&%"} | POST /_search/scroll {"scroll":"1m","scroll_id":"i6+/=&%"} | POST /_search/scroll {"scroll":"1m","scroll_id":"i7+/=&%"}
        eventbrite GET * | GET *&continuation=i3%2B%2F%3D%26%25 | GET *&continuation=i6%2B%2F%3D%26%25
        facebook GET *&limit=3 | GET *&limit=3&page=2 | GET *&limit=3&page=3
        github GET *&per_page=3 | GET *&per_page=3&page=2 | GET *&per_page=3&page=3
        github-graphql POST /v1/list {"query":"{ issues }","variables":{}} | POST /v1/list {"query":"{ issues }","variables":{"after":"i3+/=&%"}} | POST /v1/list {"query":"{ issues }","variables":{"after":"i6+/=&%"}}
        gitlab GET *&per_page=3 | GET *&per_page=3&page=2 | GET *&per_page=3&page=3
        google GET *&pageSize=3 | GET *&pageSize=3&pageToken=i3%2B%2F%3D%26%25 | GET *&pageSize=3&pageToken=i6%2B%2F%3D%26%25
        heroku GET * | GET * Range: id ]i3+/=&%..; max=3 | GET * Range: id ]i6+/=&%..; max=3
        hubspot GET *&limit=3 | GET *&limit=3&after=i3%2B%2F%3D%26%25 | GET *&limit=3&after=i6%2B%2F%3D%26%25
        intercom GET *&per_page=3 | GET *&per_page=3&starting_after=i3%2B%2F%3D%26%25 | GET *&per_page=3&starting_after=i6%2B%2F%3D%26%25
        intercom-search POST /v1/list {"pagination":{"per_page":3},"q":"tea"} | POST /v1/list {"pagination":{"per_page":3,"starting_after":"i3+/=&%"},"q":"tea"} | POST /v1/list {"pagination":{"per_page":3,"starting_after":"i6+/=&%"},"q":"tea"}
        jira GET *&maxResults=3 | GET *&maxResults=3&nextPageToken=i3%2B%2F%3D%26%25 | GET *&maxResults=3&nextPageToken=i6%2B%2F%3D%26%25
        jira-v2 GET *&maxResults=3 | GET *&maxResults=3&startAt=3 | GET *&maxResults=3&startAt=6
        klaviyo GET *&page%5Bsize%5D=3 | GET *&page%5Bsize%5D=3&page=2 | GET *&page%5Bsize%5D=3&page=3
        kubernetes GET *&limit=3 | GET *&limit=3&continue=i3%2B%2F%3D%26%25 | GET *&limit=3&continue=i6%2B%2F%3D%26%25
        linear POST /v1/list {"query":"{ issues }","variables":{}} | POST /v1/list {"query":"{ issues }","variables":{"after":"i3+/=&%"}} | POST /v1/list {"query":"{ issues }","variables":{"after":"i6+/=&%"}}
        linode GET *&page_size=3 | GET *&page_size=3&page=2 | GET *&page_size=3&page=3
        mailchimp GET *&count=3 | GET *&count=3&offset=3 | GET *&count=3&offset=6
        mastodon GET *&limit=3 | GET *&limit=3&page=2 | GET *&limit=3&page=3
        microsoft-graph GET *&%24top=3 | GET *&%24top=3&page=2 | GET *&%24top=3&page=3
        notion GET *&page_size=3 | GET *&page_size=3&start_cursor=i3%2B%2F%3D%26%25 | GET *&page_size=3&start_cursor=i6%2B%2F%3D%26%25
        okta GET *&limit=3 | GET *&limit=3&page=2 | GET *&limit=3&page=3
        openai GET *&limit=3 | GET *&limit=3&after=item-3 | GET *&limit=3&after=item-6
        pagerduty GET *&limit=3 | GET *&limit=3&offset=3 | GET *&limit=3&offset=6
        reddit GET *&limit=3 | GET *&limit=3&after=i3%2B%2F%3D%26%25 | GET *&limit=3&after=i6%2B%2F%3D%26%25
        salesforce GET * | GET *&page=2 | GET *&page=3
        scim GET *&count=3 | GET *&count=3&startIndex=4 | GET *&count=3&startIndex=7
        sentry GET * | GET *&page=2 | GET *&page=3
        shopify GET *&limit=3 | GET *&limit=3&page=2 | GET *&limit=3&page=3
        shopify-graphql POST /v1/list {"query":"{ issues }","variables":{}} | POST /v1/list {"query":"{ issues }","variables":{"after":"i3+/=&%"}} | POST /v1/list {"query":"{ issues }","variables":{"after":"i6+/=&%"}}
        slack GET *&limit=3 | GET *&limit=3&cursor=i3%2B%2F%3D%26%25 | GET *&limit=3&cursor=i6%2B%2F%3D%26%25
        spotify GET *&limit=3 | GET *&limit=3&page=2 | GET *&limit=3&page=3
        spring GET *&size=3 | GET *&size=3&page=1 | GET *&size=3&page=2
        square GET *&limit=3 | GET *&limit=3&cursor=i3%2B%2F%3D%26%25 | GET *&limit=3&cursor=i6%2B%2F%3D%26%25
        stripe GET *&limit=3 | GET *&limit=3&starting_after=item-3 | GET *&limit=3&starting_after=item-6
        twilio GET *&PageSize=3 | GET *&PageSize=3&page=2 | GET *&PageSize=3&page=3
        twitch GET *&first=3 | GET *&first=3&after=i3%2B%2F%3D%26%25 | GET *&first=3&after=i6%2B%2F%3D%26%25
        twitter GET *&max_results=3 | GET *&max_results=3&pagination_token=i3%2B%2F%3D%26%25 | GET *&max_results=3&pagination_token=i6%2B%2F%3D%26%25
        wordpress GET *&per_page=3 | GET *&per_page=3&page=2 | GET *&per_page=3&page=3
        zendesk GET *&page%5Bsize%5D=3 | GET *&page%5Bsize%5D=3&page=2 | GET *&page%5Bsize%5D=3&page=3
        zendesk-offset GET *&per_page=3 | GET *&per_page=3&page=2 | GET *&per_page=3&page=3
        zoom GET *&page_size=3 | GET *&page_size=3&next_page_token=i3%2B%2F%3D%26%25 | GET *&page_size=3&next_page_token=i6%2B%2F%3D%26%25
        """#.split(separator: "\n").map { row in
            let parts = row.split(separator: " ", maxSplits: 1).map(String.init)
            return Self(parts[0], parts[1].components(separatedBy: " | "))
        }
}

@Suite struct PresetRequestTests {
    @Test(arguments: PresetRequests.all)
    func `a preset sends exactly the requests that its API documents`(expected: PresetRequests) async throws {
        let preset = try #require(NamedConvention.presets.first { $0.name == expected.name })
        let first = expected.requests[0].split(separator: " ", maxSplits: 2).map(String.init)
        // Requests that set the page size do so on a server with another one. Those of a scroll do not repeat it.
        let setsSize = preset.convention.pageSizeParameter != nil && !preset.isScroll
        let list = preset.list(7, size: setsSize ? 10 : 3)
        let server = MockServer {
            Route(first[0] == "GET" ? .get : .post, "/v1/list", list: list)
            Route(.post, "/v1/list_folder/continue", list: list).optional()
            Route(.post, "/_search/scroll", list: list).optional()
        }
        let manager = server.manager()
        let body = try first.dropFirst(2).first.map { try JSONLiteral(parsing: Data($0.utf8)) }
        let request = manager.request(
            "https://api.example\(first[1])", method: body == nil ? .get : .post, body: body.map { .json($0) }
        )
        let client = MyRESTClient(
            request,
            listing: ItemListing(at: preset.path, pagination: preset.convention, maxConcurrentPages: 1))
        let items = try await client.getAvailableItems(as: Element.self)
        #expect(items.map(\.id) == (1...7).map { "item-\($0)" })
        #expect(server.requests.map(\.line) == expected.requests)
    }

    @Test func `every preset has a row`() {
        #expect(PresetRequests.all.map(\.name) == PaginationConvention.presets.map(\.name))
    }

    private struct Element: Decodable, Sendable { var id: String }
}

extension NamedConvention {
    fileprivate var isScroll: Bool {
        guard case .token(let token) = convention.kind, case .post = token.destination else { return false }
        return true
    }
}

extension ReceivedRequest {
    /// The method, the target, the range and the JSON body.
    fileprivate var line: String {
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        let range = headers["Range"].map { " Range: \($0)" } ?? ""
        let json = body.isEmpty ? nil : try? JSONLiteral(parsing: body)
        return "\(method.rawValue) \(url.path(percentEncoded: true))\(query)\(range)"
            + (json.map { " \($0)" } ?? "")
    }
}
