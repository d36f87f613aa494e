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
        let links = signs.filter { sign in
            guard sign.text != nil else { return false }
            if sign.leadsToNext { return sign.isURL || sign.hasURLName }
            if sign.isURL, ["next", "more", "older"].contains(where: { sign.name.utf8.range(of: $0) != nil })
            {
                return isLinkToThisList(sign)
            }
            return Names.isNext(sign.container) && (sign.hasURLName || sign.isURL && sign.name == "path")
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
        let number = items.numberName(in: .pageQuery).flatMap { items[$0] }.flatMap { Int($0) }
        let isSelf =
            items.sorted == QueryItems(of: page.url).sorted && next.url.path() == page.url.path()
        let isEarlier = number.map { $0 <= page.number } ?? false
        if isSelf, page.itemCount == 0 || isComplete { leadsBack = true }
        if isEarlier, isComplete { leadsBack = true }
        if leadsBack { return NextPages(requests: [], rule: "\(link)") }
        // Servers that use page numbers may send a next link even on an empty page after the end.
        let isPastEnd =
            page.itemCount == 0 && page.number > 1
            && items.numberName(in: [.pageQuery, .offsetQuery]) != nil
            && signs.contains { $0.roles.contains(.otherPage) && $0.isURL }
        return endingAfterEmptyPage(NextPages(requests: isPastEnd ? [] : [next], rule: "\(link)"))
    }

    /// Returns `true` for a URL that differs from that of the page only in the query.
    private func isLinkToThisList(_ sign: PaginationSign) -> Bool {
        guard let url = sign.text.flatMap(page.url) else { return false }
        return url.path() == page.responseURL.path() && url != page.url
    }

    /// Returns `decision` without a page if this page is empty and the next one differs from it only in its number.
    /// Some servers name a next page after the end of the list. This is known only if the page states its number and the
    /// page size; otherwise, pages that are not empty may follow.
    func endingAfterEmptyPage(_ decision: NextPages?) -> NextPages? {
        guard page.itemCount == 0, var decision, let next = decision.requests.first, next.hasOnlyURL,
            next.url.path() == page.responseURL.path()
        else { return decision }
        let current = QueryItems(of: page.url)
        let changes = QueryItems(of: next.url).filter { $0.value != current[$0.name] }
        let roles = changes.map { item in
            item.value.flatMap { Int($0) } == nil ? [] : QueryItems.roles(of: item.name)
        }
        let isNumber: PaginationRoles = [.pageQuery, .offsetQuery]
        guard roles.contains(where: { !$0.isDisjoint(with: isNumber) }),
            roles.allSatisfy({ !$0.isDisjoint(with: isNumber.union(.pageSize)) }),
            number(.pageSize) != nil, number([.pageNumber, .certainOffset]) != nil
        else { return decision }
        decision.requests = []
        return decision
    }

    private var isComplete: Bool {
        if let total { return total.value <= reached }
        guard let current = currentPage, let count = number(.pageCount)?.value else { return false }
        return current >= count
    }

    /// Returns the page of a link with a method and a body, as in STAC. The body can contain only the members that
    /// replace those of the request.
    private func nextLink(
        _ link: PaginationSign, _ method: String, _ body: JSONLiteral?, isMerged: Bool
    ) throws -> NextPages {
        guard let body, case .object(let members) = body.node, !isMerged || page.requestBody != nil else {
            throw RESTClientError(pagination: .nextRequiresMethod(in: link.path))
        }
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
