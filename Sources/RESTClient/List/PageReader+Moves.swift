import Foundation
import RESTClientHTTP

/// Lists from which items were deleted while they are read, so that items have moved to pages that were read before.
extension PageReader {
    /// Requests the page before the current one again if the total has shrunk since then, and returns the items that have
    /// moved to it. The current page has been read, and only deletions before it move items.
    ///
    /// - Throws: `RESTClientError` if more items may have moved.
    func movedItems() async throws -> [ElementBatch] {
        guard let previousInfo, let previousPage, let previousEnd, let queue, openedSkip == 0,
            !listing.allowsIncomplete,
            isCounted(position.url, after: previousInfo.url), let envelope = scanner.envelope,
            let (total, newTotal) = counts(envelope, since: previousInfo), newTotal < total
        else { return [] }
        var again = previousEnd
        (again.skip, again.itemsBefore) = (
            0, previousInfo.itemsSoFar.subtractingClamped(previousInfo.itemCount)
        )
        try queue.insertAgain(again, because: "the list has shrunk")
        let batches = try await batches(of: try await queue.next().response)
        let hashes = batches.flatMap(PageFingerprint.hashes)
        // The items after the last one that is known have moved here.
        guard let last = previousPage.tail().lazy.reversed().compactMap({ hashes.lastIndex(of: $0) }).first
        else {
            throw RESTClientError(pagination: .listMoved(from: total, to: newTotal))
        }
        let known = Set(previousPage.tail())
        let end = hashes.firstIndex { $0 == scanner.fingerprint?.first } ?? hashes.count
        guard last + 1 < end, !hashes[(last + 1)..<end].contains(where: known.contains) else { return [] }
        return Self.batches(batches, in: last + 1..<end)
    }

    /// Returns the numbers of items, or else of pages, that the page before the current one and the current one state.
    private func counts(_ envelope: Envelope, since previous: PageInfo) -> (Int, Int)? {
        let previous = PageAnalysis(previous)
        let current = PageAnalysis(info(envelope, scanner.itemCount, nil))
        return current.counts(since: previous) ?? current.pageCounts(since: previous)
    }

    /// Throws an error if items that were received again stood in the place of others: the list has ended, and has fewer items
    /// than the total, which has not grown.
    func checkRepeatedItems() throws {
        guard repeatedItems > 0, !listing.allowsIncomplete, let firstInfo, let previousInfo,
            let (first, total) = PageAnalysis(previousInfo).counts(since: PageAnalysis(firstInfo))
        else { return }
        // A server that hides items counts them, and the offset of the next page is too small.
        let size = PageAnalysis(firstInfo).number(.pageSize)?.value ?? 0
        guard size <= firstInfo.itemCount else { return }
        let received = previousInfo.itemsSoFar.addingClamped(itemsSkipped).subtractingClamped(repeatedItems)
        guard received.addingClamped(max(0, total.subtractingClamped(first))) < total else { return }
        throw RESTClientError(pagination: .incompleteTotal(received: received, total: total))
    }

    /// Throws an error if pages that were requested by numbers ended before the total, which only the first page states. Some
    /// servers count the items only once.
    func checkFirstTotal() throws {
        guard case .automatic? = StandardPagination(listing.pagination)?.rule, !listing.allowsIncomplete,
            let firstInfo, let previousInfo, firstInfo.number != previousInfo.number,
            isCounted(previousInfo.url, after: firstInfo.url),
            let total = PageAnalysis(firstInfo).total?.value, PageAnalysis(previousInfo).total == nil
        else { return }
        let received = previousInfo.itemsSoFar.addingClamped(itemsSkipped).subtractingClamped(repeatedItems)
        guard received < total else { return }
        throw RESTClientError(pagination: .incompleteTotal(received: received, total: total))
    }

    /// Returns the status of a page that has no items because its list does not exist yet (RFC 9110, section 15.3.3).
    func accepted(_ response: StreamingResponse, itemCount: Int) -> String? {
        itemCount == 0 && response.status == 202 ? "\(response.status)" : nil
    }

    /// Throws an error if only the last item of the list has a flag such as `_more_changes`.
    func checkFlagOfLastItem() throws {
        guard !listing.allowsIncomplete, let items = previousPage?.lastElements, let last = items.last,
            let flag = last.flagForMore, items.dropLast().allSatisfy({ $0.json(flag) == nil })
        else { return }
        throw RESTClientError(pagination: .unknownNext(in: flag, "true"))
    }

    /// Returns `true` if two pages of the list differ in a number of their queries.
    private func isCounted(_ url: URL, after previous: URL) -> Bool {
        let items = QueryItems(of: previous)
        return QueryItems(of: url).contains { item in
            item.value.flatMap { Int($0) } != nil && items[item.name] != item.value
                && (items[item.name] == nil || items[item.name].flatMap { Int($0) } != nil)
        }
    }

    private func batches(of response: StreamingResponse) async throws -> [ElementBatch] {
        guard !response.status.hasNoBody else { return [] }
        var scanner = PageScanner(listing, response, skip: 0)
        var batches: [ElementBatch] = []
        for try await chunk in response.body {
            try countReceived(chunk)
            var batch = ElementBatch()
            try scanner.scan(chunk, into: &batch)
            batches.append(batch)
        }
        _ = try scanner.finish()
        return batches
    }

    /// Returns the elements in a range of those of all batches.
    private static func batches(_ batches: [ElementBatch], in range: Range<Int>) -> [ElementBatch] {
        var start = 0
        return batches.compactMap { batch in
            var batch = batch
            let (first, end) = (start, start + batch.count)
            start = end
            guard first < range.upperBound, end > range.lowerBound else { return nil }
            batch.removeLast(max(0, end - range.upperBound))
            _ = batch.removeFirst(max(0, range.lowerBound - first))
            return batch
        }
    }
}

extension PageAnalysis {
    /// The total, or another number that is probably the total.
    var count: Number? { total ?? evidentCount ?? largeCount }

    /// Returns the numbers of all items that an earlier page and this one state.
    func counts(since earlier: PageAnalysis) -> (Int, Int)? {
        guard let old = earlier.count, let new = signs.first(where: { $0.path == old.sign.path })?.integer
        else {
            return nil
        }
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
