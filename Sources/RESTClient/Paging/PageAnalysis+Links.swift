import Foundation
import RESTClientHTTP

/// Next pages by links in the body.
extension PageAnalysis {
    func nextLink() throws -> NextPages? {
        for link in signs where link.name == "next" {
            if case .link(let method, let body, let isMerged) = link.source, method != "GET" {
                return try nextLink(link, method, body, isMerged: isMerged)
            }
        }
        let known = signs.filter { sign in
            guard sign.text != nil, !isFollowed(sign) else { return false }
            if sign.leadsToNext { return sign.isURL || sign.hasURLName }
            if sign.isURL, Self.linkWords.contains(where: { sign.name.utf8.range(of: $0) != nil }) {
                return isLinkToThisList(sign)
            }
            return Names.isNext(sign.container) && (sign.hasURLName || sign.isURL) && !isThing(sign.object)
        }
        var links = known
        if known.isEmpty {
            links = signs.filter { $0.isURL && isLinkToLaterPage($0) }
            // Of numbered pages, the nearest one is the next.
            if Set(links.map(\.text)).count > 1 { links = nearest(of: links).map { [$0] } ?? [] }
        }
        // An absolute URL is preferred, because a path may be relative to another URL.
        guard
            let link = links.first(where: { $0.text?.utf8.range(of: "://") != nil })
                ?? links.first(where: \.hasURLName) ?? links.first,
            let target = link.text
        else { return nil }
        let next = try page.nextPage(target, in: link.path)
        // Some servers link to the last page itself.
        let items = QueryItems(of: next.url)
        let number = items.number(in: .pageQuery)?.value
        let isSelf =
            items.sorted == QueryItems(of: page.url).sorted && next.url.path() == page.url.path()
        let isEarlier = number.map { $0 <= page.number } ?? false
        if isSelf, page.itemCount == 0 || isComplete { leadsBack = true }
        if isEarlier, isComplete { leadsBack = true }
        if leadsBack { return NextPages(requests: [], rule: "\(link)") }
        // Servers that use page numbers may send a next link even on an empty page after the end.
        let isPastEnd =
            isEmptyAtEnd
            && items.numberName(in: [.pageQuery, .offsetQuery]) != nil
            && signs.contains { $0.roles.contains(.otherPage) && $0.isURL }
        var decision = NextPages(requests: isPastEnd ? [] : [next], rule: "\(link)")
        if page.number == 1, known.isEmpty {
            decision.guess = Guess(failure: .unknownNext(in: link.path, target))
        }
        return endingAfterEmptyPage(decision)
    }

    /// Adds the pages after the next one, if it has a number, and the number of the last page is known.
    func addingNumberedPages(_ decision: NextPages) -> NextPages {
        guard page.maxNextPages > 1, decision.requests.count == 1, decision.guess == nil,
            let next = decision.requests.first, next.hasOnlyURL
        else { return decision }
        let items = QueryItems(of: next.url)
        guard let (name, number) = items.number(in: .pageQuery), number > 0,
            number == (requested(name) ?? 1).addingClamped(1),
            // Another item can be a token of this page.
            items.allSatisfy({ item in
                item.name == name || item.value == query[item.name]
                    || QueryItems.roles(of: item.name).contains(.sizeQuery)
            }), let last = lastNumber(of: name, items, at: next.url), last > number
        else { return decision }
        var decision = decision
        let more = number + 1...number + min(last - number, page.maxNextPages - 1)
        decision.requests += more.map { PageRequest(next.url.setting(name, to: "\($0)")) }
        return decision
    }

    /// Returns the number of the last page, which has the query item `name`.
    private func lastNumber(of name: String, _ items: QueryItems, at next: URL) -> Int? {
        for url in lastLinks where url.path() == next.path() {
            if let number = QueryItems(of: url)[name].number { return number }
        }
        // The first page can have the number 0.
        let current = requested(name) ?? 1
        if let count = pageCount?.integer {
            let last = isCountedFromZero ? count.subtractingClamped(1) : count
            return min(last, current.addingClamped(count.subtractingClamped(page.number)))
        }
        let size = items.first { QueryItems.roles(of: $0.name).contains(.sizeQuery) }?.value.flatMap {
            Int($0)
        }
        guard let size = size ?? (page.itemCount > 0 ? page.itemCount : nil), size > 0, let total,
            total.value > reached
        else { return nil }
        let rest = total.value - reached
        return current.addingClamped(rest.pages(of: size))
    }

    /// Words in the name of a link that can lead to the next page.
    private static let linkWords = ["next", "more", "older", "continue", "forward", "following"]

    /// Returns `true` for a URL of this list in which only the position in the query is another, later one.
    private func isLinkToLaterPage(_ sign: PaginationSign) -> Bool {
        guard sign.isHeader || isAtList(sign, depth: 2), isLinkToThisList(sign),
            !sign.roles.contains(.otherPage), !sign.path.names.contains(where: Names.leadsToOtherPage),
            let url = sign.text.flatMap(page.url), sign.text?.contains("{") == false
        else { return false }
        let items = QueryItems(of: url)
        let changes = items.filter { $0.value != query[$0.name] }
        // `antall=3`, a page size in another language
        let isSize = { (item: QueryItems.Element) in
            let roles = QueryItems.roles(of: item.name)
            return roles.contains(.sizeQuery)
                || roles.isEmpty && !Names.hasPageStem(item.name) && item.value == "\(self.page.itemCount)"
        }
        return changes.contains { !isSize($0) }
            && changes.allSatisfy { item in
                let roles = QueryItems.roles(of: item.name)
                guard let number = item.value.number else { return isToken(item.name, item.value, roles) }
                if roles.contains(.pageQuery) { return number > currentPage ?? page.number }
                if roles.contains(.offsetQuery) { return number > requested(item.name) ?? itemsBefore }
                if Names.hasPageStem(item.name), roles.isEmpty { return number >= page.number }
                return isSize(item) || isToken(item.name, item.value, roles)
            }
    }

    /// Returns the link with the smallest page number or offset, or `nil` if one of the links has none.
    private func nearest(of links: [PaginationSign]) -> PaginationSign? {
        let numbers = links.map { link -> Int? in
            link.text.flatMap(page.url).flatMap {
                QueryItems(of: $0).number(in: [.pageQuery, .offsetQuery])?.value
            }
        }
        guard !numbers.contains(nil), let smallest = numbers.compactMap(\.self).min(),
            let index = numbers.firstIndex(of: smallest)
        else { return nil }
        return links[index]
    }

    /// Returns `true` for a query item with the name or the value of a token.
    private func isToken(_ name: String, _ value: String?, _ roles: PaginationRoles) -> Bool {
        let words = Names.words(of: name)
        return !roles.isDisjoint(with: [.token, .next]) || Names.isListToken(words)
            || PaginationSign([], name, .text(value ?? "")).isOpaque
    }

    /// Returns `true` for a URL that differs from that of the page only in the query.
    private func isLinkToThisList(_ sign: PaginationSign) -> Bool {
        guard let url = sign.text.flatMap(page.url) else { return false }
        return url.path() == page.responseURL.path() && url.host() == page.responseURL.host()
            && url != page.url
    }

    /// Returns `decision` without a page if it names one after the end of the list: this page is empty,
    /// states its number and the page size, and differs from the next one only in the number.
    func endingAfterEmptyPage(_ decision: NextPages?) -> NextPages? {
        guard isEmptyAtEnd, var decision, let next = decision.requests.first, next.hasOnlyURL,
            next.url.path() == page.responseURL.path()
        else { return decision }
        let current = QueryItems(of: page.url)
        let changes = QueryItems(of: next.url).filter { $0.value != current[$0.name] }
        let roles = changes.map { item in
            item.value.number == nil ? [] : QueryItems.roles(of: item.name)
        }
        let isNumber: PaginationRoles = [.pageQuery, .offsetQuery]
        guard roles.contains(where: { !$0.isDisjoint(with: isNumber) }),
            roles.allSatisfy({ !$0.isDisjoint(with: isNumber.union(.pageSize)) }),
            number(.pageSize) != nil, number([.pageNumber, .certainOffset]) != nil
        else { return decision }
        decision.requests = []
        return decision
    }

    /// `true` if this page is empty, and the page before it, or a count, shows that it is after the end.
    private var isEmptyAtEnd: Bool { page.itemCount == 0 && (page.endsIfEmpty || countsReached) }

    private var isComplete: Bool {
        if let total { return total.value <= reached }
        guard let current = currentPage, let count = number(.pageCount)?.value else { return false }
        return current >= count
    }

    /// Returns the page of a link with a method and a body, which can be merged into that of this page.
    private func nextLink(
        _ link: PaginationSign, _ method: String, _ body: JSONLiteral?, isMerged: Bool
    ) throws -> NextPages {
        guard let body, case .object(let members) = body.node, !isMerged || page.requestBody != nil
        else { throw RESTClientError(pagination: .nextRequiresMethod(in: link.path)) }
        var next = try page.nextPage(link.text ?? "", in: link.path)
        next.method = HTTPMethod(rawValue: method)
        if isMerged {
            for member in members { next.members[[member.key]] = member.value }
        } else {
            (next.body, next.members) = (body, [:])
        }
        return NextPages(requests: [next], rule: "\(link)")
    }
}

extension QueryItems {
    fileprivate var sorted: [String] { map { "\($0.name)=\($0.value ?? "")" }.sorted() }
}
