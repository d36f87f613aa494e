import Foundation
import RESTClientHTTP

/// The signs in one response that describe the next pages. Finds the next page in an unknown convention, and checks the
/// named rules. `Pagination.automatic` documents the order of the rules.
///
/// If a response indicates more items, but does not name the query item for the next page, the most likely ones are
/// tried. The reader compares the received page with the previous one, because a server that ignores an unknown query
/// item sends the same page again.
final class PageAnalysis {
    typealias Names = PaginationNames
    typealias NextPages = StandardPagination.NextPages
    typealias Guess = StandardPagination.Guess
    typealias Number = (value: Int, sign: PaginationSign)

    let page: PageInfo
    let signs: [PaginationSign]
    /// A Boolean value that indicates whether the link to the next page leads to this page, which is the last one.
    var linksToItself = false

    init(_ page: PageInfo) {
        self.page = page
        let fields = page.headers.paginationSigns().filter {
            !page.requestsRange || $0.path.names[0] != "Content-Range"
        }
        signs = page.envelope.paginationSigns(around: page.path) + fields
    }

    /// Returns the next pages, or `nil` at the end of the list.
    ///
    /// - Throws: `PaginationError` if the response indicates more items and no rule applies.
    func decision() throws -> NextPages? {
        if var decision = try nextPages(), !decision.requests.isEmpty {
            decision.itemsSkipped = reached - page.itemsSoFar
            if page.number == 1, decision.guess == nil, let parameter = decision.parameter {
                decision.guess = Guess(failure: .ignoredParameter(parameter), suggestion: suggestion)
            }
            return decision
        }
        if let failure = evidence { throw PaginationError(failure, suggestion: suggestion(for: failure)) }
        return nil
    }

    /// Returns the decision of the first rule that applies: no pages at the end of the list.
    private func nextPages() throws -> NextPages? {
        if let decision = try page.endingAfterEmptyPage(page.link()) { return decision }
        // Heroku names the range of the next page.
        if var next = try page.next(by: Self.range) {
            next.guess = Guess(failure: .ignoredParameter("Range"))
            return next
        }
        if signs.isEmpty, page.headers[.link] == nil { return nil }
        // A flag such as `truncated` can be about something else.
        if let more, !more.flag, !(Names.weakFlags.contains(more.sign.name) && hasNext) { return nil }
        if let decision = try nextLink() ?? nextToken() ?? nextKey() ?? nextNumber() { return decision }
        if let total, total.value >= 0, total.value <= reached, more == nil { return nil }
        if hasEmptyNext, total.map({ $0.value <= reached }) ?? true { return nil }
        if page.isPartialContent { return nil }
        return try pageNumbers() ?? offsets() ?? pagesUpToTotal() ?? mostLikelyPage() ?? pageAfterFullPage()
    }

    private static let range = PaginationConvention.Token(
        .header("Next-Range"), sentAs: .header("Range"))

    // MARK: Hints in the response

    /// The flag that indicates whether more items follow.
    lazy var more: (flag: Bool, sign: PaginationSign)? =
        signs.lazy.compactMap { sign in sign.saysMore.map { ($0, sign) } }.first

    /// The normalized name of the list.
    lazy var listName: String = page.path.names.last.map(PaginationSign.normalized) ?? ""

    /// The total number of items in the list, if the response contains it.
    lazy var total: Number? = {
        let totals = signs.filter { sign in
            let isNear = sign.isNear || sign.name != "total" && Names.totalContainers.contains(sign.container)
            return isNear && isTotal(sign) && sign.integer != nil
        }
        // A price has no pages.
        let isPrice =
            totals.contains { $0.name == "total" }
            && signs.contains { $0.isNear && $0.container.isEmpty && Names.priceParts.contains($0.name) }
            && !signs.contains {
                $0.isNear && $0.integer != nil
                    && (Names.pageNumbers.contains($0.name) || Names.pageSizes.contains($0.name)
                        || Names.certainOffsets.contains($0.name))
            }
        let sign = totals.first { !(isPrice && $0.name == "total") }
        return sign.flatMap { sign in sign.integer.map { ($0, sign) } }
    }()

    private func isTotal(_ sign: PaginationSign) -> Bool {
        let name = sign.name
        if Names.totals.contains(name) { return true }
        if sign.container == "total" { return name == "value" || name.isEmpty }
        guard name.hasPrefix("total") || name.hasPrefix("grandtotal") else { return false }
        // total_posts next to posts
        let noun = name.trimmingPrefix("grand").trimmingPrefix("total")
        return Names.itemNouns.contains(String(noun)) || !listName.isEmpty && noun == listName
    }

    /// A total that the server has only estimated.
    lazy var estimate: Number? = number { Names.estimates.contains($0.name) }

    /// The query item of the request, or of a link to another page, that has a page number, or an offset.
    lazy var pageQuery = queryItem(Names.pageQueries)
    lazy var offsetQuery = queryItem(Names.offsetQueries) ?? guessedOffset

    /// The query item that was guessed for the offset of this page.
    private var guessedOffset: String? {
        guard page.number > 1, !isFirstPageOfListing else { return nil }
        let names = offsetNames
        return query.first { item in
            names.contains(item.name)
                && item.value.flatMap { Int($0) }.map { $0 == itemsBefore || $0 == itemsBefore + 1 } == true
        }?.name
    }

    lazy var query: QueryItems = {
        var items = QueryItems(of: page.url)
        for field in page.requestBody?.paginationSigns(around: .root) ?? [] {
            if let value = field.textOrNumber { items.add("\(field.path)", value) }
        }
        return items
    }()
    /// The query items of links to other pages.
    private lazy var linkQueries = signs.filter(\.isURL).compactMap { $0.text.flatMap { page.url($0) } }
        .filter { $0.path() == page.responseURL.path() }.map { QueryItems(of: $0) }

    private func queryItem(_ names: Names.NameSet) -> String? {
        query.numberName(in: names) ?? linkQueries.lazy.compactMap { $0.numberName(in: names) }.first
    }

    /// The whole number that the request has in a query item.
    func requested(_ item: String?) -> Int? { item.flatMap { query[$0] }.flatMap { Int($0) } }

    lazy var currentPage = requested(pageQuery) ?? number(Names.pageNumbers)?.value

    /// A Boolean value that indicates whether the response has the page number 0.
    var isCountedFromZero: Bool { number(Names.pageNumbers)?.value == 0 }

    func number(where condition: (PaginationSign) -> Bool) -> Number? {
        for sign in signs where sign.isNear && condition(sign) {
            if let value = sign.integer { return (value, sign) }
        }
        return nil
    }

    func number(_ names: Names.NameSet) -> Number? { number { names.contains($0.name) } }

    /// A count that is larger than the number of items on the page, and can therefore be the total.
    lazy var largeCount: Number? = {
        // A `size` alone is the size of a page.
        let hasPageSize = number { $0.name != "size" && Names.pageSizes.contains($0.name) } != nil
        return number { sign in
            (Names.counts.contains(sign.name) && (sign.name != "size" || hasPageSize) || isListCount(sign))
                && sign.integer.map { $0 > page.itemCount && $0 != requested(sizeQuery) } == true
        }
    }()

    /// Returns `true` for `posts_count` next to `posts`.
    private func isListCount(_ sign: PaginationSign) -> Bool {
        if sign.name.hasPrefix("num") {
            let noun = String(sign.name.dropFirst(3))
            return Names.itemNouns.contains(noun) || !listName.isEmpty && noun == listName
        }
        return !listName.isEmpty && (sign.name == "\(listName)count" || sign.name == "\(listName)total")
    }

    /// A count that can only be about the whole list.
    var evidentCount: Number? {
        guard let largeCount, total == nil else { return nil }
        let sign = largeCount.sign
        let isEvident =
            Names.paginationContainers.contains(sign.container) || sign.isHeader
            || sign.isBesideList && (Names.evidentCounts.contains(sign.name) || isListCount(sign))
        return isEvident ? largeCount : nil
    }

    /// A Boolean value that indicates whether the response contains an empty reference to the next page.
    private var hasEmptyNext: Bool {
        signs.contains { sign in
            guard sign.isEmpty else { return false }
            return sign.leadsToNext
                || sign.isNear && Names.tokens.contains(sign.name)
                    && !["offset", "position", "continue"].contains(sign.name)
        }
    }

    /// A Boolean value that indicates whether the response contains a reference to the next page.
    private var hasNext: Bool { signs.contains { $0.leadsToNext && $0.text != nil } }

    var itemsBefore: Int { page.itemsSoFar - page.itemCount }

    /// A Boolean value that indicates whether this is the first page of the listing, which need not be the first page
    /// of the list.
    var isFirstPageOfListing: Bool { itemsBefore == 0 }

    /// The number of items of the list up to the end of this page, including those before the first page of the
    /// listing.
    lazy var reached: Int = {
        guard isFirstPageOfListing else { return page.itemsSoFar.addingClamped(page.itemsSkipped) }
        let member = number { Names.certainOffsets.contains($0.name) && $0.container != "pageable" }
        var offset = requested(offsetQuery) ?? member?.value
        // Some servers send the offset of the next page, and others count from 1.
        if requested(offsetQuery) == nil, offset == page.itemCount || offset == 1 { offset = 0 }
        let size = number(Names.pageSizes)?.value ?? page.itemCount
        let before =
            offset
            ?? currentPage.map { current in
                let (before, overflows) = (max(1, current) - 1).multipliedReportingOverflow(by: max(0, size))
                return overflows ? 0 : before
            }
        let (reached, overflows) = max(0, before ?? 0).addingReportingOverflow(page.itemCount)
        return overflows ? page.itemCount : reached
    }()
}

extension Int {
    /// Returns the sum, or the largest integer if the sum is too large.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
