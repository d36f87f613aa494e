public import Foundation

/// A rule that finds the pages after a page.
///
/// ```swift
/// struct CursorPagination: Pagination {               // {"results": […], "cursor": {"after": "x9"}}
///     func pages(after page: PageInfo) throws -> [URL] {
///         page.envelope.string("cursor.after").map { [page.url(setting: "after", to: $0)] } ?? []
///     }
/// }
/// ```
///
/// The rule is evaluated after every page, and the latest result counts: the total can change during a listing. Pages
/// are followed at the origin of the request only, and no page is requested twice; both are errors of kind
/// `pagination`.
public protocol Pagination: Sendable {
    /// Returns the URLs of the next pages: none, the next one, or several. Several pages are requested concurrently.
    ///
    /// - Throws: An error that ends the listing after the items of the page.
    func pages(after page: PageInfo) throws -> [URL]
}

extension Pagination where Self == StandardPagination {
    /// Detects the usual pagination styles on each page. A session event names the detected rule.
    ///
    /// The first of these that applies is used:
    /// 1. a `Link` header with `rel=next` (RFC 8288);
    /// 2. a URL in the body: `next_url`, `links.next`, `paging.next`, `next` and similar names;
    /// 3. a token in the body: `nextPageToken` → `pageToken`, `metadata.continue` → `continue`,
    ///    `next_cursor` → `cursor` and similar names;
    /// 4. `has_more` with a cursor or a page number;
    /// 5. `page` with `total_pages`, `page_count` or `pages`, or with a page size and a total;
    /// 6. `offset` with a total.
    ///
    /// The members are looked up next to the list and in the objects around it. `has_more: false` ends the list,
    /// regardless of other members. A page that indicates more items without a way to request them is an error, so
    /// that no list ends early without notice. So is a partial response (206) without a next page.
    public static var automatic: Self { Self(.automatic) }

    /// Reads one page only.
    public static var none: Self { Self(.none) }

    /// Follows the `Link` header with `rel=next` (RFC 8288).
    public static var link: Self { Self(.link) }

    /// Follows the URL in the body at `path`, absolute or relative. Null, an empty string, or no member ends the list.
    public static func next(at path: MemberPath = "next") -> Self { Self(.next(path)) }

    /// Copies the token in the body at `path`, a string or a number, to the query item `query`. Null, an empty string,
    /// or no member ends the list.
    public static func token(at path: MemberPath = "nextPageToken", query: String = "pageToken") -> Self {
        Self(.token(path, query: query))
    }

    /// Increments the page number in the query item `query`, up to the number of pages in the body at `count`.
    ///
    /// The first page has the number in the request, or 1. If that is 0, the last page is `count` - 1. If a body has
    /// no `count`, the first empty page ends the list.
    public static func number(query: String = "page", count: MemberPath = "total_pages") -> Self {
        Self(.number(query: query, count: count))
    }

    /// Increases the offset in the query item `query`, up to the number of items in the body at `total`.
    ///
    /// Each page begins after the items of the page before it. If a body has no `total`, the first empty page ends the
    /// list.
    public static func offset(query: String = "offset", total: MemberPath = "total") -> Self {
        Self(.offset(query: query, total: total))
    }
}
