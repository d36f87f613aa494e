import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import Testing

/// The requests with which a list of 7 items on pages of 3 is listed by a preset.
struct PresetRequests: Sendable, CustomTestStringConvertible {
    let name: String
    let requests: [String]

    var testDescription: String { name }

    init(_ name: String, _ requests: String...) { (self.name, self.requests) = (name, requests) }

    static let all = [
        Self(
            "airtable",
            #"GET /v1/list?q=tea&pageSize=3"#,
            #"GET /v1/list?q=tea&pageSize=3&offset=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&pageSize=3&offset=i6%2B%2F%3D%26%25"#),
        Self(
            "algolia",
            #"GET /v1/list?q=tea&hitsPerPage=3"#,
            #"GET /v1/list?q=tea&hitsPerPage=3&page=1"#,
            #"GET /v1/list?q=tea&hitsPerPage=3&page=2"#),
        Self(
            "anthropic",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&after_id=item-3"#,
            #"GET /v1/list?q=tea&limit=3&after_id=item-6"#),
        Self(
            "asana",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&offset=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&limit=3&offset=i6%2B%2F%3D%26%25"#),
        Self(
            "auth0",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&page=1"#,
            #"GET /v1/list?q=tea&per_page=3&page=2"#,
            #"GET /v1/list?q=tea&per_page=3&page=3"#),
        Self(
            "azure",
            #"GET /v1/list?q=tea"#,
            #"GET /v1/list?q=tea&page=2"#,
            #"GET /v1/list?q=tea&page=3"#),
        Self(
            "bitbucket",
            #"GET /v1/list?q=tea&pagelen=3"#,
            #"GET /v1/list?q=tea&pagelen=3&page=2"#,
            #"GET /v1/list?q=tea&pagelen=3&page=3"#),
        Self(
            "bitbucket-server",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&start=3"#,
            #"GET /v1/list?q=tea&limit=3&start=6"#),
        Self(
            "box",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&marker=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&limit=3&marker=i6%2B%2F%3D%26%25"#),
        Self(
            "clickup",
            #"GET /v1/list?q=tea"#,
            #"GET /v1/list?q=tea&page=1"#,
            #"GET /v1/list?q=tea&page=2"#),
        Self(
            "cloudflare",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&page=2"#,
            #"GET /v1/list?q=tea&per_page=3&page=3"#),
        Self(
            "confluence",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&page=2"#,
            #"GET /v1/list?q=tea&limit=3&page=3"#),
        Self(
            "contentful",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&skip=3"#,
            #"GET /v1/list?q=tea&limit=3&skip=6"#),
        Self(
            "digitalocean",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&page=2"#,
            #"GET /v1/list?q=tea&per_page=3&page=3"#),
        Self(
            "discord",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&after=item-3"#,
            #"GET /v1/list?q=tea&limit=3&after=item-6"#,
            #"GET /v1/list?q=tea&limit=3&after=item-7"#),
        Self(
            "dropbox",
            #"POST /v1/list {"limit":3,"q":"tea"}"#,
            #"POST /v1/list_folder/continue {"cursor":"i3+/=&%"}"#,
            #"POST /v1/list_folder/continue {"cursor":"i6+/=&%"}"#),
        Self(
            "dynamodb",
            #"POST /v1/list {"Limit":3,"q":"tea"}"#,
            #"POST /v1/list {"ExclusiveStartKey":{"id":{"S":"i3+/=&%"}},"Limit":3,"q":"tea"}"#,
            #"POST /v1/list {"ExclusiveStartKey":{"id":{"S":"i6+/=&%"}},"Limit":3,"q":"tea"}"#),
        Self(
            "elasticsearch",
            #"POST /v1/list {"q":"tea","size":3}"#,
            #"POST /v1/list {"q":"tea","search_after":"item-3","size":3}"#,
            #"POST /v1/list {"q":"tea","search_after":"item-6","size":3}"#,
            #"POST /v1/list {"q":"tea","search_after":"item-7","size":3}"#),
        Self(
            "elasticsearch-scroll",
            #"POST /v1/list {"q":"tea","size":3}"#,
            #"POST /_search/scroll {"scroll":"1m","scroll_id":"i3+/=&%"}"#,
            #"POST /_search/scroll {"scroll":"1m","scroll_id":"i6+/=&%"}"#,
            #"POST /_search/scroll {"scroll":"1m","scroll_id":"i7+/=&%"}"#),
        Self(
            "eventbrite",
            #"GET /v1/list?q=tea"#,
            #"GET /v1/list?q=tea&continuation=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&continuation=i6%2B%2F%3D%26%25"#),
        Self(
            "facebook",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&page=2"#,
            #"GET /v1/list?q=tea&limit=3&page=3"#),
        Self(
            "github",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&page=2"#,
            #"GET /v1/list?q=tea&per_page=3&page=3"#),
        Self(
            "github-graphql",
            #"POST /v1/list {"query":"{ issues }","variables":{}}"#,
            #"POST /v1/list {"query":"{ issues }","variables":{"after":"i3+/=&%"}}"#,
            #"POST /v1/list {"query":"{ issues }","variables":{"after":"i6+/=&%"}}"#),
        Self(
            "gitlab",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&page=2"#,
            #"GET /v1/list?q=tea&per_page=3&page=3"#),
        Self(
            "google",
            #"GET /v1/list?q=tea&pageSize=3"#,
            #"GET /v1/list?q=tea&pageSize=3&pageToken=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&pageSize=3&pageToken=i6%2B%2F%3D%26%25"#),
        Self(
            "heroku",
            #"GET /v1/list?q=tea"#,
            #"GET /v1/list?q=tea Range: id ]i3+/=&%..; max=3"#,
            #"GET /v1/list?q=tea Range: id ]i6+/=&%..; max=3"#),
        Self(
            "hubspot",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&after=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&limit=3&after=i6%2B%2F%3D%26%25"#),
        Self(
            "intercom",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&starting_after=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&per_page=3&starting_after=i6%2B%2F%3D%26%25"#),
        Self(
            "intercom-search",
            #"POST /v1/list {"pagination":{"per_page":3},"q":"tea"}"#,
            #"POST /v1/list {"pagination":{"per_page":3,"starting_after":"i3+/=&%"},"q":"tea"}"#,
            #"POST /v1/list {"pagination":{"per_page":3,"starting_after":"i6+/=&%"},"q":"tea"}"#),
        Self(
            "jira",
            #"GET /v1/list?q=tea&maxResults=3"#,
            #"GET /v1/list?q=tea&maxResults=3&nextPageToken=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&maxResults=3&nextPageToken=i6%2B%2F%3D%26%25"#),
        Self(
            "jira-v2",
            #"GET /v1/list?q=tea&maxResults=3"#,
            #"GET /v1/list?q=tea&maxResults=3&startAt=3"#,
            #"GET /v1/list?q=tea&maxResults=3&startAt=6"#),
        Self(
            "klaviyo",
            #"GET /v1/list?q=tea&page%5Bsize%5D=3"#,
            #"GET /v1/list?q=tea&page%5Bsize%5D=3&page=2"#,
            #"GET /v1/list?q=tea&page%5Bsize%5D=3&page=3"#),
        Self(
            "kubernetes",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&continue=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&limit=3&continue=i6%2B%2F%3D%26%25"#),
        Self(
            "linear",
            #"POST /v1/list {"query":"{ issues }","variables":{}}"#,
            #"POST /v1/list {"query":"{ issues }","variables":{"after":"i3+/=&%"}}"#,
            #"POST /v1/list {"query":"{ issues }","variables":{"after":"i6+/=&%"}}"#),
        Self(
            "linode",
            #"GET /v1/list?q=tea&page_size=3"#,
            #"GET /v1/list?q=tea&page_size=3&page=2"#,
            #"GET /v1/list?q=tea&page_size=3&page=3"#),
        Self(
            "mailchimp",
            #"GET /v1/list?q=tea&count=3"#,
            #"GET /v1/list?q=tea&count=3&offset=3"#,
            #"GET /v1/list?q=tea&count=3&offset=6"#),
        Self(
            "mastodon",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&page=2"#,
            #"GET /v1/list?q=tea&limit=3&page=3"#),
        Self(
            "microsoft-graph",
            #"GET /v1/list?q=tea&%24top=3"#,
            #"GET /v1/list?q=tea&%24top=3&page=2"#,
            #"GET /v1/list?q=tea&%24top=3&page=3"#),
        Self(
            "notion",
            #"GET /v1/list?q=tea&page_size=3"#,
            #"GET /v1/list?q=tea&page_size=3&start_cursor=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&page_size=3&start_cursor=i6%2B%2F%3D%26%25"#),
        Self(
            "okta",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&page=2"#,
            #"GET /v1/list?q=tea&limit=3&page=3"#),
        Self(
            "openai",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&after=item-3"#,
            #"GET /v1/list?q=tea&limit=3&after=item-6"#),
        Self(
            "pagerduty",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&offset=3"#,
            #"GET /v1/list?q=tea&limit=3&offset=6"#),
        Self(
            "reddit",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&after=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&limit=3&after=i6%2B%2F%3D%26%25"#),
        Self(
            "salesforce",
            #"GET /v1/list?q=tea"#,
            #"GET /v1/list?q=tea&page=2"#,
            #"GET /v1/list?q=tea&page=3"#),
        Self(
            "scim",
            #"GET /v1/list?q=tea&count=3"#,
            #"GET /v1/list?q=tea&count=3&startIndex=4"#,
            #"GET /v1/list?q=tea&count=3&startIndex=7"#),
        Self(
            "sentry",
            #"GET /v1/list?q=tea"#,
            #"GET /v1/list?q=tea&page=2"#,
            #"GET /v1/list?q=tea&page=3"#),
        Self(
            "shopify",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&page=2"#,
            #"GET /v1/list?q=tea&limit=3&page=3"#),
        Self(
            "shopify-graphql",
            #"POST /v1/list {"query":"{ issues }","variables":{}}"#,
            #"POST /v1/list {"query":"{ issues }","variables":{"after":"i3+/=&%"}}"#,
            #"POST /v1/list {"query":"{ issues }","variables":{"after":"i6+/=&%"}}"#),
        Self(
            "slack",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&cursor=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&limit=3&cursor=i6%2B%2F%3D%26%25"#),
        Self(
            "spotify",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&page=2"#,
            #"GET /v1/list?q=tea&limit=3&page=3"#),
        Self(
            "spring",
            #"GET /v1/list?q=tea&size=3"#,
            #"GET /v1/list?q=tea&size=3&page=1"#,
            #"GET /v1/list?q=tea&size=3&page=2"#),
        Self(
            "square",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&cursor=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&limit=3&cursor=i6%2B%2F%3D%26%25"#),
        Self(
            "stripe",
            #"GET /v1/list?q=tea&limit=3"#,
            #"GET /v1/list?q=tea&limit=3&starting_after=item-3"#,
            #"GET /v1/list?q=tea&limit=3&starting_after=item-6"#),
        Self(
            "twilio",
            #"GET /v1/list?q=tea&PageSize=3"#,
            #"GET /v1/list?q=tea&PageSize=3&page=2"#,
            #"GET /v1/list?q=tea&PageSize=3&page=3"#),
        Self(
            "twitch",
            #"GET /v1/list?q=tea&first=3"#,
            #"GET /v1/list?q=tea&first=3&after=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&first=3&after=i6%2B%2F%3D%26%25"#),
        Self(
            "twitter",
            #"GET /v1/list?q=tea&max_results=3"#,
            #"GET /v1/list?q=tea&max_results=3&pagination_token=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&max_results=3&pagination_token=i6%2B%2F%3D%26%25"#),
        Self(
            "wordpress",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&page=2"#,
            #"GET /v1/list?q=tea&per_page=3&page=3"#),
        Self(
            "zendesk",
            #"GET /v1/list?q=tea&page%5Bsize%5D=3"#,
            #"GET /v1/list?q=tea&page%5Bsize%5D=3&page=2"#,
            #"GET /v1/list?q=tea&page%5Bsize%5D=3&page=3"#),
        Self(
            "zendesk-offset",
            #"GET /v1/list?q=tea&per_page=3"#,
            #"GET /v1/list?q=tea&per_page=3&page=2"#,
            #"GET /v1/list?q=tea&per_page=3&page=3"#),
        Self(
            "zoom",
            #"GET /v1/list?q=tea&page_size=3"#,
            #"GET /v1/list?q=tea&page_size=3&next_page_token=i3%2B%2F%3D%26%25"#,
            #"GET /v1/list?q=tea&page_size=3&next_page_token=i6%2B%2F%3D%26%25"#),
    ]
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
        let manager = SessionManager(configuration: server.configuration)
        let body = try first.dropFirst(2).first.map { try JSONLiteral(parsing: Data($0.utf8)) }
        let request = manager.request(
            try #require(URL(string: "https://api.example\(first[1])")), method: body == nil ? .get : .post,
            body: body.map { .json($0) })
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
