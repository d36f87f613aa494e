import Foundation
import RESTClientHTTP

/// The total number of the items of a list.
extension PageAnalysis {
    /// Returns the total number of items in the list, if the response contains it.
    func findTotal() -> Number? {
        let totals = signs.compactMap { sign -> Number? in
            // `{"from": 1, "to": 3, "of": 7}`, and `0-2/7`
            if sign.isNear, sign.name == "of", let value = sign.integer,
                beside(sign).contains(where: { $0.name == "to" })
            {
                return (value, sign)
            }
            if sign.isNear, let text = sign.text, text.utf8.contains(UInt8(ascii: "/")),
                let range = text.wholeMatch(of: #/\d+-\d+/(\d+)/#), let value = Int(range.1)
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
    }

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

    /// A Boolean value that indicates whether the page has as many items as the request or the response names as the size.
    private var isAsLongAsPages: Bool {
        isFull || number { $0.isNear([.pageSize, .sizeQuery]) && $0.integer == page.itemCount } != nil
    }
}
