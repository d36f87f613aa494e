import Foundation
import RESTClientHTTP

/// The signs in one response that describe the next pages. Finds the next page in an unknown convention, and checks the
/// named rules. `Pagination.automatic` documents the order of the rules.
///
/// If a response indicates more items, but does not name the query item for the next page, the most likely one is used.
/// The reader compares the received page with the previous one, because a server that ignores an unknown query item
/// sends the same page again.
final class PageAnalysis {
    typealias Names = PaginationNames
    typealias NextPages = StandardPagination.NextPages
    typealias Guess = StandardPagination.Guess
    typealias Number = (value: Int, sign: PaginationSign)

    /// The query items that may take a value, the most likely first.
    private struct QueryNames {
        /// The name in the request or in a link.
        var known: String?
        let guesses: [String]
    }

    let page: PageInfo
    let signs: [PaginationSign]

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
        if let decision = try nextPages(), !decision.requests.isEmpty { return decision }
        if let failure = evidence { throw PaginationError(failure) }
        return nil
    }

    /// Returns the decision of the first rule that applies: no pages at the end of the list.
    private func nextPages() throws -> NextPages? {
        if let decision = try page.link() { return decision }
        // Heroku names the range of the next page.
        if var next = try page.next(by: Self.range) {
            next.guess = Guess(alternatives: [], failure: .ignoredParameter("Range"))
            return next
        }
        if signs.isEmpty || more?.flag == false { return nil }
        if let decision = try nextLink() ?? nextToken() ?? nextNumber() { return decision }
        if hasEmptyNext, total.map({ $0.value <= reached }) ?? true { return nil }
        if page.isPartialContent { return nil }
        return try pageNumbers() ?? offsets() ?? pagesUpToTotal() ?? mostLikelyPage()
    }

    // MARK: Hints in the response

    /// The flag that indicates whether more items follow.
    lazy var more: (flag: Bool, sign: PaginationSign)? =
        signs.lazy.filter(\.isNear).compactMap { sign in sign.saysMore.map { ($0, sign) } }.first

    /// The total number of items in the list, if the response contains it.
    lazy var total: Number? = {
        let isPrice = signs.contains {
            $0.isNear && $0.container.isEmpty && Names.priceParts.contains($0.name)
        }
        return number { sign in
            Names.totals.contains(sign.name) && !(isPrice && sign.name == "total")
                || sign.container == "total" && sign.name == "value"
        }
    }()

    /// The query item of the request, or of a link to another page, that has a page number, or an offset.
    private lazy var pageQuery = queryItem(Names.pageQueries)
    private lazy var offsetQuery = queryItem(Names.offsetQueries)

    private lazy var query: QueryItems = {
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
    private func requested(_ item: String?) -> Int? { item.flatMap { query[$0] }.flatMap { Int($0) } }

    private lazy var currentPage = requested(pageQuery) ?? number(Names.pageNumbers)?.value

    /// A Boolean value that indicates whether the response has the page number 0.
    var isCountedFromZero: Bool { number(Names.pageNumbers)?.value == 0 }

    private static let range = PaginationConvention.Token(
        .header("Next-Range"), sentAs: .header("Range"))

    private func number(where condition: (PaginationSign) -> Bool) -> Number? {
        for sign in signs where sign.isNear && condition(sign) {
            if let value = sign.integer { return (value, sign) }
        }
        return nil
    }

    func number(_ names: Names.NameSet) -> Number? { number { names.contains($0.name) } }

    /// A count that is larger than the number of items on the page, and can therefore be the total.
    var largeCount: Number? {
        // A `size` alone is the size of a page.
        let hasPageSize = number { $0.name != "size" && Names.pageSizes.contains($0.name) } != nil
        return number { sign in
            Names.counts.contains(sign.name) && (sign.name != "size" || hasPageSize)
                && sign.integer.map { $0 > page.itemCount } == true
        }
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

    private var itemsBefore: Int { page.itemsSoFar - page.itemCount }

    /// A Boolean value that indicates whether this is the first page of the listing, which need not be the first page
    /// of the list.
    var isFirstPageOfListing: Bool { itemsBefore == 0 }

    /// The number of items of the list up to the end of this page, including those before the first page of the
    /// listing.
    lazy var reached: Int = {
        guard isFirstPageOfListing else { return page.itemsSoFar }
        let offset =
            requested(offsetQuery)
            ?? number { Names.certainOffsets.contains($0.name) && $0.container != "pageable" }?.value
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

    // MARK: Tokens

    private func nextToken() -> NextPages? {
        guard let (candidates, sign, isKnown) = token() else { return nil }
        let rule = "\(sign)"
        let end = NextPages(requests: [], rule: rule)
        // An empty page can repeat the cursor of the last item, which is then the end of the list.
        if page.itemCount == 0, page.number > 1, Names.lastItemCursors.contains(sign.name) { return end }
        let isComplete = total.map { $0.value <= reached } ?? false
        // The query items of the request for this page are preferred.
        if let items = candidates.first(where: { $0.allSatisfy { query[$0.name] != nil } }) {
            let isSame = items.allSatisfy { query[$0.name] == $0.value.text }
            return isSame && isComplete ? end : NextPages(requests: [request(setting: items)], rule: rule)
        }
        // Crossref repeats its cursor on the last page.
        if isComplete, sign.name == "nextcursor" { return end }
        let requests = candidates.prefix(2).map { request(setting: $0) }
        let guess = Guess(
            alternatives: Array(requests.dropFirst()),
            failure: .unknownToken(in: sign.path, sign.textOrNumber ?? ""))
        return NextPages(requests: [requests[0]], rule: rule, guess: isKnown ? nil : guess)
    }

    /// Returns the token, with the possible query items for it, the most likely first.
    private func token() -> (candidates: [TokenItems], sign: PaginationSign, isKnown: Bool)? {
        // An object whose members are all sent back, as in the MediaWiki API.
        let returned = signs.filter { $0.container == "continue" && $0.text != nil }
        if let sign = returned.first { return ([returned.map { ($0.key, .value($0.text)) }], sign, true) }
        for sign in signs where !sign.isURL {
            guard let value = sign.textOrNumber else { continue }
            let isText = sign.text != nil
            if Names.isNext(sign.container), !sign.isHeader {
                // {"next": {"after": "x"}}: the member has the name of the query item.
                if isText, !["type", "method", "rel", "title"].contains(sign.name) {
                    return ([[(sign.key, JSONLiteral(.string(value)))]], sign, true)
                }
                continue
            }
            // Next to a list, a common word such as `after` can have another meaning.
            if Names.wordTokens.contains(sign.name), sign.isBesideList, more == nil, !sign.looksLikeToken {
                continue
            }
            let isNumber = sign.integer != nil
            let isTokenName = sign.name.hasSuffix("token") || sign.name.hasSuffix("cursor")
            let isNext = sign.leadsToNext && (isTokenName || isText && !isNumber)
            let isToken =
                sign.isNear && Names.tokens.contains(sign.name)
                && (isText || isTokenName || sign.name == "searchcontinue")
            guard isNext || isToken, !(isNumber && ["offset", "position"].contains(sign.name)) else {
                continue
            }
            let token = isText ? JSONLiteral(.string(value)) : .value(sign.integer)
            return (tokenParameters(of: sign).map { [($0, token)] }, sign, false)
        }
        return nil
    }

    /// The parameters that may take the token: the variables of a GraphQL query, or those with its name.
    private func tokenParameters(of sign: PaginationSign) -> [String] {
        let isGraphQL = page.requestBody?.string("query") != nil && sign.name == "endcursor"
        return isGraphQL ? ["variables.after", "variables.cursor"] : sign.tokenQueries
    }

    private typealias TokenItems = [(name: String, value: JSONLiteral)]

    private func request(setting items: TokenItems) -> PageRequest {
        items.reduce(into: page.request) { request, item in
            var page = page
            page.request = request
            request = page.request(setting: item.name, to: item.value)
        }
    }

    // MARK: Numbers

    /// Returns the next page from a member with its number or the offset of its first item.
    private func nextNumber() -> NextPages? {
        for sign in signs where sign.leadsToNext {
            guard let next = sign.integer, next > 0 else { continue }
            let offset = number(Names.offsets)
            if Names.nextOffsets.contains(sign.name)
                || next == page.itemsSoFar && offset != nil && next > page.number + 1
            {
                let word = String(sign.name.dropFirst(sign.name.hasPrefix("nextpage") ? 8 : 4))
                let guess = offset?.sign.key ?? (word.isEmpty ? "offset" : word)
                return decision(QueryNames(known: offsetQuery, guesses: [guess]), rule: "\(sign)", next)
            }
            let current = number(Names.pageNumbers)?.value ?? requested(pageQuery)
            guard current.map({ next == $0 + 1 }) ?? (page.number == 1 && next == 2 || sign.isHeader) else {
                continue
            }
            return decision(pageNames, rule: "\(sign)", next)
        }
        return nil
    }

    /// Returns the next page numbers, up to a number of pages.
    private func pageNumbers() throws -> NextPages? {
        guard
            let sign = signs.first(where: {
                Names.pageCounts.contains($0.name) && $0.isNear && $0.flag == nil
            }),
            sign.name != "pages" || !sign.isBesideList || total != nil || number(Names.pageNumbers) != nil,
            let count = try sign.isHeader ? sign.integer : page.count(at: sign.path)
        else { return nil }
        return try decision(pageNames) {
            try page.numbers(parameter: $0, current: currentPage, count: count, rule: rule($0, upTo: sign))
        }
    }

    /// Returns the next offsets, up to a total, or the next one if a flag indicates more items.
    private func offsets() throws -> NextPages? {
        let member = number { sign in
            // A `from` or `first` can have another meaning. A `pageable` object contains both an offset and a page
            // number, and its page number is used.
            guard Names.offsets.contains(sign.name), sign.container != "pageable", let value = sign.integer
            else { return false }
            return value == itemsBefore || value == itemsBefore + 1
                || isFirstPageOfListing && Names.certainOffsets.contains(sign.name)
        }
        let all = total ?? largeCount ?? number(Names.counts)
        guard member != nil || offsetQuery != nil, more != nil || all != nil else { return nil }
        try check(all)
        // If items are numbered from 1, the number of the last item is the total.
        let isFromOne = offsetQuery == nil && member?.value == itemsBefore + 1
        let limit = more == nil ? all.map { isFromOne && $0.value < .max ? $0.value + 1 : $0.value } : nil
        var decision = try decision(QueryNames(known: offsetQuery, guesses: [member?.sign.key ?? "offset"])) {
            try page.offsets(
                parameter: $0, current: requested(offsetQuery) ?? member?.value, total: limit,
                rule: rule($0, upTo: all?.sign ?? more?.sign))
        }
        if page.number == 1, offsetQuery == nil, more == nil {
            decision.guess?.alternatives.append(page.request(setting: "page", to: 1))
        }
        return decision
    }

    /// Throws if the total is negative.
    private func check(_ total: Number?) throws {
        if let total, total.value < 0, !total.sign.isHeader { _ = try page.count(at: total.sign.path) }
    }

    /// Returns the next page numbers, up to a total number of items, or the next one if a flag indicates more items.
    private func pagesUpToTotal() throws -> NextPages? {
        guard let current = currentPage else { return nil }
        let all = total ?? largeCount
        try check(all)
        guard let goesOn = more?.flag ?? all.map({ $0.value > reached }) else { return nil }
        guard goesOn else { return NextPages(requests: [], rule: "") }
        guard page.itemCount > 0, current < Int.max else { return nil }
        let size = number(Names.pageSizes)?.value
        return try decision(pageNames) { name in
            let rule = rule(name, upTo: all?.sign ?? more?.sign)
            guard more == nil, let all, let size, size == page.itemCount else {
                return NextPages(requests: [page.request(setting: name, to: current + 1)], rule: rule)
            }
            let pages = all.value / size + (all.value % size > 0 ? 1 : 0)
            return try page.numbers(parameter: name, current: current, count: pages, rule: rule)
        }
    }

    /// Returns the most likely next page if the response indicates more items without a reference to them.
    private func mostLikelyPage() throws -> NextPages? {
        let hasMore = more?.flag == true || total.map { $0.value > reached } == true
        let idQueries = ["after_id", "after"]
        let idQuery = idQueries.first { query[$0] != nil }
        guard hasMore, page.itemCount > 0,
            page.number == 1 || pageQuery != nil || offsetQuery != nil || idQuery != nil,
            let sign = more?.sign ?? total?.sign
        else { return nil }
        if let id = signs.first(where: { Names.lastIDs.contains($0.name) && $0.isNear }),
            let value = id.textOrNumber
        {
            return decision(QueryNames(known: idQuery, guesses: idQueries)) {
                NextPages(
                    requests: [page.request(setting: $0, to: JSONLiteral(.string(value)))], rule: "\(id)")
            }
        }
        guard page.number == 1 || pageQuery != nil || offsetQuery != nil else { return nil }
        let offset: String? =
            switch more == nil ? sizeQuery.map(QueryItems.normalized) : nil {
            case "rows": "start"
            case "maxresults": "startIndex"
            case "size": "from"
            case "top": sizeQuery?.hasPrefix("$") == true ? "$skip" : "skip"
            default: nil
            }
        if let offset { return decision(QueryNames(guesses: [offset]), rule: "\(sign)", page.itemsSoFar) }
        let current = requested(pageQuery) ?? page.number
        return current < Int.max ? decision(pageNames, rule: "\(sign)", current + 1) : nil
    }

    // MARK: Query items

    /// The query item of the request that sets the page size.
    private var sizeQuery: String? {
        query.first { item in
            let name = QueryItems.normalized(item.name)
            return Names.pageSizes.contains(name) || name == "top"
        }?.name
    }

    /// The query item for the page number. If it is unknown, the possible names in the style of the request.
    private var pageNames: QueryNames {
        guard pageQuery == nil, let size = sizeQuery else {
            return QueryNames(known: pageQuery, guesses: ["page"])
        }
        if size.hasSuffix("]"), let bracket = size.lastIndex(of: "[") {
            let group = size[..<bracket]
            return QueryNames(guesses: [group == "page" ? "page[number]" : "\(group)[currentPage]"])
        }
        if size.first?.isUppercase == true { return QueryNames(guesses: ["Page", "PageNumber"]) }
        return QueryNames(guesses: size == "pageSize" ? ["page", "pageNumber"] : ["page"])
    }

    private func decision(_ query: QueryNames, rule: String, _ value: Int) -> NextPages {
        decision(query) { NextPages(requests: [page.request(setting: $0, to: value)], rule: rule) }
    }

    /// The decision for the most likely name, with the next page by the others as alternatives.
    private func decision(_ query: QueryNames, _ decide: (String) throws -> NextPages?) rethrows -> NextPages
    {
        guard var decision = try decide(query.known ?? query.guesses[0]) else {
            return NextPages(requests: [], rule: "")
        }
        guard query.known == nil else { return decision }
        decision.guess = Guess(
            alternatives: try query.guesses.dropFirst().compactMap { try decide($0)?.requests.first },
            failure: (total ?? largeCount)
                .map { .incompleteTotal(received: page.itemsSoFar, total: $0.value) } ?? .missingNext)
        return decision
    }

    private func rule(_ query: String, upTo sign: PaginationSign?) -> String {
        "\"\(query)\" up to \(sign.map { "\($0)" } ?? "the end")"
    }
}
