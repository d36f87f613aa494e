import Foundation
import RESTClientHTTP

/// The pages that are still to be read, the first included. Checks their requests, and sends several of them in advance.
///
/// Each page is received up to its first item. The rest of its body remains in the buffer of its stream, which is
/// bounded, until the page is read. Releasing the queue cancels all transfers.
final class PageQueue {
    struct Page: Sendable {
        let request: PageRequest
        /// The JSON object in the body of the request.
        let json: Envelope?
        let number: Int
        fileprivate let key: String
        fileprivate var dataRequest: DataRequest
        /// The number of its items that were delivered before its body broke off, if it is requested again.
        fileprivate var deliveredItems: Int?
        fileprivate var opening: Task<OpenPage, any Error>?
        /// A Boolean value that indicates whether the page was requested before the one before it was received.
        fileprivate(set) var isAhead = false
    }

    private let request: DataRequest
    /// The origin of the client's request.
    private let origin: Origin?
    private let listing: ItemListing
    /// The time at which the whole listing times out, on the manager's clock.
    private let deadline: Duration?
    private var pages: [Page] = []
    /// The JSON object in the body of the client's request.
    private let json: Envelope?
    /// The keys of all pages that were requested or are queued.
    private var seen: Set<String> = []

    /// Creates a queue of the first page of the list, or the page at `start`.
    init(_ request: DataRequest, _ listing: ItemListing, from start: ResumeToken?) throws {
        var request = request
        origin = Origin(request.urlRequest.url)
        request.sessions = UserSessions(ofListAt: origin)
        self.request = request
        self.listing = listing
        json = request.jsonBody
        deadline = request.options.timeouts.total.map { AnyClock.deadline($0, after: request.now) }
        if let start {
            let page = start.addingSecrets(of: request.urlRequest.url)
            let items = start.skip > 0 ? ", after \(start.skip.text(of: "item")) of it" : ""
            let note =
                start.pageNumber > 1 || start.skip > 0
                ? "resuming at page \(start.pageNumber.groupedText)\(items)" : nil
            try check(page.url)
            try add(PageRequest(page.url), number: start.pageNumber, note: note)
        } else if let url = request.urlRequest.url {
            try add(PageRequest(url), number: 1, note: nil)
        } else {
            throw RESTClientError(.invalidRequest(.missingURL), request.urlRequest)
        }
    }

    deinit { for page in pages { page.opening?.cancel() } }

    /// The next page.
    var first: Page? { pages.first }

    /// Replaces the queue. The transfers of pages at its start that do not change continue.
    func replace(with requests: [PageRequest], after number: Int, rule: String?) throws {
        let same = try zip(pages, requests).prefix { page, request in
            page.key == key(request, try request.json(original: json))
        }.count
        for page in pages[same...] {
            page.opening?.cancel()
            seen.remove(page.key)
        }
        pages.removeSubrange(same...)
        for (index, request) in requests.enumerated().dropFirst(same) {
            let number = number + 1 + index
            try check(request.url)
            try add(request, number: number, note: rule.map { "page \(number.groupedText), found by \($0)" })
        }
    }

    /// Inserts a page that was requested before, whose body broke off after the items to skip, or for another reason.
    func insertAgain(_ page: CurrentPage, because reason: String? = nil) throws {
        var again = try self.page(page.request, page.json, number: page.number)
        again.deliveredItems = page.skip
        let position = "page \(page.number.groupedText)"
        again.dataRequest.note =
            reason.map { "\($0); requesting \(position) again" }
            ?? "\(position) broke off after \(page.skip.text(of: "item")); requesting it again"
        pages.insert(again, at: 0)
    }

    /// Replaces the queue with the first page of the list, which is read again.
    func restart(because reason: String) throws {
        guard let url = request.urlRequest.url else { return }
        for page in pages { page.opening?.cancel() }
        (pages, seen) = ([], [])
        try add(PageRequest(url), number: 1, note: "\(reason); reading the list again")
    }

    /// Appends a page. `note` is the text of its event.
    private func add(_ request: PageRequest, number: Int, note: String?) throws {
        var page = try page(request, try request.json(original: json), number: number)
        guard seen.insert(page.key).inserted || request.isRepeatable
        else { throw RESTClientError(pagination: .loop(Redaction.masked(request.url))) }
        page.dataRequest.note = note
        pages.append(page)
    }

    /// Returns a page. The request of one at another origin has only the header fields of the page.
    private func page(_ page: PageRequest, _ json: Envelope?, number: Int) throws -> Page {
        var request = request
        if page.url != request.urlRequest.url, let other = Origin(page.url), !isOwn(other) {
            for name in (request.urlRequest.allHTTPHeaderFields ?? [:]).keys where !name.describesClient {
                request.urlRequest.setValue(nil, forHTTPHeaderField: name)
            }
        }
        return Page(
            request: page, json: json, number: number, key: key(page, json),
            dataRequest: try request.page(page, json: json))
    }

    /// Returns `true` for the origin of the client's request, and for an upgrade of it from http to https.
    private func isOwn(_ other: Origin) -> Bool { origin?.includes(other) ?? false }

    /// Starts the transfers of the first `count` pages.
    func startTransfers(_ count: Int) {
        for index in pages.indices.prefix(max(0, count)) where pages[index].opening == nil {
            pages[index].isAhead = index > 0
            pages[index].opening = Task { [page = pages[index], listing, deadline] in
                try await page.open(listing, deadline: deadline)
            }
        }
    }

    /// Returns the next page with its first item. The first `count - 1` pages after it are transferred, too.
    func next(transferring count: Int = 1) async throws -> OpenPage {
        if pages.count > 1 { startTransfers(count) }
        // The list has not ended, so it must not appear to be complete.
        guard !pages.isEmpty else { throw CancellationError() }
        let page = pages.removeFirst()
        // A single page is transferred in the task of the caller, because a task of its own would have to be scheduled.
        guard let opening = page.opening else { return try await page.open(listing, deadline: deadline) }
        return try await withTaskCancellationHandler {
            try await opening.value
        } onCancel: {
            opening.cancel()
        }
    }

    /// Throws if `url` has another origin, which must not receive the headers and credentials of the request.
    private func check(_ url: URL) throws {
        guard let origin, let other = Origin(url)
        else { throw RESTClientError(pagination: .notHTTP(Redaction.masked(url))) }
        guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil
        else { throw RESTClientError(pagination: .userInfo(Redaction.masked(url))) }
        // The body is never sent to another origin.
        let isAllowed = request.body == nil && listing.allowedOrigins.contains { Origin($0) == other }
        guard isOwn(other) || isAllowed
        else { throw RESTClientError(pagination: .otherOrigin(Redaction.masked(url), expected: "\(origin)")) }
    }

    /// Returns a text that is equal for equal requests: the target, because fragments are not sent, with its
    /// query items in any order, and all that differs from the request of the client.
    private func key(_ request: PageRequest, _ json: Envelope?) -> String {
        let path = request.url.path(percentEncoded: true)
        let items = request.url.query(percentEncoded: true)?
            .split(separator: "&", omittingEmptySubsequences: false).sorted().joined(separator: "&")
        let server = listing.allowedOrigins.isEmpty ? "" : Origin(request.url)?.description ?? ""
        let target = server + (path.isEmpty ? "/" : path) + (items.map { "?\($0)" } ?? "")
        if request.hasOnlyURL { return target }
        let fields = request.headers.map { "\($0.name): \($0.value)\n" }.sorted().joined()
        return "\(request.method?.rawValue ?? "") \(target)\n\(fields)\(json?.description ?? "")"
    }
}

/// A page whose response was received up to its first item.
struct OpenPage: Sendable {
    let response: StreamingResponse
    /// The scanned start of the body, or `nil` if an interceptor has replaced the body.
    let start: ScannedStart?
}

extension PageQueue.Page {
    /// Requests the page up to its first item, so that a retry policy covers all failures before that one.
    fileprivate func open(_ listing: ItemListing, deadline: Duration?) async throws -> OpenPage {
        let opened = LockedState<(body: ByteStream.Identity, start: ScannedStart)?>(nil)
        var dataRequest = dataRequest
        dataRequest.options.timeouts.total = deadline.map { $0 - dataRequest.now }
        dataRequest.check = { response in
            try request.check(response)
            guard case .stream(let stream) = response.body else { return }
            let start = try await ScannedStart(
                of: stream, listing, response, after: deliveredItems)
            opened.withLock { $0 = (stream.id, start) }
        }
        let response = try await dataRequest.stream()
        let last = opened.withLock { $0 }
        return OpenPage(response: response, start: last?.body == response.body.id ? last?.start : nil)
    }
}

extension PageRequest {
    /// Throws if a redirect has removed what names the page: the server would send the first page again.
    fileprivate func check(_ response: Response<ResponseBody>) throws {
        guard !hasOnlyURL else { return }
        let hasBody = body != nil || !members.isEmpty
        let lost = response.redirects.first { redirect in
            Origin(redirect.from) != Origin(redirect.proposed.url) || hasBody && !redirect.keepsBody
        }
        guard let lost else { return }
        let target = Redaction.text(ofURL: lost.proposed.url?.absoluteString ?? "")
        var error = RESTClientError(.redirect(.refused(.dropsPage, to: target)), head: response)
        error.url = Redaction.masked(lost.from)
        throw error
    }
}

/// The page that is being read: its request and its place in the list.
struct CurrentPage {
    var request: PageRequest
    /// The JSON object in the body of the request.
    var json: Envelope?
    var number = 1
    /// The number of items on the pages before it.
    var itemsBefore = 0
    /// The number of items of the page that were delivered by an earlier listing.
    var skip = 0
    /// The mark of the last one of these items.
    var lastItem: String?

    var url: URL { request.url }

    /// Returns the information about the page for its pagination.
    func info(
        _ envelope: Envelope, itemCount: Int, _ response: StreamingResponse?, _ ends: PageScanner.Ends?,
        in listing: DataRequest
    ) -> PageInfo {
        var info = PageInfo(
            url: url, number: number, headers: response?.headers ?? [:], envelope: envelope,
            itemCount: itemCount, itemsSoFar: itemsBefore + itemCount)
        info.request = request
        info.requestBody = json
        info.responseURL = response?.url ?? url
        info.firstItem = ends.map { Envelope(text: $0.first) }
        info.lastItem = ends.map { Envelope(text: $0.last) }
        let range = listing.urlRequest.value(forHTTPHeaderField: HTTPHeaders.Name.range.rawValue)
        info.isPartialContent = response?.status == 206 && range == nil
        info.requestsRange = range != nil
        return info
    }
}

extension PageScanner {
    /// Creates a scanner of a page. `deliveredCount` is the number of items of which a page that is requested again must have
    /// the same.
    ///
    /// A file named `.jsonl` or `.ndjson` is a sequence unless the server sends it as JSON.
    init(
        _ listing: ItemListing, _ response: Response<some Sendable>, after deliveredCount: Int? = nil
    ) {
        let type = response.mediaType
        var hasSequenceName: Bool { ["jsonl", "ndjson"].contains(response.url?.pathExtension.lowercased()) }
        let isSequence =
            listing.layout == .pathOrDocument
            && (type?.isJSONSequence == true || type?.isJSON != true && hasSequenceName)
        self.init(
            ListScanner(
                at: listing.path, layout: isSequence ? .sequence : listing.layout,
                maxItemBytes: listing.maxItemBytes))
        if listing.findsMembers { findMembers() }
        fingerprint = PageFingerprint(startCount: deliveredCount)
        let pagination = StandardPagination(listing.pagination)
        if pagination?.usesItems ?? true { keepEnds() }
    }
}

/// The result of scanning a page up to its first item: the scanner, and the elements found.
// SAFETY: used first by the attempt that creates it, then only by the reader of its stream.
final class ScannedStart: @unchecked Sendable {
    /// The scanner, with which the reader of the page continues.
    var scanner: PageScanner
    /// The elements in the last scanned chunk. The chunks before it contain none.
    private var batch = ElementBatch()
    private var failure: (any Error)?
    /// The number of scanned bytes that have not been passed to `read(_:into:)` yet.
    private var unreadBytes = 0

    /// Scans `stream` up to its first item, its end, or 1 MB, without consuming any bytes.
    init(
        of stream: ByteStream, _ listing: ItemListing, _ response: Response<some Sendable>, after count: Int?
    ) async throws {
        scanner = PageScanner(listing, response, after: count)
        var chunkCount = 0
        while unreadBytes <= Self.maxBytes {
            let chunks = try await stream.chunks(after: chunkCount)
            if chunks.isEmpty { return }
            for chunk in chunks {
                chunkCount += 1
                unreadBytes += chunk.count
                do { try scanner.scan(chunk, into: &batch) } catch { failure = error }
                if failure != nil || scanner.itemCount > 0 { return }
            }
        }
    }

    private static let maxBytes = 1 << 20

    /// Moves the elements of a scanned chunk to `batch`. Returns `false` if more scanned chunks follow.
    func read(_ chunk: Data, into batch: inout ElementBatch) throws -> Bool {
        unreadBytes -= chunk.count
        guard unreadBytes <= 0 else { return false }
        batch = self.batch
        if let failure { throw failure }
        return true
    }
}
