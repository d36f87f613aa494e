import Foundation
import RESTClientHTTP

/// The signs in the pages of a listing that the list changes while it is read.
struct ListMoves {
    /// The number of times that the list was begun again.
    var rereadings = 0
    /// The numbers of repeated items that no growth explains, up to the last page with a new item, and since.
    var unexplained = 0
    var pending = 0
    /// A Boolean value that indicates whether a whole page was sent again, and the list went on after it.
    var hasRepeatedPage = false
    /// `true` if each page has begun with the last item of the one before it, as with an inclusive cursor.
    var isInclusive = true
    /// `true` if undelivered items can be anywhere in the list, not only at its beginning.
    var isAnywhere = false
    /// A Boolean value that indicates whether a total, or a number of pages, has shrunk.
    var hasShrunk = false
    /// `true` if a page had fewer items than the others: its server hides some, but counts them.
    var hasShortPages = false
    /// The number of pages in a row without a new item, and that of the pages with one.
    var fruitlessPages = 0
    var fruitfulPages = 0
    /// The greatest total, and the number by which totals have shrunk.
    var greatestTotal = 0
    var deletions = 0
    /// The total that an earlier page has stated when it was last read again.
    var restatedTotal = 0
    /// The first page since the list was begun, and the last but one, as soon as a second page has been read.
    var first: PageAnalysis?
    var previous: PageAnalysis?
    /// The last page that has been read, also before the list was begun again.
    var last: PageAnalysis?
    /// The last pages that were read, to read them again, and the indices of their first items.
    var pages: [(page: CurrentPage, start: Int)] = []
}

/// Lists that change while they are read. An item that was delivered is not delivered again, and what may be missing
/// because of a change is read again:
///
/// - If a total, or a number of pages, has shrunk, items may have moved to the page before, which is requested again.
/// - If items are repeated and the total has not grown, others may stand in their place. After its end, the list is read
///   again from its first page.
///
/// What still may be missing then is an error, unless `ItemListing.allowsIncomplete` accepts it.
extension PageReader {
    /// The number of items of the list that were delivered, by this listing and an earlier one.
    var received: Int {
        let earlier = start.map { $0.itemsBefore.addingClamped($0.skip) } ?? 0
        return itemsOnCompletePages.addingClamped(earlier).addingClamped(itemsSkipped)
    }

    // MARK: Repeated items

    /// Weighs the repeated items of a page that has been read.
    func weighRepeatedItems(_ analysis: PageAnalysis) {
        delivered.weighRepeatedItems()
        let page = delivered.page
        moves.pages = moves.pages.suffix(15) + [(position, page.start)]
        if page.new > 0 { moves.fruitfulPages += 1 }
        guard let earlier = moves.last else { return moves.last = analysis }
        let first = moves.first ?? (previousInfo == nil ? analysis : earlier)
        (moves.first, moves.previous, moves.last) = (first, earlier, analysis)
        var growth = 0
        if statesCount {
            growth = self.growth(of: analysis, since: earlier)
            moves.deletions += max(0, -growth)
            for count in [earlier.count, analysis.count] {
                moves.greatestTotal = max(moves.greatestTotal, count?.value ?? 0)
            }
        }
        guard let previousInfo else { return }
        let size = max(first.number(.pageSize)?.value ?? 0, first.page.itemCount)
        let shortfall = max(0, size - previousInfo.itemCount)
        if shortfall > 0 { moves.hasShortPages = true }
        // What was inserted moves the end of the page before to this one.
        let isOverlap = page.overlap == page.repeated
        let isExplained =
            !delivered.isIdentified || page.repeated == 0
            || isOverlap && page.repeated <= max(growth, shortfall)
        if page.count > 0, page.repeated != 1 || !isOverlap { moves.isInclusive = false }
        let isFruitless = page.count > 0 && page.repeated == page.count && !isExplained
        if isFruitless { moves.fruitlessPages += 1 } else if page.count > 0 { moves.fruitlessPages = 0 }
        if !isExplained, !isOverlap || isAhead || queue?.first?.isAhead == true { moves.isAnywhere = true }
        // Some servers send a page again after the end of the list.
        if delivered.isRepeatedPage, isFruitless { return moves.pending += page.repeated }
        if page.count > 0 { countPendingItems() }
        guard !isExplained else { return }
        moves.unexplained += page.repeated
    }

    /// Counts the items of pages that were sent again, and were not the end of the list.
    private func countPendingItems() {
        if moves.pending > 1 { moves.hasRepeatedPage = true }
        (moves.unexplained, moves.pending) = (moves.unexplained + moves.pending, 0)
    }

    /// Returns `true` if the list has ended although it has a next page, because the last page has only items
    /// that were delivered before. It can be an overlap of a whole page: the list goes on if the page has
    /// another position than the one before it, or refers to the next page.
    ///
    /// - Throws: `RESTClientError` if the page says that there are more items.
    func endsAfterRepeatedPage() throws -> Bool {
        guard moves.fruitlessPages > 0, queue?.first != nil, let analysis = moves.last else { return false }
        if moves.fruitlessPages < 2,
            expectsMore(after: analysis) || !nextMayBeMissing || nextGuess?.isQuiet == true
                || moves.previous.map({ echoesPosition(analysis, since: $0) }) == true
        {
            return false
        }
        try checkEnd(after: analysis, pages: moves.fruitfulPages)
        return true
    }

    /// Throws if the list may go on after a page without new items, or the server may ignore the position.
    private func checkEnd(after analysis: PageAnalysis, pages: Int) throws {
        guard !expectsMore(after: analysis), analysis.count != nil || pages > 1
        else { throw RESTClientError(pagination: .loop(Redaction.masked(position.url))) }
    }

    private func expectsMore(after analysis: PageAnalysis) -> Bool {
        if let count = analysis.count { return count.value > received }
        return analysis.more?.flag == true || analysis.pageCount?.integer.map { $0 > position.number } == true
    }

    /// Returns `true` if a page states the position for which it was requested, and the earlier one another.
    private func echoesPosition(_ analysis: PageAnalysis, since earlier: PageAnalysis) -> Bool {
        let requested = Self.changedNumbers(analysis.page.url, after: earlier.page.url)
        return !requested.isEmpty
            && analysis.signs.contains { sign in
                // The number of the last page can be that of the requested one.
                sign.isNear
                    && sign.roles.isDisjoint(with: [.total, .pageCount, .remaining, .count, .lastPage, .end])
                    && !sign.words.contains(where: ["last", "final", "max", "pages"].contains)
                    && sign.integer.map(requested.contains) == true
                    && earlier.signs.first { $0.path == sign.path }?.integer != sign.integer
            }
    }

    /// Returns the failure if a page with new items states another position, unlike the page before it.
    func otherPosition(_ analysis: PageAnalysis) -> RESTClientError.PaginationFailure? {
        guard delivered.page.new > 0, !isAfterFullPage, let previousInfo, let earlier = moves.last
        else { return nil }
        let oldQuery = QueryItems(of: previousInfo.url)
        for item in QueryItems(of: analysis.page.url) where item.value != oldQuery[item.name] {
            let roles = QueryItems.roles(of: item.name)
            let isPage = roles.contains(.pageQuery)
            guard isPage || roles.contains(.offsetQuery), let requested = item.value.number
            else { continue }
            let step = isPage ? 1 : previousInfo.itemCount
            let own = oldQuery[item.name].number ?? requested.subtractingClamped(step)
            for sign in analysis.signs where sign.isNear(isPage ? .pageNumber : .certainOffset) {
                guard let stated = sign.integer, ![requested, own].contains(stated),
                    earlier.signs.first(where: { $0.path == sign.path })?.integer == own
                else { continue }
                return .otherPage(requested: requested, stated: stated)
            }
        }
        return nil
    }

    /// Returns `true` if the current page, which is the same as the one before it, states another position.
    func statesAnotherPosition() async throws -> Bool {
        guard previousInfo != nil, let earlier = moves.last, let analysis = try await readAnalysis()
        else { return false }
        return echoesPosition(analysis, since: earlier)
    }

    /// Returns the number by which the total has grown.
    private func growth(of analysis: PageAnalysis, since earlier: PageAnalysis) -> Int {
        counts(of: analysis, since: earlier).map { $1.subtractingClamped($0) } ?? 0
    }

    /// Returns the totals of an earlier page and a later one, unless they are the numbers of items on the pages.
    private func counts(of analysis: PageAnalysis, since earlier: PageAnalysis) -> (Int, Int)? {
        let onPages = (earlier.page.itemCount, analysis.page.itemCount)
        return analysis.counts(since: earlier).flatMap { $0 == onPages ? nil : $0 }
    }

    /// Compares the current page with the one before it if their items cannot be identified. Returns `false`
    /// if the list ends before this page, which has the same bytes and states no other position. Items of the
    /// page before it are removed if the total has grown by their number.
    ///
    /// - Throws: `RESTClientError` if the list may go on after a page that is sent again.
    func removeRepetition() async throws -> Bool {
        guard !delivered.isIdentified, let previousPage, previousInfo != nil, let earlier = moves.last,
            previousPage.total > 0, position.skip == 0
        else { return true }
        while failure == nil,
            delivered.page.count == 0
                || scanner.fingerprint?.differs(from: previousPage) == false
                    && scanner.fingerprint?.isAtLimit == false,
            let chunk = try await nextChunk()
        {
            try hold(chunk)
        }
        guard failure == nil else { return true }
        let isSame = scanner.fingerprint == previousPage
        let overlap = delivered.page.overlap
        guard isSame || overlap > 0, let analysis = try await readAnalysis() else { return true }
        let growth = growth(of: analysis, since: earlier)
        if overlap > 0, overlap <= growth {
            var rest = overlap
            position.skip = overlap
            for index in held.indices { rest -= held[index].elements.removeFirst(rest) }
            return true
        }
        guard isSame, !echoesPosition(analysis, since: earlier) else { return true }
        // Another reference to a next page, or none, is that of another page. Its items are the last ones, or counted; otherwise, the
        // server may send its last page again and again.
        if analysis.references != earlier.references {
            if let count = analysis.count?.value {
                if received.addingClamped(scanner.itemCount) <= count { return true }
            } else {
                guard queue?.first != nil else { return true }
                throw RESTClientError(pagination: .loop(Redaction.masked(position.url)))
            }
        }
        try checkEnd(after: analysis, pages: completePages)
        return false
    }

    /// Reads a chunk whose elements are delivered later.
    func hold(_ chunk: Data) throws {
        try scan(chunk)
        held.append((batch, chunk.count))
    }

    /// Returns the signs of the current page, which is read to its end unless it is large.
    private func readAnalysis() async throws -> PageAnalysis? {
        while failure == nil, scanner.envelope == nil, pageBytes < 1 << 20, let chunk = try await nextChunk()
        {
            try hold(chunk)
        }
        return scanner.envelope.map { PageAnalysis(info($0, scanner.itemCount, nil)) }
    }

    // MARK: Items that moved to earlier pages

    /// Requests the page before the current one, which has been read, again if the total has shrunk since,
    /// and this one, too, if it was requested at the same time. Returns the items that were not delivered.
    ///
    /// - Throws: `RESTClientError` if more items may have moved.
    func movedItems() async throws -> [ElementBatch] {
        guard previousInfo != nil, let earlier = moves.last, let queue, !listing.allowsIncomplete,
            let envelope = scanner.envelope, moves.first == nil || statesCount
        else { return [] }
        let current = PageAnalysis(info(envelope, scanner.itemCount, nil))
        guard
            let (total, newTotal) = counts(of: current, since: earlier) ?? current.pageCounts(since: earlier),
            newTotal < total
        else { return [] }
        moves.hasShrunk = true
        // A request that may change something is not sent again.
        guard position.request.method == nil, request.urlRequest.method == .get else { return [] }
        var moved: [ElementBatch] = []
        var hasGrown = false
        let own = (page: position, start: delivered.page.start)
        for (page, start) in (isAhead ? [own] : []) + moves.pages.reversed() {
            let (new, first, analysis) = try await readAgain(page, from: queue)
            // Equal items cannot be distinguished.
            guard delivered.identifiesAll || new.isEmpty else { break }
            moved = new + moved
            if growth(of: analysis, since: current) > 0 { hasGrown = true }
            moves.restatedTotal = counts(of: analysis, since: earlier)?.1 ?? 0
            if let first, first < start, delivered.isIdentified { moveItemsToLaterPages() }
            guard page.number == 1 || first != nil && page.number < position.number else { continue }
            // Totals that shrink from page to page, whenever they are read, show no growth.
            if hasGrown, delivered.identifiesAll {
                let (new, _, analysis) = try await readAgain(position, from: queue)
                moved += new
                if growth(of: analysis, since: current) > 0 { moveItemsToLaterPages() }
            }
            return moved
        }
        throw RESTClientError(pagination: .listMoved(from: total, to: newTotal))
    }

    /// A Boolean value that indicates whether the pages state a number of items or pages.
    private var statesCount: Bool { moves.first?.count != nil || moves.first?.pageCount != nil }

    /// Notes that items have moved to later pages, so that the list has to be read again.
    private func moveItemsToLaterPages() {
        moves.unexplained += 1
        moves.isAnywhere = true
    }

    /// Requests a page again. Returns its items that were not delivered, and the index in the listing at which its first item was
    /// delivered, or `nil` if that is a new one.
    private func readAgain(
        _ page: CurrentPage, from queue: PageQueue
    ) async throws -> (new: [ElementBatch], first: Int?, PageAnalysis) {
        var again = page
        again.skip = 0
        try queue.insertAgain(again, because: "the list has shrunk")
        let response = try await queue.next().response
        var scanner = PageScanner(listing, response)
        var new: [ElementBatch] = []
        var first: Int?
        for try await chunk in response.body {
            try countReceived(chunk)
            var batch = ElementBatch()
            let isFirst = scanner.itemCount == 0
            try scanner.scan(chunk, into: &batch)
            let earlier = delivered.keepNewElements(of: &batch)
            if isFirst { first = earlier }
            if !batch.isEmpty { new.append(batch) }
        }
        let count = scanner.itemCount
        let envelope = response.status.hasNoBody ? "{}" : try scanner.finish()
        var info = page.info(envelope, itemCount: count, response, nil, in: request)
        info.path = listing.path
        return (new, first, PageAnalysis(info))
    }

    // MARK: The end of the list

    /// A Boolean value that indicates whether the list, which is read again, has been read far enough.
    var isReadAgain: Bool {
        guard moves.rereadings > 0, completePages > 0, delivered.page.count > 0, previousInfo != nil
        else { return false }
        if hasAllItems { return true }
        // Items that were delivered can have moved to the beginning, too.
        return !moves.isAnywhere && delivered.page.new == 0 && delivered.page.isUnchanged
    }

    /// A Boolean value that indicates whether the last total has been delivered, even if all deleted items were delivered.
    private var hasAllItems: Bool {
        lastCount.map { $0 <= received.subtractingClamped(moves.deletions) } == true
    }

    /// The total of the last page.
    var lastCount: Int? { moves.last?.count?.value }

    /// Returns `true` if items that were deleted, or inserted before the position, explain the error.
    func isExplained(_ error: any Error) -> Bool {
        switch (error as? RESTClientError)?.kind {
        case .pagination(.moreThanTotal): return received <= moves.greatestTotal
        case .pagination(.incompleteTotal(_, let total, _)):
            guard delivered.identifiesAll, moves.rereadings == 0, let first = moves.first,
                let last = moves.last, received.addingClamped(growth(of: last, since: first)) >= total
            else { return false }
            moves.unexplained += 1
            return true
        default: return false
        }
    }

    /// Begins to read the list again after its end if items may be missing, and returns `true`. Otherwise, checks that it is
    /// complete, and returns `false`. `hasNextPage` is `true` for a list that ends although its last page has a next one.
    func endList(hasNextPage: Bool = false) throws -> Bool {
        if !listing.allowsIncomplete {
            if !hasNextPage { countPendingItems() }
            if try readAgain() { return true }
            try checkRepeatedPage()
            try checkTotal()
            try checkNumbersOfFirstPage()
            try checkFlagOfLastItem()
        }
        end()
        return false
    }

    /// Begins to read the list again if items may be missing, and returns `true`, or `false` if none can be.
    private func readAgain() throws -> Bool {
        // Items without an identity would be delivered twice.
        guard delivered.identifiesAll && moves.unexplained > 0 || delivered.isAmbiguous, !hasAllItems,
            !moves.hasShortPages, let first = moves.first, let last = moves.last
        else { return false }
        let isCounted = Self.isCounted(last.page.url, after: first.page.url)
        let isWhole = start.map { $0.pageNumber == 1 && $0.itemsBefore == 0 && $0.skip == 0 } ?? true
        // A token can be the position of an item, which moves with it. Then the same items are repeated when the list is read again.
        guard
            isCounted || moves.hasRepeatedPage || delivered.isAmbiguous || last.count != nil
                || !moves.isInclusive && isWhole && request.urlRequest.method == .get
                    && (moves.rereadings == 0 || moves.fruitfulPages > 0)
        else { return false }
        // Only the beginning of the list is read if items were inserted there.
        guard isWhole, !delivered.isAmbiguous, moves.rereadings < (moves.isAnywhere ? 3 : 8),
            request.urlRequest.method == .get
        else {
            throw RESTClientError(
                pagination: .listMoved(from: received, to: last.count?.value ?? received))
        }
        let isAnywhere = moves.isAnywhere || moves.hasShrunk
        moves = ListMoves(
            rereadings: moves.rereadings + 1, hasRepeatedPage: moves.hasRepeatedPage, isAnywhere: isAnywhere,
            hasShrunk: moves.hasShrunk,
            greatestTotal: moves.greatestTotal, deletions: moves.deletions, last: last)
        delivered.beginAgain()
        (previousPage, previousInfo) = (nil, nil)
        position = CurrentPage(request: PageRequest(request.urlRequest.url ?? position.url))
        try queue?.restart(because: "items were repeated")
        return true
    }

    /// Throws an error if a page was sent again in the place of another one, and no change of the list explains it.
    private func checkRepeatedPage() throws {
        guard moves.rereadings > 0, moves.hasRepeatedPage, moves.fruitfulPages == 0, !hasAllItems
        else { return }
        throw RESTClientError(pagination: .listMoved(from: received, to: lastCount ?? received))
    }

    /// Throws if the list has fewer items than its total: those inserted while it was read may be missing.
    private func checkTotal() throws {
        // The last total is wrong if it is not that of the items, and an earlier page still states a larger one.
        if moves.hasShrunk, !moves.hasShortPages, received < moves.restatedTotal, lastCount != received {
            throw RESTClientError(
                pagination: .incompleteTotal(received: received, total: moves.restatedTotal))
        }
        guard let first = moves.first, let last = moves.last, !moves.hasShortPages,
            moves.hasShrunk || moves.unexplained > 0 || moves.pending > 0 || moves.rereadings > 0,
            let (old, total) = last.counts(since: first),
            received.addingClamped(max(0, total.subtractingClamped(old))) < total
        else { return }
        throw RESTClientError(pagination: .incompleteTotal(received: received, total: total))
    }

    /// Throws if numbered pages end before the total, or number of pages, that only the first one states. Some
    /// servers count the items only once.
    private func checkNumbersOfFirstPage() throws {
        guard case .automatic? = StandardPagination(listing.pagination)?.rule, let first = moves.first,
            let last = moves.last, Self.isCounted(last.page.url, after: first.page.url)
        else { return }
        if last.total == nil, let total = first.total?.value, received < total {
            throw RESTClientError(pagination: .incompleteTotal(received: received, total: total))
        }
        if last.pageCount == nil, let count = first.pageCount?.integer, last.page.number < count {
            throw RESTClientError(pagination: .missingNext)
        }
    }

    /// Throws an error if only the last item of the list has a flag such as `_more_changes`.
    private func checkFlagOfLastItem() throws {
        let items = delivered.lastBatches.flatMap { batch in
            (max(0, batch.count - 2)..<batch.count).map { value(of: batch.element($0)) }
        }.suffix(2)
        guard items.count > 1, let last = items.last, let flag = last.flagForMore,
            items.first?.json(flag) == nil
        else { return }
        throw RESTClientError(pagination: .unknownNext(in: flag, "true"))
    }

    /// Returns an item, or the value of a member that is one.
    private func value(of element: [UInt8]) -> Envelope {
        guard listing.layout == .members else { return Envelope(text: element) }
        let object = Envelope(text: Array("{".utf8) + element + "}".utf8)
        let value = object.keys.first.flatMap { object.json(MemberPath(names: [$0])) }
        return Envelope(text: Array((value ?? "").utf8))
    }

    /// Returns `true` if two pages of the list differ in a number of their queries.
    static func isCounted(_ url: URL, after previous: URL) -> Bool {
        !changedNumbers(url, after: previous).isEmpty
    }

    /// Returns the numbers in the query of a page that differ from those of an earlier one.
    private static func changedNumbers(_ url: URL, after previous: URL) -> [Int] {
        let items = QueryItems(of: previous)
        return QueryItems(of: url).compactMap { item in
            let old = items[item.name]
            guard old != item.value, old == nil || old.number != nil else { return nil }
            return item.value.number
        }
    }
}

extension PageAnalysis {
    /// The references of the page to the next one.
    fileprivate var references: [String] {
        let signs = signs.filter { $0.leadsToNext || $0.isNear(.token) }.map { $0.textOrNumber ?? "" }
        let link = Link.first("next", in: page.headers)?.target
        return signs + [link ?? "", more.map { "\($0.flag)" } ?? ""]
    }

    /// The total, or another number that is probably the total.
    var count: Number? { knownTotal ?? largeCount }

    /// Returns the numbers of all items that an earlier page and this one state.
    func counts(since earlier: PageAnalysis) -> (Int, Int)? {
        guard let old = earlier.count, let new = signs.first(where: { $0.path == old.sign.path })?.count
        else { return nil }
        return (old.value, new)
    }

    /// Returns the numbers of pages that an earlier page and this one state.
    func pageCounts(since earlier: PageAnalysis) -> (Int, Int)? {
        guard let old = earlier.pageCount?.integer, let new = pageCount?.integer else { return nil }
        return (old, new)
    }
}

extension Envelope {
    /// The name of a flag of an item that says that more items follow it.
    fileprivate var flagForMore: MemberPath? {
        keys.first { name in
            let words = PaginationNames.words(of: name)
            return (words.first == "more" || words.starts(with: ["has", "more"]))
                && json(MemberPath(names: [name])) == "true"
        }.map { MemberPath(names: [$0]) }
    }
}
