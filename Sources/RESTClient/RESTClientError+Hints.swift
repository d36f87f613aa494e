import RESTClientHTTP

// The options of the library that an error mentions.

extension RESTClientError.Limit {
    /// The name of the option that sets the limit, if there is one.
    var setting: String? {
        switch self {
        case .bodyBytes: "RequestOptions.maxBodyBytes"
        case .errorBodyBytes, .unreadBytes: nil
        case .streamBytes: "RequestOptions.maxStreamBytes"
        case .itemBytes: "ItemListing.maxItemBytes"
        case .listingBytes: "ItemListing.maxBytes"
        case .pages: "ItemListing.maxPages"
        }
    }
}

extension RESTClientError.PaginationFailure {
    /// The advice, or `nil`.
    var hint: String? {
        switch self {
        case .numberInsteadOfURL(let member), .unknownToken(let member, _):
            "specify the parameter for it: .token(at: \(quoted(member)), parameter: …)"
        case .emptyNumberedPage(let number, let count) where number == count:
            "specify the number of the first page with first: 0"
        case .otherOrigin: "if this server may be asked, too, add it to ItemListing.allowedOrigins"
        case .listMoved: "list it again, or accept such a list with ItemListing.allowsIncomplete"
        case .positionMoved:
            "list it from its first page, or accept such a list with ItemListing.allowsIncomplete"
        case .emptyPage, .emptyNumberedPage, .moreThanTotal, .otherPage:
            "the list may have changed; list it again"
        case .bodyNotObject: "send a JSON object as body"
        default: "specify the pagination with ItemListing(pagination:)"
        }
    }
}
