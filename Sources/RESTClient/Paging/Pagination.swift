import Foundation
public import RESTClientHTTP

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
/// If the next page is requested with another header, method or body, the method returns ``PageRequest`` values.
///
/// The rule is evaluated after every page, and only the latest result is used, because the total can change during a
/// listing. A page at another origin than the request, and a page that was requested before, are errors of kind
/// `pagination`.
public protocol Pagination: PaginationRule {
    /// The description of a next page: `URL`, or `PageRequest`.
    associatedtype NextPage: PageRequestConvertible

    /// Returns the next pages: none, the next one, or several. Several pages are requested concurrently.
    ///
    /// - Throws: An error that ends the listing after the items of the page.
    func pages(after page: PageInfo) throws -> [NextPage]
}

extension Pagination {
    func requests(after page: PageInfo) throws -> [PageRequest] { try pages(after: page).map(\.pageRequest) }
}

extension Pagination where Self == StandardPagination {
    /// Determines the next page by the conventions of common APIs. The events contain the rule that was applied.
    ///
    /// The following are tried in order, and the first one that the page contains determines the next page:
    /// 1. a `Link` header with `rel=next` (RFC 8288), or a `Next-Range` header;
    /// 2. a URL: a `Next-Page` header, `next`, `next_url`, `links.next`, `paging.next.href`, a link in a list with
    ///    `"rel": "next"`;
    /// 3. a token: `nextPageToken`, `next_cursor`, `cursor`, `continuationToken`, `{"next": {"after": "…"}}`,
    ///    `LastEvaluatedKey`;
    /// 4. the number or the offset of the next page;
    /// 5. a page number with a number of pages, or with a link to the last page;
    /// 6. an offset with a total, or with a flag such as `has_more`;
    /// 7. a page number with a total or a flag;
    /// 8. a total or a flag alone;
    /// 9. a page size that equals the number of items, with a page number or an offset in the response or the request.
    ///
    /// Members are found next to the list, in the objects around it and in objects such as `meta.pagination`; an object with
    /// another name is about the list if two of its members agree with the page, or if a flag says that more items follow.
    /// Headers such as `X-Total-Count` count as members. Names are compared without case, punctuation and prefixes such as
    /// `@odata.`. What looks like a reference to more items, and is not understood, is an error.
    ///
    /// If the response does not name the query item for the next page, the most likely one is used. A server that
    /// ignores it sends the same page again. This is detected before an item is delivered, and one more query item is
    /// tried.
    ///
    /// A flag such as `has_more: false` ends the list, also if the response contains a token. A flag that can be about
    /// something else, such as `complete`, does not end a list with a link or a token. At the end of a list without
    /// flags, each of the following is an error, because it indicates more items: an unused token or link, and a larger
    /// number of pages. With flags, too, a total above the number of received items and partial content (206) are errors.
    public static var automatic: Self { Self(.automatic) }

    /// Reads one page only.
    public static var none: Self { Self(.none) }
}

extension PaginationConvention: Pagination {
    /// Returns the next pages.
    ///
    /// - Throws: An error of kind `pagination` if the page indicates more items, but they cannot be requested.
    public func pages(after page: PageInfo) throws -> [PageRequest] {
        try StandardPagination(self).pages(after: page)
    }
}
