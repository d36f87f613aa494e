import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The pages that are known to follow, the first of them in transfer already.
///
/// A page ahead of its turn is not read: its bytes wait in its stream, bounded, so that however slow the reader is
/// nobody waits for anybody. Dropping the queue ends all transfers.
final class PagesAhead {
    struct Page {
        let url: URL
        let number: Int
        /// What led here, for the events.
        fileprivate let note: String?
        fileprivate var transfer: Task<StreamingResponse, any Error>?
    }

    private let request: DataRequest
    private let path: MemberPath
    /// When the whole listing must have ended, on the manager's timeline.
    private let deadline: Duration?
    private var pages: [Page] = []
    /// What was asked for, or will be.
    private var seen: Set<String> = []

    /// The pages from `start` on.
    init(_ request: DataRequest, at path: MemberPath, from start: ResumeToken?) throws {
        self.request = request
        self.path = path
        deadline = request.options.timeouts.total.map { AnyClock.deadline($0, after: request.now) }
        if let start {
            let place = start.puttingInSecrets(of: request.urlRequest.url)
            let items = start.skip > 0 ? ", behind \(start.skip) items of it" : ""
            let note = start.page > 1 || start.skip > 0 ? "resumed at page \(start.page)\(items)" : nil
            try check(place.url)
            add(place.url, number: start.page, note: note)
        } else if let url = request.urlRequest.url {
            add(url, number: 1, note: nil)
        }
    }

    deinit { for page in pages { page.transfer?.cancel() } }

    /// The page whose turn is next.
    var first: Page? { pages.first }

    /// Goes by what is known now: `urls` follow, whatever was thought before. Transfers that still fit go on.
    func replace(with urls: [URL], after number: Int, rule: String?) throws {
        let same = zip(pages, urls).prefix { $0.url == $1 }.count
        for page in pages[same...] {
            page.transfer?.cancel()
            seen.remove(Self.target(page.url))
        }
        pages.removeSubrange(same...)
        for (index, url) in urls.enumerated().dropFirst(same) {
            try check(url)
            guard !seen.contains(Self.target(url)) else {
                throw PagingFailure(.loop(Self.masked(url)))
            }
            let page = number + 1 + index
            add(url, number: page, note: rule.map { "page \(page), by \($0)" })
        }
    }

    private func add(_ url: URL, number: Int, note: String?) {
        seen.insert(Self.target(url))
        pages.append(Page(url: url, number: number, note: note, transfer: nil))
    }

    /// Begins the transfers of the first `count` pages.
    func begin(_ count: Int) {
        for index in pages.indices.prefix(max(0, count)) where pages[index].transfer == nil {
            let page = PageRequest(
                url: pages[index].url, path: path, total: deadline.map { $0 - request.now },
                note: pages[index].note)
            pages[index].transfer = Task { [request] in try await request.page(page).stream() }
        }
    }

    /// Waits for the head, and the first item, of the page whose turn it is, with `count` pages in transfer meanwhile.
    func next(of count: Int) async throws -> StreamingResponse? {
        begin(max(1, count))
        guard !pages.isEmpty, let transfer = pages.removeFirst().transfer else { return nil }
        return try await withTaskCancellationHandler {
            try await transfer.value
        } onCancel: {
            transfer.cancel()
        }
    }

    /// Only what belongs to the request's own origin may get its headers and credentials.
    private func check(_ url: URL) throws {
        guard let own = Origin(request.urlRequest.url), let other = Origin(url) else {
            throw PagingFailure(.notHTTP(Self.masked(url)))
        }
        guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
            throw PagingFailure(.userInfo(Self.masked(url)))
        }
        // A server that asks for https means the same one.
        let isUpgrade = own.scheme == "http" && own.port == 80 && other.scheme == "https" && other.port == 443
        guard own == other || isUpgrade && own.host == other.host else {
            throw PagingFailure(.otherOrigin(Self.masked(url), expected: "\(own)"))
        }
    }

    /// What `url` asks its server for: all are at one origin, and a fragment is not sent.
    private static func target(_ url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }

    private static func masked(_ url: URL) -> URL? { Redaction.masked(url) }
}

/// What makes a request the request of a page.
struct PageRequest: Sendable {
    let url: URL
    /// Where the list is, so that the first item can be waited for.
    let path: MemberPath
    /// What is left of the time for the whole listing.
    let total: Duration?
    let note: String?
}
