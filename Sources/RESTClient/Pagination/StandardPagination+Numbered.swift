public import Foundation
import RESTClientHTTP

/// Positions by page number or offset.
extension StandardPagination {
    /// Returns the position of page `number`, or `nil` if the rule has no page numbers. `url` is the first page of the
    /// list.
    ///
    /// The number is set in the query item of the rule. For `.automatic`, that is the query item of `url` that
    /// contains a page number or an offset, or `page`.
    public func page(_ number: Int, of url: URL) -> ResumeToken? {
        guard let count = numberQuery(in: url) else { return nil }
        let page = url.setting(count.query, to: "\(number)")
        guard !count.isOffset else {
            return ResumeToken(url: page, pageNumber: 1, itemsBefore: min(number, ResumeToken.maxCount))
        }
        // Pages can be numbered from 0 or from 1.
        let first = QueryItems(of: url)[count.query].flatMap { Int($0) } ?? 1
        guard first >= 0, first <= number else {
            return ResumeToken(url: page, pageNumber: 1, itemsBefore: 0)
        }
        return ResumeToken(
            url: page, pageNumber: min(number - first, ResumeToken.maxCount - 1) + 1, itemsBefore: 0)
    }

    /// Returns the page number of `token`, and the number of items on that page before the position, or `nil` if the
    /// token has no page number. `url` is the first page of the list.
    public func number(of token: ResumeToken, in url: URL) -> (number: Int, skip: Int)? {
        guard let count = numberQuery(in: url),
            let number = QueryItems(of: token.url)[count.query].flatMap({ Int($0) }), number >= 0,
            let named = page(number, of: url)?.removingSecrets(of: url), named.url == token.url
        else { return nil }
        guard count.isOffset else { return named.pageNumber == token.pageNumber ? (number, token.skip) : nil }
        let (next, isTooFar) = number.addingReportingOverflow(token.skip)
        return isTooFar ? nil : (next, 0)
    }

    /// Returns the query item with the page number or the offset.
    private func numberQuery(in url: URL) -> (query: String, isOffset: Bool)? {
        switch rule {
        case .none: return nil
        case .convention(let convention):
            return switch convention.kind {
            case .link, .url, .token: nil
            case .number(let name, _): (name, false)
            case .offset(let name, _): (name, true)
            }
        case .automatic:
            let query = QueryItems(of: url)
            if let page = query.numberName(in: PaginationNames.pageQueries) { return (page, false) }
            return query.numberName(in: PaginationNames.offsetQueries).map { ($0, true) } ?? ("page", false)
        }
    }
}
