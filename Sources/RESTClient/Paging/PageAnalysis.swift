import Foundation
import RESTClientHTTP

/// The signs in one response that describe the next pages. Finds the next page in an unknown convention, and
/// checks the named rules. `Pagination.automatic` documents the order of the rules.
///
/// If a response indicates more items, but does not name the query item for the next page, the most likely
/// ones are tried. The reader compares the received page with the previous one, because a server that
/// ignores an unknown query item sends the same page again.
final class PageAnalysis {
    typealias Names = PaginationNames
    typealias NextPages = StandardPagination.NextPages
    typealias Guess = StandardPagination.Guess
    typealias Number = (value: Int, sign: PaginationSign)

    let page: PageInfo
    /// The members around the list.
    private(set) lazy var members = page.envelope.paginationSigns(around: page.path)
    /// The header fields that can describe the pagination.
    private(set) lazy var fields = page.headers.paginationSigns()
    private(set) lazy var signs: [PaginationSign] = {
        let signs =
            members + fields.filter { !page.requestsRange || $0.path.names[0] != "Content-Range" }
        markObjectsAboutList(in: signs)
        return withoutMembersOfWorks(signs)
    }()
    private(set) lazy var objects = Dictionary(grouping: signs, by: \.object)
    /// The objects with a flag such as `finished` that is true, and with one that is false.
    private(set) lazy var finishedObjects = Set(signs.filter(\.isFinished).map(\.object))
    private(set) lazy var unfinishedObjects = Set(signs.filter(\.isUnfinished).map(\.object))
    /// The roles that any of the signs has.
    private lazy var roles: PaginationRoles = signs.reduce(into: []) { $0.formUnion($1.roles) }
    /// `true` if the next page is one that was received, so that this is the last one.
    var leadsBack = false

    init(_ page: PageInfo) { self.page = page }

    /// Returns the next pages, or `nil` at the end. Throws if there are more items, and no rule applies.
    func decision() throws -> NextPages? {
        if let decision = try nextPages(), !decision.requests.isEmpty { return decision }
        if let failure = evidence {
            throw RESTClientError(pagination: failure, suggestion: suggestion(for: failure, afterTrying: 2))
        }
        return nil
    }

    /// Returns the decision of the first rule that applies: no pages at the end of the list.
    private func nextPages() throws -> NextPages? {
        // Some servers name a next page after every page.
        if page.itemCount == 0, !isFirstPageOfListing || total?.value == 0, let total = knownTotal,
            total.value <= reached
        {
            leadsBack = true
            return nil
        }
        if let decision = try endingAfterEmptyPage(page.link()) { return decision }
        // Heroku names the range of the next page.
        if var next = try page.next(by: Self.range) {
            next.guess = Guess(failure: .ignoredParameter("Range"))
            return next
        }
        if signs.isEmpty, page.headers[.link] == nil { return pageByRequest() }
        if saysEnd, !isEndDoubted { return nil }
        if var decision = try nextLink() ?? nextToken() ?? nextKey() ?? nextNumber() {
            decision.mayBeMissing = decision.mayBeMissing || isEndDoubted
            return decision
        }
        if let total, total.value >= 0, total.value <= reached, more == nil, largePageCount == nil {
            return nil
        }
        if hasEmptyNext, total.map({ $0.value <= reached }) ?? true { return nil }
        if page.isPartialContent { return nil }
        return try pageNumbers() ?? offsets() ?? pagesUpToTotal() ?? mostLikelyPage() ?? pageAfterFullPage()
    }

    private static let range = PaginationConvention.Token(
        .header("Next-Range"), sentAs: .header("Range"))

    // MARK: Hints in the response

    /// The flag that indicates whether more items follow.
    lazy var more: (flag: Bool, sign: PaginationSign)? = {
        let flags = signs.compactMap { sign in sign.saysMore.map { (flag: $0, sign: sign) } }
        // A flag about the list precedes one that can be about something else.
        let certain = flags.filter { !$0.sign.roles.contains(.weakFlag) }
        guard let more = certain.first(where: \.flag) ?? certain.first ?? flags.first else { return nil }
        if number(.position) != nil || signs.contains(where: { $0.leadsToNext || $0.isNear(.token) }) {
            return more
        }
        let isState = more.sign.roles.contains(.stateFlag) && number(.total) == nil
        let isTruncation = more.sign.roles.contains(.weakFlag) && more.sign.saysTruncated
        return isState || isTruncation ? nil : more
    }()

    /// A Boolean value that indicates whether a flag says that the list ends with this page.
    var saysEnd: Bool { more?.flag == false }

    /// `true` if this flag can be about something else, as `done` can, so that a next page outweighs it.
    var isEndDoubted: Bool { saysEnd && more?.sign.roles.contains(.weakFlag) == true && hasNext }

    /// The total number of items in the list, if the response contains it.
    lazy var total = findTotal()

    /// Returns `true` for a member beside the list, or of an object there, up to `depth` objects inside.
    func isAtList(_ sign: PaginationSign, depth: Int = 1) -> Bool {
        sign.isNear || sign.path.names.count <= page.path.names.count + depth
    }

    /// Returns the members of the object that the sign is a member of.
    func beside(_ sign: PaginationSign) -> [PaginationSign] { objects[sign.object] ?? [] }

    /// A Boolean value that indicates whether another count says that the page is the whole list, although a total is larger.
    lazy var isSubtotal: Bool =
        isFirstPageOfListing && number { $0.name == "subtotal" && $0.integer == page.itemCount } != nil

    /// A Boolean value that indicates whether the page has as many items as the request asks for.
    lazy var isFull: Bool = page.itemCount > 0 && requested(sizeQuery) == page.itemCount

    /// A total that the server has only estimated.
    lazy var estimate: Number? = number(.estimate)

    /// The query item of the request, or of a link to another page, that has a page number, or an offset.
    lazy var pageQuery = queryItem(.pageQuery) ?? guessedPage
    lazy var offsetQuery = queryItem(.offsetQuery) ?? guessedOffset

    /// The query item that was guessed for the offset of this page.
    private var guessedOffset: String? {
        guard page.number > 1, !isFirstPageOfListing else { return nil }
        let names = offsetNames
        return query.first { item in
            names.contains(item.name)
                && item.value.number.map { $0 == itemsBefore || $0 == itemsBefore + 1 } == true
                // `page=2&offset=3` after `page=1&offset=3`
                && !(item.name == sizeQuery && requested(pageQuery) == page.number)
        }?.name
    }

    /// The query item that was guessed for the number of this page.
    private var guessedPage: String? {
        guard page.number > 1, !isFirstPageOfListing, let current = number(.pageNumber) else { return nil }
        return requested(current.sign.key) == current.value ? current.sign.key : nil
    }

    lazy var query: QueryItems = {
        let hasItems = page.url.absoluteString.utf8.contains(UInt8(ascii: "?"))
        var items = hasItems ? QueryItems(of: page.url) : QueryItems()
        for field in page.requestBody?.paginationSigns(around: .root) ?? [] {
            if let value = field.textOrNumber { items.add("\(field.path)", value) }
        }
        return items
    }()
    /// The query items of links to other pages.
    lazy var linkQueries: [QueryItems] = signs.compactMap { sign in
        guard sign.isURL, let text = sign.text else { return nil }
        if text.hasPrefix("&") { return QueryItems(percentEncoded: String(text.dropFirst())) }
        guard text.utf8.contains(UInt8(ascii: "?")), let url = page.url(text),
            url.path() == page.responseURL.path()
        else { return nil }
        return QueryItems(of: url)
    }

    private func queryItem(_ role: PaginationRoles) -> String? {
        query.numberName(in: role) ?? linkQueries.lazy.compactMap { $0.numberName(in: role) }.first
    }

    /// The whole number that the request has in a query item.
    func requested(_ item: String?) -> Int? { item.flatMap { query[$0] }.number }

    lazy var currentPage = requested(pageQuery) ?? number(.pageNumber)?.value

    /// A Boolean value that indicates whether the response has the page number 0.
    var isCountedFromZero: Bool { number(.pageNumber)?.value == 0 }

    func number(where condition: (PaginationSign) -> Bool) -> Number? {
        for sign in signs where sign.isNear && condition(sign) {
            if let value = sign.integer { return (value, sign) }
        }
        return nil
    }

    /// The first number with one of the roles.
    func number(_ roles: PaginationRoles) -> Number? {
        self.roles.isDisjoint(with: roles) ? nil : number { $0.isNear(roles) }
    }

    /// The offset of the page. A `pageable` object contains both an offset and a page number, and its page number is used.
    func offset(where condition: (PaginationSign) -> Bool = { _ in true }) -> Number? {
        number { $0.isNear(.offset) && $0.container != "pageable" && condition($0) }
    }

    /// A count that is larger than the number of items on the page, and can therefore be the total.
    lazy var largeCount: Number? = {
        // A `size` alone is the size of a page.
        let hasPageSize = number { $0.name != "size" && $0.isNear(.pageSize) } != nil
        return number { sign in
            sign.isNear(.count) && (sign.name != "size" || hasPageSize)
                && sign.integer.map { $0 > page.itemCount && $0 != requested(sizeQuery) } == true
        }
    }()

    /// Returns `true` if the request can have a number in a parameter with any name.
    private func mayHaveRequested(_ number: Int) -> Bool {
        page.requestBody != nil || (page.url.path() + (page.url.query() ?? "")).contains("\(number)")
    }

    /// `true` if the page has a number that was not requested: it and the number of pages can be of a book.
    lazy var isBook: Bool = {
        guard isFirstPageOfListing, page.number == 1, let current = number(.pageNumber), current.value > 1
        else { return false }
        return current.sign.isBesideList && !mayHaveRequested(current.value)
    }()

    /// Returns `true` for `page_count` in `{"page_count": 10, "total_count": 3, "total_page": 1}`, which is above the number of items,
    /// and for one that is the number of items on the page: `{"count": 10, "page_count": 3, "page_size": 3}`.
    func isPageSize(_ sign: PaginationSign) -> Bool {
        guard sign.name == "pagecount", let count = sign.integer else { return false }
        if count == page.itemCount, let size = number(.pageSize)?.value, size > 0,
            let all = (total ?? number(.count))?.value, all > 0, all.pages(of: size) != count,
            all > page.itemCount || size > page.itemCount
        {
            return true
        }
        guard let total, total.value > 0 else { return false }
        return count > total.value && signs.contains { $0.isNear(.pageCount) && $0.integer == 1 }
    }

    /// A number of pages that is larger than the number of this page. The `pages` beside a list can be those of a book.
    lazy var largePageCount: Number? = {
        guard !isBook, let count = number(where: { $0.isNear(.pageCount) && !isPageSize($0) })
        else { return nil }
        let current = number(.pageNumber)
        // `{"page_total": 3, "total": 3}` beside three items
        let isOfItems = count.value == page.itemCount && total?.value == reached
        if isOfItems, !count.sign.name.hasPrefix("total") { return nil }
        let isCount =
            count.sign.name != "pages" || !count.sign.isBesideList || pageQuery != nil
            || current?.sign.name.hasSuffix("page") == true
        return isCount && count.value > max(page.number, current?.value ?? 0) ? count : nil
    }()

    /// A count that can only be about the whole list.
    lazy var evidentCount: Number? = {
        guard let largeCount, total == nil else { return nil }
        let sign = largeCount.sign
        let isEvident =
            PaginationNames.isPagination(sign.container) || sign.isHeader || sign.isAboutList
            || sign.container.hasPrefix("resultset")
            || isFull || sign.isBesideList && sign.roles.contains(.evidentCount)
        return isEvident ? largeCount : nil
    }()

    /// The total, or a count that can only be that of the whole list.
    var knownTotal: Number? { total ?? evidentCount }

    /// A Boolean value that indicates whether the response contains an empty reference to the next page.
    var hasEmptyNext: Bool {
        let others = ["offset", "position", "continue"]
        return signs.contains {
            $0.isEmpty && ($0.leadsToNext || $0.isNear(.token) && !others.contains($0.name))
        }
    }

    /// A Boolean value that indicates whether the response contains a reference to the next page, or a larger number of pages.
    private var hasNext: Bool {
        signs.contains { $0.leadsToNext && ($0.text != nil || ($0.integer ?? 0) > page.number) }
            || largePageCount != nil
    }

    var itemsBefore: Int { page.itemsSoFar - page.itemCount }

    /// `true` for the first page of the listing, which need not be that of the list.
    var isFirstPageOfListing: Bool { itemsBefore == 0 }

    /// The number of items up to the end of this page, with those before the first page of the listing.
    lazy var reached: Int = {
        guard isFirstPageOfListing else { return page.itemsSoFar.addingClamped(page.itemsSkipped) }
        let member = offset { $0.roles.contains(.certainOffset) }
        var offset = requested(offsetQuery) ?? member?.value
        // Some servers send the offset of the next page, and others count from 1.
        if requested(offsetQuery) == nil, offset == page.itemCount || offset == 1 { offset = 0 }
        if offset == 1, let name = offsetQuery.map(QueryItems.normalized), !name.hasSuffix("offset"),
            !name.hasPrefix("skip")
        {
            offset = 0
        }
        let size = number(.pageSize)?.value ?? page.itemCount
        // Page 2 for which the request did not ask is rather the next one.
        let stated = number(.pageNumber).flatMap { $0.value != 2 || mayHaveRequested(2) ? $0.value : nil }
        let before =
            offset
            ?? (requested(pageQuery) ?? stated).map { current in
                let (before, overflows) = (max(1, current) - 1).multipliedReportingOverflow(by: max(0, size))
                return overflows ? 0 : before
            }
        let (reached, overflows) = max(0, before ?? 0).addingReportingOverflow(page.itemCount)
        return overflows ? page.itemCount : reached
    }()
}
