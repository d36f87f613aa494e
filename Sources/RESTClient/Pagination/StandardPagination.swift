public import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A usual way to page: `.automatic`, `.none`, `.link`, `.next(at:)`, `.token(at:query:)`, `.number(query:count:)` or
/// `.offset(query:total:)`.
public struct StandardPagination: Pagination {
    enum Rule: Sendable {
        case automatic, none, link
        case next(MemberPath)
        case token(MemberPath, query: String)
        case number(query: String, count: MemberPath)
        case offset(query: String, total: MemberPath)
    }

    /// What follows a page, and what says so.
    struct Decision {
        var urls: [URL]
        var rule: String
    }

    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// The URLs known to follow.
    ///
    /// - Throws: an error of kind `pagination` when a page says that there is more, but not where.
    public func pages(after page: PageInfo) throws -> [URL] {
        do {
            return try decision(after: page)?.urls ?? []
        } catch let failure as PagingFailure {
            throw failure.error(for: page.url)
        }
    }

    func decision(after page: PageInfo) throws -> Decision? {
        switch rule {
        case .none: nil
        case .automatic: try Self.automatic(page)
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

    /// What is known when only the head of the page is there.
    func decision(afterHeadOf page: PageInfo) -> Decision? {
        switch rule {
        case .automatic, .link: try? page.link()
        default: nil
        }
    }
}

/// The pages cannot be followed.
struct PagingFailure: Error {
    let reason: RESTClientError.PaginationFailure

    init(_ reason: RESTClientError.PaginationFailure) { self.reason = reason }

    func error(for url: URL) -> RESTClientError { RESTClientError(.pagination(reason), URLRequest(url: url)) }
}

// MARK: The rules

extension PageInfo {
    typealias Decision = StandardPagination.Decision

    /// The `Link` header.
    func link() throws -> Decision? {
        guard let target = Link.target(of: "next", in: headers) else { return nil }
        return Decision(urls: [try follow(target, in: nil)], rule: "the Link header")
    }

    /// A URL in the body.
    func next(at path: MemberPath) throws -> Decision? {
        let name = TerminalEscaping.quoted("\(path)")
        if let reference = envelope.string(path) {
            guard !reference.isEmpty else { return nil }
            return Decision(urls: [try follow(reference, in: path)], rule: name)
        }
        guard envelope.integer(path) == nil else {
            throw PagingFailure(.numberInsteadOfURL(in: path))
        }
        try refuseLoss(of: path)
        return nil
    }

    /// A token in the body.
    func token(at path: MemberPath, query: String) throws -> Decision? {
        guard let token = envelope.string(path) ?? envelope.integer(path).map({ "\($0)" }) else {
            try refuseLoss(of: path)
            return nil
        }
        guard !token.isEmpty else { return nil }
        return Decision(urls: [url(setting: query, to: token)], rule: TerminalEscaping.quoted("\(path)"))
    }

    /// How many pages or items there are, in the body; `nil` where it does not say.
    func count(at path: MemberPath) throws -> Int? {
        guard let text = envelope.number(path) else {
            try refuseLoss(of: path)
            return nil
        }
        guard let count = Envelope.integer(text), count >= 0 else {
            throw PagingFailure(.invalidCount(in: path, text))
        }
        return count
    }

    /// What was too large to be kept may be the way to the next page, and a list must not end in silence before its end.
    private func refuseLoss(of path: MemberPath) throws {
        guard envelope.lacks(path) else { return }
        throw PagingFailure(.memberTooLarge(path))
    }

    /// Numbers up to `count`, or up to an empty page.
    func numbers(query: String, current: Int?, count: Int?, rule: String) throws -> Decision? {
        let current = current ?? self.query(query).flatMap { Int($0) } ?? 1
        guard 0..<Int.max ~= current else { throw PagingFailure(.invalidPage(current)) }
        guard let count else {
            guard itemCount > 0 else { return nil }
            return Decision(urls: [url(setting: query, to: "\(current + 1)")], rule: rule)
        }
        // Where the first page is 0, the last one is the number of pages less one.
        let last = current - (number - 1) <= 0 ? count - 1 : count
        guard current < last else { return nil }
        let ahead = min(last - current, ahead)
        return Decision(
            urls: (1...ahead).map { url(setting: query, to: "\(current + $0)") }, rule: rule)
    }

    /// Offsets up to `total`, or up to an empty page.
    func offsets(query: String, current: Int?, total: Int?, rule: String) throws -> Decision? {
        let current = current ?? self.query(query).flatMap { Int($0) } ?? 0
        let (next, isTooFar) = current.addingReportingOverflow(itemCount)
        guard current >= 0, !isTooFar else { throw PagingFailure(.invalidOffset(current)) }
        guard let total else {
            guard itemCount > 0 else { return nil }
            return Decision(urls: [url(setting: query, to: "\(next)")], rule: rule)
        }
        guard next < total else { return nil }
        guard itemCount > 0 else {
            throw PagingFailure(.emptyPage(offset: current, total: total))
        }
        let ahead = min((total - next - 1) / itemCount + 1, ahead)
        return Decision(
            urls: (0..<ahead).map { url(setting: query, to: "\(next + $0 * itemCount)") }, rule: rule)
    }

    /// What `reference` means here.
    func follow(_ reference: String, in member: MemberPath?) throws -> URL {
        guard let url = url(reference) else {
            throw PagingFailure(.unresolvableURL(in: member, reference))
        }
        return url
    }
}
