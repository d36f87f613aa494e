extension StandardPagination {
    /// The usual names of members. They are looked up next to the list and in the containers.
    enum MemberNames {
        static let containers = [
            "", "meta", "pagination", "paging", "page_info", "pageInfo", "page", "metadata",
        ]
        static let links: [MemberPath] = [
            "next_url", "nextUrl", "next_page_url", "nextPageUrl", "next_link", "nextLink", "links.next",
            "links.next.href", "_links.next", "_links.next.href", "next.href", "next.url",
            ["@odata.nextLink"],
        ]
        static let next: MemberPath = "next"
        static let tokens: [(MemberPath, query: String)] = [
            ("nextPageToken", "pageToken"), ("next_page_token", "page_token"),
            ("metadata.continue", "continue"),
            ("nextToken", "nextToken"), ("next_token", "next_token"), ("next_cursor", "cursor"),
            ("nextCursor", "cursor"), ("response_metadata.next_cursor", "cursor"),
            ("meta.next_cursor", "cursor"), ("pagination.next_cursor", "cursor"),
            ("meta.next_token", "pagination_token"), ("continuationToken", "continuationToken"),
        ]
        static let more: [MemberPath] = [
            "has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more",
        ]
        /// The texts and numbers that servers use as flags.
        static let flagTexts = ["true": true, "1": true, "false": false, "0": false]
        static let cursors: [(name: MemberPath, query: String)] = [
            ("cursor", "cursor"), ("end_cursor", "after"), ("endCursor", "after"), ("after", "after"),
        ]
        static let page: [MemberPath] = [
            "page", "current_page", "currentPage", "page_number", "pageNumber", "number",
        ]
        static let nextPage: [MemberPath] = ["next_page", "nextPage"]
        static let pageCount: [MemberPath] = [
            "total_pages", "totalPages", "page_count", "pageCount", "pages", "num_pages", "last_page",
            "lastPage",
        ]
        static let pageSize: [MemberPath] = [
            "per_page", "perPage", "page_size", "pageSize", "limit", "size",
        ]
        static let offset: [MemberPath] = ["offset", "skip", "start", "startAt"]
        static let total: [MemberPath] = [
            "total", "total_count", "totalCount", "total_results", "totalResults", "total_items",
            "totalItems",
        ]
        static let pageQueries = ["page", "page_number", "pageNumber", "page[number]", "p"]
        static let offsetQueries = offset.map(\.description)

        /// The members that refer to a next page if they have a value.
        static let nextMembers = [next] + links + tokens.map(\.0)
    }
}
