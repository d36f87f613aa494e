import RESTClientHTTP

/// Next pages of lists without a total and without a reference to the next page.
extension PageAnalysis {
    /// Returns the page after a full one whose number or offset the response has. The full one may be the
    /// last, so that the next may be missing or empty. A server that ignores the query item has no other
    /// pages, unless its total is null: it did not count them.
    func pageAfterFullPage() -> NextPages? {
        guard more == nil, total == nil, largeCount == nil, number(.pageCount).map({ $0.value == 0 }) ?? true,
            page.itemCount > 0
        else { return nil }
        if let next = pageAtStatedOffset() { return next }
        let sizes = statedSizes
        guard isFull || !sizes.isEmpty, sizes.allSatisfy({ $0.integer == page.itemCount }) else { return nil }
        let certain = offset {
            $0.roles.contains(.certainOffset)
                && (isFirstPageOfListing || [itemsBefore, requested(offsetQuery)].contains($0.integer))
        }
        // Beside a page size, and without a page number, a `from` or a `position` is an offset.
        let isNumbered = pageQuery != nil || number(.pageNumber) != nil
        let offset =
            certain
            ?? (sizes.isEmpty || isNumbered
                ? nil
                : number { sign in
                    sign.integer == itemsBefore
                        && (sign.roles.isSuperset(of: [.offset, .offsetQuery]) || sign.name == "position")
                })
        let position =
            offset
            ?? number {
                let expected = requested(pageQuery) ?? ($0.integer == 0 ? 0 : page.number)
                return $0.roles.contains(.pageNumber) && ($0.integer == expected || isFirstPageOfListing)
            }
        guard let value = position?.value
        else { return (isFull && !sizes.isEmpty ? nextAfterLastID() : nil) ?? pageByRequest() }
        let (next, overflows) = value.addingReportingOverflow(offset == nil ? 1 : page.itemCount)
        guard value >= 0, !overflows else { return nil }
        let known = offset == nil ? pageQuery : offsetQuery
        let names = known.map { [$0] } ?? (offset == nil ? pageNames : offsetNames)
        let requests = names.map { page.request(setting: $0, to: next) }
        var decision = NextPages(
            requests: [requests[0]], rule: "the parameter \"\(names[0])\" after a full page",
            mayBeMissing: true)
        if known == nil {
            let isUncounted = signs.contains { $0.isEmpty && $0.isNear([.total, .pageCount]) }
            guard offset != nil || value < 2 else { return nil }
            let isSmall =
                number { $0.isNear(.count) && !$0.roles.contains(.pageSize) }?.value == page.itemCount
            decision.guess = Guess(
                alternatives: isSmall || offset != nil ? [] : Array(requests.dropFirst().prefix(1)),
                failure: isUncounted ? .missingNext : evidence)
        }
        return decision
    }

    /// The members with the page size: of two equal counts, as in `{"Start": 0, "Count": 3, "ResultCount": 3}`, one is it, and
    /// so is a `top` beside a `skip`.
    var statedSizes: [PaginationSign] {
        let sizes = signs.filter { $0.isNear(.pageSize) && $0.integer != nil }
        guard sizes.isEmpty else { return sizes }
        let equal = signs.filter { $0.isNear([.count, .sizeQuery]) && $0.integer == page.itemCount }
        let counts = equal.filter { $0.roles.contains(.sizeQuery) }
        if equal.count(where: { $0.roles.contains(.count) }) > 1 {
            return counts.filter { $0.roles.contains(.count) }
        }
        let positions: PaginationRoles = [.pageNumber, .offset]
        return counts.filter { count in
            count.roles.isDisjoint(with: positions.union(.count))
                && !["num", "n", "maxcount"].contains(count.name)
                && beside(count).contains { $0.key != count.key && !$0.roles.isDisjoint(with: positions) }
        }
    }

    /// Returns the page at a stated offset that can only be the next one: `{"offset": 3}` after three items.
    private func pageAtStatedOffset() -> NextPages? {
        let next = page.itemsSoFar
        let sign = offset { $0.roles.contains(.certainOffset) && $0.integer == next }?.sign
        guard let sign, next > 1, !query.contains(where: { $0.name != sizeQuery && $0.value == "\(next)" })
        else { return nil }
        let name = offsetQuery ?? offsetNames[0]
        return NextPages(
            requests: [page.request(setting: name, to: next)], rule: "\(sign)", guess: Guess(),
            mayBeMissing: true)
    }

    /// Returns the page after a full one whose position is known only from the request, as in `?limit=50&offset=0`.
    func pageByRequest() -> NextPages? {
        guard isFull, page.isFirstOrAfterFullPage, page.headers[.link] == nil else { return nil }
        for (name, step) in [(offsetQuery, page.itemCount), (pageQuery, 1)] {
            guard let name, let current = requested(name) else { continue }
            let next = page.request(setting: name, to: current.addingClamped(step))
            return NextPages(
                requests: [next], rule: "the parameter \"\(name)\" after a full page", guess: Guess(),
                mayBeMissing: true)
        }
        return nil
    }

    /// Returns the next page from the key of the last item, which is an object in DynamoDB.
    func nextKey() -> NextPages? {
        guard let sign = signs.first(where: { $0.name == "lastevaluatedkey" && $0.isNear && !$0.isHeader }),
            let key = page.envelope.token(sign.path), page.requestBody != nil || sign.text != nil
        else { return nil }
        let parameter = sign.key.first?.isUppercase == true ? "ExclusiveStartKey" : "exclusiveStartKey"
        let requests = [parameter, sign.key].map { page.request(setting: $0, to: key) }
        return NextPages(
            requests: [requests[0]], rule: "\(sign)",
            guess: Guess(alternatives: [requests[1]], failure: .unknownToken(in: sign.path, key.text)))
    }
}
