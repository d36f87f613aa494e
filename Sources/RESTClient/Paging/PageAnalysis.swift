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
    lazy var total: Number? = {
        let totals = signs.compactMap { sign -> Number? in
            // `{"from": 1, "to": 3, "of": 7}`, and `0-2/7`
            if sign.isNear, sign.name == "of", let value = sign.integer,
                beside(sign).contains(where: { $0.name == "to" })
            {
                return (value, sign)
            }
            if sign.isNear, let range = sign.text?.wholeMatch(of: #/\d+-\d+/(\d+)/#), let value = Int(range.1)
            {
                return (value, sign)
            }
            // `{"Hits": {"@pageNumber": "1", "@pageSize": "3", "#text": "7"}}`
            if PaginationSign.valueNames.contains(sign.name),
                Names.roles(of: sign.container).contains(.count), let value = sign.integer,
                beside(sign).contains(where: {
                    $0.key != sign.key && $0.integer != nil
                        && !$0.roles.isDisjoint(with: [.pageNumber, .pageSize])
                })
            {
                return (value, sign)
            }
            // Beside items, 0 means that they were not counted.
            // `_shards.total` is a number of parts of an index.
            // Beside a larger total, a `subtotal` that is reached is the number of the items that a filter leaves. On a first page
            // that is full, it can be the size of the page.
            let isFilteredTotal =
                sign.name == "subtotal" && sign.integer == reached && number(.position) != nil
                && !(isFirstPageOfListing && isAsLongAsPages)
                && number { $0.isNear(.total) && $0.integer.map { $0 > reached } == true } != nil
            guard sign.roles.contains(.total) || isFilteredTotal, !isPageCount(sign),
                sign.container != "shards",
                let value = sign.count, value != 0 || page.itemCount == 0
            else { return nil }
            let isNear = sign.isNear || sign.name != "total" && Names.totalContainers.contains(sign.container)
            // `TotalHits`, but not `total`, can be the number of items of a list that ends with this page.
            let isWhole = value > page.itemCount || value == page.itemCount && sign.name != "total"
            return isNear || isFull && isAtList(sign) && isWhole ? (value, sign) : nil
        }
        // A price has no pages.
        let isPrice =
            totals.contains { $0.sign.name.hasSuffix("total") }
            && signs.contains {
                $0.container.isEmpty && ($0.isNear(.pricePart) || $0.words.first == "cart")
            }
            && number(.position) == nil
        var candidates = totals.filter { !(isPrice && $0.sign.name.hasSuffix("total")) }
        // `stats.total` is another number than the `total` beside the list.
        if candidates.contains(where: \.sign.isBesideList) { candidates.removeAll { !$0.sign.isNear } }
        // A list that begins in the middle, although the request does not say so, is a part of another one.
        if isFirstPageOfListing, offsetQuery == nil, pageQuery == nil, !isFull,
            let start = offset(where: { $0.roles.contains(.certainOffset) })?.value,
            start > 1, start != page.itemCount, !candidates.isEmpty
        {
            return nil
        }
        let isOfAll = { (total: Number) in
            total.sign.words.contains { ["base", "unfiltered"].contains($0) }
        }
        let agreeing = candidates.first {
            $0.value == reached
                && (!isFirstPageOfListing || $0.sign.name.utf8.range(of: "filter") != nil
                    || !isOfAll($0) && candidates.contains(where: isOfAll))
        }
        // Another total can be that of the page, or of the items that a filter excludes.
        let larger = candidates.filter { $0.value > page.itemCount }
        let other = candidates.first { $0.value != page.itemCount } ?? candidates.first
        return agreeing ?? larger.min { $0.value < $1.value } ?? other ?? wholeOfPart
    }()

    /// The greater of two numbers such as `{"shown": 3, "available": 7}`, of which the other one is that of this page. Beside a page
    /// that is as large as requested, and in an object about the list such as `{"meta": {"found": 7}}`, the number can stand alone.
    private var wholeOfPart: Number? {
        for sign in signs where !sign.isHeader && isAtList(sign) {
            guard let value = sign.integer, value > page.itemCount else { continue }
            let isForeign =
                sign.roles.isSubset(of: .container) && sign.name.hasPrefix("total")
                && !Names.isMeasure(sign.key)
            let isWhole = Names.wholes.contains(sign.name)
            let isPart = beside(sign).contains { part in
                guard part.integer == page.itemCount, !part.isHeader else { return false }
                if part.words.contains(where: Names.pageCounts.contains) {
                    return isWhole || sign.roles.contains(.count)
                }
                // `{"totaltAntallTreff": 7, "treffPerSide": 3}`
                if isForeign, part.roles.isSubset(of: .container), Names.hasPageStem(part.key) {
                    return true
                }
                return isWhole && sign.name != "available"
                    && !part.roles.isDisjoint(with: [.pageSize, .sizeQuery, .count])
            }
            let isOfList =
                Names.resultContainers.contains(sign.container) && Names.foundNames.contains(sign.name)
            if isPart || isWhole && (isFull || echoesFullPage) || isOfList { return (value, sign) }
        }
        return nil
    }

    /// `true` if the response repeats a request for as many items: `{"numResults": 3, "offset": 0}`.
    private var echoesFullPage: Bool {
        signs.contains { size in
            size.integer == page.itemCount && isAtList(size)
                && (!size.roles.isDisjoint(with: [.pageSize, .sizeQuery]) || size.name == "numresults")
                && beside(size).contains { $0.roles.contains(.certainOffset) && $0.integer == itemsBefore }
        }
    }

    /// Returns `true` for a member beside the list, or of an object there, up to `depth` objects inside.
    func isAtList(_ sign: PaginationSign, depth: Int = 1) -> Bool {
        sign.isNear || sign.path.names.count <= page.path.names.count + depth
    }

    /// Returns the members of the object that the sign is a member of.
    func beside(_ sign: PaginationSign) -> [PaginationSign] { objects[sign.object] ?? [] }

    /// Returns `true` for a total such as `{"value": 10000, "relation": "gte"}`, `{"total": 3, "isMin": true}` or `"3+"`, which the
    /// list can exceed.
    func isLowerBound(_ total: Number) -> Bool {
        if total.sign.text?.hasSuffix("+") == true { return true }
        return signs.contains { sign in
            guard sign.isBeside(total.sign), sign.isHeader == total.sign.isHeader else { return false }
            if sign.name == "relation" { return sign.text.map { $0 != "eq" } == true }
            guard let flag = sign.flag else { return false }
            return (flag ? Self.lowerBounds : Self.inexactTotals).contains(sign.name)
        }
    }

    /// The names of flags that say that a total is a lower bound if they are true, and those if they are false.
    private static let lowerBounds: Words = "ismin isminimum islowerbound"
    private static let inexactTotals: Words = """
        countisexact iscountexact totalisexact istotalexact istotalcountexact numfoundexact exactcount exacttotal
        """

    /// The total, if the page is the first one of the list and later pages need not repeat it.
    var wholeTotal: Int? {
        guard let total = knownTotal, isFirstPageOfListing, reached == page.itemCount,
            !isLowerBound(total), !isSubtotal
        else { return nil }
        return total.value
    }

    /// A Boolean value that indicates whether another count says that the page is the whole list, although a total is larger.
    lazy var isSubtotal: Bool =
        isFirstPageOfListing && number { $0.name == "subtotal" && $0.integer == page.itemCount } != nil

    /// A Boolean value that indicates whether the page has as many items as the request or the response names as the size.
    private var isAsLongAsPages: Bool {
        isFull || number { $0.isNear([.pageSize, .sizeQuery]) && $0.integer == page.itemCount } != nil
    }

    /// Returns the signs without the printed pages of a book, and the next run of a schedule.
    private func withoutMembersOfWorks(_ signs: [PaginationSign]) -> [PaginationSign] {
        let works = signs.filter { $0.isBesideList && !$0.isEmpty && Names.identifyWork($0.words) }
        let list = MemberPath.normalized(page.path.names.last ?? "")
        if works.isEmpty || list == "data" || Names.itemNouns.contains(list)
            || query.numberName(in: [.pageQuery, .offsetQuery, .sizeQuery]) != nil
            || signs.contains(where: { $0.isNear(.position) && $0.integer != nil })
        {
            return signs
        }
        return signs.filter { sign in
            let isWeak =
                ["numberofpages", "numpages", "pagecount"].contains(sign.name)
                || sign.name == "next" && sign.text != nil && !sign.isURL && !sign.looksLikeToken
            return !isWeak || !works.contains { $0.isBeside(sign) }
        }
    }

    /// Marks the members of objects with unknown names that are about the list: at least two members have different roles
    /// and agree with the page, a flag says that more items follow, or the only total is in it.
    private func markObjectsAboutList(in signs: [PaginationSign]) {
        let hasTotal = signs.contains { $0.isNear(.total) && $0.integer != nil }
        var objects: [MemberPath: [PaginationSign]] = [:]
        for sign in signs where !sign.isNear && !sign.isHeader {
            objects[sign.object, default: []].append(sign)
        }
        for members in objects.values {
            // A list of its own, or a price.
            if Names.configurations.contains(members[0].container) { continue }
            if members.contains(where: {
                $0.isList && !$0.name.hasSuffix("links") || $0.roles.contains(.pricePart)
            }) {
                continue
            }
            var found: PaginationRoles = []
            var isOther = false
            var saysMore = false
            for sign in members {
                let role = roleAboutList(sign)
                found.formUnion(role ?? [])
                // `{"more": true, "cursor": "b2Zm"}`, and `{"details": {"totalResult": 7}}`
                if role == .more || role == .total && !hasTotal && isGenericTotal(sign)
                    || role == .token
                        && members.contains(where: {
                            $0.isUnfinished || $0.roles.contains(.more) && $0.flag == true
                        })
                {
                    saysMore = true
                }
                if role == nil { isOther = true }
            }
            guard saysMore || !isOther && found.rawValue.nonzeroBitCount > 1 else { continue }
            for sign in members where !(sign.roles.contains(.token) && Names.echoes.contains(sign.container))
            {
                sign.isNear = true
            }
        }
    }

    /// Returns `true` for a name such as `totalResults`, which is hardly that of another number.
    private func isGenericTotal(_ sign: PaginationSign) -> Bool {
        // `numTotalResults`
        let words = sign.words.filter { !["num", "number", "of"].contains($0) }
        guard words.count == 2, words[0] == "total", sign.integer.map({ $0 >= page.itemCount }) == true
        else { return false }
        if ["usage", "quota", "limit", "limits", "rate"].contains(sign.container) { return false }
        return ["result", "results", "hits", "records", "rows", "matches"].contains(words[1])
            || words[1] == "count" && ["fields", "details"].contains(sign.container)
    }

    /// Returns the role of a member of an unknown object, or `nil` if the object is about something else.
    private func roleAboutList(_ sign: PaginationSign) -> PaginationRoles? {
        let (roles, value) = (sign.roles, sign.integer)
        let isFlag = sign.flag != nil && sign.integer == nil
        let words = sign.words
        if roles.contains(.more), roles.isDisjoint(with: [.weakFlag, .stateFlag]), isFlag {
            let isStatement =
                words.count > 1 && ["has", "have", "is", "are", "there", "more", "show"].contains(words[0])
            return isStatement ? .more : []
        }
        if roles.contains(.end), roles.isDisjoint(with: [.weakFlag, .stateFlag]), isFlag {
            // `{"resultsInfo": {"is_last": false}}`
            let isStatement = words == ["is", "last"] || words.count > 1 && Names.areAboutPage(words[...])
            return sign.flag == false && isStatement ? .more : sign.name == "last" ? [] : .end
        }
        if roles.contains(.pageNumber), sign.name.contains("page") || sign.name.hasPrefix("current"),
            let value
        {
            let isThis = value == page.number || value == page.number - 1 || value == requested(sign.key)
            return isThis || !isFirstPageOfListing ? .pageNumber : nil
        }
        if roles.contains(.pageCount) { return value == nil ? [] : .pageCount }
        if roles.contains(.total) { return value.map { $0 >= page.itemCount } == true ? .total : [] }
        // `results_count` beside `results_fullcount`
        let isUsual = words.count == 2 || Names.messageLists.contains(sign.container)
        if isUsual, roles.contains(.count), page.itemCount > 0, value == page.itemCount { return .pageSize }
        if !roles.isDisjoint(with: [.pageSize, .sizeQuery]), roles.isDisjoint(with: [.offset, .count]) {
            let isRequested = value != nil && value == requested(sizeQuery)
            return value == page.itemCount || isRequested ? .pageSize : []
        }
        if roles.contains(.certainOffset), let value {
            return value == 0 || value == 1 || value == itemsBefore || value == page.itemsSoFar
                ? .offset : nil
        }
        if roles.contains(.next), sign.name != "next", !sign.isEmpty { return .next }
        let isCursor =
            roles.contains(.token)
            && (roles.isDisjoint(with: [.weakToken, .wordToken]) || sign.looksLikeToken)
        if isCursor, sign.text != nil { return Names.echoes.contains(sign.container) ? [] : .token }
        if roles.contains(.otherPage) || ["before", "prev", "previous"].contains(words.first ?? "") {
            return sign.text != nil || sign.isEmpty ? .otherPage : []
        }
        return []
    }

    /// Returns `true` for `total` in `{"page": {"current": 1, "total": 3}}`, and for one that is smaller than a first page.
    func isPageCount(_ sign: PaginationSign) -> Bool {
        guard sign.name == "total" else { return false }
        let members = beside(sign)
        if sign.isNear, isFirstPageOfListing, let value = sign.integer, 0 < value, value < page.itemCount,
            members.contains(where: { $0.isNear(.pageNumber) })
        {
            return true
        }
        guard sign.container.hasPrefix("pag") else { return false }
        if countsPages(sign, beside: members) { return true }
        return members.contains { $0.name == "current" }
            && (["page", "pages"].contains(sign.container)
                || !members.contains { $0.isNear([.pageSize, .count]) })
    }

    /// Returns `true` for the `total` in `{"numberOfHits": 18, "pageInfo": {"resultsPerPage": 3, "current": 1, "total": 6}}`: as many
    /// pages as the total elsewhere fills.
    private func countsPages(_ sign: PaginationSign, beside members: [PaginationSign]) -> Bool {
        guard let pages = sign.integer, pages > 0,
            members.contains(where: { $0.name == "current" }),
            let size = members.first(where: { $0.isNear([.pageSize, .sizeQuery]) })?.integer, size > 1
        else { return false }
        return signs.contains { other in
            guard !other.isBeside(sign), other.isNear([.total, .count]), let all = other.integer, all > pages
            else { return false }
            return (page.itemCount == size || all == reached) && all.pages(of: size) == pages
        }
    }

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
