/// Where the list is, how it is paged, and how much is too much.
public struct ItemListing: Sendable {
    /// Where the list is in the body: the member `items` by default, `.root` when the body is the list.
    public var path: MemberPath
    /// Knows which pages follow a page; `.automatic` by default.
    public var pagination: any Pagination
    /// How many pages are in transfer at a time, the one being read included. 2 by default; 1 asks for a page only
    /// when the one before has been read.
    ///
    /// More than 2 help where pages are known ahead, by number or by offset. A page ahead of its turn holds up to about
    /// a megabyte of memory, and a file behind that (`RequestOptions.maxSpillBytes`).
    public var jobs: Int
    /// The most pages of one listing; one more is an error of kind `pagination`, which says where to resume. 1,000 by
    /// default.
    public var maxPages: Int
    /// The most bytes that one item may have, as JSON; a larger one is an error of kind `limit`. 16 MB by default.
    public var maxItemBytes: Int
    /// The most decoded bytes of all pages together; more is an error of kind `limit`. 4 GB by default.
    public var maxBytes: Int64

    /// A listing of the list at `path`.
    public init(
        at path: MemberPath = "items", pagination: any Pagination = .automatic, jobs: Int = 2,
        maxPages: Int = 1_000, maxItemBytes: Int = 16 << 20, maxBytes: Int64 = 4 << 30
    ) {
        self.path = path
        self.pagination = pagination
        self.jobs = jobs
        self.maxPages = maxPages
        self.maxItemBytes = maxItemBytes
        self.maxBytes = maxBytes
    }
}
