/// The way in which an API divides a list into pages: how a response names the next page, how that page is requested,
/// and what says that there is none.
///
/// ```swift
/// let pages: PaginationConvention = .token(at: "next_cursor", parameter: "cursor", more: "has_more")
/// let invoices: PaginationConvention = .stripe.pageSizeParameter("limit")
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
        /// A page number, the member with the number of pages, and the number of the first page.
        case number(parameter: String, count: MemberPath?, first: Int?)
        /// An offset, the member with the number of all items, and the offset of the first item.
        case offset(parameter: String, total: MemberPath?, first: Int?)
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
            /// A header field. With an asterisk at its end, all fields whose names begin with the rest.
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

        package init(_ source: Source, sentAs destination: Destination) {
            (self.source, self.destination) = (source, destination)
        }
    }

    /// A member that says whether more items follow: `true` or `false`, `1` or `0`, or a text.
    public struct Flag: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The path of the member in the body. For a GraphQL connection, it begins at the object that contains the list.
        public let path: MemberPath
        /// The text that sets the flag, such as `delta` for a member `response_type`, or `nil` for a Boolean value.
        public let text: String?

        /// Creates a flag that is set if the member at `path` is the text, or a Boolean value if there is none.
        public init(_ path: MemberPath, is text: String? = nil) { (self.path, self.text) = (path, text) }

        /// Creates a flag from a path, which a text can follow: `"has_more"`, or `"response_type=delta"`.
        public init(_ description: String) {
            let parts = description.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self.init(MemberPath(String(parts[0])), is: parts.count > 1 ? String(parts[1]) : nil)
        }

        /// Creates a flag from a path, which a text can follow: `"has_more"`, or `"response_type=delta"`.
        public init(stringLiteral value: String) { self.init(value) }

        /// The path, and the text after an equals sign.
        public var description: String { "\(path)" + (text.map { "=\($0)" } ?? "") }
    }

    /// The place of the next page in a response, and the way in which it is requested.
    public let kind: Kind
    /// The flag that is set while more items follow, or `nil` if there is none.
    public let more: Flag?
    /// The flag that is set on the last page, or `nil` if there is none.
    public let last: Flag?
    /// The parameter with the maximum number of items on a page, or `nil` if it is unknown.
    public private(set) var pageSizeParameter: String?

    package init(_ kind: Kind, more: Flag? = nil, last: Flag? = nil) {
        (self.kind, self.more, self.last) = (kind, more, last)
    }

    /// The parameter or header field that requests a page, or `nil` if the pages have URLs.
    package var parameter: String? {
        switch kind {
        case .link, .url: nil
        case .token(let token): token.destination.name
        case .number(let name, _, _), .offset(let name, _, _): name
        }
    }

    /// The member of the last item that requests the next page, or `nil` if it is something else.
    package var lastItemMember: MemberPath? {
        guard case .token(let token) = kind, case .lastItem(let member) = token.source else { return nil }
        return member
    }

    /// Returns the convention with the opposite sense of its flags.
    package func swappingFlags() -> Self {
        var copy = Self(kind, more: last, last: more)
        copy.pageSizeParameter = pageSizeParameter
        return copy
    }

    /// Returns the convention with the parameter that sets the maximum number of items on a page, such as `limit`. A
    /// paged list of a mock server obeys it.
    public func pageSizeParameter(_ name: String) -> Self {
        var copy = self
        copy.pageSizeParameter = name
        return copy
    }
}

/// A type whose values determine the pages of a list.
///
/// `PaginationConvention` conforms to it, so that a convention can be written with a leading dot wherever a pagination is
/// expected: `.link`, `.stripe`. The protocol has no requirements. A pagination of your own conforms to
/// `RESTClient.Pagination`, which refines it.
public protocol PaginationRule: Sendable {}

extension PaginationRule where Self == PaginationConvention {
    /// Follows the `Link` header with `rel=next` (RFC 8288).
    public static var link: Self { Self(.link) }

    /// Follows the URL in the body at `path`, absolute or relative. The list ends if the member is missing, null or an
    /// empty string.
    public static func next(at path: MemberPath = "next") -> Self { Self(.url(path)) }

    /// Sends the token in the body at `path` as the parameter `parameter` of the request.
    ///
    /// The list ends if the token is missing, null or empty, if a flag says so, or with an empty page that repeats the
    /// token of its request. Without a flag, a `next` token such as `0` or `-1` ends it, too.
    ///
    /// A flag is `true` or `false`, `1` or `0`, or one of `"true"`, `"false"`, `"yes"` and `"no"`; another value is an
    /// error. A response without the flag is treated as if the convention had none. A well-known name for the other
    /// sense, as in `more: "isLast"`, is an error.
    ///
    /// - Parameters:
    ///   - path: The path of the token in the body.
    ///   - parameter: A query item, or a member of the JSON body if the request has one, such as `variables.after`.
    ///   - more: The flag that is set while more items follow, such as `has_more` or `response_type=delta`.
    ///   - last: The flag that is set on the last page, such as `isLast`.
    public static func token(
        at path: MemberPath = "nextPageToken", parameter: String = "pageToken",
        more: PaginationConvention.Flag? = nil, last: PaginationConvention.Flag? = nil
    ) -> Self {
        Self(.token(.init(.member(path), sentAs: .parameter(parameter))), more: more, last: last)
    }

    /// Sends the value of the response header `header` as the parameter `parameter` of the request.
    ///
    /// ```swift
    /// .token(header: "x-ms-continuation-*", parameter: "*")  // ?NextPartitionKey=…&NextRowKey=…
    /// ```
    ///
    /// - Parameters:
    ///   - header: The name of the header field. With an asterisk at its end, all fields whose names begin with the rest
    ///     are sent.
    ///   - parameter: A query item, or a member of the JSON body if the request has one. An asterisk stands for the end of
    ///     the name of the field.
    ///   - more: The flag that is set while more items follow.
    ///   - last: The flag that is set on the last page.
    public static func token(
        header: String, parameter: String, more: PaginationConvention.Flag? = nil,
        last: PaginationConvention.Flag? = nil
    ) -> Self {
        Self(.token(.init(.header(header), sentAs: .parameter(parameter))), more: more, last: last)
    }

    /// Sends a member of the last item as the parameter `parameter` of the request.
    ///
    /// The list ends with an empty page, or if a flag says so. A last item without the member is an error.
    ///
    /// - Parameters:
    ///   - member: The path of the member in the item.
    ///   - parameter: A query item, or a member of the JSON body if the request has one, such as `search_after`.
    ///   - more: The flag that is set while more items follow.
    ///   - last: The flag that is set on the last page.
    public static func lastItem(
        _ member: MemberPath = "id", parameter: String = "after", more: PaginationConvention.Flag? = nil,
        last: PaginationConvention.Flag? = nil
    ) -> Self {
        Self(.token(.init(.lastItem(member), sentAs: .parameter(parameter))), more: more, last: last)
    }

    /// Sends the value of the response header `name` as the request header `sentAs`. The list ends if the response does
    /// not have the header, or if its value is empty.
    public static func header(_ name: String = "Next-Range", sentAs: String = "Range") -> Self {
        Self(.token(.init(.header(name), sentAs: .header(sentAs))))
    }

    /// Sends the `endCursor` of a GraphQL connection as a variable, while its `hasNextPage` is `true`.
    ///
    /// The path of the list is that of the connection's `nodes` or `edges`. The request is a POST with a query that has
    /// the variable `variable`.
    public static func graphQL(variable: String = "after") -> Self {
        Self(
            .token(.init(.besideList("pageInfo.endCursor"), sentAs: .parameter("variables.\(variable)"))),
            more: "pageInfo.hasNextPage")
    }

    /// Requests further pages with POST from another URL, whose JSON body contains the token at `path`. The list ends
    /// with an empty page, or if a flag says so.
    ///
    /// - Parameters:
    ///   - path: The path of the token in the body. It need not change from page to page.
    ///   - parameter: The member of the JSON body that contains the token.
    ///   - url: The URL for the token, absolute or relative.
    ///   - body: The other members of the JSON body.
    ///   - more: The flag that is set while more items follow.
    ///   - last: The flag that is set on the last page.
    public static func scroll(
        at path: MemberPath = "_scroll_id", parameter: String = "scroll_id", url: String = "/_search/scroll",
        body: JSONLiteral = ["scroll": "1m"], more: PaginationConvention.Flag? = nil,
        last: PaginationConvention.Flag? = nil
    ) -> Self {
        Self(
            .token(.init(.member(path), sentAs: .post(member: parameter, url: url, body: body))), more: more,
            last: last)
    }

    /// Increments the page number in the parameter `parameter`, up to the number of pages in the body at `count`.
    ///
    /// The list ends with the last of the `count` pages, or if a flag says so. Without both, it ends with the first
    /// empty page, with a page that is the same as the one before it, or with a status 204, 404 or 416, from the third
    /// page also 400, after a page that does not indicate more items. A 400 after a multiple of 1,000 items is an error,
    /// because it can be a limit of the server.
    ///
    /// - Parameters:
    ///   - parameter: A query item, or a member of the JSON body if the request has one.
    ///   - count: The path of the number of pages, or `nil` if responses do not contain it.
    ///   - first: The number of the first page, which a request without the parameter returns. By default, this is 0 if
    ///     the response says so, otherwise 1. A request that has the parameter begins at that page.
    ///   - more: The flag that is set while more items follow.
    ///   - last: The flag that is set on the last page.
    public static func number(
        parameter: String = "page", count: MemberPath? = "total_pages", first: Int? = nil,
        more: PaginationConvention.Flag? = nil, last: PaginationConvention.Flag? = nil
    ) -> Self {
        Self(.number(parameter: parameter, count: count, first: first), more: more, last: last)
    }

    /// Increases the offset in the parameter `parameter`, up to the number of items in the body at `total`.
    ///
    /// Each page begins after the items of the page before it. The list ends when the total is reached, or if a flag
    /// says so. Without both, it ends with the first empty page, with a page that is the same as the one before it, or
    /// with a status 204, 404 or 416, from the third page also 400, after a page that does not indicate more items. A 400
    /// after a multiple of 1,000 items is an error, because it can be a limit of the server.
    ///
    /// - Parameters:
    ///   - parameter: A query item, or a member of the JSON body if the request has one.
    ///   - total: The path of the number of all items, or `nil` if responses do not contain it.
    ///   - first: The offset of the first item, such as 1 for SCIM. By default, this is 1 if the request or the response
    ///     says so for the first page, otherwise 0.
    ///   - more: The flag that is set while more items follow.
    ///   - last: The flag that is set on the last page.
    public static func offset(
        parameter: String = "offset", total: MemberPath? = "total", first: Int? = nil,
        more: PaginationConvention.Flag? = nil, last: PaginationConvention.Flag? = nil
    ) -> Self {
        Self(.offset(parameter: parameter, total: total, first: first), more: more, last: last)
    }
}
