import Foundation
import RESTClientHTTP

/// The rules of `Pagination.automatic`, in the documented order.
extension StandardPagination {
    static func automatic(_ page: PageInfo) throws -> Decision? {
        if let decision = try page.link() { return decision }
        // A last page can repeat the last token, or contain a link to an empty page.
        if page.hasMore == false { return nil }
        if let decision = try page.urlInBody() ?? page.tokenInBody() ?? page.nextByFlag() {
            return decision
        }
        if page.hasMore == true {
            throw PaginationError(.missingNext)
        }
        if let decision = try page.numbersInBody() ?? page.offsetsInBody() { return decision }
        if let failure = page.unsupportedPaging() { throw PaginationError(failure) }
        return nil
    }
}

extension PageInfo {
    private typealias MemberNames = StandardPagination.MemberNames

    /// A value in the body, and its path.
    private typealias Found<Value> = (value: Value, path: MemberPath)

    /// The objects around the list, the innermost first.
    private var enclosingObjects: [MemberPath] {
        (0..<max(1, path.names.count)).reversed().map { MemberPath(names: Array(path.names.prefix($0))) }
    }

    /// Returns the first of `names` that has a value, next to the list or in one of the usual containers.
    private func find<Value>(_ names: [MemberPath], _ value: (MemberPath) -> Value?) -> Found<Value>? {
        for object in enclosingObjects {
            for container in MemberNames.containers {
                let parent = container.isEmpty ? object : object.appending(container)
                for name in names {
                    let path = MemberPath(names: parent.names + name.names)
                    if let value = value(path) { return (value, path) }
                }
            }
        }
        return nil
    }

    /// Returns a number of pages or items.
    ///
    /// - Throws: An error if the number is not a valid count, such as -1 or 2.5.
    private func findCount(_ names: [MemberPath]) throws -> Found<Int>? {
        guard let path = find(names, envelope.number)?.path else { return nil }
        return try count(at: path).map { ($0, path) }
    }

    /// Returns a whole number, written as a number or a string.
    private func findNumber(_ names: [MemberPath]) -> Found<Int>? {
        find(names) { envelope.number($0).flatMap(Envelope.integer) }
    }

    /// The flag that indicates whether there are more pages, if the page has one.
    fileprivate var hasMore: Bool? {
        find(MemberNames.more) { path in
            envelope.flag(path)
                ?? (envelope.string(path) ?? envelope.number(path)).flatMap { MemberNames.flagTexts[$0] }
        }?.value
    }

    /// Follows a member that always contains a URL, or `next` if it contains one.
    fileprivate func urlInBody() throws -> Decision? {
        let link =
            find(MemberNames.links) { envelope.string($0).flatMap { $0.isEmpty ? nil : $0 } }
            ?? find([MemberNames.next]) { envelope.string($0).flatMap { Self.looksLikeURL($0) ? $0 : nil } }
        guard let link else { return nil }
        let name = TerminalEscaping.quoted("\(link.path)")
        return Decision(urls: [try nextURL(link.value, in: link.path)], rule: name)
    }

    fileprivate func tokenInBody() throws -> Decision? {
        for object in enclosingObjects {
            for token in MemberNames.tokens {
                let path = MemberPath(names: object.names + token.0.names)
                if let decision = try self.token(at: path, query: token.query) { return decision }
            }
        }
        return nil
    }

    /// Combines `has_more` with a cursor or a page number.
    fileprivate func nextByFlag() -> Decision? {
        guard hasMore == true else { return nil }
        for cursor in MemberNames.cursors {
            if let found = find(
                [cursor.name], { envelope.string($0) ?? envelope.integer($0).map { "\($0)" } }),
                !found.value.isEmpty
            {
                return Decision(
                    urls: [url(setting: cursor.query, to: found.value)],
                    rule: TerminalEscaping.quoted("\(found.path)"))
            }
        }
        guard let current = findNumber(MemberNames.page), current.value < Int.max else { return nil }
        return Decision(
            urls: [url(setting: pageQuery, to: "\(current.value + 1)")],
            rule: "has_more and \(TerminalEscaping.quoted("\(current.path)"))")
    }

    fileprivate func numbersInBody() throws -> Decision? {
        let currentPage = findNumber(MemberNames.page)?.value
        if let next = findNumber(MemberNames.nextPage) ?? find([MemberNames.next], envelope.integer),
            let current = currentPage ?? query(pageQuery).flatMap({ Int($0) }) ?? (number == 1 ? 1 : nil),
            current < Int.max, next.value == current + 1
        {
            let name = TerminalEscaping.quoted("\(next.path)")
            return Decision(urls: [url(setting: pageQuery, to: "\(next.value)")], rule: name)
        }
        if let count = try findCount(MemberNames.pageCount) {
            return try numbers(
                query: pageQuery, current: currentPage, count: count.value,
                rule: "\"\(pageQuery)\" up to \(TerminalEscaping.quoted("\(count.path)"))")
        }
        guard let currentPage, let size = findNumber(MemberNames.pageSize)?.value, size > 0,
            let total = try findCount(MemberNames.total)?.value
        else { return nil }
        return try numbers(
            query: pageQuery, current: currentPage, count: total / size + (total % size > 0 ? 1 : 0),
            rule: "\"\(pageQuery)\" up to the total by page size")
    }

    fileprivate func offsetsInBody() throws -> Decision? {
        let query = MemberNames.offsetQueries.first { self.query($0) != nil }
        let inBody = findNumber(MemberNames.offset)
        guard let name = query ?? inBody?.path.names.last, let total = try findCount(MemberNames.total) else {
            return nil
        }
        return try offsets(
            query: name, current: inBody?.value, total: total.value, rule: "\"\(name)\" up to the total")
    }

    /// Returns the reason why the listing cannot continue, although the page suggests that there is more.
    fileprivate func unsupportedPaging() -> RESTClientError.PaginationFailure? {
        if let path = find(MemberNames.nextMembers, { isUnknownNext($0) ? $0 : nil })?.path {
            if let token = envelope.string(path) ?? envelope.integer(path).map({ "\($0)" }) {
                return .unknownToken(in: path, token)
            }
            return .unknownNext(in: path, envelope.json(path) ?? "")
        }
        if let total = findNumber(MemberNames.total)?.value, total > itemsSoFar, looksLikeFirstPage {
            return .incompleteTotal(received: itemsSoFar, total: total)
        }
        if let path = find(MemberNames.nextMembers, { envelope.wasOmitted($0) ? $0 : nil })?.path {
            return .memberMayBeTooLarge(path)
        }
        if let part = partialContent() { return part }
        if envelope.isTruncated { return .envelopeTruncated }
        return nil
    }

    /// `true` if the page is full, or is the first of an unknown number of pages.
    private var looksLikeFirstPage: Bool {
        let size = findNumber(MemberNames.pageSize).map(\.value) ?? 0
        guard let page = findNumber(MemberNames.page)?.value else { return size > 0 && size == itemCount }
        return size <= 0 && number == 1 && page <= 1
    }

    /// Returns `true` if the value at `path` is not empty and not a link object without a target.
    private func isUnknownNext(_ path: MemberPath) -> Bool {
        envelope.hasContent(path)
            && !["href", "url"].contains { envelope.json(path.appending($0)) != nil }
    }

    /// The query item with the page number: the one that the URL has, or `page`.
    private var pageQuery: String { MemberNames.pageQueries.first { query($0) != nil } ?? "page" }

    /// Returns `true` if the value of `next` is an absolute or relative URL, not a token.
    private static func looksLikeURL(_ text: String) -> Bool {
        guard let first = text.first else { return false }
        return "/?.".contains(first) || text.contains("://") || text.contains("?")
    }
}
