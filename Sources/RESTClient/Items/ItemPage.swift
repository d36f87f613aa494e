/// One page of a list.
public struct ItemPage<Item: Sendable>: Sendable {
    /// The items, in the server's order; of a page that a token leads into, those behind its place.
    public let items: [Item]
    /// What stood around the list.
    public let info: PageInfo
    /// Where to go on behind this page; `nil` where no page follows.
    public let resume: ResumeToken?
}
