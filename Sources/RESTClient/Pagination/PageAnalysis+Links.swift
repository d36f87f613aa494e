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
            return Names.isNext(sign.container) && (sign.hasURLName || sign.isURL && sign.name == "path")
        }
        // An absolute URL is preferred, because a path may be relative to another URL.
        guard
            let link = links.first(where: { $0.text?.contains("://") == true })
                ?? links.first(where: \.hasURLName) ?? links.first,
            let target = link.text
        else { return nil }
        let next = try page.nextPage(target, in: link.path)
        // Some servers link to the last page itself.
        let items = QueryItems(of: next.url)
        let number = items.numberName(in: Names.pageQueries).flatMap { items[$0] }.flatMap { Int($0) }
        let isSelf =
            items.sorted == QueryItems(of: page.url).sorted && next.url.path() == page.url.path()
        let isEarlier = number.map { $0 <= page.number } ?? false
        if isSelf, page.itemCount == 0 || isComplete { linksToItself = true }
        if isEarlier, isComplete { linksToItself = true }
        if linksToItself { return NextPages(requests: [], rule: "\(link)") }
        // Servers that use page numbers may send a next link even on an empty page after the end.
        let isPastEnd =
            page.itemCount == 0 && page.number > 1
            && signs.contains { Names.otherPages.contains($0.name) && $0.isURL }
        return page.endingAfterEmptyPage(NextPages(requests: isPastEnd ? [] : [next], rule: "\(link)"))
    }

    private var isComplete: Bool {
        if let total { return total.value <= reached }
        guard let current = currentPage, let count = number(Names.pageCounts)?.value else { return false }
        return current >= count
    }

    /// Returns the page of a link with a method and a body, as in STAC. The body can contain only the members that
    /// replace those of the request.
    private func nextLink(
        _ link: PaginationSign, _ method: String, _ body: JSONLiteral?, isMerged: Bool
    ) throws -> NextPages {
        guard let body, case .object(let members) = body.node, !isMerged || page.requestBody != nil else {
            throw PaginationError(.nextRequiresMethod(in: link.path))
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
