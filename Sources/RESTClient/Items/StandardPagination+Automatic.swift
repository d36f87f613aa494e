import Foundation
import HTTPCore

/// The order in which an unknown page is looked at: `Pagination.automatic` documents it.
extension StandardPagination {
    static func automatic(_ page: PageInfo) throws -> Decision? {
        var page = page
        page.knownPlaces = page.places
        if let decision = try page.link() ?? page.urlInBody() { return decision }
        // Who says that this is all may still repeat the last token.
        if page.says(Members.more) == false { return nil }
        if let decision = page.tokenInBody() ?? page.moreWithPlace() { return decision }
        if page.says(Members.more) == true {
            throw PagingFailure("the page says that there is more, not where")
        }
        if let decision = try page.numbersInBody() ?? page.offsetsInBody() { return decision }
        if let complaint = page.riddle() { throw PagingFailure(complaint) }
        return nil
    }

    /// Names as servers write them; where one is in an object beside the list, such as `meta`, it is looked for there, too.
    enum Members {
        static let containers = [
            "meta", "pagination", "paging", "page_info", "pageInfo", "page", "metadata",
        ]
        static let links: [MemberPath] = [
            "next_url", "nextUrl", "next_page_url", "nextPageUrl", "next_link", "nextLink", "links.next",
            "links.next.href", "_links.next", "_links.next.href", "next.href", "next.url",
            ["@odata.nextLink"],
        ]
        static let next = "next"
        static let tokens: [(MemberPath, query: String)] = [
            ("nextPageToken", "pageToken"), ("next_page_token", "page_token"),
            ("metadata.continue", "continue"),
            ("nextToken", "nextToken"), ("next_token", "next_token"), ("next_cursor", "cursor"),
            ("nextCursor", "cursor"), ("response_metadata.next_cursor", "cursor"),
            ("meta.next_cursor", "cursor"), ("pagination.next_cursor", "cursor"),
            ("meta.next_token", "pagination_token"), ("continuationToken", "continuationToken"),
        ]
        static let more = [
            "has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more",
        ]
        static let cursors: [(name: String, query: String)] = [
            ("cursor", "cursor"), ("end_cursor", "after"), ("endCursor", "after"), ("after", "after"),
        ]
        static let page = ["page", "current_page", "currentPage", "page_number", "pageNumber", "number"]
        static let pageCount = [
            "total_pages", "totalPages", "page_count", "pageCount", "pages", "num_pages", "last_page",
            "lastPage",
        ]
        static let pageSize = ["per_page", "perPage", "page_size", "pageSize", "limit", "size"]
        static let offset = ["offset", "skip", "start", "startAt"]
        static let total = [
            "total", "total_count", "totalCount", "total_results", "totalResults", "total_items",
            "totalItems",
        ]
        /// Those that count nothing but items.
        static let itemTotal = total.filter { $0 != "total" }
        static let pageQueries = ["page", "page_number", "pageNumber", "page[number]", "p"]
    }
}

extension PageInfo {
    typealias Members = StandardPagination.Members

    /// The objects around the list, the innermost first.
    var levels: [MemberPath] {
        (0..<max(1, path.names.count)).reversed().map { MemberPath(names: Array(path.names.prefix($0))) }
    }

    /// Where a page says what follows: in the objects around the list, and in those beside it for such things.
    var places: [MemberPath] {
        levels.flatMap { level in
            [level] + Members.containers.map { level.appending($0) }.filter { envelope.isObject($0) }
        }
    }

    /// The first of `names` that is there, beside the list or in an object for such things.
    func find<Value>(
        _ names: [String], _ value: (MemberPath) -> Value?
    ) -> (value: Value, name: String, path: MemberPath)? {
        for place in knownPlaces ?? places {
            for name in names {
                let path = place.appending(name)
                if let value = value(path) { return (value, name, path) }
            }
        }
        return nil
    }

    fileprivate func says(_ names: [String]) -> Bool? { find(names, envelope.flag)?.value }

    func integer(_ names: [String]) -> Int? { find(names, wholeNumber)?.value }

    /// `next` where it is a URL, and the members that are nothing else.
    fileprivate func urlInBody() throws -> Decision? {
        let next = find([Members.next]) { path in
            envelope.string(path).flatMap { Self.looksLikeURL($0) ? $0 : nil }
        }
        if let next {
            let name = SafeText.quoted("\(next.path)")
            return Decision(urls: [try follow(next.value, named: name)], rule: name)
        }
        for place in knownPlaces ?? places {
            for link in Members.links {
                let path = MemberPath(names: place.names + link.names)
                guard let reference = envelope.string(path), !reference.isEmpty else { continue }
                let name = SafeText.quoted("\(path)")
                return Decision(urls: [try follow(reference, named: name)], rule: name)
            }
        }
        return nil
    }

    fileprivate func tokenInBody() -> Decision? {
        for level in levels {
            for token in Members.tokens {
                let path = MemberPath(names: level.names + token.0.names)
                if let decision = self.token(at: path, query: token.query) { return decision }
            }
        }
        return nil
    }

    /// `has_more` beside a cursor, or a page number.
    fileprivate func moreWithPlace() -> Decision? {
        guard says(Members.more) == true else { return nil }
        for cursor in Members.cursors {
            if let found = find(
                [cursor.name], { envelope.string($0) ?? envelope.integer($0).map { "\($0)" } }),
                !found.value.isEmpty
            {
                return Decision(
                    urls: [url(setting: cursor.query, to: found.value)],
                    rule: SafeText.quoted("\(found.path)"))
            }
        }
        guard let current = currentPage, current.value < Int.max else { return nil }
        return Decision(
            urls: [url(setting: pageQuery, to: "\(current.value + 1)")],
            rule: "has_more and \"\(current.name)\"")
    }

    fileprivate func numbersInBody() throws -> Decision? {
        if let next = find(["next_page", "nextPage", Members.next], wholeNumber),
            let current = currentPage?.value ?? wholeNumber(inQuery: pageQuery)
                ?? (number == 1 ? 1 : nil),
            current < Int.max, next.value == current + 1
        {
            let name = SafeText.quoted("\(next.path)")
            return Decision(urls: [url(setting: pageQuery, to: "\(next.value)")], rule: name)
        }
        if let count = find(Members.pageCount, wholeNumber) {
            return numbers(
                query: pageQuery, current: currentPage?.value, count: count.value,
                rule: "\"\(pageQuery)\" up to \(SafeText.quoted("\(count.path)"))")
        }
        guard let current = currentPage, let size = integer(Members.pageSize), size > 0,
            let total = integer(Members.total), total >= 0
        else { return nil }
        return numbers(
            query: pageQuery, current: current.value, count: total / size + (total % size > 0 ? 1 : 0),
            rule: "\"\(pageQuery)\" up to the total by page size")
    }

    fileprivate func offsetsInBody() throws -> Decision? {
        guard let total = integer(Members.total) else { return nil }
        let query = Members.offset.first { self.query($0) != nil }
        let inBody = find(Members.offset, wholeNumber)
        guard let name = query ?? inBody?.name else { return nil }
        return try offsets(
            query: name, current: inBody?.value, total: total, rule: "\"\(name)\" up to the total")
    }

    var currentPage: (value: Int, name: String)? {
        find(Members.page, wholeNumber).map { ($0.value, $0.name) }
    }

    /// The query item that has the page number: one that the URL has already, else `page`.
    private var pageQuery: String { Members.pageQueries.first { query($0) != nil } ?? "page" }

    /// Whether the value of a `next` is a URL, absolute or relative, and not a token.
    private static func looksLikeURL(_ text: String) -> Bool {
        guard let first = text.first else { return false }
        return "/?.".contains(first) || text.contains("://") || text.contains("?")
    }
}
