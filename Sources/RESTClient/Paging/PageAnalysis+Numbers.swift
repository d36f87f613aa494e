import Foundation
import RESTClientHTTP

/// Next pages by page numbers and offsets.
extension PageAnalysis {
    /// The unit in which a parameter counts.
    enum Unit { case page, offset }

    /// Returns the next page from a member with its number or the offset of its first item.
    func nextNumber() -> NextPages? {
        for sign in signs where sign.leadsToNext && !sign.container.hasPrefix("cursor") {
            guard let next = sign.integer, next > 0 else { continue }
            // The offset of an empty page after the last one, or of the last one itself.
            let isEnd = page.itemCount == 0 || knownTotal.map { $0.value <= reached } == true
            leadsBack = isEnd && requested(offsetQuery) == next
            if leadsBack { return NextPages(requests: [], rule: "\(sign)") }
            let offset = offset()
            let current = number(.pageNumber)?.value ?? requested(pageQuery)
            let isNextOfOffset =
                offset.map {
                    $0.sign.roles.contains(.certainOffset) && $0.value.addingClamped(page.itemCount) == next
                } ?? false
            // But `next_page_offset` beside a page number can be a number of items.
            let isOffset =
                sign.roles.contains(.nextOffset)
                || current == nil && (isNextOfOffset || sign.name == "nextpageoffset")
            if isOffset
                || next == page.itemsSoFar && offset != nil && next > page.number + 1
            {
                let word = String(sign.name.dropFirst(sign.name.hasPrefix("nextpage") ? 8 : 4))
                let name = offset?.sign.key ?? (word.isEmpty ? "offset" : word)
                // `page[offset]` beside `page[size]`
                return decision(.offset, rule: "\(sign)", next, names: sizeGroup == nil ? [name] : nil)
            }
            guard
                current.map({ next == $0.addingClamped(1) })
                    ?? (page.number == 1 && next == 2 || sign.isHeader && next > page.number)
            else { continue }
            return decision(.page, rule: "\(sign)", next)
        }
        return nil
    }

    /// Returns the next page numbers, up to a number of pages, or up to the page that a link to the last one names.
    func pageNumbers() throws -> NextPages? {
        if isAskedForByOffset || isBook { return nil }
        guard let sign = pageCount,
            sign.name != "pages" || !sign.isBesideList || total != nil || number(.pageNumber) != nil
                || pageQuery != nil,
            let count = try sign.memberPath.flatMap(page.count) ?? sign.integer
        else { return try pagesUpToLastLink() }
        return try decision(.page) { name in
            let next = try numbers(
                parameter: name, current: currentPage, count: count, rule: rule(name, upTo: sign))
            if next == nil { try checkLastPage(name, count, sign.memberPath) }
            return next
        }
    }

    /// The member with the number of pages.
    var pageCount: PaginationSign? {
        let counts = signs.filter {
            ($0.isNear(.pageCount) && !isPageSize($0) || isPageCount($0)) && !$0.isURL && !$0.isEmpty
                && $0.flag == nil
                || (PaginationNames.isPagination($0.container) || ["page", "pg"].contains($0.container))
                    && $0.name == "of"
                    && $0.integer != nil
        }
        // The number of the last page is smaller than the number of pages if the first one is 0.
        return counts.filter { $0.integer != nil }.max { ($0.integer ?? 0) < ($1.integer ?? 0) }
            ?? counts.first
    }

    /// The links to the last page.
    var lastLinks: [URL] {
        let links = signs.filter { $0.roles.contains(.lastPage) }.compactMap(\.text)
        return (links + [Link.first("last", in: page.headers)?.target].compactMap(\.self)).compactMap(
            page.url)
    }

    /// The number in a link to the last page, and the query item that has it.
    var lastPage: (number: Int, query: String)? {
        for url in lastLinks where url.path() == page.responseURL.path() {
            if let last = QueryItems(of: url).number(in: .pageQuery) { return (last.value, last.name) }
        }
        return nil
    }

    private func pagesUpToLastLink() throws -> NextPages? {
        guard page.itemCount > 0, let (last, query) = lastPage else { return nil }
        let current = requested(query) ?? currentPage ?? 1
        guard current < last, 0..<Int.max ~= current else { return nil }
        return NextPages(
            requests: [page.request(setting: query, to: current + 1)],
            rule: "the parameter \"\(query)\" up to the last page", parameter: query)
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
        let member = offset { sign in
            // A `from` or `first` can have another meaning.
            guard let value = sign.integer else { return false }
            return value == itemsBefore || value == itemsBefore + 1
                || isFirstPageOfListing && sign.roles.contains(.certainOffset)
                || more?.flag == true && value == page.itemsSoFar
        }
        let size = requested(sizeQuery) ?? statedSizes.first?.integer
        let all =
            total ?? largeCount ?? number { $0.isNear(.count) && $0.integer != size } ?? estimate
        guard member != nil || offsetQuery != nil, more != nil || all != nil || largePageCount != nil
        else { return nil }
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
            requested(pageQuery) == nil, value > 1 || more != nil || member?.sign.name == "offset",
            all.map({ $0.value != value }) ?? true
        {
            current = value - page.itemCount
        }
        if let offsetQuery, let sent = requested(offsetQuery),
            member?.value == sent.addingClamped(page.itemCount)
        {
            current = sent
        }
        return try decision(.offset) {
            try offsets(
                parameter: $0, current: current, total: limit, rule: rule($0, upTo: all?.sign ?? more?.sign))
        }
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
        guard !isSubtotal, let goesOn = more?.flag ?? all.map({ $0.value > reached }) else { return nil }
        guard goesOn else { return NextPages(requests: [], rule: "") }
        guard page.itemCount > 0, current < Int.max else { return nil }
        let size = number(.pageSize)?.value
        return try decision(.page) { name in
            let rule = rule(name, upTo: all?.sign ?? more?.sign)
            guard more == nil, let all, let size, size == page.itemCount
            else { return NextPages(requests: [page.request(setting: name, to: current + 1)], rule: rule) }
            let pages = all.value.pages(of: size)
            return try numbers(parameter: name, current: current, count: pages, rule: rule)
        }
    }

    /// Returns the most likely next page if the response indicates more items without a reference to them.
    func mostLikelyPage() throws -> NextPages? {
        if more?.flag == true, let next = nextAfterLastID() { return next }
        let total = total ?? (isFull ? estimate : nil) ?? evidentCount
        if isSubtotal { return nil }
        let hasMore = more?.flag == true || total.map { $0.value > reached } == true
        guard hasMore, page.itemCount > 0, let sign = more?.sign ?? total?.sign else { return nil }
        // The request has the parameter, with the identifier of the page before.
        if let id = lastID, let value = id.textOrNumber, let sent = query[id.key], sent != value {
            let next = page.request(setting: id.key, to: JSONLiteral(.string(value)))
            return NextPages(requests: [next], rule: "\(id)", parameter: id.key)
        }
        if let offsetQuery {
            let next = (requested(offsetQuery) ?? 0).addingClamped(page.itemCount)
            return decision(.offset, rule: "\(sign)", next)
        }
        if let pageQuery {
            let current = requested(pageQuery) ?? page.number
            return decision(.page, rule: "\(sign)", current.addingClamped(1))
        }
        guard page.number == 1 else { return nil }
        // Of groups, it is not known what an offset counts.
        let guesses = guesses(nil).filter { !page.hasGroups || $0.unit == .page }
        guard !guesses.isEmpty else { return nil }
        return NextPages(requests: [request(guesses[0])], rule: "\(sign)", guess: guess(guesses))
    }

    private var failure: RESTClientError.PaginationFailure {
        guard let count, count.value > page.itemsSoFar else { return .missingNext }
        return incomplete(count)
    }

    /// The identifier of the last item, such as `last_id`.
    private var lastID: PaginationSign? {
        signs.first {
            $0.isNear && $0.name.hasPrefix("last") && $0.name.hasSuffix("id") && $0.textOrNumber != nil
        }
    }

    func nextAfterLastID() -> NextPages? {
        guard let id = lastID, let value = id.textOrNumber else { return nil }
        let names =
            id.name == "lastid" || id.name == "lastitemid" ? ["after_id", "after"] : [id.key, "after_id"]
        let token = JSONLiteral(.string(value))
        if let known = names.first(where: { query[$0] != nil }) {
            return NextPages(requests: [page.request(setting: known, to: token)], rule: "\(id)")
        }
        let requests = names.map { page.request(setting: $0, to: token) }
        let words = id.words.dropFirst()
        let third =
            id.name == "lastid" ? id.key : (["start", "after"] + words).joined(separator: "_")
        return NextPages(
            requests: [requests[0]], rule: "\(id)",
            guess: Guess(
                alternatives: [requests[1]], failure: .missingNext,
                suggestion: named(.token(at: id.path, parameter: third))), parameter: names[0])
    }

    // MARK: Guesses

    /// A parameter and its value for the next page.
    struct NextGuess {
        let unit: Unit
        let name: String
        let value: Int
    }

    /// The parameters that may request the next page, the likeliest first. `unit` is that of the response.
    func guesses(_ unit: Unit?, names: [String]? = nil) -> [NextGuess] {
        let page = self.page
        let nextPage = (currentPage ?? page.number).addingClamped(1)
        let start = offset { $0.roles.contains(.certainOffset) || $0.integer == itemsBefore }?.value
        let nextOffset = start.map { max($0, itemsBefore).addingClamped(page.itemCount) } ?? page.itemsSoFar
        let pages = (pageQuery.map { [$0] } ?? pageNames).map {
            NextGuess(unit: .page, name: $0, value: nextPage)
        }
        let offsets = (names ?? offsetNames).map { NextGuess(unit: .offset, name: $0, value: nextOffset) }
        let size = sizeQuery.map(QueryItems.normalized)
        let isPaged = isPagedBySize
        switch unit {
        case .page:
            let others = isPaged && (start == nil || size != nil && number(.pageNumber) != nil) ? 2 : 1
            return Array(
                pages.prefix(others) + offsets.prefix(1) + pages.dropFirst(others) + offsets.dropFirst())
        case .offset:
            // The offset can be that of a page whose parameter is its number, counted from 0.
            let first = currentPage == nil ? [NextGuess(unit: .page, name: pageNames[0], value: 1)] : []
            let isStart = PaginationNames.words(of: offsets[0].name).last == "start"
            let others = first + (isStart || first.isEmpty ? pages : []) + offsets.dropFirst()
            return offsets.prefix(1) + others
        case nil:
            // Without a total, it would go unnoticed if the first page had the number 0.
            let isUncounted = more != nil && total == nil
            let first = isUncounted ? [NextGuess(unit: .page, name: pageNames[0], value: page.number)] : []
            let isSearch = total?.sign.container == "total"
            if more?.sign.name == "exceededtransferlimit" { return offsets + pages }
            if isSearch, size == nil {
                return [NextGuess(unit: .offset, name: "from", value: page.itemsSoFar)] + pages + offsets
            }
            if !isSearch, isPaged || size == "size" {
                let named = isPaged && size != nil ? pages.count : 1
                return first + pages.prefix(named) + offsets + pages.dropFirst(named)
            }
            return offsets.prefix(1) + first + pages + offsets.dropFirst()
        }
    }

    /// A Boolean value that indicates whether the request has a page size such as `per_page`, or none.
    private var isPagedBySize: Bool {
        guard let size = sizeQuery.map(QueryItems.normalized) else { return true }
        return size.contains("page") || size == "ps"
    }

    private func request(_ guess: NextGuess) -> PageRequest {
        page.request(setting: guess.name, to: guess.value)
    }

    private func decision(_ unit: Unit, rule: String, _ value: Int, names: [String]? = nil) -> NextPages {
        decision(unit, names: names) {
            NextPages(requests: [page.request(setting: $0, to: value)], rule: rule)
        }
    }

    /// Returns the decision for the known parameter, or for the likeliest name, with an alternative.
    private func decision(
        _ unit: Unit, names: [String]? = nil, _ decide: (String) throws -> NextPages?
    ) rethrows -> NextPages {
        let known = unit == .page ? pageQuery : offsetQuery
        let guesses = known == nil ? self.guesses(unit, names: names) : []
        let name = known ?? guesses[0].name
        guard var decision = try decide(name) else { return NextPages(requests: [], rule: "") }
        decision.parameter = name
        guard known == nil, page.number == 1 else { return decision }
        decision.guess = guess(guesses)
        if unit == .offset {
            decision.guess?.expectsItems = false
        } else if isPagedBySize, number(.pageNumber)?.sign.key == name {
            // The response has the name of the parameter, so that several pages can be requested.
            decision.guess?.alternatives = []
        }
        return decision
    }

    /// Returns the alternative for the first of several parameters, and the convention for the third one.
    private func guess(_ guesses: [NextGuess]) -> Guess {
        var guess = Guess(
            alternatives: guesses.dropFirst().prefix(1).map(request), failure: failure,
            suggestion: named(suggestion(afterTrying: 2, of: guesses)))
        let first = guesses[0]
        if let offset = guesses.prefix(2).first(where: { $0.unit == .offset }) {
            addPageCountedFromOne(to: &guess, offset.name, offset.value)
            if first.unit == .page { guess.isNamedFromOne = false }
        }
        // Of two totals, the one that is reached can be the right one.
        let isReached = number { $0.isNear(.total) && $0.integer == reached } != nil
        guess.expectsItems = more?.flag == true || !isReached && knownTotal.map { $0.value > reached } == true
        if first.unit == .page, first.value > 1 {
            guess.ifEmpty = page.request(setting: first.name, to: first.value - 1)
        }
        return guess
    }

    /// Adds the request at `next + 1`: if offsets are counted from 1, the page at `next` overlaps this one.
    func addPageCountedFromOne(to guess: inout Guess, _ parameter: String, _ next: Int) {
        // An offset that the server has named is the right one.
        let isNamed = signs.contains { $0.roles.contains(.nextOffset) && $0.integer == next }
        guard next == page.itemsSoFar, offset()?.value != 0, !isNamed else { return }
        guess.ifOverlapping = page.request(setting: parameter, to: next.addingClamped(1))
        guess.isNamedFromOne = parameter.lowercased().hasPrefix("start")
        guess.hasTotal = guess.isNamedFromOne && knownTotal != nil
    }

    private func rule(_ query: String, upTo sign: PaginationSign?) -> String {
        "the parameter \"\(query)\" up to \(sign.map { "\($0)" } ?? "the end")"
    }

    /// Returns the convention that most likely lists the rest, after the first `count` of `guesses` have failed.
    private func suggestion(afterTrying count: Int, of guesses: [NextGuess]) -> PaginationConvention? {
        if knownTotal == nil, largeCount == nil, let more, let path = more.sign.memberPath {
            var style = NameStyle(of: more.sign.key)
            if more.sign.words.count < 2 { style.separator = "_" }
            let parameter = style.text(["starting", "after"])
            return more.sign.roles.contains(.end)
                ? .lastItem("id", parameter: parameter, last: .init(path))
                : .lastItem("id", parameter: parameter, more: .init(path))
        }
        if total?.sign.container == "total", page.requestBody != nil {
            return .lastItem("sort", parameter: "search_after")
        }
        return convention(guesses[min(count, guesses.count - 1)])
    }

    func convention(_ guess: NextGuess) -> PaginationConvention {
        switch guess.unit {
        case .page: .number(parameter: guess.name, count: pageCount?.memberPath)
        case .offset: .offset(parameter: guess.name, total: knownTotal?.sign.memberPath)
        }
    }

    /// The convention for pages counted from 0, of which 1 was not requested, if items are missing.
    private var suggestionFromZero: PaginationConvention? {
        guard page.number > 1, let pageQuery, requested(pageQuery) == page.number,
            let total = knownTotal, total.value > reached
        else { return nil }
        return .number(parameter: pageQuery, count: nil, first: 0)
    }

    /// Returns the convention that most likely lists the rest, after `count` wrong guesses.
    func suggestion(afterTrying count: Int) -> PaginationConvention? {
        if let suggestionFromZero { return suggestionFromZero }
        let guesses = guesses(pageCount != nil || currentPage != nil ? .page : nil)
        let suggestion = tokenSign().flatMap(convention) ?? suggestion(afterTrying: count, of: guesses)
        return count > 0 ? named(suggestion) : suggestion
    }

    /// Returns the convention if its parameter is known: after the usual names, a guess is rarely right.
    func named(_ convention: PaginationConvention?) -> PaginationConvention? {
        guard let convention, let parameter = convention.parameter else { return convention }
        var own: MemberPath?
        if case .token(let token) = convention.kind, case .member(let path) = token.source { own = path }
        let names = query.map(\.name) + linkQueries.flatMap { $0.map(\.name) }
        return names.contains(parameter) || signs.contains { $0.key == parameter && $0.path != own }
            ? convention : nil
    }
}
