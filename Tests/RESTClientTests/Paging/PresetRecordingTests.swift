import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

@Suite struct PresetRecordingTests {
    @Test(
        arguments: [
            ("airtable", .airtable), ("algolia", .algolia), ("anthropic", .anthropic), ("asana", .asana),
            ("azure", .azure), ("bitbucket", .bitbucket), ("bitbucket-server", .bitbucketServer),
            ("contentful", .contentful), ("digitalocean", .digitalOcean), ("facebook", .facebook),
            ("github-search", .github), ("gitlab", .gitlab), ("google-drive", .google), ("youtube", .google),
            ("hubspot-no-link", .hubSpot), ("intercom", .intercom), ("jira-jql", .jira),
            ("jira-projects", .jiraV2), ("jira-search", .jiraV2), ("kubernetes", .kubernetes),
            ("graph", .microsoftGraph), ("notion-users", .notion), ("okta", .okta), ("sentry", .sentry),
            ("shopify", .shopify), ("slack", .slack), ("spotify", .spotify), ("twilio-v1", .twilio),
            ("wordpress", .wordPress), ("zendesk-offset", .zendeskOffset), ("zoom", .zoom),
        ] as [(String, PaginationConvention)])
    func `a preset sends the requests of the documentation of its API`(
        name: String, preset: PaginationConvention
    ) async throws {
        let api = try #require(RecordedAPI.all.first { $0.name == name })
        let documented = api.urls.map(request)
        let url = try #require(api.urls.first)
        let server = MockServer {
            for path in api.paths {
                Route(.get, RequestMatcher(stringLiteral: path)) { request in api.reply(to: request) }
            }
        }
        let client = MyRESTClient(
            url: url, manager: server.manager(),
            listing: ItemListing(at: api.listPath, pagination: preset, maxConcurrentPages: 1))
        let (items, error) = await client.texts()
        #expect(error == nil)
        #expect(items.count == api.ids.count)
        #expect(Set(items).count == items.count)
        #expect(server.requests.count == documented.count)
        // Links can repeat other query items, such as the page size.
        for (sent, documented) in zip(server.requests, documented) {
            #expect(request(sent.url).isSuperset(of: documented), "\(sent.url)")
        }
    }

    /// Returns the path and the query items.
    private func request(_ url: URL) -> Set<String> {
        Set([url.path()] + QueryItems(of: url).map { "\($0.name)=\($0.value ?? "")" })
    }
}

extension RecordedAPI {
    /// The URLs of the documented requests.
    fileprivate var urls: [URL] {
        exchanges.compactMap { exchange in
            let target = exchange.request.drop { $0 != " " }.dropFirst()
            return URL(string: "https://api.example\(target)")
        }
    }

    /// The paths of the documented requests, each once.
    fileprivate var paths: [String] { Set(urls.map { $0.path() }).sorted() }
}
