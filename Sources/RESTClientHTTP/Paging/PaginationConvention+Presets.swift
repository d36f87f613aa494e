/// The conventions of widely used APIs.
extension PaginationRule where Self == PaginationConvention {
    /// Airtable: the `offset` of the next page.
    public static var airtable: Self { .token(at: "offset", parameter: "offset").size("pageSize") }
    /// Algolia: page numbers from 0 up to `nbPages`.
    public static var algolia: Self {
        .number(parameter: "page", count: "nbPages", first: 0)
            .size("hitsPerPage")
    }
    /// Anthropic: the `last_id` of the page.
    public static var anthropic: Self {
        .token(at: "last_id", parameter: "after_id", more: "has_more")
            .size("limit")
    }
    /// Asana: the `next_page.offset`.
    public static var asana: Self { .token(at: "next_page.offset", parameter: "offset").size("limit") }
    /// Auth0: page numbers from 0, up to an empty page.
    public static var auth0: Self { .number(parameter: "page", count: nil, first: 0).size("per_page") }
    /// Azure Resource Manager: the `nextLink`.
    public static var azure: Self { .next(at: "nextLink") }
    /// Bitbucket Cloud: the `next` link.
    public static var bitbucket: Self { .next(at: "next").size("pagelen") }
    /// Bitbucket Server and Data Center: the `nextPageStart`.
    public static var bitbucketServer: Self {
        .token(at: "nextPageStart", parameter: "start", last: "isLastPage")
            .size("limit")
    }
    /// Box: the `next_marker`, for requests with `usemarker=true`.
    public static var box: Self { .token(at: "next_marker", parameter: "marker").size("limit") }
    /// ClickUp: page numbers from 0 up to the `last_page`.
    public static var clickUp: Self { .number(parameter: "page", count: nil, first: 0, last: "last_page") }
    /// Cloudflare: page numbers up to `result_info.total_pages`.
    public static var cloudflare: Self {
        .number(parameter: "page", count: "result_info.total_pages")
            .size("per_page")
    }
    /// Confluence: the `_links.next` link, relative to `_links.base`.
    public static var confluence: Self { .next(at: "_links.next").size("limit") }
    /// Contentful: offsets up to the `total`.
    public static var contentful: Self { .offset(parameter: "skip", total: "total").size("limit") }
    /// DigitalOcean: the `links.pages.next` link.
    public static var digitalOcean: Self { .next(at: "links.pages.next").size("per_page") }
    /// Discord: the `id` of the last item, in lists that are sorted by it.
    public static var discord: Self { .lastItem("id", parameter: "after").size("limit") }
    /// Dropbox `files/list_folder`: the `cursor`, with POST to `list_folder/continue`.
    public static var dropbox: Self {
        .scroll(at: "cursor", parameter: "cursor", url: "list_folder/continue", body: [:], more: "has_more")
            .size("limit")
    }
    /// Amazon DynamoDB `Query` and `Scan`: the `LastEvaluatedKey`.
    public static var dynamoDB: Self {
        .token(at: "LastEvaluatedKey", parameter: "ExclusiveStartKey")
            .size("Limit")
    }
    /// Elasticsearch and OpenSearch: the `sort` values of the last hit. The search must be sorted.
    public static var elasticsearch: Self { .lastItem("sort", parameter: "search_after").size("size") }
    /// Elasticsearch and OpenSearch: a scroll, which the first request starts with `?scroll=1m`.
    public static var elasticsearchScroll: Self { .scroll().size("size") }
    /// Eventbrite: the `pagination.continuation` token.
    public static var eventbrite: Self {
        .token(at: "pagination.continuation", parameter: "continuation", more: "pagination.has_more_items")
    }
    /// Facebook and Instagram Graph API: the `paging.next` link.
    public static var facebook: Self { .next(at: "paging.next").size("limit") }
    /// GitHub REST API: the `Link` header.
    public static var github: Self { .link.size("per_page") }
    /// GitHub GraphQL API: the `endCursor` as the variable `after`.
    public static var githubGraphQL: Self { .graphQL() }
    /// GitLab: the `Link` header.
    public static var gitlab: Self { .link.size("per_page") }
    /// Google APIs: the `nextPageToken`.
    public static var google: Self { .token(at: "nextPageToken", parameter: "pageToken").size("pageSize") }
    /// Heroku: the `Next-Range` header.
    public static var heroku: Self { .header("Next-Range", sentAs: "Range") }
    /// HubSpot: the `paging.next.after` token, as a query item, or in the body of a search with POST.
    public static var hubSpot: Self { .token(at: "paging.next.after", parameter: "after").size("limit") }
    /// Intercom: the `pages.next.starting_after` token. For searches with POST, use `intercomSearch`.
    public static var intercom: Self {
        .token(at: "pages.next.starting_after", parameter: "starting_after")
            .size("per_page")
    }
    /// Intercom searches: the token as `pagination.starting_after` in the body.
    public static var intercomSearch: Self {
        .token(at: "pages.next.starting_after", parameter: "pagination.starting_after")
            .size("pagination.per_page")
    }
    /// Jira `search/jql`: the `nextPageToken`.
    public static var jira: Self {
        .token(at: "nextPageToken", parameter: "nextPageToken", last: "isLast")
            .size("maxResults")
    }
    /// Jira `rest/api/2`: offsets in `startAt`, up to the `total` or the page that `isLast`.
    public static var jiraV2: Self {
        .offset(parameter: "startAt", total: "total", last: "isLast")
            .size("maxResults")
    }
    /// Klaviyo: the `links.next` link.
    public static var klaviyo: Self { .next(at: "links.next").size("page[size]") }
    /// Kubernetes: the `metadata.continue` token.
    public static var kubernetes: Self {
        .token(at: "metadata.continue", parameter: "continue")
            .size("limit")
    }
    /// Linear: the `endCursor` as the variable `after`.
    public static var linear: Self { .graphQL() }
    /// Linode: page numbers up to `pages`.
    public static var linode: Self { .number(parameter: "page", count: "pages").size("page_size") }
    /// Mailchimp: offsets up to `total_items`.
    public static var mailchimp: Self { .offset(parameter: "offset", total: "total_items").size("count") }
    /// Mastodon: the `Link` header.
    public static var mastodon: Self { .link.size("limit") }
    /// Microsoft Graph and OData: the `@odata.nextLink`.
    public static var microsoftGraph: Self { .next(at: ["@odata.nextLink"]).size("$top") }
    /// Notion: the `next_cursor`, as a query item, or in the body of a query with POST.
    public static var notion: Self {
        .token(at: "next_cursor", parameter: "start_cursor", more: "has_more")
            .size("page_size")
    }
    /// Okta: the `Link` header.
    public static var okta: Self { .link.size("limit") }
    /// OpenAI: the `last_id` of the page.
    public static var openAI: Self {
        .token(at: "last_id", parameter: "after", more: "has_more")
            .size("limit")
    }
    /// PagerDuty: offsets while `more` is true.
    public static var pagerDuty: Self { .offset(parameter: "offset", total: nil, more: "more").size("limit") }
    /// Reddit: the `data.after` token.
    public static var reddit: Self { .token(at: "data.after", parameter: "after").size("limit") }
    /// Salesforce: the `nextRecordsUrl`.
    public static var salesforce: Self { .next(at: "nextRecordsUrl") }
    /// SCIM: offsets from 1 in `startIndex`, up to `totalResults` (RFC 7644, section 3.4.2.4).
    public static var scim: Self {
        .offset(parameter: "startIndex", total: "totalResults", first: 1)
            .size("count")
    }
    /// Sentry: the `Link` header, in which `results="false"` marks the end.
    public static var sentry: Self { .link }
    /// Shopify REST Admin API: the `Link` header.
    public static var shopify: Self { .link.size("limit") }
    /// Shopify GraphQL APIs: the `endCursor` as the variable `after`.
    public static var shopifyGraphQL: Self { .graphQL() }
    /// Slack: the `response_metadata.next_cursor`.
    public static var slack: Self {
        .token(at: "response_metadata.next_cursor", parameter: "cursor")
            .size("limit")
    }
    /// Spotify: the `next` link.
    public static var spotify: Self { .next(at: "next").size("limit") }
    /// Spring Data: page numbers from 0 up to `totalPages`, or to the page that is `last`.
    public static var spring: Self {
        .number(parameter: "page", count: "totalPages", first: 0, last: "last")
            .size("size")
    }
    /// Square: the `cursor`, as a query item, or in the body of a search with POST.
    public static var square: Self { .token(at: "cursor", parameter: "cursor").size("limit") }
    /// Stripe: the `id` of the last item.
    public static var stripe: Self {
        .lastItem("id", parameter: "starting_after", more: "has_more")
            .size("limit")
    }
    /// Twilio: the `meta.next_page_url`. The API of 2010 has a `next_page_uri` instead.
    public static var twilio: Self { .next(at: "meta.next_page_url").size("PageSize") }
    /// Twitch: the `pagination.cursor`.
    public static var twitch: Self { .token(at: "pagination.cursor", parameter: "after").size("first") }
    /// X (Twitter) API v2: the `meta.next_token`.
    public static var twitter: Self {
        .token(at: "meta.next_token", parameter: "pagination_token")
            .size("max_results")
    }
    /// WordPress: the `Link` header.
    public static var wordPress: Self { .link.size("per_page") }
    /// Zendesk: the `links.next` link of cursor pagination.
    public static var zendesk: Self { .next(at: "links.next").size("page[size]") }
    /// Zendesk: the `next_page` link of offset pagination.
    public static var zendeskOffset: Self { .next(at: "next_page").size("per_page") }
    /// Zoom: the `next_page_token`.
    public static var zoom: Self {
        .token(at: "next_page_token", parameter: "next_page_token")
            .size("page_size")
    }
}

extension PaginationConvention {
    fileprivate func size(_ parameter: String) -> Self { pageSizeParameter(parameter) }

    /// The presets: the name that the `items` command has for each, its convention, and the path of the list in all
    /// responses of the API, or `nil` if it depends on the resource or the response is the list.
    public static let presets: [(name: String, convention: PaginationConvention, list: MemberPath?)] = [
        ("airtable", .airtable, "records"), ("algolia", .algolia, "hits"),
        ("anthropic", .anthropic, "data"), ("asana", .asana, "data"), ("auth0", .auth0, nil),
        ("azure", .azure, "value"), ("bitbucket", .bitbucket, "values"),
        ("bitbucket-server", .bitbucketServer, "values"), ("box", .box, "entries"),
        ("clickup", .clickUp, nil), ("cloudflare", .cloudflare, "result"),
        ("confluence", .confluence, "results"), ("contentful", .contentful, "items"),
        ("digitalocean", .digitalOcean, nil), ("discord", .discord, nil), ("dropbox", .dropbox, "entries"),
        ("dynamodb", .dynamoDB, "Items"), ("elasticsearch", .elasticsearch, "hits.hits"),
        ("elasticsearch-scroll", .elasticsearchScroll, "hits.hits"), ("eventbrite", .eventbrite, nil),
        ("facebook", .facebook, "data"), ("github", .github, nil), ("github-graphql", .githubGraphQL, nil),
        ("gitlab", .gitlab, nil), ("google", .google, nil), ("heroku", .heroku, nil),
        ("hubspot", .hubSpot, "results"), ("intercom", .intercom, "data"),
        ("intercom-search", .intercomSearch, "data"), ("jira", .jira, nil), ("jira-v2", .jiraV2, nil),
        ("klaviyo", .klaviyo, "data"), ("kubernetes", .kubernetes, "items"), ("linear", .linear, nil),
        ("linode", .linode, "data"), ("mailchimp", .mailchimp, nil), ("mastodon", .mastodon, nil),
        ("microsoft-graph", .microsoftGraph, "value"), ("notion", .notion, "results"),
        ("okta", .okta, nil), ("openai", .openAI, "data"), ("pagerduty", .pagerDuty, nil),
        ("reddit", .reddit, "data.children"), ("salesforce", .salesforce, "records"),
        ("scim", .scim, "Resources"), ("sentry", .sentry, nil), ("shopify", .shopify, nil),
        ("shopify-graphql", .shopifyGraphQL, nil), ("slack", .slack, nil), ("spotify", .spotify, "items"),
        ("spring", .spring, "content"), ("square", .square, nil), ("stripe", .stripe, "data"),
        ("twilio", .twilio, nil), ("twitch", .twitch, "data"), ("twitter", .twitter, "data"),
        ("wordpress", .wordPress, nil), ("zendesk", .zendesk, nil),
        ("zendesk-offset", .zendeskOffset, nil), ("zoom", .zoom, nil),
    ]
}
