/// The conventions of widely used APIs.
extension PaginationRule where Self == PaginationConvention {
    /// Airtable: the `offset` of the next page.
    public static var airtable: Self { .token(at: "offset", parameter: "offset").pageSize("pageSize") }
    /// Anthropic: the `last_id` of the page.
    public static var anthropic: Self {
        .token(at: "last_id", parameter: "after_id", more: "has_more")
            .pageSize("limit")
    }
    /// Asana: the `next_page.offset`.
    public static var asana: Self { .token(at: "next_page.offset", parameter: "offset").pageSize("limit") }
    /// Azure Resource Manager: the `nextLink`.
    public static var azure: Self { .next(at: "nextLink") }
    /// Bitbucket Cloud: the `next` link.
    public static var bitbucket: Self { .next(at: "next").pageSize("pagelen") }
    /// Cloudflare: page numbers up to `result_info.total_pages`.
    public static var cloudflare: Self {
        .number(parameter: "page", count: "result_info.total_pages")
            .pageSize("per_page")
    }
    /// Confluence: the `_links.next` link.
    public static var confluence: Self { .next(at: "_links.next").pageSize("limit") }
    /// DigitalOcean: the `links.pages.next` link.
    public static var digitalOcean: Self { .next(at: "links.pages.next").pageSize("per_page") }
    /// Discord: the `id` of the last item, in lists that are sorted by it.
    public static var discord: Self { .lastItem("id", parameter: "after").pageSize("limit") }
    /// Dropbox `files/list_folder`: the `cursor`, with POST to `list_folder/continue`.
    public static var dropbox: Self {
        .scroll(at: "cursor", parameter: "cursor", url: "list_folder/continue", body: [:], more: "has_more")
            .pageSize("limit")
    }
    /// Amazon DynamoDB `Query` and `Scan`: the `LastEvaluatedKey`.
    public static var dynamoDB: Self {
        .token(at: "LastEvaluatedKey", parameter: "ExclusiveStartKey")
            .pageSize("Limit")
    }
    /// Elasticsearch and OpenSearch: the `sort` values of the last hit. The search must be sorted.
    public static var elasticsearch: Self { .lastItem("sort", parameter: "search_after").pageSize("size") }
    /// Elasticsearch and OpenSearch: a scroll, which the first request starts with `?scroll=1m`.
    public static var elasticsearchScroll: Self { .scroll().pageSize("size") }
    /// Facebook and Instagram Graph API: the `paging.next` link.
    public static var facebook: Self { .next(at: "paging.next").pageSize("limit") }
    /// GitHub REST API: the `Link` header.
    public static var github: Self { .link.pageSize("per_page") }
    /// GitHub GraphQL API: the `endCursor` as the variable `after`.
    public static var githubGraphQL: Self { .graphQL() }
    /// GitLab: the `Link` header.
    public static var gitlab: Self { .link.pageSize("per_page") }
    /// Google APIs: the `nextPageToken`.
    public static var google: Self {
        .token(at: "nextPageToken", parameter: "pageToken")
            .pageSize("pageSize")
    }
    /// Heroku: the `Next-Range` header.
    public static var heroku: Self { .header("Next-Range", sentAs: "Range") }
    /// HubSpot: the `paging.next.after` token.
    public static var hubSpot: Self { .token(at: "paging.next.after", parameter: "after").pageSize("limit") }
    /// Intercom: the `pages.next.starting_after` token. For searches with POST, use `intercomSearch`.
    public static var intercom: Self {
        .token(at: "pages.next.starting_after", parameter: "starting_after")
            .pageSize("per_page")
    }
    /// Intercom searches: the token as `pagination.starting_after` in the body.
    public static var intercomSearch: Self {
        .token(at: "pages.next.starting_after", parameter: "pagination.starting_after")
            .pageSize("pagination.per_page")
    }
    /// Jira `search/jql`: the `nextPageToken`.
    public static var jira: Self {
        .token(at: "nextPageToken", parameter: "nextPageToken", more: "isLast")
            .pageSize("maxResults")
    }
    /// Kubernetes: the `metadata.continue` token.
    public static var kubernetes: Self {
        .token(at: "metadata.continue", parameter: "continue")
            .pageSize("limit")
    }
    /// Linear: the `endCursor` as the variable `after`.
    public static var linear: Self { .graphQL() }
    /// Mailchimp: offsets up to `total_items`.
    public static var mailchimp: Self {
        .offset(parameter: "offset", total: "total_items")
            .pageSize("count")
    }
    /// Microsoft Graph and OData: the `@odata.nextLink`.
    public static var microsoftGraph: Self { .next(at: ["@odata.nextLink"]).pageSize("$top") }
    /// Notion: the `next_cursor`, as a query item, or in the body of a query with POST.
    public static var notion: Self {
        .token(at: "next_cursor", parameter: "start_cursor", more: "has_more")
            .pageSize("page_size")
    }
    /// Okta: the `Link` header.
    public static var okta: Self { .link.pageSize("limit") }
    /// OpenAI: the `last_id` of the page.
    public static var openAI: Self {
        .token(at: "last_id", parameter: "after", more: "has_more")
            .pageSize("limit")
    }
    /// Salesforce: the `nextRecordsUrl`.
    public static var salesforce: Self { .next(at: "nextRecordsUrl") }
    /// Shopify REST Admin API: the `Link` header.
    public static var shopify: Self { .link.pageSize("limit") }
    /// Shopify GraphQL APIs: the `endCursor` as the variable `after`.
    public static var shopifyGraphQL: Self { .graphQL() }
    /// Slack: the `response_metadata.next_cursor`.
    public static var slack: Self {
        .token(at: "response_metadata.next_cursor", parameter: "cursor")
            .pageSize("limit")
    }
    /// Spotify: the `next` link.
    public static var spotify: Self { .next(at: "next").pageSize("limit") }
    /// Square: the `cursor`, as a query item, or in the body of a search with POST.
    public static var square: Self { .token(at: "cursor", parameter: "cursor").pageSize("limit") }
    /// Stripe: the `id` of the last item.
    public static var stripe: Self {
        .lastItem("id", parameter: "starting_after", more: "has_more")
            .pageSize("limit")
    }
    /// Twilio: the `meta.next_page_url`. The API of 2010 has a `next_page_uri` instead.
    public static var twilio: Self { .next(at: "meta.next_page_url").pageSize("PageSize") }
    /// WordPress: the `Link` header.
    public static var wordPress: Self { .link.pageSize("per_page") }
    /// Zendesk: the `links.next` link of cursor pagination.
    public static var zendesk: Self { .next(at: "links.next").pageSize("page[size]") }
    /// Zoom: the `next_page_token`.
    public static var zoom: Self {
        .token(at: "next_page_token", parameter: "next_page_token")
            .pageSize("page_size")
    }
}

extension PaginationConvention {
    /// The presets by the names that the `items` command has for them.
    public static let presets: [(name: String, convention: PaginationConvention)] = [
        ("airtable", .airtable), ("anthropic", .anthropic), ("asana", .asana), ("azure", .azure),
        ("bitbucket", .bitbucket), ("cloudflare", .cloudflare), ("confluence", .confluence),
        ("digitalocean", .digitalOcean), ("discord", .discord), ("dropbox", .dropbox),
        ("dynamodb", .dynamoDB), ("elasticsearch", .elasticsearch),
        ("elasticsearch-scroll", .elasticsearchScroll), ("facebook", .facebook), ("github", .github),
        ("github-graphql", .githubGraphQL), ("gitlab", .gitlab), ("google", .google), ("heroku", .heroku),
        ("hubspot", .hubSpot), ("intercom", .intercom), ("intercom-search", .intercomSearch),
        ("jira", .jira), ("kubernetes", .kubernetes), ("linear", .linear), ("mailchimp", .mailchimp),
        ("microsoft-graph", .microsoftGraph), ("notion", .notion), ("okta", .okta), ("openai", .openAI),
        ("salesforce", .salesforce), ("shopify", .shopify), ("shopify-graphql", .shopifyGraphQL),
        ("slack", .slack), ("spotify", .spotify), ("square", .square), ("stripe", .stripe),
        ("twilio", .twilio), ("wordpress", .wordPress), ("zendesk", .zendesk), ("zoom", .zoom),
    ]
}
