import RESTClientHTTP

extension PageAnalysis {
    /// A sign that there is more, although no rule has found a next page.
    var evidence: RESTClientError.PaginationFailure? {
        if page.isPartialContent, let loss { return loss }
        // A flag ends the list, and another count confirms it.
        let isConfirmed = saysEnd && countsReached
        if let total, total.value > reached, !isConfirmed, !isSubtotal { return incomplete(total) }
        if let total, page.itemCount > 0, total.value <= reached, !saysEnd, !hasEmptyNext {
            // `-4` means at least four.
            if total.value < 0 { return .invalidCount(in: total.sign.path, "\(total.value)") }
            if isLowerBound(total) { return .missingNext }
        }
        if knownTotal == nil, let first = page.totalOfFirstPage, first > page.itemsSoFar {
            return .incompleteTotal(received: page.itemsSoFar, total: first)
        }
        // A `total` can also be the number of pages, or of the items on the page.
        if let total, !isFirstPageOfListing, total.value > 0, total.value < page.itemsSoFar,
            total.sign.name.hasPrefix("total"), total.value != page.itemCount, total.value != page.number
        {
            return .moreThanTotal(received: page.itemsSoFar, total: total.value)
        }
        if let remaining, remaining.value > 0 { return unfollowed(remaining.sign) }
        if let more, !isEndDoubted { return more.flag ? .missingNext : loss }
        if let count = evidentCount, count.value > reached { return incomplete(count) }
        // Two numbers whose names are interchanged, and a total that is one of pages, as in `pageInfo.total`.
        if let largeCount, let total, total.value <= page.itemCount,
            !(total.sign.isBeside(largeCount.sign) && isOnlyPage(beside: total.sign)),
            total.sign.isBeside(largeCount.sign) || total.sign.container.hasPrefix("page"),
            isFirstPageOfListing, number(.certainOffset) == nil || number(.pageSize) != nil
        {
            return incomplete(largeCount)
        }
        if isFirstPageOfListing, isFull, let estimate, estimate.value > reached {
            return incomplete(estimate)
        }
        if let largePageCount { return unfollowed(largePageCount.sign) }
        if page.itemCount > 0, let lastPage,
            lastPage.number > max(page.number, requested(lastPage.query) ?? 1), total == nil
        {
            return .missingNext
        }
        if isFirstPageOfListing, let count = pagesByArithmetic { return unfollowed(count) }
        if page.itemCount > 0, !leadsBack, let sign = signs.first(where: isUnfollowedNext) {
            return unfollowed(sign)
        }
        if isFirstPageOfListing, page.itemCount > 0, total?.value != reached,
            let sign = signs.first(where: canLeadToNext)
        {
            return unfollowed(sign)
        }
        if isFirstPageOfListing, total == nil, let sign = signs.first(where: leadsToOlder) {
            return unfollowed(sign)
        }
        return loss
    }

    /// Returns `true` beside page 1 of 1: `{"count": 100, "total": 2, "page": 1, "pages": 1}`.
    private func isOnlyPage(beside total: PaginationSign) -> Bool {
        let members = beside(total)
        return members.contains { $0.isNear(.pageNumber) && $0.integer == 1 }
            && members.contains { $0.isNear(.pageCount) && $0.integer == 1 }
    }

    /// The number of pages in an object whose names are unknown, for example in another language: another number in it is that
    /// of the items on this number of pages like this one. Either both names are known, or a third number is that of this page.
    private var pagesByArithmetic: PaginationSign? {
        let size = page.itemCount
        guard size > 1, total == nil else { return nil }
        let others: PaginationRoles = [.pageSize, .offset]
        let numbers = signs.filter {
            isAtList($0, depth: 2) && !Names.isMeasure($0.key) && ($0.integer ?? -1) >= 0
        }
        // More are data, and not numbers about the pages.
        let objects = Dictionary(grouping: numbers, by: \.object).values.filter { 2..<12 ~= $0.count }
        for numbers in objects {
            for pages in numbers {
                guard let count = pages.integer, count > 1, pages.name != "to",
                    pages.roles.isDisjoint(with: others),
                    let all = numbers.first(where: { other in
                        guard other.path != pages.path, other.roles.isDisjoint(with: others),
                            let all = other.integer, all > size
                        else { return false }
                        return all.pages(of: size) == count
                    })
                else { continue }
                let isKnown = pages.roles.contains(.pageCount) && all.roles.contains(.count)
                // `"seite": 1, "seitenGesamt": 3`
                let number = numbers.first {
                    [page.number, page.number - 1].contains($0.integer) && $0.path != pages.path
                        && Names.hasPageStem($0.key) && Names.hasPageStem(pages.key)
                }
                if isKnown || number != nil { return pages }
            }
        }
        return nil
    }

    /// A Boolean value that indicates whether a count is the number of items up to the end of this page.
    var countsReached: Bool { number { $0.isNear(.count) && $0.integer == reached } != nil }

    /// The failure if the page can have a next page that is not visible. Some servers send every page as
    /// partial content (206); then the total says which one is the last.
    private var loss: RESTClientError.PaginationFailure? {
        var page = page
        let isWhole = total?.value == reached || hasEmptyNext && countsReached
        if page.headers["Content-Range"] == nil, isWhole { page.isPartialContent = false }
        return page.evidenceOfLoss()
    }

    private static let sides: Words = "top right width used"

    /// The number of items after this page. A `left` beside a `top` is a place.
    var remaining: Number? {
        if let remaining = number(.remaining) { return remaining }
        guard !signs.contains(where: { $0.isBesideList && Self.sides.contains($0.name) }) else { return nil }
        return number { sign in
            // More items than a page has that is not full are not a part of it. Beside other numbers, they are those of a state.
            if sign.name == "pending", sign.isBesideList || Names.isPagination(sign.container) {
                return sign.integer ?? 0 > (isFull ? 0 : page.itemCount)
                    && isFirstPageOfListing && !saysEnd && !hasEmptyNext && total?.value != reached
                    && !beside(sign).contains {
                        $0 !== sign && ($0.integer == nil ? Names.identifiesThing($0.key) : $0.roles.isEmpty)
                    }
            }
            guard sign.isBesideList else { return false }
            // `{"count": 3, "remaining": 4}`, but not the rest of a quota
            if ["left", "rest"].contains(sign.name) { return true }
            return sign.name == "remaining"
                && (beside(sign).contains { $0.name == "count" && $0.integer == page.itemCount }
                    || isFull && isFirstPageOfListing && !statesEnd && isBesideListAlone(sign))
        }
    }

    /// A Boolean value that indicates whether the response says in a known way that the page is the last one.
    var statesEnd: Bool {
        saysEnd || hasEmptyNext || page.headers[.link] != nil || total?.value == reached
            || pageCount?.integer.map { $0 <= currentPage ?? page.number } == true
    }

    /// Returns `true` for a member beside the list if all others there are about the pages.
    func isBesideListAlone(_ sign: PaginationSign) -> Bool {
        sign.isBesideList && beside(sign).allSatisfy { $0 === sign || !$0.roles.isEmpty }
    }

    func incomplete(_ count: Number) -> RESTClientError.PaginationFailure {
        .incompleteTotal(
            received: page.itemsSoFar, total: count.value, in: count.sign.memberPath)
    }

    /// Returns `true` for a member such as `next` with a value, unless its target or token is empty.
    private func isUnfollowedNext(_ sign: PaginationSign) -> Bool {
        if case .flag(false) = sign.value { return false }
        if sign.isTitle { return false }
        guard sign.leadsToNext, !sign.isEmpty, !isThing(sign.path) else { return false }
        // The number of a page that was received.
        if let next = sign.integer {
            if sign.isHeader, next <= page.number { return false }
            // `"current": 3, "next": 3, "last": 3`
            if let current = number(.pageNumber), current.sign.isBeside(sign), next <= current.value {
                return false
            }
        }
        return !signs.contains {
            $0.isEmpty && ($0.hasURLName || $0.roles.contains(.token))
                && $0.path.names.dropLast() == sign.path.names[...]
        }
    }

    private func unfollowed(_ sign: PaginationSign) -> RESTClientError.PaginationFailure {
        if !sign.isURL, let token = sign.textOrNumber, pageCount?.path != sign.path,
            remaining?.sign.path != sign.path
        {
            return .unknownToken(in: sign.path, token)
        }
        return .unknownNext(in: sign.path, page.envelope.json(sign.path) ?? sign.text ?? "")
    }
}

extension QueryItems {
    /// Returns the name of the item that has one of the roles, and a whole number.
    func numberName(in role: PaginationRoles) -> String? {
        let size = role.contains(.offsetQuery) ? sizeNamedOffset : nil
        return first {
            $0.value.number != nil && $0.name != size
                && !Self.roles(of: $0.name).isDisjoint(with: role)
        }?.name
    }

    /// Returns the name of this item, and its number.
    func number(in role: PaginationRoles) -> (name: String, value: Int)? {
        numberName(in: role).flatMap { name in self[name].number.map { (name, $0) } }
    }

    /// The item `offset` if it is the page size, as in `page=1&offset=20` without another size.
    var sizeNamedOffset: String? {
        let numbers = filter { $0.value.number != nil }
        let roles = numbers.map { Self.roles(of: $0.name) }
        guard roles.contains(where: { $0.contains(.pageQuery) }),
            !roles.contains(where: { $0.contains(.sizeQuery) })
        else { return nil }
        return numbers.first { $0.name.lowercased() == "offset" && $0.value != "0" }?.name
    }

    /// Returns the roles of the name of a query item.
    static func roles(of name: String) -> PaginationRoles {
        PaginationNames.roles(of: name, normalized(name))
    }

    /// Returns the normalized name of a query item without the group that it is in: `page[number]` is a `page`.
    static func normalized(_ name: String) -> String {
        guard name.hasSuffix("]"), let bracket = name.lastIndex(of: "[") else {
            let names = name.split(separator: ".").suffix(2)
            // `page.number` in the body of a request
            return names == ["page", "number"] ? "page" : MemberPath.normalized(String(names.last ?? ""))
        }
        let last = MemberPath.normalized(String(name[name.index(after: bracket)...]))
        return last == "number" ? "page" : last
    }
}

extension String? {
    /// The whole number that the text is, or `nil`.
    var number: Int? { flatMap { Int($0) } }
}
