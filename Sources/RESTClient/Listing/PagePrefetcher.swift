import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A queue of the known next pages, which requests several of them in advance.
///
/// Each page is received up to its first item. The rest of its body remains in the buffer of its stream, which is
/// bounded, until the page is read. Releasing the queue cancels all transfers.
final class PagePrefetcher {
    struct Page {
        let url: URL
        let number: Int
        /// The event text that names the rule which found the page.
        fileprivate let note: String?
        /// The number of its items that an earlier listing has delivered.
        fileprivate var skip = 0
        fileprivate var responseTask: Task<StreamingResponse, any Error>?
    }

    private let request: DataRequest
    private let listing: ItemListing
    /// The time at which the whole listing times out, on the manager's clock.
    private let deadline: Duration?
    private var pages: [Page] = []
    /// The request targets of all pages that were requested or are queued.
    private var seen: Set<String> = []

    /// Creates a queue with the first page of the list, or the page at `start`.
    init(_ request: DataRequest, _ listing: ItemListing, from start: ResumeToken?) throws {
        self.request = request
        self.listing = listing
        deadline = request.options.timeouts.total.map { AnyClock.deadline($0, after: request.now) }
        if let start {
            let page = start.addingSecrets(of: request.urlRequest.url)
            let items = start.skip > 0 ? ", after \(start.skip) items of it" : ""
            let note =
                start.pageNumber > 1 || start.skip > 0 ? "resuming at page \(start.pageNumber)\(items)" : nil
            try check(page.url)
            add(page.url, number: start.pageNumber, note: note)
            pages[0].skip = start.skip
        } else if let url = request.urlRequest.url {
            add(url, number: 1, note: nil)
        }
    }

    deinit { for page in pages { page.responseTask?.cancel() } }

    /// The next page.
    var first: Page? { pages.first }

    /// Replaces the queue with `urls`. The transfers of pages at the start of the queue that do not change continue.
    func replace(with urls: [URL], after number: Int, rule: String?) throws {
        let same = zip(pages, urls).prefix { $0.url == $1 }.count
        for page in pages[same...] {
            page.responseTask?.cancel()
            seen.remove(Self.target(page.url))
        }
        pages.removeSubrange(same...)
        for (index, url) in urls.enumerated().dropFirst(same) {
            try check(url)
            guard !seen.contains(Self.target(url)) else {
                throw PaginationError(.loop(Self.masked(url)))
            }
            let page = number + 1 + index
            add(url, number: page, note: rule.map { "page \(page), found by \($0)" })
        }
    }

    private func add(_ url: URL, number: Int, note: String?) {
        seen.insert(Self.target(url))
        pages.append(Page(url: url, number: number, note: note, responseTask: nil))
    }

    /// Starts the transfers of the first `count` pages.
    func startTransfers(_ count: Int) {
        for index in pages.indices.prefix(max(0, count)) where pages[index].responseTask == nil {
            var request = request
            request.urlRequest.url = pages[index].url
            request.options.timeouts.total = deadline.map { $0 - request.now }
            request.note = pages[index].note
            let skip = pages[index].skip
            request.transformResponse = { [listing] response in
                if case .stream(let stream) = response.body {
                    stream.attachment = try await PageStart(of: stream, listing, skip: skip)
                }
                return response
            }
            pages[index].responseTask = Task { [request] in try await request.stream() }
        }
    }

    /// Removes the next page, and returns its response when its first item has been received.
    func next() async throws -> StreamingResponse? {
        guard !pages.isEmpty, let responseTask = pages.removeFirst().responseTask else { return nil }
        return try await withTaskCancellationHandler {
            try await responseTask.value
        } onCancel: {
            responseTask.cancel()
        }
    }

    /// Throws if `url` has another origin, which must not receive the headers and credentials of the request.
    private func check(_ url: URL) throws {
        guard let own = Origin(request.urlRequest.url), let other = Origin(url) else {
            throw PaginationError(.notHTTP(Self.masked(url)))
        }
        guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
            throw PaginationError(.userInfo(Self.masked(url)))
        }
        // An upgrade from http to https on the same host is allowed.
        let isUpgrade = own.scheme == "http" && own.port == 80 && other.scheme == "https" && other.port == 443
        guard own == other || isUpgrade && own.host == other.host else {
            throw PaginationError(.otherOrigin(Self.masked(url), expected: "\(own)"))
        }
    }

    /// Returns the request target of `url`. All pages have the same origin, and fragments are not sent.
    private static func target(_ url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }

    private static func masked(_ url: URL) -> URL? { Redaction.masked(url) }
}

/// The result of scanning a page up to its first item: the scanner, and the elements found.
///
/// An attempt for a page succeeds only after the first item was scanned, so that a retry policy covers all failures
/// before an item is delivered.
// SAFETY: used first by the attempt that creates it, then only by the reader of its stream.
final class PageStart: @unchecked Sendable {
    /// The scanner, with which the reader of the page continues.
    var scanner: ListScanner
    /// The elements in the last scanned chunk. The chunks before it contain none.
    private var batch = ElementBatch()
    private var failure: (any Error)?
    /// The number of scanned bytes that have not been passed to `read(_:into:)` yet.
    private var unreadBytes = 0

    /// Scans `stream` up to its first item, its end, or 1 MB, without consuming any bytes.
    init(of stream: ByteStream, _ listing: ItemListing, skip: Int) async throws {
        scanner = ListScanner(at: listing.path, maxItemBytes: listing.maxItemBytes)
        scanner.skip(skip)
        try await stream.peek(upTo: 1 << 20) { chunk in
            unreadBytes += chunk.count
            do { try scanner.scan(chunk, into: &batch) } catch { failure = error }
            return failure != nil || scanner.itemCount > 0
        }
    }

    /// Moves the elements of `chunk`, which was scanned before, to `batch`. Returns `false` if more scanned chunks
    /// follow.
    func read(_ chunk: Data, into batch: inout ElementBatch) throws -> Bool {
        unreadBytes -= chunk.count
        guard unreadBytes <= 0 else { return false }
        batch = self.batch
        if let failure { throw failure }
        return true
    }
}
