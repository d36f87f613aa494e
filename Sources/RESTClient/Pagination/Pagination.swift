public import Foundation

/// Knows which pages follow a page.
///
/// ```swift
/// struct CursorPagination: Pagination {               // {"results": […], "cursor": {"after": "x9"}}
///     func pages(after page: PageInfo) throws -> [URL] {
///         page.envelope.string("cursor.after").map { [page.url(setting: "after", to: $0)] } ?? []
///     }
/// }
/// ```
///
/// A listing asks after every page and goes by the latest answer, so that a total may change on the way. It follows
/// to the origin of its own request only, and never to a page twice: both are errors of kind `pagination`.
public protocol Pagination: Sendable {
    /// The URLs known to follow: none, the next one, or several or all the rest at once, which are fetched in parallel.
    ///
    /// What it throws ends the listing, behind the items of the page.
    func pages(after page: PageInfo) throws -> [URL]
}

extension Pagination where Self == StandardPagination {
    /// Looks at each page for the usual ways to say what follows; the events name the one that fits.
    ///
    /// The first of these that is there and leads on counts:
    /// 1. a `Link` header with `rel=next` (RFC 8288);
    /// 2. a URL in the body: `next_url`, `links.next`, `paging.next`, `next` and their like;
    /// 3. a token in the body: `nextPageToken` → `pageToken`, `metadata.continue` → `continue`,
    ///    `next_cursor` → `cursor` and their like;
    /// 4. `has_more` with a cursor or a page number;
    /// 5. `page` with `total_pages`, `page_count` or `pages`, or with a page size and a total;
    /// 6. `offset` with a total.
    ///
    /// They are looked for beside the list and in the objects around it. A body with `has_more: false` ends the list,
    /// whatever else is in it. What says that there is more, but not where, is an error: no list ends in silence before
    /// its end. So is a reply that says to be a part (206) and does not lead on.
    public static var automatic: Self { Self(.automatic) }

    /// One page only.
    public static var none: Self { Self(.none) }

    /// The `Link` header with `rel=next` (RFC 8288).
    public static var link: Self { Self(.link) }

    /// The URL in the body at `path`, absolute or relative; null, empty or missing ends the list.
    public static func next(at path: MemberPath = "next") -> Self { Self(.next(path)) }

    /// The token in the body at `path`, a string or a number, goes into the query item `query`; null, empty or missing
    /// ends the list.
    public static func token(at path: MemberPath = "nextPageToken", query: String = "pageToken") -> Self {
        Self(.token(path, query: query))
    }

    /// Page numbers in the query item `query`, up to the number of pages in the body at `count`.
    ///
    /// The first page has the number in the request, else 1; where that is 0, the last one is `count` - 1. Where a body has
    /// no `count`, the list ends with the first page that is empty.
    public static func number(query: String = "page", count: MemberPath = "total_pages") -> Self {
        Self(.number(query: query, count: count))
    }

    /// Offsets in the query item `query`, up to the number of items in the body at `total`.
    ///
    /// Each page begins where the items of the one before end. Where a body has no `total`, the list ends with the
    /// first page that is empty.
    public static func offset(query: String = "offset", total: MemberPath = "total") -> Self {
        Self(.offset(query: query, total: total))
    }
}
