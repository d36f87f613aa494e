import Foundation
import RESTClientHTTP

/// The order in which an unknown page is looked at: `Pagination.automatic` documents it.
extension StandardPagination {
    static func automatic(_ page: PageInfo) throws -> Decision? {
        if let decision = try page.link() { return decision }
        // Who says that this is all may still repeat the last token, or a link that leads to an empty page.
        if page.saysMore == false { return nil }
        if let decision = try page.urlInBody() ?? page.tokenInBody() ?? page.moreWithPlace() {
            return decision
        }
        if page.saysMore == true {
            throw PagingFailure(.missingNext)
        }
        if let decision = try page.numbersInBody() ?? page.offsetsInBody() { return decision }
        if let failure = page.riddle() { throw PagingFailure(failure) }
        return nil
    }
}

extension PageInfo {
    private typealias Members = StandardPagination.Members

    /// What is found in the body, and where.
    private typealias Found<Value> = (value: Value, path: MemberPath)

    /// The objects around the list, the innermost first.
    private var levels: [MemberPath] {
        (0..<max(1, path.names.count)).reversed().map { MemberPath(names: Array(path.names.prefix($0))) }
    }

    /// The first of `names` that is there, beside the list or in an object for such things.
    private func find<Value>(_ names: [MemberPath], _ value: (MemberPath) -> Value?) -> Found<Value>? {
        for level in levels {
            for container in Members.containers {
                let place = container.isEmpty ? level : level.appending(container)
                for name in names {
                    let path = MemberPath(names: place.names + name.names)
                    if let value = value(path) { return (value, path) }
                }
            }
        }
        return nil
    }

    /// A number of pages or items.
    ///
    /// - Throws: where it counts nothing, such as -1 or 2.5.
    private func findCount(_ names: [MemberPath]) throws -> Found<Int>? {
        guard let path = find(names, envelope.number)?.path else { return nil }
        return try count(at: path).map { ($0, path) }
    }

    /// A whole number, written as one or in a string.
    private func findNumber(_ names: [MemberPath]) -> Found<Int>? {
        find(names) { envelope.number($0).flatMap(Envelope.integer) }
    }

    /// Whether the page says that there is more.
    fileprivate var saysMore: Bool? {
        find(Members.more) { path in
            envelope.flag(path)
                ?? (envelope.string(path) ?? envelope.number(path)).flatMap { Members.truths[$0] }
        }?.value
    }

    /// The members that are nothing but URLs, and `next` where it is one.
    fileprivate func urlInBody() throws -> Decision? {
        let link =
            find(Members.links) { envelope.string($0).flatMap { $0.isEmpty ? nil : $0 } }
            ?? find([Members.next]) { envelope.string($0).flatMap { Self.looksLikeURL($0) ? $0 : nil } }
        guard let link else { return nil }
        let name = TerminalEscaping.quoted("\(link.path)")
        return Decision(urls: [try follow(link.value, in: link.path)], rule: name)
    }

    fileprivate func tokenInBody() throws -> Decision? {
        for level in levels {
            for token in Members.tokens {
                let path = MemberPath(names: level.names + token.0.names)
                if let decision = try self.token(at: path, query: token.query) { return decision }
            }
        }
        return nil
    }

    /// `has_more` beside a cursor, or a page number.
    fileprivate func moreWithPlace() -> Decision? {
        guard saysMore == true else { return nil }
        for cursor in Members.cursors {
            if let found = find(
                [cursor.name], { envelope.string($0) ?? envelope.integer($0).map { "\($0)" } }),
                !found.value.isEmpty
            {
                return Decision(
                    urls: [url(setting: cursor.query, to: found.value)],
                    rule: TerminalEscaping.quoted("\(found.path)"))
            }
        }
        guard let current = findNumber(Members.page), current.value < Int.max else { return nil }
        return Decision(
            urls: [url(setting: pageQuery, to: "\(current.value + 1)")],
            rule: "has_more and \(TerminalEscaping.quoted("\(current.path)"))")
    }

    fileprivate func numbersInBody() throws -> Decision? {
        let currentPage = findNumber(Members.page)?.value
        if let next = findNumber(Members.nextPage) ?? find([Members.next], envelope.integer),
            let current = currentPage ?? query(pageQuery).flatMap({ Int($0) }) ?? (number == 1 ? 1 : nil),
            current < Int.max, next.value == current + 1
        {
            let name = TerminalEscaping.quoted("\(next.path)")
            return Decision(urls: [url(setting: pageQuery, to: "\(next.value)")], rule: name)
        }
        if let count = try findCount(Members.pageCount) {
            return try numbers(
                query: pageQuery, current: currentPage, count: count.value,
                rule: "\"\(pageQuery)\" up to \(TerminalEscaping.quoted("\(count.path)"))")
        }
        guard let currentPage, let size = findNumber(Members.pageSize)?.value, size > 0,
            let total = try findCount(Members.total)?.value
        else { return nil }
        return try numbers(
            query: pageQuery, current: currentPage, count: total / size + (total % size > 0 ? 1 : 0),
            rule: "\"\(pageQuery)\" up to the total by page size")
    }

    fileprivate func offsetsInBody() throws -> Decision? {
        let query = Members.offsetQueries.first { self.query($0) != nil }
        let inBody = findNumber(Members.offset)
        guard let name = query ?? inBody?.path.names.last, let total = try findCount(Members.total) else {
            return nil
        }
        return try offsets(
            query: name, current: inBody?.value, total: total.value, rule: "\"\(name)\" up to the total")
    }

    /// What seems to lead on, in a way that nobody knows.
    fileprivate func riddle() -> RESTClientError.PaginationFailure? {
        if let lead = find(Members.leads, { saysUnknown($0) ? $0 : nil })?.path {
            if let token = envelope.string(lead) ?? envelope.integer(lead).map({ "\($0)" }) {
                return .unknownToken(in: lead, token)
            }
            return .unknownNext(in: lead, envelope.json(lead) ?? "")
        }
        if let total = findNumber(Members.total)?.value, total > itemsSoFar, looksLikeFirstOfMany {
            return .incompleteTotal(received: itemsSoFar, total: total)
        }
        if let lead = find(Members.leads, { envelope.lacks($0) ? $0 : nil })?.path {
            return .memberMayBeTooLarge(lead)
        }
        if let part = riddleOfPart() { return part }
        if envelope.isCut { return .envelopeTruncated }
        return nil
    }

    /// Whether the page is as full as pages get, or the first of an unknown number.
    private var looksLikeFirstOfMany: Bool {
        let size = findNumber(Members.pageSize).map(\.value) ?? 0
        guard let page = findNumber(Members.page)?.value else { return size > 0 && size == itemCount }
        return size <= 0 && number == 1 && page <= 1
    }

    /// Whether there is something at `path` that is no link without a target.
    private func saysUnknown(_ path: MemberPath) -> Bool {
        envelope.says(path)
            && !["href", "url"].contains { envelope.json(path.appending($0)) != nil }
    }

    /// The query item that has the page number: one that the URL has already, else `page`.
    private var pageQuery: String { Members.pageQueries.first { query($0) != nil } ?? "page" }

    /// Whether the value of a `next` is a URL, absolute or relative, and not a token.
    private static func looksLikeURL(_ text: String) -> Bool {
        guard let first = text.first else { return false }
        return "/?.".contains(first) || text.contains("://") || text.contains("?")
    }
}
