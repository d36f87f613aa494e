public import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A common pagination style: `.automatic`, `.none`, `.link`, `.next(at:)`, `.token(at:query:)`,
/// `.number(query:count:)` or `.offset(query:total:)`.
public struct StandardPagination: Pagination {
    enum Rule: Sendable {
        case automatic, none, link
        case next(MemberPath)
        case token(MemberPath, query: String)
        case number(query: String, count: MemberPath)
        case offset(query: String, total: MemberPath)
    }

    /// The next pages, and the name of the rule that has found them.
    struct NextPages {
        var urls: [URL]
        var rule: String
        /// The alternatives, if the response does not name the query item for the next page.
        var guess: Guess?
    }

    /// The alternatives for a next page that is not known with certainty. They are tried if the server sends the
    /// current page again. If all of them fail, the listing ends with `failure`.
    struct Guess {
        var alternatives: [URL]
        var failure: RESTClientError.PaginationFailure
    }

    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// Returns the URLs of the next pages.
    ///
    /// - Throws: An error of kind `pagination` if the page indicates more items, but they cannot be requested.
    public func pages(after page: PageInfo) throws -> [URL] {
        do {
            return try decision(after: page)?.urls ?? []
        } catch let failure as PaginationError {
            throw failure.error(for: page.url)
        }
    }

    func decision(after page: PageInfo) throws -> NextPages? {
        switch rule {
        case .none: nil
        case .automatic: try AutomaticPagination(page).decision()
        case .link: try page.link()
        case .next(let path): try page.next(at: path)
        case .token(let path, let query): try page.token(at: path, query: query)
        case .number(let query, let count):
            try page.numbers(
                query: query, current: nil, count: try page.count(at: count),
                rule: "the page number \"\(query)\"")
        case .offset(let query, let total):
            try page.offsets(
                query: query, current: nil, total: try page.count(at: total),
                rule: "the offset \"\(query)\"")
        }
    }

    /// Returns the next pages if they can be determined from the headers alone.
    func decision(afterHeadOf page: PageInfo) -> NextPages? {
        switch rule {
        case .automatic, .link: try? page.link()
        default: nil
        }
    }
}

/// The error of a list whose next page cannot be determined or requested.
struct PaginationError: Error {
    let reason: RESTClientError.PaginationFailure

    init(_ reason: RESTClientError.PaginationFailure) { self.reason = reason }

    func error(for url: URL) -> RESTClientError { RESTClientError(.pagination(reason), URLRequest(url: url)) }
}

// MARK: Rules

extension PageInfo {
    typealias NextPages = StandardPagination.NextPages

    /// Returns the next page from the `Link` header.
    func link() throws -> NextPages? {
        guard let link = Link.first("next", in: headers) else { return nil }
        // Sentry sends a `next` link with `results="false"` on the last page.
        guard link.parameters["results"] != "false" else {
            return NextPages(urls: [], rule: "the Link header")
        }
        return NextPages(urls: [try nextURL(link.target, in: nil)], rule: "the Link header")
    }

    /// Returns the next page from a URL in the body.
    func next(at path: MemberPath) throws -> NextPages? {
        let name = TerminalEscaping.quoted("\(path)")
        if let reference = envelope.string(path) {
            guard !reference.isEmpty else { return nil }
            return NextPages(urls: [try nextURL(reference, in: path)], rule: name)
        }
        guard envelope.integer(path) == nil else {
            throw PaginationError(.numberInsteadOfURL(in: path))
        }
        try checkNotOmitted(path)
        return nil
    }

    /// Returns the next page from a token in the body.
    func token(at path: MemberPath, query: String) throws -> NextPages? {
        guard let token = envelope.string(path) ?? envelope.integer(path).map({ "\($0)" }) else {
            try checkNotOmitted(path)
            return nil
        }
        guard !token.isEmpty else { return nil }
        return NextPages(urls: [url(setting: query, to: token)], rule: TerminalEscaping.quoted("\(path)"))
    }

    /// Returns the number of pages or items in the body, or `nil` if there is none.
    func count(at path: MemberPath) throws -> Int? {
        guard let text = envelope.number(path) else {
            try checkNotOmitted(path)
            return nil
        }
        guard let count = Envelope.integer(text), count >= 0 else {
            throw PaginationError(.invalidCount(in: path, text))
        }
        return count
    }

    /// Throws if the member was too large for the envelope, because it can be the link to the next page.
    private func checkNotOmitted(_ path: MemberPath) throws {
        guard envelope.wasOmitted(path) else { return }
        throw PaginationError(.memberTooLarge(path))
    }

    /// Returns the next page numbers up to `count`. Without a count, returns the next one unless the page is empty.
    func numbers(query: String, current: Int?, count: Int?, rule: String) throws -> NextPages? {
        let current = current ?? self.query(query).flatMap { Int($0) } ?? 1
        guard 0..<Int.max ~= current else { throw PaginationError(.invalidPage(current)) }
        guard let count else {
            guard itemCount > 0 else { return nil }
            return NextPages(urls: [url(setting: query, to: "\(current + 1)")], rule: rule)
        }
        // If the first page is 0, the last page is the number of pages minus 1.
        let last = current - (number - 1) <= 0 ? count - 1 : count
        guard current < last else { return nil }
        let pageCount = min(last - current, maxNextPages)
        return NextPages(
            urls: (1...pageCount).map { url(setting: query, to: "\(current + $0)") }, rule: rule)
    }

    /// Returns the next offsets up to `total`. Without a total, returns the next one unless the page is empty.
    func offsets(query: String, current: Int?, total: Int?, rule: String) throws -> NextPages? {
        let current = current ?? self.query(query).flatMap { Int($0) } ?? 0
        let (next, isTooFar) = current.addingReportingOverflow(itemCount)
        guard current >= 0, !isTooFar else { throw PaginationError(.invalidOffset(current)) }
        guard let total else {
            guard itemCount > 0 else { return nil }
            return NextPages(urls: [url(setting: query, to: "\(next)")], rule: rule)
        }
        guard next < total else { return nil }
        guard itemCount > 0 else {
            throw PaginationError(.emptyPage(offset: current, total: total))
        }
        let pageCount = min((total - next - 1) / itemCount + 1, maxNextPages)
        return NextPages(
            urls: (0..<pageCount).map { url(setting: query, to: "\(next + $0 * itemCount)") }, rule: rule)
    }

    /// Returns the URL for `reference`.
    func nextURL(_ reference: String, in member: MemberPath?) throws -> URL {
        guard let url = url(reference) else {
            throw PaginationError(.unresolvableURL(in: member, reference))
        }
        return url
    }
}
