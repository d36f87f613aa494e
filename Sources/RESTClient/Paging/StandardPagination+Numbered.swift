public import Foundation
import RESTClientHTTP

/// Positions by page number or offset.
extension StandardPagination {
    /// Returns the position of page `number`, or `nil` if the rule has no page numbers. `url` is the first page of the
    /// list.
    ///
    /// The number is set in the query item of the rule. For `.automatic`, that is the query item of `url` that
    /// contains a page number or an offset, or `page`.
    public func page(_ number: Int, of url: URL) -> ResumeToken? {
        guard let count = numberQuery(in: url) else { return nil }
        let page = url.setting(count.query, to: "\(number)")
        guard !count.isOffset else {
            let itemsBefore = number.subtractingClamped(count.first ?? 0)
            return ResumeToken(
                url: page, pageNumber: 1, itemsBefore: min(max(0, itemsBefore), ResumeToken.maxCount))
        }
        let first = QueryItems(of: url)[count.query].number ?? count.first ?? 1
        guard first >= 0, first <= number
        else { return ResumeToken(url: page, pageNumber: 1, itemsBefore: 0) }
        return ResumeToken(
            url: page, pageNumber: min(number - first, ResumeToken.maxCount - 1) + 1, itemsBefore: 0)
    }

    /// Returns the page number of `token`, and the number of items on that page before the position, or `nil` if the
    /// token has no page number. `url` is the first page of the list.
    public func number(of token: ResumeToken, in url: URL) -> (number: Int, skip: Int)? {
        guard let count = numberQuery(in: url),
            let number = QueryItems(of: token.url)[count.query].number, number >= 0,
            let named = page(number, of: url)?.removingSecrets(of: url), named.url == token.url
        else { return nil }
        guard count.isOffset else { return named.pageNumber == token.pageNumber ? (number, token.skip) : nil }
        let (next, isTooFar) = number.addingReportingOverflow(token.skip)
        return isTooFar ? nil : (next, 0)
    }

    /// Returns the query item with the page number or the offset, and the first number of the list if it is known.
    private func numberQuery(in url: URL) -> (query: String, isOffset: Bool, first: Int?)? {
        switch rule {
        case .none: return nil
        case .convention(let convention):
            return convention.numbers.map { ($0.parameter, $0.isOffset, $0.first) }
        case .automatic:
            let query = QueryItems(of: url)
            if let page = query.numberName(in: .pageQuery) { return (page, false, nil) }
            let offset = query.numberName(in: .offsetQuery)
            return offset.map { ($0, true, nil) } ?? ("page", false, nil)
        }
    }
}

extension PaginationConvention {
    /// The parameter for the number or the offset of a page, the path of their count, and the first one.
    var numbers: (parameter: String, isOffset: Bool, count: MemberPath?, first: Int?)? {
        switch kind {
        case .link, .url, .token: nil
        case .number(let name, let count, let first): (name, false, count, first)
        case .offset(let name, let total, let first): (name, true, total, first)
        }
    }

    /// Returns the position of page `number`, or of the offset `number`, or `nil` if the pages of the convention have
    /// no numbers. `url` is the first page of the list.
    public func page(_ number: Int, of url: URL) -> ResumeToken? {
        StandardPagination(self).page(number, of: url)
    }

    /// Returns the page number of `token`, and the number of items on that page before the position, or `nil` if the
    /// token has no page number. `url` is the first page of the list.
    public func number(of token: ResumeToken, in url: URL) -> (number: Int, skip: Int)? {
        StandardPagination(self).number(of: token, in: url)
    }
}

// MARK: Next pages

extension PageAnalysis {
    /// Returns the next page numbers of a convention.
    func numbers(parameter: String, count path: MemberPath?, first: Int?, more: Bool?) throws -> NextPages? {
        guard more != false else { return nil }
        let rule = "the page number \(TerminalEscaping.quoted(parameter))"
        let count = try path.flatMap(page.count)
        let current = first ?? (isCountedFromZero ? 0 : nil)
        let decision = try numbers(
            parameter: parameter, current: current, count: count, first: first, more: more, rule: rule)
        if decision == nil, first == nil, let count { try checkLastPage(parameter, count, path) }
        return decision
    }

    /// Throws if the last page is empty, and no page has its number: pages may be counted from 0.
    func checkLastPage(_ parameter: String, _ count: Int, _ path: MemberPath?) throws {
        guard page.number > 1, page.itemCount == 0, count > 1, page.parameter(parameter) == "\(page.number)",
            number(.pageNumber) == nil
        else { return }
        throw RESTClientError(
            pagination: .emptyNumberedPage(page.number, count: count),
            suggestion: count == page.number ? .number(parameter: parameter, count: path, first: 0) : nil)
    }

    /// Returns the next page numbers up to `count`. Without a count, returns the next one unless the page is empty.
    func numbers(
        parameter: String, current: Int?, count: Int?, first: Int? = nil, more: Bool? = nil, rule: String
    ) throws -> NextPages? {
        let current = page.parameter(parameter).number ?? current ?? 1
        guard 0..<Int.max ~= current else { throw RESTClientError(pagination: .invalidPage(current)) }
        guard let count else {
            guard page.itemCount > 0 || more == true else { return nil }
            return uncounted(parameter, current + 1, more, rule)
        }
        // If the first page is 0, the last page is the number of pages minus 1.
        let first = first ?? (current.subtractingClamped(page.number - 1) <= 0 ? 0 : 1)
        let last = first.addingClamped(count).subtractingClamped(1)
        guard current < last
        else { return more == true ? uncounted(parameter, current + 1, more, rule) : nil }
        let numbers = current + 1...current + min(last - current, page.maxNextPages)
        return NextPages(requests: numbers.map { page.request(setting: parameter, to: $0) }, rule: rule)
    }

    /// Returns the next offsets of a convention.
    func offsets(parameter: String, total path: MemberPath?, first: Int?, more: Bool?) throws -> NextPages? {
        guard more != false else { return nil }
        let rule = "the offset \(TerminalEscaping.quoted(parameter))"
        let total = try path.flatMap(page.count)
        let sent = page.parameter(parameter).number
        let current = sent ?? first ?? statedOffset(parameter) ?? 0
        let start = first ?? (mayCountFromOne(parameter, current.subtractingClamped(itemsBefore)) ? 1 : 0)
        if let total, first == nil, page.itemCount == 0, current >= total, reached >= total, more == nil {
            return nil
        }
        var decision = try offsets(
            parameter: parameter, current: current, total: total?.addingClamped(start), more: more, rule: rule
        )
        if first == nil, start == 1, total == current.addingClamped(page.itemCount) {
            decision?.mayBeMissing = true
            decision?.guess = Guess()
        }
        // With a total, an item that is left out by mistake is an error at the end.
        if first == nil, total != nil, page.number == 1, decision?.requests.isEmpty == false {
            var guess = decision?.guess ?? Guess(failure: .ignoredParameter(parameter))
            addPageCountedFromOne(to: &guess, parameter, current.addingClamped(page.itemCount))
            decision?.guess = guess
        }
        return decision
    }

    /// Returns `true` if items from the offset `start` can be counted from 1, unlike a number to skip.
    private func mayCountFromOne(_ parameter: String, _ start: Int) -> Bool {
        let name = MemberPath.normalized(parameter)
        return start == 1 || start != 0 && !name.hasSuffix("offset") && !name.hasPrefix("skip")
    }

    /// Returns the offset of the first item in the response if it is 1.
    private func statedOffset(_ parameter: String) -> Int? {
        let name = MemberPath.normalized(parameter)
        // A server can also send the offset of the next page, which is 1 after one item.
        guard page.number == 1, page.itemCount != 1 || name.hasPrefix("start") else { return nil }
        return signs.contains { $0.isNear && $0.name == name && $0.integer == 1 } ? 1 : nil
    }

    /// Returns the next offsets up to `total`. Without a total, returns the next one unless the page is empty.
    func offsets(
        parameter: String, current: Int?, total: Int?, more: Bool? = nil, rule: String
    ) throws -> NextPages? {
        let current = page.parameter(parameter).number ?? current ?? 0
        let (next, isTooFar) = current.addingReportingOverflow(page.itemCount)
        guard current >= 0, !isTooFar else { throw RESTClientError(pagination: .invalidOffset(current)) }
        guard let total, next < total else {
            if more == true, page.itemCount == 0 { throw RESTClientError(pagination: .missingNext) }
            guard more == true || total == nil && page.itemCount > 0 else { return nil }
            try checkUnit()
            return uncounted(parameter, next, more, rule)
        }
        guard page.itemCount > 0
        else {
            // The parameter can be the number of a page in spite of its name.
            let first = current.subtractingClamped(itemsBefore)
            throw RESTClientError(
                pagination: .emptyPage(offset: current, total: total),
                suggestion: page.number == 2 && itemsBefore > 1 && 0...1 ~= first
                    ? .number(parameter: parameter, count: nil, first: first) : nil)
        }
        try checkUnit()
        let offsets = stride(from: next, to: total, by: page.itemCount).prefix(page.maxNextPages)
        return NextPages(requests: offsets.map { page.request(setting: parameter, to: $0) }, rule: rule)
    }

    /// Throws if the elements of the list are groups, and an offset may count the items in them: no page size is known that is
    /// the number of groups on the page.
    private func checkUnit() throws {
        let sizes = statedSizes.map(\.integer) + [requested(sizeQuery)]
        guard page.hasGroups, !sizes.contains(page.itemCount) else { return }
        throw RESTClientError(pagination: .unclearUnit(elements: page.itemCount))
    }

    /// Returns the next page of a list without a count. It may be missing if nothing indicates more items.
    private func uncounted(_ parameter: String, _ number: Int, _ more: Bool?, _ rule: String) -> NextPages {
        let requests = [page.request(setting: parameter, to: number)]
        let mayBeMissing = more == nil && evidence == nil
        // Some servers send the last page again. A server that ignores the parameter sends the first page again, which is
        // the only one if it has fewer items than requested.
        let isSmall = requested(sizeQuery).map { page.itemCount < $0 } ?? false
        let endsWithSamePage = mayBeMissing && (page.number > 1 || isSmall)
        return NextPages(
            requests: requests, rule: rule, guess: endsWithSamePage ? Guess() : nil,
            mayBeMissing: mayBeMissing)
    }
}

extension PageInfo {
    /// Returns the number of pages or items in the body, or `nil` if there is none.
    func count(at path: MemberPath) throws -> Int? {
        guard let text = envelope.number(path) else {
            try checkNotOmitted(path)
            return nil
        }
        guard let count = Envelope.integer(text), count >= 0
        else { throw RESTClientError(pagination: .invalidCount(in: path, text)) }
        return count
    }
}
