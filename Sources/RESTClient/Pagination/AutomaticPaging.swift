import Foundation
import RESTClientHTTP

/// Finds the next page of a reply whose paging convention is not known: `Pagination.automatic` documents the order.
///
/// Where a reply shows that there is more, but not which query item takes it, the most likely one is tried. The reader
/// compares the page that comes with the one before, because a server that does not know a query item sends the same
/// page again.
struct AutomaticPaging {
    private typealias Names = PagingNames
    typealias Decision = StandardPagination.Decision
    private typealias Guess = StandardPagination.Guess

    private let page: PageInfo
    private let signs: [PagingSign]
    private let query: QueryItems
    private let more: (flag: Bool, sign: PagingSign)?
    /// The total of the list, as far as the reply gives one.
    private let total: (value: Int, sign: PagingSign)?

    init(_ page: PageInfo) {
        self.page = page
        let fields = page.headers.pagingSigns().filter {
            !page.requestsRange || $0.path.names[0] != "Content-Range"
        }
        signs = page.envelope.pagingSigns(around: page.path) + fields
        query = QueryItems(of: page.url)
        let near = signs.filter(Self.isNear)
        more = Self.flag(in: near)
        let isPrice = near.contains { $0.container.isEmpty && Names.priceParts.contains($0.name) }
        let total = near.first { sign in
            let isTotal =
                Names.totals.contains(sign.name) || sign.container == "total" && sign.name == "value"
            return isTotal && sign.integer != nil && !(sign.name == "total" && isPrice)
        }
        self.total = total.flatMap { sign in sign.integer.map { ($0, sign) } }
    }

    /// Returns the pages that follow, or `nil` at the end of the list.
    ///
    /// - Throws: `PaginationError` if something in the reply says that there is more, and no rule fits.
    func decision() throws -> Decision? {
        if let decision = try page.link() { return decision.urls.isEmpty ? try end() : decision }
        if more?.flag == false { return try end() }
        if let decision = try nextLink() ?? nextToken() ?? nextNumber() {
            return decision.urls.isEmpty ? try end() : decision
        }
        if hasEmptyNext, total.map({ $0.value <= reached }) ?? true { return try end() }
        if page.isPartialContent { return try end() }
        if let decision = try pageNumbers() ?? offsets() ?? pagesUpToTotal() ?? guess() {
            return decision.urls.isEmpty ? try end() : decision
        }
        return try end()
    }

    // MARK: Finding

    /// A Boolean value that indicates whether a sign stands where a common word such as `count` is about the list.
    private static func isNear(_ sign: PagingSign) -> Bool {
        sign.isHeader || sign.isBesideList || Names.containers.contains(sign.container)
    }

    /// The same for a name that begins with `next`; one of several words means the same wherever it is.
    private static func isNext(_ sign: PagingSign) -> Bool {
        Names.isNext(sign.name) && (isNear(sign) || sign.name != "next")
    }

    private static func flag(in signs: [PagingSign]) -> (Bool, PagingSign)? {
        for sign in signs {
            if Names.moreFlags.contains(sign.name), let flag = sign.flag { return (flag, sign) }
            // `last` and `end` may be numbers of items.
            guard Names.lastFlags.contains(sign.name) else { continue }
            if case .integer = sign.value { continue }
            if let flag = sign.flag { return (!flag, sign) }
        }
        return nil
    }

    private func number(
        _ names: Set<String>, where condition: (PagingSign) -> Bool = { _ in true }
    ) -> (
        value: Int, sign: PagingSign
    )? {
        for sign in signs where names.contains(sign.name) && Self.isNear(sign) && condition(sign) {
            if let value = sign.integer { return (value, sign) }
        }
        return nil
    }

    /// A count that is larger than the page, and so may be the total.
    private var largeCount: (value: Int, sign: PagingSign)? {
        // A `size` alone is the size of a page.
        let hasPageSize = number(Names.pageSizes.subtracting(["size"])) != nil
        return number(Names.counts) { sign in
            sign.integer.map { $0 > page.itemCount } == true && (sign.name != "size" || hasPageSize)
        }
    }

    /// A Boolean value that indicates whether a reference to the next page is there and empty.
    private var hasEmptyNext: Bool {
        signs.contains { sign in
            guard sign.isEmpty else { return false }
            return Self.isNext(sign)
                || Self.isNear(sign) && Names.tokens.contains(sign.name)
                    && !["offset", "position", "continue"].contains(sign.name)
        }
    }

    // MARK: Links

    private func nextLink() throws -> Decision? {
        if let link = signs.first(where: { sign in
            guard case .link(let method) = sign.source else { return false }
            return sign.name == "next" && method != "GET"
        }) {
            throw PaginationError(.nextRequiresMethod(in: link.path))
        }
        let links = signs.filter { sign in
            guard sign.text != nil else { return false }
            if Self.isNext(sign) { return sign.isURL || Self.isURLName(sign.name) }
            return Names.isNext(sign.container)
                && (Self.isURLName(sign.name) || sign.isURL && sign.name == "path")
        }
        // Of several the absolute one: a path may be relative to something else than this URL.
        guard
            let link = links.first(where: { $0.text?.contains("://") == true })
                ?? links.first(where: { Self.isURLName($0.name) }) ?? links.first,
            let target = link.text
        else { return nil }
        let rule = Self.shown(link)
        let url = try page.nextURL(target, in: link.path)
        guard page.itemCount == 0, page.number > 1 else { return Decision(urls: [url], rule: rule) }
        // Past the end, servers that count pages go on naming a next one.
        let countsPages = signs.contains { Names.otherPages.contains($0.name) && $0.isURL }
        return Decision(urls: countsPages ? [] : [url], rule: rule)
    }

    /// Returns `true` for a name that ends with `url` or the like.
    private static func isURLName(_ name: String) -> Bool { Names.urlEndings.contains { name.hasSuffix($0) } }

    // MARK: Tokens

    private func nextToken() -> Decision? {
        guard let (candidates, sign, isKnown) = token() else { return nil }
        let rule = Self.shown(sign)
        // Nothing comes after the last item, whose cursor an empty page can repeat.
        if page.itemCount == 0, page.number > 1, Names.lastItemCursors.contains(sign.name) {
            return Decision(urls: [], rule: rule)
        }
        // The query items that the request for this page had.
        if let items = candidates.first(where: { $0.allSatisfy { query[$0.name] != nil } }) {
            let isSame = items.allSatisfy { query[$0.name] == $0.value }
            if isSame, total.map({ $0.value <= reached }) == true {
                return Decision(urls: [], rule: rule)
            }
            return Decision(urls: [url(setting: items)], rule: rule)
        }
        // Crossref repeats its cursor on the last page.
        if let total, total.value <= reached, sign.name == "nextcursor" {
            return Decision(urls: [], rule: rule)
        }
        let urls = candidates.prefix(2).map { url(setting: $0) }
        let guess = Guess(
            alternatives: Array(urls.dropFirst()),
            failure: .unknownToken(in: sign.path, sign.text ?? "\(sign.integer ?? 0)"))
        return Decision(urls: [urls[0]], rule: rule, guess: isKnown ? nil : guess)
    }

    private typealias Items = [(name: String, value: String)]

    /// The token, with the query items that may take it, the most likely first.
    private func token() -> (candidates: [Items], sign: PagingSign, isKnown: Bool)? {
        // An object that is to be sent back as it is, as MediaWiki has it.
        let returned = signs.filter { $0.container == "continue" && $0.text != nil }
        if let sign = returned.first {
            return ([returned.map { ($0.path.names.last ?? "", $0.text ?? "") }], sign, true)
        }
        for sign in signs where !sign.isURL {
            guard let key = sign.path.names.last, let value = sign.text ?? sign.integer.map({ "\($0)" })
            else { continue }
            let isText = sign.text != nil
            if Names.isNext(sign.container), !sign.isHeader {
                // {"next": {"after": "x"}}: the member has the name of the query item.
                if isText, !["type", "method", "rel", "title"].contains(sign.name) {
                    return ([[(key, value)]], sign, true)
                }
                continue
            }
            // Beside a list, a common word such as `after` may be anything.
            if Names.wordTokens.contains(sign.name), sign.isBesideList, more == nil, !sign.looksLikeToken {
                continue
            }
            let isNumber = sign.integer != nil
            let isTokenName = sign.name.hasSuffix("token") || sign.name.hasSuffix("cursor")
            let isNext = Self.isNext(sign) && (isTokenName || isText && !isNumber)
            let isToken =
                Self.isNear(sign) && Names.tokens.contains(sign.name)
                && (isText || isTokenName || sign.name == "searchcontinue")
            guard isNext || isToken, !(isNumber && ["offset", "position"].contains(sign.name)) else {
                continue
            }
            return (Self.queryNames(for: key, sign.name).map { [($0, value)] }, sign, false)
        }
        return nil
    }

    /// The query items that may take the token in the member `key`, the most likely first.
    private static func queryNames(for key: String, _ name: String) -> [String] {
        let bare = key.drop { !$0.isLetter }
        func styled(_ words: [String]) -> String {
            if key.contains("_") { return words.joined(separator: "_") }
            if key.contains("-") { return words.joined(separator: "-") }
            let isCapitalized = bare.first?.isUppercase == true
            return words.enumerated().map {
                $0 == 0 && !isCapitalized ? $1 : $1.prefix(1).uppercased() + $1.dropFirst()
            }.joined()
        }
        switch name {
        case "endcursor", "after": return ["after", "cursor"]
        case "next": return ["cursor", "next"]
        case "nextcursor": return ["cursor", String(bare)]
        case "nexttoken":
            return [bare.prefix(1).lowercased() + bare.dropFirst(), styled(["pagination", "token"])]
        case "nextpagetoken": return [styled(["page", "token"]), String(bare)]
        case "searchcontinue": return ["continue"]
        default:
            guard name.hasPrefix("next") else { return [key] }
            return [styled(Array(PagingNames.words(of: bare).dropFirst())), String(bare)]
        }
    }

    // MARK: Numbers

    /// The number of the next page, or the place of its first item.
    private func nextNumber() -> Decision? {
        for sign in signs where Self.isNext(sign) {
            guard let next = sign.integer, next > 0 else { continue }
            let offset = number(Names.offsets)
            if Names.nextOffsets.contains(sign.name)
                || next == page.itemsSoFar && offset != nil && next > page.number + 1
            {
                let word = String(sign.name.dropFirst(sign.name.hasPrefix("nextpage") ? 8 : 4))
                let names =
                    known(Names.offsetQueries).map { [$0] } ?? [
                        offset?.sign.path.names.last ?? (word.isEmpty ? "offset" : word)
                    ]
                return decision(names, isKnown: known(Names.offsetQueries) != nil, rule: Self.shown(sign)) {
                    "\(next)"
                }
            }
            let current =
                number(Names.pageNumbers)?.value
                ?? known(Names.pageQueries).flatMap { query[$0] }.flatMap { Int($0) }
            guard current.map({ next == $0 + 1 }) ?? (page.number == 1 && next == 2 || sign.isHeader) else {
                continue
            }
            let (names, isKnown) = pageQuery
            return decision(names, isKnown: isKnown, rule: Self.shown(sign)) { "\(next)" }
        }
        return nil
    }

    /// Page numbers up to a number of pages.
    private func pageNumbers() throws -> Decision? {
        let current = number(Names.pageNumbers)
        guard
            let sign = signs.first(where: {
                Names.pageCounts.contains($0.name) && Self.isNear($0) && $0.flag == nil
            }), sign.name != "pages" || !sign.isBesideList || current != nil || total != nil,
            let count = try sign.isHeader ? sign.integer : page.count(at: sign.path)
        else { return nil }
        let (names, isKnown) = pageQuery
        let rule = "\"\(names[0])\" up to \(Self.shown(sign))"
        return try decision(names, isKnown: isKnown) {
            try page.numbers(query: $0, current: currentPage(current), count: count, rule: rule)
        }
    }

    private func currentPage(_ member: (value: Int, sign: PagingSign)?) -> Int? {
        known(Names.pageQueries).flatMap { query[$0] }.flatMap { Int($0) } ?? member?.value
    }

    /// Offsets up to a total, or for as long as there is more.
    private func offsets() throws -> Decision? {
        let member = number(Names.offsets) { sign in
            // A `from` or `first` may be something else; a `pageable` has both, and is asked for by page.
            guard sign.container != "pageable", let value = sign.integer else { return false }
            return value == itemsBefore || value == itemsBefore + 1
                || beganElsewhere && Names.certainOffsets.contains(sign.name)
        }
        let name = known(Names.offsetQueries)
        guard member != nil || name != nil else { return nil }
        let all = total ?? largeCount ?? number(Names.counts)
        if more == nil, all == nil { return nil }
        try check(all)
        let names = name.map { [$0] } ?? member?.sign.path.names.last.map { [$0] } ?? ["offset"]
        let current = name.flatMap { query[$0] }.flatMap { Int($0) } ?? member?.value
        let limit = more == nil ? all?.value : nil
        // Where the first item has the number 1, the last one has the number of the total.
        let isFromOne =
            name == nil && member.map { $0.value == itemsBefore + 1 } == true && !beganElsewhere
            || name == nil && member?.value == 1 && beganElsewhere
        let rule = "\"\(names[0])\" up to \((all?.sign ?? more?.sign).map { Self.shown($0) } ?? "the end")"
        let first = page.number == 1 && name == nil && more == nil ? [url(setting: [("page", "1")])] : []
        guard
            var decision = try decision(
                names, isKnown: name != nil,
                {
                    try page.offsets(
                        query: $0, current: current,
                        total: limit.map { isFromOne && $0 < .max ? $0 + 1 : $0 }, rule: rule)
                })
        else { return nil }
        decision.guess?.alternatives += first
        return decision
    }

    private var itemsBefore: Int { page.itemsSoFar - page.itemCount }

    /// A Boolean value that indicates whether the first page of the listing may not be the first of the list.
    private var beganElsewhere: Bool { itemsBefore == 0 }

    /// The number of items up to the end of this page, also of those before the first page of the listing.
    private var reached: Int {
        guard beganElsewhere else { return page.itemsSoFar }
        let offset =
            known(Names.offsetQueries).flatMap { query[$0] }.flatMap { Int($0) }
            ?? number(Names.certainOffsets, where: { $0.container != "pageable" })?.value
        let size = number(Names.pageSizes)?.value ?? page.itemCount
        let before =
            offset
            ?? currentPage(number(Names.pageNumbers)).map { current in
                let (before, overflows) = (current > 1 ? current - 1 : 0).multipliedReportingOverflow(
                    by: max(0, size))
                return overflows ? 0 : before
            }
        let (reached, overflows) = max(0, before ?? 0).addingReportingOverflow(page.itemCount)
        return overflows ? page.itemCount : reached
    }

    /// Throws an error for a total that is not a count.
    private func check(_ total: (value: Int, sign: PagingSign)?) throws {
        if let total, total.value < 0, !total.sign.isHeader { _ = try page.count(at: total.sign.path) }
    }

    /// Page numbers up to a total of items, or for as long as there is more.
    private func pagesUpToTotal() throws -> Decision? {
        guard let current = currentPage(number(Names.pageNumbers)) else { return nil }
        let all = total ?? largeCount
        try check(all)
        guard let goesOn = more?.flag ?? all.map({ $0.value > reached }) else { return nil }
        guard goesOn else { return Decision(urls: [], rule: "") }
        let (names, isKnown) = pageQuery
        let rule = "\"\(names[0])\" up to \((all?.sign ?? more?.sign).map { Self.shown($0) } ?? "the end")"
        guard page.itemCount > 0, current < Int.max else { return nil }
        let size = number(Names.pageSizes)?.value
        return try decision(names, isKnown: isKnown) { name in
            guard more == nil, let all, let size, size == page.itemCount else {
                return Decision(urls: [page.url(setting: name, to: "\(current + 1)")], rule: rule)
            }
            let pages = all.value / size + (all.value % size > 0 ? 1 : 0)
            return try page.numbers(query: name, current: current, count: pages, rule: rule)
        }
    }

    /// There is more, and nothing says how to ask for it.
    private func guess() throws -> Decision? {
        let hasMore = more?.flag == true || total.map { $0.value > reached } == true
        guard hasMore, page.itemCount > 0,
            page.number == 1 || known(Names.pageQueries) != nil || known(Names.offsetQueries) != nil,
            let sign = more?.sign ?? total?.sign
        else { return nil }
        let rule = Self.shown(sign)
        if let id = signs.first(where: { Names.lastIDs.contains($0.name) && Self.isNear($0) }),
            let value = id.text ?? id.integer.map({ "\($0)" })
        {
            return Decision(
                urls: [url(setting: [("after_id", value)])], rule: Self.shown(id),
                guess: Guess(alternatives: [url(setting: [("after", value)])], failure: .missingNext))
        }
        let names: [String]
        switch more == nil ? sizeQuery.map(QueryItems.normalized) : nil {
        case "rows": names = ["start"]
        case "maxresults": names = ["startIndex"]
        case "size": names = ["from"]
        case "top": names = [sizeQuery?.hasPrefix("$") == true ? "$skip" : "skip"]
        default:
            let (names, isKnown) = pageQuery
            let current = currentPage(nil) ?? page.number
            guard current < Int.max else { return nil }
            return decision(names, isKnown: isKnown, rule: rule) { "\(current + 1)" }
        }
        return decision(names, isKnown: false, rule: rule) { "\(page.itemsSoFar)" }
    }

    // MARK: Query items

    /// The query item of the request, or of a link to another page, that has one of `names` and a whole number.
    private func known(_ names: Set<String>) -> String? {
        if let name = query.numberName(in: names) { return name }
        for sign in signs where sign.isURL {
            guard let url = sign.text.flatMap({ page.url($0) }), url.path() == page.responseURL.path() else {
                continue
            }
            if let name = QueryItems(of: url).numberName(in: names) { return name }
        }
        return nil
    }

    /// The query item of the request that limits the size of a page.
    private var sizeQuery: String? {
        query.first { item in
            let name = QueryItems.normalized(item.name)
            return PagingNames.pageSizes.contains(name) || name == "top"
        }?.name
    }

    /// The query item that takes the page number, in the style of the request where it is not known.
    private var pageQuery: (names: [String], isKnown: Bool) {
        if let name = known(Names.pageQueries) { return ([name], true) }
        guard let size = sizeQuery else { return (["page"], false) }
        if size.hasSuffix("]"), let bracket = size.lastIndex(of: "[") {
            let group = size[..<bracket]
            return (group == "page" ? ["page[number]"] : ["\(group)[currentPage]"], false)
        }
        if size.first?.isUppercase == true { return (["Page", "PageNumber"], false) }
        return (size == "pageSize" ? ["page", "pageNumber"] : ["page"], false)
    }

    private func url(setting items: Items) -> URL {
        items.reduce(page.url) { $0.setting($1.name, to: $1.value) }
    }

    private func decision(_ names: [String], isKnown: Bool, rule: String, _ value: () -> String) -> Decision {
        let urls = names.map { page.url(setting: $0, to: value()) }
        return Decision(urls: [urls[0]], rule: rule, guess: isKnown ? nil : guess(Array(urls.dropFirst())))
    }

    private func guess(_ alternatives: [URL]) -> Guess {
        let count = total ?? largeCount
        let failure =
            count.map { .incompleteTotal(received: page.itemsSoFar, total: $0.value) }
            ?? RESTClientError.PaginationFailure.missingNext
        return Guess(alternatives: alternatives, failure: failure)
    }

    /// The decision for the first of `names`, with the next page by the others as alternatives.
    private func decision(
        _ names: [String], isKnown: Bool, _ decide: (String) throws -> Decision?
    ) throws -> Decision? {
        guard var decision = try decide(names[0]) else { return Decision(urls: [], rule: "") }
        guard !isKnown else { return decision }
        decision.guess = guess(try names.dropFirst().compactMap { try decide($0)?.urls.first })
        return decision
    }

    // MARK: The end

    /// Returns `nil`, the end of the list, unless something says that there is more.
    private func end() throws -> Decision? {
        if let failure = evidence { throw PaginationError(failure) }
        return nil
    }

    /// A sign that there is more.
    private var evidence: RESTClientError.PaginationFailure? {
        if page.isPartialContent, let failure = page.evidenceOfLoss() { return failure }
        if let total, total.value > reached {
            return .incompleteTotal(received: page.itemsSoFar, total: total.value)
        }
        if let total, !beganElsewhere, total.value > 0, total.value < page.itemsSoFar,
            total.sign.name.hasPrefix("total")
        {
            return .moreThanTotal(received: page.itemsSoFar, total: total.value)
        }
        if let sign = number(Names.remaining, where: { $0.integer != 0 })?.sign { return unfollowed(sign) }
        if let more {
            if more.flag { return .missingNext }
        } else {
            if let count = largeCount, count.value > reached,
                Names.pagingContainers.contains(count.sign.container)
                    || count.sign.isBesideList && count.sign.name == "count"
            {
                return .incompleteTotal(received: page.itemsSoFar, total: count.value)
            }
            let current = number(Names.pageNumbers)?.value ?? 0
            if let count = number(Names.pageCounts), count.value > max(page.number, current),
                count.sign.name != "pages" || !count.sign.isBesideList
            {
                return unfollowed(count.sign)
            }
            if page.itemCount > 0, let sign = signs.first(where: isUnfollowedNext) { return unfollowed(sign) }
        }
        return page.evidenceOfLoss()
    }

    /// Returns `true` for a member such as `next` that has a value, but for a link without a target.
    private func isUnfollowedNext(_ sign: PagingSign) -> Bool {
        if case .flag(false) = sign.value { return false }
        guard Self.isNext(sign), !sign.isEmpty else { return false }
        return !signs.contains {
            $0.isEmpty && Self.isURLName($0.name) && $0.path.names.dropLast() == sign.path.names[...]
        }
    }

    private func unfollowed(_ sign: PagingSign) -> RESTClientError.PaginationFailure {
        if Names.isNext(sign.name), let token = sign.text ?? sign.integer.map({ "\($0)" }) {
            return .unknownToken(in: sign.path, token)
        }
        return .unknownNext(in: sign.path, page.envelope.json(sign.path) ?? sign.text ?? "")
    }

    private static func shown(_ sign: PagingSign) -> String {
        sign.isHeader ? "the \(sign.path) header field" : TerminalEscaping.quoted("\(sign.path)")
    }
}

extension QueryItems {
    /// Returns the name of the item that has one of `names`, normalized, and a whole number.
    func numberName(in names: Set<String>) -> String? {
        first { names.contains(Self.normalized($0.name)) && $0.value.flatMap { Int($0) } != nil }?.name
    }

    /// Returns the normalized name of a query item without the group that it is in: `page[number]` is a `page`.
    static func normalized(_ name: String) -> String {
        guard name.hasSuffix("]"), let bracket = name.lastIndex(of: "[") else {
            return PagingSign.normalized(name)
        }
        let last = PagingSign.normalized(String(name[name.index(after: bracket)...]))
        return last == "number" ? "page" : last
    }
}
