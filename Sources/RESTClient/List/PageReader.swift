import Foundation
import RESTClientHTTP

/// Reads the pages of a list in order, one chunk at a time.
///
/// The consumer reports delivered items with `didDeliver(_:)`, so that an error contains the position at which the
/// listing can be resumed.
final class PageReader {
    /// The state of the pagination for the current page: not evaluated, evaluated, or failed.
    enum Plan { case unknown, known(PageAnalysis), failed(any Error) }

    enum Phase { case betweenPages, inPage, ended }

    let request: DataRequest
    let listing: ItemListing
    private let maxConcurrentPages: Int
    private let maxPages: Int
    let start: ResumeToken?
    /// The item after which the listing continues, until it was found and its page has been read.
    var resumePoint: ResumePoint?
    var queue: PageQueue?
    var phase = Phase.betweenPages
    var position: CurrentPage
    var plan = Plan.unknown
    private(set) var response: StreamingResponse?
    private var chunks: ByteStream.AsyncIterator?
    var scanner = PageScanner()
    /// The result of scanning the start of the page, until the scanned chunks have been read.
    private var pageStart: ScannedStart?
    /// The first bytes of the page's body, for errors.
    var bodyPrefix = Data()
    /// The number of bytes received for the listing. What is received again of a page counts once.
    private var receivedBytes: Int64 = 0
    /// The number of bytes received of the current page.
    private(set) var pageBytes: Int64 = 0
    var completePages = 0
    var itemsOnCompletePages = 0
    /// The number of delivered items of the current page since it was last requested.
    var deliveredItems = 0
    /// The last delivered item.
    var lastItem: [UInt8] = []
    /// The number of times that a page was requested again.
    var restarts = 0
    /// An error that is thrown after the elements before it.
    var failure: (any Error)?
    /// An error that is thrown after all elements, because the server says that a page lacks some.
    private(set) var incompleteness: RESTClientError?
    /// The alternatives for the next page, if its query item is not known with certainty.
    var nextGuess: StandardPagination.Guess?
    /// A Boolean value that indicates whether a missing next page is the end of the list.
    private(set) var nextMayBeMissing = false
    /// A Boolean value that indicates whether this page was requested after a full one, and might have been missing.
    private(set) var isAfterFullPage = false
    /// `true` until a guessed page is known to be another one. No other page is requested until then.
    var isCheckingGuess = false
    var previousPage: PageFingerprint?
    /// The position after a listing that has failed or was cancelled.
    var endPosition: ResumeToken?
    /// The end of the last page with items, which need not be the last page.
    var lastPage: CurrentPage?
    /// The position before an alternative that can be the same page: a resumed listing compares them again.
    var endBeforeAlternative: CurrentPage?
    /// The number of items of the list before the first page of the listing.
    private(set) var itemsSkipped = 0
    var delivered = DeliveredItems()
    var moves = ListMoves()
    /// A Boolean value that indicates whether the current page was requested before the one before it was received.
    private(set) var isAhead = false
    /// The first page of the listing.
    private(set) var firstInfo: PageInfo?
    /// The page before the current one.
    var previousInfo: PageInfo?
    /// `true` after the items were read that had moved from the current page to the one before it.
    private var hasReadMovedItems = false
    /// `true` while items are delivered that have moved to the page before the current one.
    private(set) var isDeliveringMovedItems = false
    /// The elements that were read to compare a page with the previous one, and that have not been delivered yet.
    var held: [(elements: ElementBatch, bytes: Int)] = []
    /// The batches of the page that wait, from the first one with the identity of an item of an earlier page, and their size.
    var doubtful: (batches: [ElementBatch], bytes: Int) = ([], 0)

    /// The elements of the last event.
    private(set) var batch = ElementBatch()

    init(_ request: DataRequest, _ listing: ItemListing, from start: ResumeToken?) {
        self.request = request
        self.listing = listing
        maxConcurrentPages = max(1, listing.maxConcurrentPages)
        self.start = start
        resumePoint = start.flatMap(ResumePoint.init)
        // The page of the position has been counted.
        maxPages = max(1, listing.maxPages).addingClamped(resumePoint == nil ? 0 : 1)
        position = CurrentPage(
            request: PageRequest(start?.url ?? request.urlRequest.url ?? URL(filePath: "/")),
            number: start?.pageNumber ?? 1, itemsBefore: start?.itemsBefore ?? 0, skip: start?.skip ?? 0)
    }

    /// Adds the next items to `items`, at least one, and returns `true`, or `false` at the end of the list.
    func readItems<Item>(into items: inout [Item], _ decode: ElementBatch.Decoding<Item>) async throws -> Bool
    {
        while true {
            switch try await next() {
            case .elements:
                let count = items.count
                if let undecodable = decode(batch, &items) {
                    failure = self.undecodable(undecodable)
                    (held, doubtful) = ([], ([], 0))
                }
                didDeliver(items.count - count)
                if items.count > count { return true }
            case .pageEnd: continue
            case .listEnd: return false
            }
        }
    }

    /// Reads the next chunk of the current page, or the end of the page or of the list. After an error, which
    /// has the progress of the listing, the list has ended.
    func next() async throws -> Event {
        do {
            if let next = held.first {
                held.removeFirst()
                batch = next.elements
                return .elements(bytes: next.bytes)
            }
            if let failure { throw failure }
            switch phase {
            case .ended: return .listEnd
            case .betweenPages:
                guard try await openPage() else {
                    if let incompleteness { throw incompleteness }
                    return .listEnd
                }
            case .inPage: break
            }
            if !held.isEmpty { return try await next() }
            guard let chunk = try await nextChunk() else {
                if try scanner.endSequence(into: &batch) {
                    receive(&batch)
                    return .elements(bytes: 0)
                }
                if endDoubt() { return try await next() }
                if !hasReadMovedItems {
                    hasReadMovedItems = true
                    // Another page could not be read, so that this one is not requested again, and the listing not resumed.
                    do { held = try await movedItems().map { ($0, 0) } } catch {
                        plan = .failed(error)
                        throw fail(mapped: mapped(error))
                    }
                    isDeliveringMovedItems = !held.isEmpty
                    if isDeliveringMovedItems { return try await next() }
                }
                return .pageEnd(try closePage())
            }
            try scan(chunk)
            return .elements(bytes: chunk.count)
        } catch {
            if endDoubt(isCut: true) {
                failure = error
                return try await next()
            }
            let delivered = scanner.fingerprint
            var error = mapped(error)
            // What the server says is the reason.
            if let incompleteness, case .pagination? = (error as? RESTClientError)?.kind {
                error = incompleteness
            }
            if try await reopenPage(after: error, delivered) { return try await next() }
            throw fail(mapped: error)
        }
    }

    /// A Boolean value that indicates whether `next()` returns without waiting for data.
    var hasBufferedChunk: Bool {
        if !held.isEmpty { return true }
        guard let failure else { return chunks?.hasBufferedChunk ?? false }
        // The page may be requested again.
        return !Self.isIncompleteBody(failure)
    }

    /// Counts delivered items. Items of a page that is delivered as a whole are reported after its end.
    func didDeliver(_ count: Int) {
        if case .inPage = phase, !isDeliveringMovedItems {
            deliveredItems += count
            if count > 0 { lastItem = batch.element(count - 1) }
        } else {
            itemsOnCompletePages += count
        }
    }

    /// Ends the listing, and returns the error to throw, with the progress of the listing.
    func fail(mapped error: any Error) -> any Error {
        let resume = resume
        endPosition = resume
        end()
        guard var error = error as? RESTClientError else { return error }
        // That of the list, and not what was left of it for the page.
        if error.kind == .timedOut(.total) { error.timeLimit = request.options.timeouts.total }
        error.listingProgress = RESTClientError.ListingProgress(
            itemCount: itemsOnCompletePages + deliveredItems, pageCount: completePages, resume: resume)
        return error
    }

    // MARK: One page

    /// Starts to read the next page. Returns `false` if there is none.
    func openPage() async throws -> Bool {
        var isEnd = try completePages > 0 && (endsAfterRepeatedPage() || isReadAgain)
        if case .failed(let error) = plan, !isEnd {
            guard isExplained(error) else { throw error }
            isEnd = true
        }
        let queue = try self.queue ?? PageQueue(request, listing, from: start)
        self.queue = queue
        if isEnd || queue.first == nil {
            guard try endList(hasNextPage: isEnd) else { return false }
        }
        guard let next = queue.first else { return false }
        isAhead = next.isAhead
        if completePages > 0 {
            position = CurrentPage(
                request: next.request, number: next.number, itemsBefore: position.itemsBefore)
        }
        plan = .unknown
        response = nil
        bodyPrefix = Data()
        guard completePages < maxPages else {
            var request = request.urlRequest
            request.url = position.url
            throw RESTClientError(.limit(.pages(max(1, listing.maxPages))), request)
        }
        position.request = next.request
        position.json = next.json
        let guess = nextGuess
        let mayBeMissing = nextMayBeMissing
        (nextGuess, nextMayBeMissing, isAfterFullPage) = (nil, false, mayBeMissing)
        let page: OpenPage
        do {
            page = try await queue.next(transferring: pagesInTransfer)
        } catch let error as RESTClientError {
            if mayBeMissing, isAfterLastPage(error) { return try await openAgain() }
            // A strict server rejects an unknown query item.
            guard let guess, !guess.alternatives.isEmpty || guess.failure != nil,
                [.status(400), .status(422)].contains(error.kind)
            else { throw error }
            if case .ignoredParameter? = guess.failure { throw error }
            return try await openAlternative(of: guess, after: error)
        }
        response = page.response
        if page.response.status.hasNoBody {
            if mayBeMissing { return try await openAgain() }
            guard isEmptyList(page.response.status) else { throw Self.noContent }
        }
        startReading(page)
        isCheckingGuess = guess != nil
        findNextPagesInHead()
        if let guess {
            if let other = try await alternatives(to: guess) { return try await openAlternative(of: other) }
            endBeforeAlternative = nil
            receiveHeldElements()
        }
        guard try await removeRepetition() else {
            (failure, held) = (nil, [])
            return try await openAgain()
        }
        if guess != nil { prefetch() }
        return true
    }

    /// Ends the list after its last page. Returns `true` if the first page was opened again.
    func openAgain(hasNextPage: Bool = false) async throws -> Bool {
        (phase, plan) = (.betweenPages, .unknown)
        guard try endList(hasNextPage: hasNextPage) else { return false }
        return try await openPage()
    }

    /// Starts to read a page, of which `deliveredCount` items were delivered if its body broke off before.
    func startReading(_ page: OpenPage, after deliveredCount: Int? = nil) {
        let response = page.response
        self.response = response
        (hasReadMovedItems, isDeliveringMovedItems) = (false, false)
        if deliveredCount != nil { receivedBytes -= pageBytes }
        delivered.beginPage(
            again: deliveredCount != nil, of: listing.path,
            isCounted: Self.isCounted(position.url, after: moves.pages.last?.page.url ?? position.url))
        pageBytes = 0
        pageStart = page.start
        if let pageStart {
            swap(&scanner, &pageStart.scanner)
        } else {
            scanner = PageScanner(listing, response, after: deliveredCount)
        }
        chunks = response.body.makeAsyncIterator()
        phase = .inPage
    }

    func countReceived(_ chunk: Data) throws {
        receivedBytes += Int64(chunk.count)
        guard receivedBytes <= listing.maxBytes else {
            throw RESTClientError(
                .limit(.listingBytes(listing.maxBytes)), response?.request ?? request.urlRequest)
        }
    }

    func nextChunk() async throws -> Data? {
        var chunks = chunks
        let chunk = try await chunks?.next()
        self.chunks = chunks
        return chunk
    }

    func scan(_ chunk: Data) throws {
        pageBytes += Int64(chunk.count)
        try countReceived(chunk)
        if bodyPrefix.count < Self.maxBodyPrefix {
            bodyPrefix += chunk.prefix(Self.maxBodyPrefix - bodyPrefix.count)
        }
        do {
            if let pageStart {
                batch.reset(to: Data())
                guard try pageStart.read(chunk, into: &batch) else { return }
                self.pageStart = nil
            } else {
                try scanner.scan(chunk, into: &batch)
            }
        } catch {
            // The error is thrown after the elements before it.
            failure = mapped(error)
        }
        // The items of a page that may not be the next one are not remembered yet.
        if !isCheckingGuess { receive(&batch) }
        if case .unknown = plan, let envelope = scanner.envelope {
            findNextPages(envelope, scanner.itemCount, scanner.ends)
        }
    }

    /// Ends the current page, and throws if it is incomplete.
    private func closePage() throws -> PageEnd {
        let count = scanner.itemCount
        let ends = scanner.ends
        var finished = PageScanner()
        swap(&finished, &scanner)
        previousPage = finished.fingerprint
        let envelope: Envelope
        var missingList: ListScanner.Failure?
        do { envelope = try finished.finish() } catch let failure as ListScanner.Failure {
            guard let empty = membersOfEmptyList(failure) else { throw failure }
            (envelope, missingList) = (empty, failure)
        }
        if case .unknown = plan { findNextPages(envelope, count, ends) }
        // The page can have been requested again since it was analyzed.
        let analysis =
            if case .known(let known) = plan, known.page.itemCount == count,
                known.page.envelope.text == envelope.text
            { known } else { PageAnalysis(info(envelope, count, ends)) }
        let info = analysis.page
        if let gap = gap(analysis, missingList) { throw gap }
        if let failure = otherPosition(analysis) { throw RESTClientError(pagination: failure) }
        // A list that does not exist yet (RFC 9110, section 15.3.3).
        let accepted = count == 0 && response?.status == 202 ? response.map { "\($0.status)" } : nil
        if incompleteness == nil, !listing.allowsIncomplete, let response,
            let text = analysis.incompleteness(isFollowed: queue?.first != nil, since: firstInfo)
                ?? accepted ?? listBesideMetadata(count)
        {
            incompleteness = RESTClientError(
                .incompleteList(text), response.request, response: response.map { _ in bodyPrefix })
        }
        let isSkipped = try endResumedPage(analysis, count)
        completePages += 1
        isDeliveringMovedItems = false
        itemsOnCompletePages += deliveredItems
        deliveredItems = 0
        position.skip = count
        if count > 0, queue?.first != nil { position.lastItem = delivered.markOfLastItem }
        if firstInfo == nil {
            firstInfo = info
            firstInfo?.totalOfFirstPage = analysis.wholeTotal
        }
        weighRepeatedItems(analysis)
        previousInfo = info
        if count > 0 { lastPage = position }
        position.itemsBefore += count
        (position.skip, position.lastItem) = (0, nil)
        chunks = nil
        phase = .betweenPages
        return PageEnd(info: info, resume: nextPagePosition, isSkipped: isSkipped)
    }

    /// Cancels all transfers. No more pages are read.
    func end() {
        phase = .ended
        (failure, held, doubtful) = (nil, [], ([], 0))
        queue = nil
        chunks = nil
    }

    // MARK: Next pages

    /// Requests the next page before the current one is read, if the headers contain its URL.
    private func findNextPagesInHead() {
        guard let queue, queue.first == nil, response?.headers[.link] != nil,
            let pagination = StandardPagination(listing.pagination),
            let decision = pagination.decision(afterHeadOf: info("{}", 0, nil))
        else { return }
        // An invalid URL is reported when the page has been read.
        try? queue.replace(with: decision.requests, after: position.number, rule: decision.rule)
        prefetch()
    }

    private func findNextPages(_ envelope: Envelope, _ count: Int, _ ends: PageScanner.Ends?) {
        guard let queue else { return }
        do {
            let info = info(envelope, count, ends)
            let analysis: PageAnalysis
            var requests: [PageRequest]
            var rule: String?
            if let pagination = StandardPagination(listing.pagination) {
                analysis = pagination.analysis(of: info)
                let decision = try pagination.decision(by: analysis)
                (requests, rule) = (decision?.requests ?? [], decision?.rule)
                (nextGuess, nextMayBeMissing) = (decision?.guess, decision?.mayBeMissing ?? false)
                // No other page is requested until the parameter is known.
                if nextGuess?.alternatives.isEmpty == false { requests = Array(requests.prefix(1)) }
                if position.itemsBefore == 0 { itemsSkipped = decision?.itemsSkipped ?? 0 }
            } else {
                analysis = PageAnalysis(info)
                requests = try listing.pagination.requests(after: info)
            }
            try queue.replace(with: requests, after: position.number, rule: rule)
            plan = .known(analysis)
            prefetch()
        } catch {
            plan = .failed(error)
        }
    }

    /// The number of pages that can be transferred at the same time, including the current page.
    private var pagesInTransfer: Int {
        moves.rereadings > 0 ? 1 : min(maxConcurrentPages, maxPages - completePages)
    }

    /// Requests the next pages before the current one is read.
    private func prefetch() {
        if !isCheckingGuess { queue?.startTransfers(pagesInTransfer - 1) }
    }

    func info(_ envelope: Envelope, _ count: Int, _ ends: PageScanner.Ends?) -> PageInfo {
        var info = position.info(envelope, itemCount: count, response, ends, in: request)
        (info.path, info.maxNextPages, info.itemsSkipped) = (listing.path, pagesInTransfer, itemsSkipped)
        info.totalOfFirstPage = firstInfo?.totalOfFirstPage
        info.hasGroups = listing.hasGroups
        info.isFirstOrAfterFullPage = previousInfo == nil || isAfterFullPage
        if let previousInfo {
            info.previousEnvelope = previousInfo.envelope
            info.endsIfEmpty = previousInfo.itemCount == 0 || !moves.hasShortPages && isShort(previousInfo)
        }
        return info
    }

    /// The size of the start of a page in errors. It is copied for each page.
    static let maxBodyPrefix = 8 << 10
    private static let noContent = ListScanner.Failure(
        reason: .notJSON(found: ""), offset: 0, path: "$", itemCount: 0)
}
