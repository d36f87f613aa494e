import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One listing under way: page after page, piece after piece, as fast as somebody asks for them.
///
/// Who reads says in `taken` how many items of the page at hand it has handed out, so that an error can say where to
/// go on.
final class ListingRun {
    /// What came.
    enum Step {
        /// A part of the page at hand.
        case piece
        /// The page at hand has ended, and is complete.
        case page(PageEnd)
        /// The list has.
        case end
    }

    /// Which page is at hand.
    private struct Place {
        var url: URL
        var number = 1
        /// The items of the pages before it.
        var itemsBefore = 0
        /// The items of it that were handed out by an earlier listing.
        var skip = 0
    }

    /// What is known about the pages behind the one at hand.
    private enum Plan { case none, made, failed(any Error) }

    private enum Phase { case between, inPage, ended }

    private let request: DataRequest
    private let listing: ItemListing
    private let jobs: Int
    private let maxPages: Int
    private let start: ResumeToken?
    private var ahead: PagesAhead?
    private var phase = Phase.between
    private var place: Place
    private var plan = Plan.none
    private var response: StreamingResponse?
    private var body: ByteStream.AsyncIterator?
    private var scanner = ListScanner()
    /// The start of the page's body, for errors.
    private var opening = Data()
    private var received: Int64 = 0
    private var pagesDone = 0
    private var itemsDone = 0

    /// Items of the page at hand that were handed out.
    var taken = 0
    /// Items of the page at hand that were found, without those to skip.
    private(set) var found = 0

    init(_ request: DataRequest, _ listing: ItemListing, from start: ResumeToken?) {
        self.request = request
        self.listing = listing
        jobs = max(1, listing.jobs)
        maxPages = max(1, listing.maxPages)
        self.start = start
        place = Place(url: request.urlRequest.url ?? URL(filePath: "/"))
        if let start {
            place = Place(
                url: start.url, number: start.page, itemsBefore: start.items, skip: start.skip)
        }
    }

    /// Reads on: pushes the next piece of the page at hand through a scanner.
    ///
    /// - Throws: `RESTClientError`, which `known(_:)` completes, or what `push` throws; nothing can be read afterwards.
    func step(_ push: (inout ListScanner, RawSpan) throws -> Void) async throws -> Step {
        do {
            switch phase {
            case .ended: return .end
            case .between: guard try await open() else { return .end }
            case .inPage: break
            }
            guard let chunk = try await nextChunk() else { return .page(try close()) }
            try scan(chunk, push)
            return .piece
        } catch {
            let error = named(error)
            end()
            throw error
        }
    }

    /// Whether the next step need not wait.
    var hasPieceAtHand: Bool { body?.hasPieceAtHand ?? false }

    /// `error` with how far the listing got.
    func known(_ error: any Error) -> any Error {
        guard var error = error as? RESTClientError else { return error }
        let token = ResumeToken(
            url: place.url, page: place.number, items: place.itemsBefore, skip: place.skip + taken)
        // Where the pages do not follow one another there is no way to go on.
        var isLost = false
        if case .failed = plan { isLost = true }
        error.listing = RESTClientError.Progress(
            items: itemsDone + taken, pages: pagesDone, resume: isLost ? nil : kept(token))
        return error
    }

    /// How much was handed out.
    var progress: RESTClientError.Progress {
        RESTClientError.Progress(items: itemsDone + taken, pages: pagesDone, resume: nil)
    }

    /// Counts the items of a page that is handed out as a whole, behind its end.
    func countPage(_ items: Int) { itemsDone += items }

    // MARK: One page

    /// Begins with the page whose turn it is; false when there is none.
    private func open() async throws -> Bool {
        if case .failed(let error) = plan { throw error }
        let ahead = try self.ahead ?? PagesAhead(request, at: listing.path, from: start)
        self.ahead = ahead
        guard let next = ahead.first else {
            end()
            return false
        }
        if pagesDone > 0 {
            place = Place(url: next.url, number: next.number, itemsBefore: place.itemsBefore)
        }
        plan = .none
        response = nil
        opening = Data()
        found = 0
        guard pagesDone < maxPages else {
            throw RESTClientError(.limit(.pages(maxPages)), URLRequest(url: place.url))
        }
        place.url = next.url
        guard let response = try await ahead.next(of: pagesInTransfer) else { return false }
        self.response = response
        guard !response.status.hasNoBody else { throw Self.noContent }
        scanner = ListScanner(at: listing.path, maxItemBytes: listing.maxItemBytes)
        scanner.skip(place.skip)
        body = response.body.makeAsyncIterator()
        phase = .inPage
        planFromHead()
        return true
    }

    private func nextChunk() async throws -> Data? {
        var body = body
        let chunk = try await body?.next()
        self.body = body
        return chunk
    }

    private func scan(_ chunk: Data, _ push: (inout ListScanner, RawSpan) throws -> Void) throws {
        received += Int64(chunk.count)
        guard received <= listing.maxBytes else {
            throw RESTClientError(
                .limit(.listingBytes(listing.maxBytes)),
                response?.request ?? request.urlRequest)
        }
        if opening.count < Self.keptOfErrors {
            opening += chunk.prefix(Self.keptOfErrors - opening.count)
        }
        defer { found = max(0, scanner.itemCount - place.skip) }
        try push(&scanner, chunk.bytes)
        if case .none = plan, let envelope = scanner.envelope { makePlan(envelope) }
    }

    /// Ends a page, which must be complete.
    private func close() throws -> PageEnd {
        let count = scanner.itemCount
        var done = ListScanner()
        swap(&done, &scanner)
        let envelope = try done.finish()
        guard count >= place.skip else {
            throw PagingFailure(.pageShrank(number: place.number, items: count))
        }
        if case .none = plan { makePlan(envelope, count) }
        let info = info(envelope, count)
        pagesDone += 1
        itemsDone += taken
        taken = 0
        found = 0
        place.itemsBefore += count
        place.skip = 0
        body = nil
        phase = .between
        var resume: ResumeToken?
        if case .made = plan, let next = ahead?.first {
            resume = kept(ResumeToken(url: next.url, page: next.number, items: place.itemsBefore))
        }
        return PageEnd(info: info, resume: resume)
    }

    /// Ends all transfers; nothing more comes.
    func end() {
        phase = .ended
        ahead = nil
        body = nil
    }

    // MARK: What follows

    /// The next page, where the head of this one names it already.
    private func planFromHead() {
        guard let ahead, ahead.first == nil,
            let pagination = listing.pagination as? StandardPagination,
            let decision = pagination.decision(afterHeadOf: info("{}", 0))
        else { return }
        // What is wrong with it is said when the page has been read.
        try? ahead.replace(with: decision.urls, after: place.number, rule: decision.rule)
        begin(ahead)
    }

    private func makePlan(_ envelope: Envelope, _ count: Int? = nil) {
        guard let ahead else { return }
        do {
            let info = info(envelope, count ?? scanner.itemCount)
            if let pagination = listing.pagination as? StandardPagination {
                let decision = try pagination.decision(after: info)
                try ahead.replace(
                    with: decision?.urls ?? [], after: place.number, rule: decision?.rule)
            } else {
                let urls = try listing.pagination.pages(after: info)
                try ahead.replace(with: urls, after: place.number, rule: nil)
            }
            plan = .made
            begin(ahead)
        } catch {
            plan = .failed(error)
        }
    }

    /// How many pages are in transfer at a time, the one at hand included.
    private var pagesInTransfer: Int { min(jobs, maxPages - pagesDone) }

    private func begin(_ ahead: PagesAhead) { ahead.begin(pagesInTransfer - 1) }

    private func info(_ envelope: Envelope, _ count: Int) -> PageInfo {
        var info = PageInfo(
            url: place.url, number: place.number, headers: response?.headers ?? [:], envelope: envelope,
            itemCount: count, itemsSoFar: place.itemsBefore + count)
        info.answered = response?.url ?? place.url
        info.path = listing.path
        let range = request.urlRequest.value(forHTTPHeaderField: HTTPHeaders.Name.range.rawValue)
        info.isPart = response?.status == 206 && range == nil
        info.ahead = pagesInTransfer
        return info
    }

    private func kept(_ token: ResumeToken) -> ResumeToken {
        token.leavingOutSecrets(of: request.urlRequest.url)
    }

    // MARK: Errors

    private func named(_ error: any Error) -> any Error {
        switch error {
        case let failure as ListScanner.Failure:
            let failure = DecodingFailure(failure)
            return response.map { response in failure.error(for: response.map { _ in opening }) } ?? error
        case let failure as DecodingFailure:
            return response.map { response in failure.error(for: response.map { _ in opening }) } ?? error
        case let failure as PagingFailure:
            return failure.error(for: place.url)
        case let error as RESTClientError: return located(error)
        default: return error
        }
    }

    /// A body that was cut, with where in the document that is.
    private func located(_ error: RESTClientError) -> RESTClientError {
        guard case .incompleteBody = error.kind, case .inPage = phase else { return error }
        var error = error
        var cut = ListScanner()
        swap(&cut, &scanner)
        do { _ = try cut.finish() } catch let failure as ListScanner.Failure {
            if failure.reason == .incomplete { error.underlying = failure }
        } catch {}
        return error
    }

    /// An element of the page at hand that is no value of the type asked for.
    func undecodable(_ failure: ElementBatch.Undecodable, behind count: Int) -> any Error {
        let path = listing.path.names.map { ".\($0)" }.joined()
        return named(
            DecodingFailure(failure.underlying, at: "$\(path)[\(place.skip + count + failure.index)]"))
    }

    private static let keptOfErrors = 4096
    private static let noContent = ListScanner.Failure(
        reason: .notJSON(found: ""), offset: 0, path: "$", items: 0)
}

/// The end of a page that is complete.
package struct PageEnd: Sendable {
    package let info: PageInfo
    /// Where to go on; `nil` where no page follows.
    package let resume: ResumeToken?
}
