public import Foundation

/// The options of a listing: the path of the list, its pagination, and limits.
public struct ItemListing: Sendable {
    /// The path of the list in the body. Defaults to the member `items`; `.root` if the body itself is the list.
    public var path: MemberPath
    /// The place of the items in the body. Defaults to the list at ``path``; with `.pathOrDocument`, the body itself can
    /// also be the list, or JSON Lines or a JSON text sequence if its media type says so.
    public var layout = ListScanner.Layout.path
    /// The pagination, which determines the next pages. Defaults to `.automatic`.
    public var pagination: any Pagination
    /// The maximum number of pages that are transferred at the same time, including the current page. Defaults to 2;
    /// with 1, a page is requested after the page before it has been read.
    ///
    /// Values above 2 have an effect only if several pages are known in advance, by number or by offset, or by numbered links
    /// and the number of the last page. A page that is
    /// waiting to be read buffers a few megabytes in memory. Then its transfer waits.
    public var maxConcurrentPages: Int
    /// The maximum number of pages of a listing. Defaults to 1,000. If there are more, the listing fails with a
    /// `limit` error that contains a resume token.
    public var maxPages: Int
    /// The maximum size of an item in bytes of JSON. Defaults to 16 MB. A larger item is an error of kind `limit`.
    public var maxItemBytes: Int
    /// The maximum size of all pages in decoded bytes. Defaults to 4 GB. A larger size is an error of kind `limit`.
    public var maxBytes: Int64
    /// The origins, other than that of the request, at which further pages may be; only scheme, host and port count. Requests
    /// to them have no header fields of the request and no credentials, except those that an interceptor adds for them.
    public var allowedOrigins: [URL] = []
    /// A Boolean value that indicates whether a list is accepted of which the server says that it is incomplete. Defaults to
    /// `false`: after all items, the listing throws an error of kind `incompleteList`.
    ///
    /// A server says so with `errors` beside the `data` of a GraphQL response, with a member such as `"timed_out": true` or
    /// `"incomplete_results": true` beside the list, or with a number of failed shards. With `true`, a list is also accepted
    /// from which items were deleted while it was read, so that others may be missing.
    public var allowsIncomplete = false
    /// A Boolean value that indicates whether the members of objects are found while the list is scanned, for
    /// ``ElementBatch/forEachElement(_:_:)``. Defaults to `false`: they are found when they are used.
    public var findsMembers = false
    /// A Boolean value that indicates whether the elements of the list are groups, which contain the items. Defaults to `false`.
    ///
    /// An API can count either of them. With `true`, the listing fails with ``RESTClientError/PaginationFailure/unclearUnit(elements:)``
    /// if the next page has an offset, and no page size in the request or response is the number of groups on the page.
    public var hasGroups = false
    /// The number of times that a page is requested again after its body broke off. Defaults to 0.
    ///
    /// The listing continues if the page is the same up to the last item that was delivered; otherwise, it fails as without
    /// a further request. Only a page that is requested with GET is requested again.
    public var maxPageRestarts = 0
    /// The decoder of the items, or `nil` for `RequestOptions.decoder` of the request.
    public var decoder: (any DataDecoder)?

    /// Creates the options for the list at `path`.
    public init(
        at path: MemberPath = "items", pagination: any Pagination = .automatic, maxConcurrentPages: Int = 2,
        maxPages: Int = 1_000, maxItemBytes: Int = 16 << 20, maxBytes: Int64 = 4 << 30,
        decoder: (any DataDecoder)? = nil
    ) {
        self.path = path
        self.pagination = pagination
        self.maxConcurrentPages = maxConcurrentPages
        self.maxPages = maxPages
        self.maxItemBytes = maxItemBytes
        self.maxBytes = maxBytes
        self.decoder = decoder
    }
}
