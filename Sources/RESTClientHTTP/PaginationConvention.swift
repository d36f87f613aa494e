/// The way in which an API divides a list into pages: how a response names the next page, how that page is requested,
/// and what says that there is none.
///
/// ```swift
/// let pages: PaginationConvention = .token(at: "next_cursor", parameter: "cursor", more: "has_more")
/// let invoices: PaginationConvention = .stripe.pageSize("limit")
/// ```
public struct PaginationConvention: PaginationRule, Hashable {
    /// The place of the next page in a response, and the way in which it is requested.
    public enum Kind: Hashable, Sendable {
        /// The `Link` header field.
        case link
        /// A URL in the body.
        case url(MemberPath)
        /// A token.
        case token(Token)
        /// A page number, and the member with the number of pages.
        case number(parameter: String, count: MemberPath?)
        /// The number of items before the page, and the member with the number of all items.
        case offset(parameter: String, total: MemberPath?)
    }

    /// A token: where a response contains it, and how it is sent.
    public struct Token: Hashable, Sendable {
        /// The place of the token in a response.
        public enum Source: Hashable, Sendable {
            /// A member of the body.
            case member(MemberPath)
            /// A member of the object that contains the list.
            case besideList(MemberPath)
            /// A member of the last item.
            case lastItem(MemberPath)
            /// A header field.
            case header(String)
        }

        /// The place of the token in the next request.
        public enum Destination: Hashable, Sendable {
            /// A query item, or a member of the JSON body if the request has one.
            case parameter(String)
            /// A header field.
            case header(String)
            /// A member of the JSON body of a POST request to another URL.
            case post(member: String, url: String, body: JSONLiteral)

            /// The name of the parameter or header field.
            public var name: String {
                switch self {
                case .parameter(let name), .header(let name), .post(let name, _, _): name
                }
            }
        }

        /// The place of the token in a response.
        public let source: Source
        /// The place of the token in the next request.
        public let destination: Destination
        /// The flag that indicates whether more items follow, or `nil` if there is none.
        public let more: Flag?

        package init(_ source: Source, sentAs destination: Destination, more: MemberPath? = nil) {
            (self.source, self.destination) = (source, destination)
            self.more = more.map(Flag.init)
        }
    }

    /// A flag that says whether more items follow.
    public struct Flag: Hashable, Sendable {
        /// The path of the member.
        public let path: MemberPath
        /// A Boolean value that indicates whether the flag is `true` on the last page, such as `isLast`.
        public var isTrueAtEnd: Bool { Self.endNames.contains(MemberPath.normalized(path.names.last ?? "")) }

        /// The normalized names of flags that are true on the last page.
        package static let endNames = Set(
            """
            islast islastpage last lastpage done endofrecords finished isfinished complete iscomplete isfinal
            end endoflist endofresults exhausted nomore isend completed eof endofstream foundnewest endofdata
            nomoreresults nomoreitems reachedend atend islastbatch
            """.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The place of the next page in a response, and the way in which it is requested.
    public let kind: Kind
    /// The parameter with the maximum number of items on a page, or `nil` if it is unknown.
    package private(set) var pageSize: String?

    package init(_ kind: Kind) { self.kind = kind }

    /// The parameter or header field that requests a page, or `nil` if the pages have URLs.
    package var parameter: String? {
        switch kind {
        case .link, .url: nil
        case .token(let token): token.destination.name
        case .number(let name, _), .offset(let name, _): name
        }
    }

    /// The member of the last item that requests the next page, or `nil` if it is something else.
    package var lastItemMember: MemberPath? {
        guard case .token(let token) = kind, case .lastItem(let member) = token.source else { return nil }
        return member
    }

    /// Returns the convention with the parameter that sets the maximum number of items on a page, such as `limit`. A
    /// paged list of a mock server obeys it.
    public func pageSize(_ parameter: String) -> Self {
        var copy = self
        copy.pageSize = parameter
        return copy
    }
}

/// A type whose values can be used as the pagination of a list: `PaginationConvention`, or a type of a client.
///
/// The conventions can be written with a leading dot wherever a rule is expected: `.link`, `.stripe`.
public protocol PaginationRule: Sendable {}

extension PaginationRule where Self == PaginationConvention {
    /// Follows the `Link` header with `rel=next` (RFC 8288).
    public static var link: Self { Self(.link) }

    /// Follows the URL in the body at `path`, absolute or relative. The list ends if the member is missing, null or an
    /// empty string.
    public static func next(at path: MemberPath = "next") -> Self { Self(.url(path)) }

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
        Self(.token(.init(.member(path), sentAs: .parameter(parameter), more: more)))
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
        Self(.token(.init(.lastItem(member), sentAs: .parameter(parameter), more: more)))
    }

    /// Sends the value of the response header `name` as the request header `sentAs`. The list ends if the response does
    /// not have the header.
    public static func header(_ name: String = "Next-Range", sentAs: String = "Range") -> Self {
        Self(.token(.init(.header(name), sentAs: .header(sentAs))))
    }

    /// Sends the `endCursor` of a GraphQL connection as a variable, while its `hasNextPage` is `true`.
    ///
    /// The path of the list is that of the connection's `nodes` or `edges`. The request is a POST with a query that has
    /// the variable `variable`.
    public static func graphQL(variable: String = "after") -> Self {
        Self(
            .token(
                .init(
                    .besideList("pageInfo.endCursor"), sentAs: .parameter("variables.\(variable)"),
                    more: "pageInfo.hasNextPage")))
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
        Self(.token(.init(.member(path), sentAs: .post(member: parameter, url: url, body: body), more: more)))
    }

    /// Increments the page number in the parameter `parameter`, up to the number of pages in the body at `count`.
    ///
    /// The first page has the number in the request or in the response, or 1. If the first page is 0, the last page is
    /// `count` - 1. Without a count, the list ends with the first empty page, or with a status 404 or 416 after a page
    /// that does not indicate more items.
    public static func number(parameter: String = "page", count: MemberPath? = "total_pages") -> Self {
        Self(.number(parameter: parameter, count: count))
    }

    /// Increases the offset in the parameter `parameter`, up to the number of items in the body at `total`.
    ///
    /// Each page begins after the items of the page before it. Without a total, the list ends with the first empty page,
    /// or with a status 404 or 416 after a page that does not indicate more items.
    public static func offset(parameter: String = "offset", total: MemberPath? = "total") -> Self {
        Self(.offset(parameter: parameter, total: total))
    }
}
