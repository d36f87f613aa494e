/// The meanings that the name of a member, header field or query item can have for the pagination.
struct PaginationRoles: OptionSet, Sendable {
    let rawValue: UInt32

    /// A flag that is true if there are more items.
    static let more = Self(rawValue: 1 << 0)
    /// A flag that can be about something else than the list.
    static let weakFlag = Self(rawValue: 1 << 1)
    /// A flag that is true on the last page.
    static let end = Self(rawValue: 1 << 2)
    /// The total number of items.
    static let total = Self(rawValue: 1 << 3)
    /// A total that the server has only estimated.
    static let estimate = Self(rawValue: 1 << 4)
    /// A number of items that can refer to the page or to the entire list.
    static let count = Self(rawValue: 1 << 5)
    /// A count that can only be about the entire list if it is next to it and larger than the page.
    static let evidentCount = Self(rawValue: 1 << 6)
    /// The number of pages.
    static let pageCount = Self(rawValue: 1 << 7)
    /// The number of the current page.
    static let pageNumber = Self(rawValue: 1 << 8)
    /// The maximum number of items on a page.
    static let pageSize = Self(rawValue: 1 << 9)
    /// The offset of the first item of the page.
    static let offset = Self(rawValue: 1 << 10)
    /// An offset even if the listing does not start at the first item.
    static let certainOffset = Self(rawValue: 1 << 11)
    /// The number of items after the page.
    static let remaining = Self(rawValue: 1 << 12)
    /// The offset of the first item of the next page.
    static let nextOffset = Self(rawValue: 1 << 13)
    /// A token whose name does not begin with `next`.
    static let token = Self(rawValue: 1 << 14)
    /// A token that counts only if the response indicates more items.
    static let weakToken = Self(rawValue: 1 << 15)
    /// A common word, which is a token only if its text looks like one.
    static let wordToken = Self(rawValue: 1 << 16)
    /// A cursor that identifies the last item of the page.
    static let lastItemCursor = Self(rawValue: 1 << 17)
    /// A link to the last page.
    static let lastPage = Self(rawValue: 1 << 18)
    /// A link to a page other than the next one.
    static let otherPage = Self(rawValue: 1 << 19)
    /// A reference to the next page.
    static let next = Self(rawValue: 1 << 20)
    /// An object whose members can describe the pagination.
    static let container = Self(rawValue: 1 << 21)
    /// An object that has no other purpose than pagination.
    static let paginationContainer = Self(rawValue: 1 << 22)
    /// An object that may contain the reference to the next page.
    static let referenceContainer = Self(rawValue: 1 << 23)
    /// A query item with a page number, an offset, or the page size.
    static let pageQuery = Self(rawValue: 1 << 24)
    static let offsetQuery = Self(rawValue: 1 << 25)
    static let sizeQuery = Self(rawValue: 1 << 26)
    /// A member next to a `total` that is a price.
    static let pricePart = Self(rawValue: 1 << 27)
    /// A weak flag that says nothing about the list unless another member describes the pagination.
    static let stateFlag = Self(rawValue: 1 << 28)

    /// The numbers that make a count next to them one of the list, and not of something else.
    static let position: Self = [.pageNumber, .pageSize, .certainOffset]
}
