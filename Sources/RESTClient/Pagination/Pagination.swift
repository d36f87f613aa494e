public import Foundation

/// A rule that determines the next pages of a list.
///
/// ```swift
/// struct CursorPagination: Pagination {               // {"results": […], "cursor": {"after": "x9"}}
///     func pages(after page: PageInfo) throws -> [URL] {
///         page.envelope.string("cursor.after").map { [page.url(setting: "after", to: $0)] } ?? []
///     }
/// }
/// ```
///
/// The rule is evaluated after every page, and only the latest result is used, because the total can change during a
/// listing. A page at another origin than the request, and a page that was requested before, are errors of kind
/// `pagination`.
public protocol Pagination: Sendable {
    /// Returns the URLs of the next pages: none, the next one, or several. Several pages are requested concurrently.
    ///
    /// - Throws: An error that ends the listing after the items of the page.
    func pages(after page: PageInfo) throws -> [URL]
}

extension Pagination where Self == StandardPagination {
    /// Determines the next page by the conventions of common APIs. The events contain the rule that was applied.
    ///
    /// The following are tried in order, and the first one that the page contains determines the next page:
    /// 1. a `Link` header with `rel=next` (RFC 8288);
    /// 2. a URL: a `Next-Page` header, `next`, `next_url`, `links.next`, `paging.next.href`, a link in a list with
    ///    `"rel": "next"`;
    /// 3. a token: `nextPageToken`, `next_cursor`, `cursor`, `continuationToken`, `{"next": {"after": "…"}}`;
    /// 4. the number or the offset of the next page;
    /// 5. a page number with a number of pages;
    /// 6. an offset with a total, or with a flag such as `has_more`;
    /// 7. a page number with a total or a flag;
    /// 8. a total or a flag alone.
    ///
    /// Members are found next to the list, in the objects around it and in objects such as `meta.pagination`; headers
    /// such as `X-Total-Count` count as members. Names are compared without case, punctuation and prefixes such as
    /// `@odata.`.
    ///
    /// If the response does not name the query item for the next page, the most likely one is used. A server that
    /// ignores it sends the same page again. This is detected before an item is delivered, and one more query item is
    /// tried.
    ///
    /// A flag such as `has_more: false` ends the list. At the end of the list, each of the following is an error,
    /// because it indicates more items: a total above the number of received items, an unused token or link, a larger
    /// number of pages, and partial content (206).
    public static var automatic: Self { Self(.automatic) }

    /// Reads one page only.
    public static var none: Self { Self(.none) }

    /// Follows the `Link` header with `rel=next` (RFC 8288).
    public static var link: Self { Self(.link) }

    /// Follows the URL in the body at `path`, absolute or relative. The list ends if the member is missing, null or an
    /// empty string.
    public static func next(at path: MemberPath = "next") -> Self { Self(.next(path)) }

    /// Copies the token in the body at `path`, a string or a number, to the query item `query`. The list ends if the
    /// member is missing, null or an empty string.
    public static func token(at path: MemberPath = "nextPageToken", query: String = "pageToken") -> Self {
        Self(.token(path, query: query))
    }

    /// Increments the page number in the query item `query`, up to the number of pages in the body at `count`.
    ///
    /// The first page has the number in the request, or 1. If the first page is 0, the last page is `count` - 1. If the
    /// body has no `count`, the first empty page ends the list.
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
