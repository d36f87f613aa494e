import Foundation
import RESTClientHTTP

/// The positions at which a listing can be resumed, and the search for such a position.
extension PageReader {
    /// The position after the delivered items, or `nil` if the listing cannot be resumed.
    var resume: ResumeToken? {
        // A listing whose next page is unknown cannot be resumed.
        if case .failed = plan { return nil }
        // The rest alone would appear to be complete.
        guard incompleteness == nil, !isDeliveringMovedItems, moves.rereadings == 0 else { return nil }
        if let resumePoint, resumePoint.shift != 0 { return resumePoint.shift == nil ? start : nil }
        if let endBeforeAlternative { return token(after: endBeforeAlternative) }
        var end = position
        // Before the page has begun, the delivered items are those of the page before it.
        if case .inPage = phase { end.skip = index(after: 0) }
        guard end.skip > 0 else { return token(before: position.request, number: position.number) }
        end.lastItem = delivered.mark(of: lastItem, at: end.skip - 1)
        return token(after: end)
    }

    /// Returns the position before a page: after the last item of the page before it, because items can move from one to the other
    /// until the listing is resumed. If all pages have the same request, it is that of the next one.
    private func token(before page: PageRequest, number: Int) -> ResumeToken? {
        guard page.hasOnlyURL else { return nil }
        if let lastPage, !page.isRepeatable { return token(after: lastPage) }
        return token(after: CurrentPage(request: page, number: number, itemsBefore: position.itemsBefore))
    }

    /// Returns the position after the first items of a page, which are skipped. A token contains nothing but a URL.
    private func token(after page: CurrentPage) -> ResumeToken? {
        guard page.request.hasOnlyURL else { return nil }
        return ResumeToken(
            url: page.url, pageNumber: page.number, itemsBefore: page.itemsBefore, skip: page.skip,
            lastItem: page.lastItem, total: page.lastItem == nil ? nil : lastCount ?? start?.total
        ).removingSecrets(of: request.urlRequest.url)
    }

    /// Returns the index on the current page of the item after the next `count` ones.
    func index(after count: Int) -> Int {
        delivered.index(after: deliveredItems + count, skip: position.skip)
    }

    /// The position before the next page, or `nil` if there is none.
    var nextPagePosition: ResumeToken? {
        guard case .known = plan, incompleteness == nil, moves.rereadings == 0, let next = queue?.first
        else { return nil }
        if resumePoint?.isFound == false { return start }
        return token(before: next.request, number: next.number)
    }

    /// The position after the delivered items, also between two pages.
    var currentPosition: ResumeToken? {
        switch phase {
        case .betweenPages where completePages > 0: nextPagePosition
        case .ended: endPosition
        default: resume
        }
    }

    // MARK: Items that were delivered before

    /// Removes the elements that were delivered before. The first one whose identity was on an earlier page may be another item: its
    /// batch and the rest of the page wait until that is known, up to 1 MB or three batches.
    func receive(_ batch: inout ElementBatch) {
        let identities = delivered.identities(of: batch)
        guard !batch.isEmpty,
            !doubtful.batches.isEmpty || delivered.areDoubtful(identities, skip: position.skip)
        else { return removeDelivered(from: &batch, identities) }
        doubtful.batches.append(batch)
        doubtful.bytes += batch.chunk.count + batch.carried.count
        batch = ElementBatch()
        if doubtful.batches.count > 2, doubtful.bytes > 1 << 20 { endDoubt() }
    }

    /// Adds the waiting elements to those that are delivered next. Returns `false` if there are none, or if the page is cut and
    /// does not show whether they were delivered: the listing fails, and requests them again when it is resumed.
    @discardableResult func endDoubt(isCut: Bool = false) -> Bool {
        guard !doubtful.batches.isEmpty else { return false }
        defer { doubtful = ([], 0) }
        guard delivered.judgeIdentities(of: doubtful.batches) || !isCut else { return false }
        for var batch in doubtful.batches {
            removeDelivered(from: &batch, delivered.identities(of: batch))
            held.append((batch, 0))
        }
        return true
    }

    /// Receives the elements of a guessed page, which is the next one.
    func receiveHeldElements() {
        let waiting = held
        held = []
        for var next in waiting {
            receive(&next.elements)
            held.append(next)
        }
    }

    /// Notes the elements, and removes those that were delivered before.
    private func removeDelivered(from batch: inout ElementBatch, _ identities: [Int?]) {
        if resumePoint?.isFound == false {
            let skip = resumePoint?.find(in: batch, from: delivered.page.count)
            position.skip = skip ?? .max
            lastItem = resumePoint?.item ?? []
        }
        delivered.receive(&batch, identities, skip: position.skip)
    }

    // MARK: Resumed lists

    /// Ends the first pages of a resumed listing. Returns `true` if all items were delivered before.
    /// Throws if the list has changed since the position was made, so that items may be missing.
    func endResumedPage(_ analysis: PageAnalysis, _ count: Int) throws -> Bool {
        guard var point = resumePoint else { return false }
        let growth = point.total.flatMap { total in analysis.count?.value.subtractingClamped(total) }
        guard let shift = point.shift else {
            let continues = point.continues(after: count, growth: growth ?? 0)
            guard queue?.first != nil, continues || listing.allowsIncomplete
            else { throw positionMoved(by: nil) }
            resumePoint = point
            return true
        }
        // Inside the page, the total is that of the page before it, from which items may have moved to that page.
        let isInPlace = shift == 0 && (growth ?? 0 >= 0 || position.skip == count)
        guard isInPlace || shift == growth || listing.allowsIncomplete else { throw positionMoved(by: shift) }
        resumePoint = nil
        return position.skip == count
    }

    private func positionMoved(by shift: Int?) -> RESTClientError {
        let error = RESTClientError(pagination: .positionMoved(page: start?.pageNumber ?? 1, by: shift))
        plan = .failed(error)
        return error
    }
}
