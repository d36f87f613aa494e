import Foundation

/// A list that a mock server divides into pages by a convention.
///
/// ```swift
/// let server = MockServer {
///     Route(.get, "/v1/charges", list: PagedList(of: charges, size: 3, by: .stripe, at: "data"))
/// }
/// ```
///
/// Links to other pages are the URL of the request with the query item `page`, so that other query items, such as
/// filters, are kept. An empty or null page or token requests the first page. A request with an invalid page, token or
/// page size is answered with status 400. Tokens contain characters that a query must escape.
public struct PagedList: Sendable {
    /// The reply to a request for the number, offset or link of a page after the last one.
    public enum PastEnd: Hashable, Sendable {
        /// A page without items.
        case emptyPage
        /// Status 404.
        case notFound
        /// The last page again.
        case lastPage
    }

    /// The form of the links to other pages.
    public enum LinkForm: Hashable, Sendable {
        /// A URL: `https://shop.example/items?page=2`.
        case absolute
        /// A path with a query: `/items?page=2`.
        case path
        /// A query: `?page=2`.
        case query
        /// A path relative to the path of the URL in the member `base` next to the link, as in Confluence.
        case base
    }

    /// The way in which the last page says that no page follows it.
    public enum End: Hashable, Sendable {
        /// The token or link is missing.
        case missing
        /// The token or link is null. A header field is missing.
        case null
        /// The token or link is an empty string.
        case emptyString
        /// The token or link is there, and a flag of the convention, or `results="false"` in the `Link` header, says that
        /// the page is the last one. Without a flag, an empty page follows.
        case kept
    }

    /// The place of the number of all items in a response.
    public enum Total: Hashable, Sendable {
        /// A member of the body.
        case member(MemberPath)
        /// A header field, such as `X-Total-Count`.
        case header(HTTPHeaders.Name)
    }

    /// The convention of the pages.
    public var convention: PaginationConvention
    /// The path of the list in the body; `.root` for a bare array.
    public var path: MemberPath
    /// The maximum number of items on a page, unless the request sets the parameter that
    /// `PaginationConvention.pageSizeParameter(_:)` names.
    public var size: Int
    /// The maximum page size. A request for larger pages receives pages of this size. Defaults to 100, or to `size` if that
    /// is larger.
    public var maxSize: Int?
    /// The place of the total, or `nil` if responses do not contain it. Defaults to `nil`.
    public var total: Total?
    /// The form of links. Defaults to absolute URLs, or to `.base` for `.confluence`.
    public var links: LinkForm
    /// The way in which the last page says that it is the last one. Defaults to that of the API for a preset, otherwise to
    /// null.
    public var end: End
    /// A Boolean value that indicates whether pages with a count or a flag contain their own number or offset. Defaults to
    /// `true`.
    public var hasPosition = true
    /// The reply to a request for the number, offset or link of a page after the last one. Defaults to an empty page. With
    /// other conventions, the page is always empty.
    public var pastEnd = PastEnd.emptyPage
    /// The query items that requests may have in addition to those of the convention, or `nil` for any. A request with
    /// another one is answered with status 400. Defaults to `nil`.
    public var parameters: Set<String>?

    /// The JSON text of the items.
    let items: Result<[String], any Error>
    /// The positions of the items by the member that requests the page after them, which are found once for all pages.
    let positions = LockedState<[MemberPath: [String: Int]]>([:])
    package var deviations = Deviations()

    /// Creates a list of items that are encoded as JSON, with sorted keys.
    public init(
        of items: some Sequence<some Encodable>, size: Int = 10, by convention: PaginationConvention,
        at path: MemberPath = "items"
    ) {
        self.init(
            Result { try items.map { String(decoding: try JSONLiteral.value($0).encoded(), as: UTF8.self) } },
            size, convention, path)
    }

    /// Creates a list of `count` objects whose `id` is `item-1`, `item-2` and so on.
    public init(
        count: Int, size: Int = 10, by convention: PaginationConvention, at path: MemberPath = "items"
    ) {
        let items = (0..<max(0, count)).map { index -> JSONLiteral in
            let item: JSONLiteral = ["id": "item-\(index + 1)"]
            return convention.lastItemMember.map { item.setting($0, to: "item-\(index + 1)") } ?? item
        }
        self.init(of: items, size: size, by: convention, at: path)
    }

    /// Creates a list of items whose JSON text is given.
    package init(
        texts: [String], size: Int, by convention: PaginationConvention, at path: MemberPath = "items"
    ) { self.init(.success(texts), size, convention, path) }

    private init(
        _ items: Result<[String], any Error>, _ size: Int, _ convention: PaginationConvention,
        _ path: MemberPath
    ) {
        (self.items, self.size, self.convention, self.path) = (items, size, convention, path)
        links = convention == .confluence ? .base : .absolute
        end = Self.ends[convention] ?? .null
    }

    private static let ends: [PaginationConvention: End] = [
        .airtable: .missing, .anthropic: .kept, .azure: .missing, .bitbucket: .missing,
        .confluence: .missing, .digitalOcean: .missing, .dropbox: .kept, .dynamoDB: .missing,
        .facebook: .missing, .githubGraphQL: .kept, .google: .missing, .hubSpot: .missing, .jira: .missing,
        .kubernetes: .emptyString, .microsoftGraph: .missing, .openAI: .kept, .salesforce: .missing,
        .slack: .emptyString, .square: .missing, .twitch: .missing, .twitter: .missing, .zoom: .emptyString,
    ]

    /// Returns the page that a request names, or the first one.
    public func page(for request: ReceivedRequest) -> Reply {
        do {
            let page = try response(to: request)
            return page.headers.reduce(.text(page.body, as: .json, status: page.status)) {
                $0.header($1.name, $1.value)
            }
        } catch let error as MockServerError {
            return .error(error)
        } catch { return .unusable(.unencodableValue(function: "PagedList", error)) }
    }
}
