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
public protocol Pagination: Sendable {
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

    /// Sends the token in the body at `path` as the parameter `parameter` of the request.
    ///
    /// The list ends if the member is missing, null or empty, or if the flag at `more`, such as `has_more` or `isLast`,
    /// says so.
    ///
    /// - Parameters:
    ///   - path: The path of the token in the body.
    ///   - parameter: A query item, or a member of the JSON body if the request has one, such as `variables.after`.
    ///   - more: The path of the flag, or `nil` if there is none.
    public static func token(
        at path: MemberPath = "nextPageToken", parameter: String = "pageToken", more: MemberPath? = nil
    ) -> Self {
        Self(.token(.member(path), .init(parameter: parameter, more: more)))
    }

    /// Sends a member of the last item as the parameter `parameter` of the request.
    ///
    /// The list ends with an empty page, or if the flag at `more`, such as `has_more`, says so. A last item without
    /// the member is an error.
    ///
    /// - Parameters:
    ///   - member: The path of the member in the item.
    ///   - parameter: A query item, or a member of the JSON body if the request has one, such as `search_after`.
    ///   - more: The path of the flag, or `nil` if there is none.
    public static func lastItem(
        _ member: MemberPath = "id", parameter: String = "after", more: MemberPath? = nil
    ) -> Self {
        Self(.token(.lastItem(member), .init(parameter: parameter, more: more)))
    }

    /// Sends the value of the response header `name` as the request header `sentAs`. The list ends if the response does
    /// not have the header.
    public static func header(_ name: String = "Next-Range", sentAs: String = "Range") -> Self {
        Self(.token(.header(name), .init(parameter: sentAs, isHeader: true)))
    }

    /// Sends the `endCursor` of a GraphQL connection as a variable, while its `hasNextPage` is `true`.
    ///
    /// `ItemListing.path` is the path of the connection's `nodes` or `edges`. The request is a POST with a query that
    /// has the variable `variable`.
    public static func graphQL(variable: String = "after") -> Self {
        let (parameter, more) = ("variables.\(variable)", "pageInfo.hasNextPage" as MemberPath)
        return Self(.token(.besideList("pageInfo.endCursor"), .init(parameter: parameter, more: more)))
    }

    /// Requests further pages with POST from another URL, whose JSON body contains the token at `path`. The list ends
    /// with an empty page, or if the flag at `more` says so.
    ///
    /// - Parameters:
    ///   - path: The path of the token in the body. It need not change from page to page.
    ///   - parameter: The member of the JSON body that contains the token.
    ///   - url: The URL for the token, absolute or relative.
    ///   - body: The other members of the JSON body.
    ///   - more: The path of the flag, or `nil` if there is none.
    public static func scroll(
        at path: MemberPath = "_scroll_id", parameter: String = "scroll_id", url: String = "/_search/scroll",
        body: JSONLiteral = ["scroll": "1m"], more: MemberPath? = nil
    ) -> Self {
        Self(.token(.member(path), .init(parameter: parameter, more: more, continuation: (url, body))))
    }

    /// Increments the page number in the parameter `parameter`, up to the number of pages in the body at `count`.
    ///
    /// The first page has the number in the request or in the response, or 1. If the first page is 0, the last page is
    /// `count` - 1. If the body has no `count`, the list ends with the first empty page, or with a status 404 or 416
    /// after a page that does not indicate more items.
    public static func number(parameter: String = "page", count: MemberPath = "total_pages") -> Self {
        Self(.number(parameter: parameter, count: count))
    }

    /// Increases the offset in the parameter `parameter`, up to the number of items in the body at `total`.
    ///
    /// Each page begins after the items of the page before it. If a body has no `total`, the list ends with the first
    /// empty page, or with a status 404 or 416 after a page that does not indicate more items.
    public static func offset(parameter: String = "offset", total: MemberPath = "total") -> Self {
        Self(.offset(parameter: parameter, total: total))
    }
}
