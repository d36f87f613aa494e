/// The conventions of widely used APIs.
extension PaginationRule where Self == PaginationConvention {
    /// Airtable: the `offset` of the next page.
    public static var airtable: Self { .preset("airtable") }
    /// Algolia: page numbers from 0 up to `nbPages`.
    public static var algolia: Self { .preset("algolia") }
    /// Anthropic: the `last_id` of the page.
    public static var anthropic: Self { .preset("anthropic") }
    /// Asana: the `next_page.offset`.
    public static var asana: Self { .preset("asana") }
    /// Auth0: page numbers from 0, up to an empty page.
    public static var auth0: Self { .preset("auth0") }
    /// Azure Resource Manager: the `nextLink`.
    public static var azure: Self { .preset("azure") }
    /// Bitbucket Cloud: the `next` link.
    public static var bitbucket: Self { .preset("bitbucket") }
    /// Bitbucket Server and Data Center: the `nextPageStart`.
    public static var bitbucketServer: Self { .preset("bitbucket-server") }
    /// Box: the `next_marker`, for requests with `usemarker=true`.
    public static var box: Self { .preset("box") }
    /// ClickUp: page numbers from 0 up to the `last_page`.
    public static var clickUp: Self { .preset("clickup") }
    /// Cloudflare: page numbers up to `result_info.total_pages`.
    public static var cloudflare: Self { .preset("cloudflare") }
    /// Confluence: the `_links.next` link, relative to `_links.base`.
    public static var confluence: Self { .preset("confluence") }
    /// Contentful: offsets up to the `total`.
    public static var contentful: Self { .preset("contentful") }
    /// DigitalOcean: the `links.pages.next` link.
    public static var digitalOcean: Self { .preset("digitalocean") }
    /// Discord: the `id` of the last item, in lists that are sorted by it.
    public static var discord: Self { .preset("discord") }
    /// Dropbox `files/list_folder`: the `cursor`, with POST to `list_folder/continue`.
    public static var dropbox: Self { .preset("dropbox") }
    /// Amazon DynamoDB `Query` and `Scan`: the `LastEvaluatedKey`.
    public static var dynamoDB: Self { .preset("dynamodb") }
    /// Elasticsearch and OpenSearch: the `sort` values of the last hit. The search must be sorted.
    public static var elasticsearch: Self { .preset("elasticsearch") }
    /// Elasticsearch and OpenSearch: a scroll, which the first request starts with `?scroll=1m`.
    public static var elasticsearchScroll: Self { .preset("elasticsearch-scroll") }
    /// Eventbrite: the `pagination.continuation` token.
    public static var eventbrite: Self { .preset("eventbrite") }
    /// Facebook and Instagram Graph API: the `paging.next` link.
    public static var facebook: Self { .preset("facebook") }
    /// GitHub REST API: the `Link` header.
    public static var github: Self { .preset("github") }
    /// GitHub GraphQL API: the `endCursor` as the variable `after`.
    public static var githubGraphQL: Self { .preset("github-graphql") }
    /// GitLab: the `Link` header.
    public static var gitlab: Self { .preset("gitlab") }
    /// Google APIs: the `nextPageToken`.
    public static var google: Self { .preset("google") }
    /// Heroku: the `Next-Range` header.
    public static var heroku: Self { .preset("heroku") }
    /// HubSpot: the `paging.next.after` token, as a query item, or in the body of a search with POST.
    public static var hubSpot: Self { .preset("hubspot") }
    /// Intercom: the `pages.next.starting_after` token. For searches with POST, use `intercomSearch`.
    public static var intercom: Self { .preset("intercom") }
    /// Intercom searches: the token as `pagination.starting_after` in the body.
    public static var intercomSearch: Self { .preset("intercom-search") }
    /// Jira `search/jql`: the `nextPageToken`.
    public static var jira: Self { .preset("jira") }
    /// Jira `rest/api/2`: offsets in `startAt`, up to the `total` or the page that `isLast`.
    public static var jiraV2: Self { .preset("jira-v2") }
    /// Klaviyo: the `links.next` link.
    public static var klaviyo: Self { .preset("klaviyo") }
    /// Kubernetes: the `metadata.continue` token.
    public static var kubernetes: Self { .preset("kubernetes") }
    /// Linear: the `endCursor` as the variable `after`.
    public static var linear: Self { .preset("linear") }
    /// Linode: page numbers up to `pages`.
    public static var linode: Self { .preset("linode") }
    /// Mailchimp: offsets up to `total_items`.
    public static var mailchimp: Self { .preset("mailchimp") }
    /// Mastodon: the `Link` header.
    public static var mastodon: Self { .preset("mastodon") }
    /// Microsoft Graph and OData: the `@odata.nextLink`.
    public static var microsoftGraph: Self { .preset("microsoft-graph") }
    /// Notion: the `next_cursor`, as a query item, or in the body of a query with POST.
    public static var notion: Self { .preset("notion") }
    /// Okta: the `Link` header.
    public static var okta: Self { .preset("okta") }
    /// OpenAI: the `last_id` of the page.
    public static var openAI: Self { .preset("openai") }
    /// PagerDuty: offsets while `more` is true.
    public static var pagerDuty: Self { .preset("pagerduty") }
    /// Reddit: the `data.after` token.
    public static var reddit: Self { .preset("reddit") }
    /// Salesforce: the `nextRecordsUrl`.
    public static var salesforce: Self { .preset("salesforce") }
    /// SCIM: offsets from 1 in `startIndex`, up to `totalResults` (RFC 7644, section 3.4.2.4).
    public static var scim: Self { .preset("scim") }
    /// Sentry: the `Link` header, in which `results="false"` marks the end.
    public static var sentry: Self { .preset("sentry") }
    /// Shopify REST Admin API: the `Link` header.
    public static var shopify: Self { .preset("shopify") }
    /// Shopify GraphQL APIs: the `endCursor` as the variable `after`.
    public static var shopifyGraphQL: Self { .preset("shopify-graphql") }
    /// Slack: the `response_metadata.next_cursor`.
    public static var slack: Self { .preset("slack") }
    /// Spotify: the `next` link.
    public static var spotify: Self { .preset("spotify") }
    /// Spring Data: page numbers from 0 up to `totalPages`, or to the page that is `last`.
    public static var spring: Self { .preset("spring") }
    /// Square: the `cursor`, as a query item, or in the body of a search with POST.
    public static var square: Self { .preset("square") }
    /// Stripe: the `id` of the last item.
    public static var stripe: Self { .preset("stripe") }
    /// Twilio: the `meta.next_page_url`. The API of 2010 has a `next_page_uri` instead.
    public static var twilio: Self { .preset("twilio") }
    /// Twitch: the `pagination.cursor`.
    public static var twitch: Self { .preset("twitch") }
    /// X (Twitter) API v2: the `meta.next_token`.
    public static var twitter: Self { .preset("twitter") }
    /// WordPress: the `Link` header.
    public static var wordPress: Self { .preset("wordpress") }
    /// Zendesk: the `links.next` link of cursor pagination.
    public static var zendesk: Self { .preset("zendesk") }
    /// Zendesk: the `next_page` link of offset pagination.
    public static var zendeskOffset: Self { .preset("zendesk-offset") }
    /// Zoom: the `next_page_token`.
    public static var zoom: Self { .preset("zoom") }
}

extension PaginationConvention {
    /// The convention of an API.
    public struct Preset: Sendable {
        /// The name that the `items` command has for the API.
        public let name: String
        /// The text of the convention, which is read when it is used.
        package let text: String
        /// The path of the list in all responses of the API, or `nil` if it depends on the resource or the response is
        /// the list.
        public let list: MemberPath?

        /// The convention of the API.
        public var convention: PaginationConvention { PaginationConvention(rule: text) ?? .link }

        fileprivate init(_ name: String, _ text: String, _ list: MemberPath?) {
            (self.name, self.text, self.list) = (name, text, list)
        }
    }

    /// Returns the convention of the preset with a name.
    fileprivate static func preset(_ name: String) -> Self {
        presets.first { $0.name == name }?.convention ?? .link
    }

    /// The conventions with names.
    public static let presets: [Preset] = [
        Preset("airtable", "token:offset,offset,size=pageSize", "records"),
        Preset("algolia", "page:page,nbPages,first=0,size=hitsPerPage", "hits"),
        Preset("anthropic", "token:after_id,last_id,more=has_more,size=limit", "data"),
        Preset("asana", "token:offset,next_page.offset,size=limit", "data"),
        Preset("auth0", "page:page,-,first=0,size=per_page", nil),
        Preset("azure", "next:nextLink", "value"),
        Preset("bitbucket", "next:next,size=pagelen", "values"),
        Preset("bitbucket-server", "token:start,nextPageStart,last=isLastPage,size=limit", "values"),
        Preset("box", "token:marker,next_marker,size=limit", "entries"),
        Preset("clickup", "page:page,-,first=0,last=last_page", nil),
        Preset("cloudflare", "page:page,result_info.total_pages,size=per_page", "result"),
        Preset("confluence", "next:_links.next,size=limit", "results"),
        Preset("contentful", "offset:skip,total,size=limit", "items"),
        Preset("digitalocean", "next:links.pages.next,size=per_page", nil),
        Preset("discord", "last:after,id,size=limit", nil),
        Preset(
            "dropbox", "scroll:cursor,cursor,list_folder/continue,more=has_more,size=limit,body={}", "entries"
        ),
        Preset("dynamodb", "token:ExclusiveStartKey,LastEvaluatedKey,size=Limit", "Items"),
        Preset("elasticsearch", "last:search_after,sort,size=size", "hits.hits"),
        Preset("elasticsearch-scroll", "scroll:size=size", "hits.hits"),
        Preset(
            "eventbrite", "token:continuation,pagination.continuation,more=pagination.has_more_items", nil),
        Preset("facebook", "next:paging.next,size=limit", "data"),
        Preset("github", "link:size=per_page", nil),
        Preset("github-graphql", "graphql", nil),
        Preset("gitlab", "link:size=per_page", nil),
        Preset("google", "token:pageToken,nextPageToken,size=pageSize", nil),
        Preset("heroku", "header:Range,Next-Range", nil),
        Preset("hubspot", "token:after,paging.next.after,size=limit", "results"),
        Preset("intercom", "token:starting_after,pages.next.starting_after,size=per_page", "data"),
        Preset(
            "intercom-search",
            "token:pagination.starting_after,pages.next.starting_after,size=pagination.per_page", "data"
        ),
        Preset("jira", "token:nextPageToken,nextPageToken,last=isLast,size=maxResults", nil),
        Preset("jira-v2", "offset:startAt,total,last=isLast,size=maxResults", nil),
        Preset("klaviyo", "next:links.next,size=page[size]", "data"),
        Preset("kubernetes", "token:continue,metadata.continue,size=limit", "items"),
        Preset("linear", "graphql", nil),
        Preset("linode", "page:page,pages,size=page_size", "data"),
        Preset("mailchimp", "offset:offset,total_items,size=count", nil),
        Preset("mastodon", "link:size=limit", nil),
        Preset("microsoft-graph", "next:@odata\\.nextLink,size=$top", "value"),
        Preset("notion", "token:start_cursor,next_cursor,more=has_more,size=page_size", "results"),
        Preset("okta", "link:size=limit", nil),
        Preset("openai", "token:after,last_id,more=has_more,size=limit", "data"),
        Preset("pagerduty", "offset:offset,-,more=more,size=limit", nil),
        Preset("reddit", "token:after,data.after,size=limit", "data.children"),
        Preset("salesforce", "next:nextRecordsUrl", "records"),
        Preset("scim", "offset:startIndex,totalResults,first=1,size=count", "Resources"),
        Preset("sentry", "link", nil),
        Preset("shopify", "link:size=limit", nil),
        Preset("shopify-graphql", "graphql", nil),
        Preset("slack", "token:cursor,response_metadata.next_cursor,size=limit", nil),
        Preset("spotify", "next:next,size=limit", "items"),
        Preset("spring", "page:page,totalPages,first=0,last=last,size=size", "content"),
        Preset("square", "token:cursor,cursor,size=limit", nil),
        Preset("stripe", "last:starting_after,id,more=has_more,size=limit", "data"),
        Preset("twilio", "next:meta.next_page_url,size=PageSize", nil),
        Preset("twitch", "token:after,pagination.cursor,size=first", "data"),
        Preset("twitter", "token:pagination_token,meta.next_token,size=max_results", "data"),
        Preset("wordpress", "link:size=per_page", nil),
        Preset("zendesk", "next:links.next,size=page[size]", nil),
        Preset("zendesk-offset", "next:next_page,size=per_page", nil),
        Preset("zoom", "token:next_page_token,next_page_token,size=page_size", nil),
    ]
}
