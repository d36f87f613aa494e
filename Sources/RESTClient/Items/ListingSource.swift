/// What is listed, and from where: all that the sequences have in common.
struct ListingSource: Sendable {
    let request: DataRequest
    let listing: ItemListing
    let start: ResumeToken?

    /// A listing that begins now.
    func feed() -> ListingFeed { ListingFeed(request, listing, from: start) }
}
