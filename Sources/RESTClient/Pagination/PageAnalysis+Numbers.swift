import Foundation
import RESTClientHTTP

/// Next pages by page numbers and offsets.
extension PageAnalysis {
    /// The query items that may take a value, the most likely first.
    private struct QueryNames {
        /// The name in the request or in a link.
        var known: String?
        let guesses: [String]
    }

    /// Returns the next page from a member with its number or the offset of its first item.
    func nextNumber() -> NextPages? {
        for sign in signs where sign.leadsToNext {
            guard let next = sign.integer, next > 0 else { continue }
            let offset = number { Names.offsets.contains($0.name) && $0.container != "pageable" }
            let current = number(Names.pageNumbers)?.value ?? requested(pageQuery)
            let isNextOfOffset =
                offset.map {
                    Names.certainOffsets.contains($0.sign.name)
                        && $0.value.addingClamped(page.itemCount) == next
                }
                ?? false
            if Names.nextOffsets.contains(sign.name) || current == nil && isNextOfOffset
                || next == page.itemsSoFar && offset != nil && next > page.number + 1
            {
                let word = String(sign.name.dropFirst(sign.name.hasPrefix("nextpage") ? 8 : 4))
                let guess = offset?.sign.key ?? (word.isEmpty ? "offset" : word)
                return decision(QueryNames(known: offsetQuery, guesses: [guess]), rule: "\(sign)", next)
            }
            guard
                current.map({ next == $0.addingClamped(1) })
                    ?? (page.number == 1 && next == 2 || sign.isHeader)
            else {
                continue
            }
            return decision(pageQueries, rule: "\(sign)", next)
        }
        return nil
    }

    /// Returns the next page numbers, up to a number of pages, or up to the page that a link to the last one names.
    func pageNumbers() throws -> NextPages? {
        if isAskedForByOffset { return nil }
        let sign = signs.first(where: {
            Names.pageCounts.contains($0.name) && $0.isNear && $0.flag == nil && $0.integer != nil
                || Names.pageCounts.contains($0.name) && $0.isNear && !$0.isURL && $0.flag == nil
                    && !$0.isEmpty
        })
        guard let sign,
            sign.name != "pages" || !sign.isBesideList || total != nil || number(Names.pageNumbers) != nil,
            let count = try sign.isHeader ? sign.integer : page.count(at: sign.path)
        else { return try pagesUpToLastLink() }
        return try decision(pageQueries) {
            try page.numbers(parameter: $0, current: currentPage, count: count, rule: rule($0, upTo: sign))
        }
    }

    /// The number in a link to the last page, and the query item that has it.
    var lastPage: (number: Int, query: String)? {
        let links =
            signs.filter { Names.lastPages.contains($0.name) }.compactMap(\.text)
            + [Link.first("last", in: page.headers)?.target].compactMap { $0 }
        for link in links {
            guard let url = page.url(link), url.path() == page.responseURL.path() else { continue }
            let items = QueryItems(of: url)
            if let query = items.numberName(in: Names.pageQueries),
                let number = items[query].flatMap({ Int($0) })
            {
                return (number, query)
            }
        }
        return nil
    }

    private func pagesUpToLastLink() throws -> NextPages? {
        guard page.itemCount > 0, let (last, query) = lastPage else { return nil }
        let current = requested(query) ?? currentPage ?? 1
        guard current < last, 0..<Int.max ~= current else { return nil }
        return NextPages(
            requests: [page.request(setting: query, to: current + 1)],
            rule: "\"\(query)\" up to the last page", parameter: query)
    }

    /// A Boolean value that indicates whether this page was found by its offset, or by its number.
    private var isAskedForByOffset: Bool {
        page.number > 1 && requested(offsetQuery) != nil && requested(pageQuery) == nil
    }
    private var isAskedForByNumber: Bool {
        page.number > 1 && requested(pageQuery) != nil && requested(offsetQuery) == nil
    }

    /// Returns the next offsets, up to a total, or the next one if a flag indicates more items.
    func offsets() throws -> NextPages? {
        if isAskedForByNumber { return nil }
        let member = number { sign in
            // A `from` or `first` can have another meaning. A `pageable` object contains both an offset and a page
            // number, and its page number is used.
            guard Names.offsets.contains(sign.name), sign.container != "pageable", let value = sign.integer
            else { return false }
            return value == itemsBefore || value == itemsBefore + 1
                || isFirstPageOfListing && Names.certainOffsets.contains(sign.name)
                || more?.flag == true && value == page.itemsSoFar
        }
        let size = requested(sizeQuery)
        let all =
            total ?? largeCount ?? number { Names.counts.contains($0.name) && $0.integer != size } ?? estimate
        guard member != nil || offsetQuery != nil, more != nil || all != nil else { return nil }
        try check(all)
        // If items are numbered from 1, the number of the last item is the total.
        let position = member?.value ?? requested(offsetQuery)
        let isFromOne =
            position == itemsBefore + 1 && requested(offsetQuery).map { $0 == itemsBefore + 1 } ?? true
        let isEstimated = all?.sign.name == estimate?.sign.name && estimate != nil
        if isEstimated, let all, all.value <= reached { return NextPages(requests: [], rule: "") }
        let limit =
            more == nil && !isEstimated
            ? all.map { isFromOne && $0.value < .max ? $0.value + 1 : $0.value } : nil
        var current = requested(offsetQuery) ?? member?.value
        // Some servers send the offset of the next page.
        if let value = current, page.itemCount > 0, value == page.itemsSoFar, requested(offsetQuery) != value,
            requested(pageQuery) == nil, value > 1 || more != nil || member?.sign.name == "offset"
        {
            current = value - page.itemCount
        }
        if let offsetQuery, let sent = requested(offsetQuery),
            member?.value == sent.addingClamped(page.itemCount)
        {
            current = sent
        }
        var decision = try decision(QueryNames(known: offsetQuery, guesses: offsetNames)) {
            try page.offsets(
                parameter: $0, current: current, total: limit, rule: rule($0, upTo: all?.sign ?? more?.sign))
        }
        if page.number == 1, offsetQuery == nil, more == nil {
            decision.guess?.alternatives = [page.request(setting: pageNames[0], to: 1)]
        }
        return decision
    }

    /// Throws if the total is negative.
    private func check(_ total: Number?) throws {
        if let total, total.value < 0, !total.sign.isHeader { _ = try page.count(at: total.sign.path) }
    }

    /// Returns the next page numbers, up to a total number of items, or the next one if a flag indicates more items.
    func pagesUpToTotal() throws -> NextPages? {
        guard let current = currentPage, !isAskedForByOffset else { return nil }
        let all = total ?? largeCount
        try check(all)
        guard let goesOn = more?.flag ?? all.map({ $0.value > reached }) else { return nil }
        guard goesOn else { return NextPages(requests: [], rule: "") }
        guard page.itemCount > 0, current < Int.max else { return nil }
        let size = number(Names.pageSizes)?.value
        return try decision(pageQueries) { name in
            let rule = rule(name, upTo: all?.sign ?? more?.sign)
            guard more == nil, let all, let size, size == page.itemCount else {
                return NextPages(requests: [page.request(setting: name, to: current + 1)], rule: rule)
            }
            let pages = all.value / size + (all.value % size > 0 ? 1 : 0)
            return try page.numbers(parameter: name, current: current, count: pages, rule: rule)
        }
    }

    /// Returns the most likely next page if the response indicates more items without a reference to them.
    func mostLikelyPage() throws -> NextPages? {
        if more?.flag == true, let next = nextAfterLastID() { return next }
        let total = total ?? estimate ?? evidentCount
        let hasMore = more?.flag == true || total.map { $0.value > reached } == true
        guard hasMore, page.itemCount > 0, let sign = more?.sign ?? total?.sign else { return nil }
        if let offsetQuery {
            return decision(
                QueryNames(known: offsetQuery, guesses: []), rule: "\(sign)",
                (requested(offsetQuery) ?? 0).addingClamped(page.itemCount))
        }
        if let pageQuery {
            let current = requested(pageQuery) ?? page.number
            guard current < Int.max else { return nil }
            return decision(QueryNames(known: pageQuery, guesses: []), rule: "\(sign)", current + 1)
        }
        guard page.number == 1 else { return nil }
        let requests = guesses.prefix(2).map(request)
        var decision = NextPages(
            requests: [requests[0]], rule: "\(sign)",
            guess: Guess(
                alternatives: Array(requests.dropFirst()), failure: failure, suggestion: suggestion))
        // The offset may be counted from 1.
        if case .offset(let name, let offset)? = guesses.first, name.hasPrefix("start") {
            decision.guess?.ifOverlapping = page.request(setting: name, to: offset + 1)
        }
        return decision
    }

    private var failure: RESTClientError.PaginationFailure {
        (total ?? evidentCount ?? largeCount)
            .map { .incompleteTotal(received: page.itemsSoFar, total: $0.value) } ?? .missingNext
    }

    private func nextAfterLastID() -> NextPages? {
        guard
            let id = signs.first(where: {
                $0.isNear && $0.name.hasPrefix("last") && $0.name.hasSuffix("id") && $0.textOrNumber != nil
            }), let value = id.textOrNumber
        else { return nil }
        let names =
            id.name == "lastid" || id.name == "lastitemid" ? ["after_id", "after"] : [id.key, "after_id"]
        if let known = names.first(where: { query[$0] != nil }) {
            return NextPages(
                requests: [page.request(setting: known, to: JSONLiteral(.string(value)))], rule: "\(id)")
        }
        let requests = names.map { page.request(setting: $0, to: JSONLiteral(.string(value))) }
        let words = Names.words(of: id.key).dropFirst()
        let third =
            id.name == "lastid" ? "starting_after" : (["start", "after"] + words).joined(separator: "_")
        return NextPages(
            requests: [requests[0]], rule: "\(id)",
            guess: Guess(
                alternatives: [requests[1]], failure: .missingNext,
                suggestion: .token(at: id.path, parameter: third)), parameter: names[0])
    }

    // MARK: Guesses

    /// A query item and its value for the next page.
    enum NextGuess {
        case page(String, Int)
        case offset(String, Int)
    }

    private func request(_ guess: NextGuess) -> PageRequest {
        switch guess {
        case .page(let name, let number), .offset(let name, let number):
            page.request(setting: name, to: number)
        }
    }

    /// The query items that may request the next page, the most likely first.
    var guesses: [NextGuess] {
        let pages = pageNames.map { NextGuess.page($0, page.number + 1) }
        let offsets = offsetNames.map { NextGuess.offset($0, page.itemsSoFar) }
        let size = sizeQuery.map(QueryItems.normalized)
        let isPaged = size.map { $0.contains("page") || $0 == "ps" || $0.hasSuffix("perpage") } ?? true
        let isSearch = total?.sign.container == "total"
        if isPaged && !isSearch || size == "size" && !isSearch {
            // Without a total, it would go unnoticed if the first page had the number 0.
            let first = more != nil && total == nil ? [NextGuess.page(pageNames[0], page.number)] : []
            return first + pages.prefix(1) + (isPaged && size != nil ? pages.dropFirst() : []) + offsets
                + pages.dropFirst()
        }
        if isSearch, size == nil { return [.offset("from", page.itemsSoFar)] + pages + offsets }
        let first = more != nil && total == nil ? [NextGuess.page(pageNames[0], page.number)] : []
        return offsets.prefix(1) + first + pages + offsets.dropFirst()
    }

    /// The query item for the page number. If it is unknown, the possible names in the style of the request.
    private var pageQueries: QueryNames { QueryNames(known: pageQuery, guesses: pageNames) }

    private func decision(_ query: QueryNames, rule: String, _ value: Int) -> NextPages {
        decision(query) { NextPages(requests: [page.request(setting: $0, to: value)], rule: rule) }
    }

    /// The decision for the most likely name, with the next page by the others as alternatives.
    private func decision(_ query: QueryNames, _ decide: (String) throws -> NextPages?) rethrows -> NextPages
    {
        let name = query.known ?? query.guesses[0]
        guard var decision = try decide(name) else { return NextPages(requests: [], rule: "") }
        decision.parameter = name
        guard query.known == nil, page.number == 1 else { return decision }
        var alternatives = try query.guesses.dropFirst().compactMap { try decide($0)?.requests.first }
        // A response with both an offset and a page number may have a parameter for either.
        let offset = number {
            Names.offsets.contains($0.name) && $0.container != "pageable"
                && (Names.certainOffsets.contains($0.name) || $0.integer == itemsBefore)
        }
        if let offset, Names.pageNumbers.contains(PaginationSign.normalized(name)) {
            let (next, overflows) = offset.value.addingReportingOverflow(page.itemCount)
            if !overflows { alternatives.insert(page.request(setting: offset.sign.key, to: next), at: 0) }
        }
        decision.guess = Guess(
            alternatives: Array(alternatives.prefix(1)), failure: failure, suggestion: suggestion)
        return decision
    }

    private func rule(_ query: String, upTo sign: PaginationSign?) -> String {
        "\"\(query)\" up to \(sign.map { "\($0)" } ?? "the end")"
    }

    /// The convention that most likely lists the rest, after the guesses have failed.
    var suggestion: PaginationConvention? {
        let flag = more?.sign.isHeader == false ? more?.sign.path : nil
        if let token = tokenSign(), !token.sign.isHeader {
            let names =
                token.candidates.count > 2 && token.candidates[0].count == 1
                ? token.candidates.dropFirst(2).compactMap { $0.first?.name } : []
            return (names.first ?? token.candidates.last?.first?.name).map {
                .token(at: token.sign.path, parameter: $0)
            }
        }
        if total == nil, evidentCount == nil, let flag {
            let isTrueAtEnd = more.map { Names.endFlags.contains($0.sign.name) } ?? false
            return .lastItem(
                "id", parameter: "starting_after", more: isTrueAtEnd ? nil : flag,
                last: isTrueAtEnd ? flag : nil)
        }
        let all = guesses
        let total = total ?? evidentCount
        if pageCountPath != nil, pageQuery == nil, pageNames.count < 3 {
            return .offset(parameter: offsetNames[0], total: total?.sign.path)
        }
        // The offset that the response has was tried, and page 1, which is this page again.
        if number(Names.certainOffsets) != nil, offsetQuery == nil, currentPage == nil {
            return .number(parameter: pageNames[0], count: pageCountPath)
        }
        switch all[min(2, all.count - 1)] {
        case .page(let name, _): return .number(parameter: name, count: pageCountPath)
        case .offset(let name, _):
            return .offset(parameter: name, total: total?.sign.isHeader == false ? total?.sign.path : nil)
        }
    }

    private var pageCountPath: MemberPath? {
        guard let sign = number(Names.pageCounts)?.sign, !sign.isHeader else { return nil }
        return sign.path
    }
}
