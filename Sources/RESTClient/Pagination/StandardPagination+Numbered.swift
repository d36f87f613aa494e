package import Foundation
import RESTClientHTTP

/// Pages as people name them: by a page number, or by an offset.
extension StandardPagination {
    /// The page that `number` names of the list at `url`, which is its first page; `nil` where pages have no numbers.
    ///
    /// The number goes into the query item of the rule. Where the rule is found automatically, that is the one
    /// for a page number or an offset that `url` has already, else `page`.
    package func page(_ number: Int, of url: URL) -> ResumeToken? {
        guard let count = count(in: url) else { return nil }
        let page = url.setting(count.query, to: "\(number)")
        guard !count.isOffset else {
            return ResumeToken(url: page, page: 1, items: min(number, ResumeToken.most))
        }
        // Its place says whether the first page is 0, and so which is the last.
        let first = QueryItems(of: url)[count.query].flatMap { Int($0) } ?? 1
        guard first >= 0, first <= number else { return ResumeToken(url: page, page: 1, items: 0) }
        return ResumeToken(url: page, page: min(number - first, ResumeToken.most - 1) + 1, items: 0)
    }

    /// The number that names `place`, of the list at `url`, and how many items of that page came before; `nil` where no
    /// number leads there.
    package func number(of place: ResumeToken, in url: URL) -> (number: Int, itemsBefore: Int)? {
        guard let count = count(in: url),
            let number = QueryItems(of: place.url)[count.query].flatMap({ Int($0) }), number >= 0,
            let named = page(number, of: url)?.leavingOutSecrets(of: url), named.url == place.url
        else { return nil }
        guard count.isOffset else { return named.page == place.page ? (number, place.skip) : nil }
        let (next, isTooFar) = number.addingReportingOverflow(place.skip)
        return isTooFar ? nil : (next, 0)
    }

    /// The query item that counts, and what.
    private func count(in url: URL) -> (query: String, isOffset: Bool)? {
        switch rule {
        case .none, .link, .next, .token: return nil
        case .number(let query, _): return (query, false)
        case .offset(let query, _): return (query, true)
        case .automatic:
            let query = QueryItems(of: url)
            let isNumber = { (name: String) in query[name].map { Int($0) != nil } ?? false }
            if let page = Members.pageQueries.first(where: isNumber) { return (page, false) }
            return Members.offsetQueries.first(where: isNumber).map { ($0, true) } ?? ("page", false)
        }
    }
}
