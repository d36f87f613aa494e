/// Where the list is, and how much is too much.
public struct ItemListing: Sendable {
    /// Where the list is in the body: the member `items` by default, `.root` when the body is the list.
    public var path: MemberPath
    /// The most bytes that one item may have, as JSON; a larger one is an error of kind `limit`. 16 MB by default.
    public var maxItemBytes: Int

    /// A listing of the list at `path`.
    public init(at path: MemberPath = "items", maxItemBytes: Int = 16 << 20) {
        self.path = path
        self.maxItemBytes = maxItemBytes
    }
}
