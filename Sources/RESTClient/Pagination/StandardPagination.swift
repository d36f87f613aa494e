import Foundation
import RESTClientHTTP

/// A common pagination style, such as `.automatic`, `.link`, `.token(at:parameter:more:)` or the preset `.stripe`.
///
/// A rule other than `.automatic` and `.none` that finds no next page on the first page is an error if the page
/// indicates more items, because the rule is probably the wrong one for the server. On every page, a flag such as
/// `has_more` that contradicts the rule is an error.
public struct StandardPagination: Pagination {
    enum Rule: Sendable {
        case automatic, none, link
        case next(MemberPath)
        case token(TokenSource, TokenUse)
        case number(parameter: String, count: MemberPath)
        case offset(parameter: String, total: MemberPath)
    }

    /// The location of a token in the response.
    enum TokenSource: Sendable {
        case member(MemberPath)
        /// A member of the object that contains the list.
        case besideList(MemberPath)
        case lastItem(MemberPath)
        case header(String)
    }

    /// The way in which a token is sent, and the flag that indicates whether more items follow.
    struct TokenUse: Sendable {
        var parameter: String
        /// A Boolean value that indicates whether the parameter is a header field.
        var isHeader = false
        var more: MemberPath?
        /// The URL and the body of the requests for further pages.
        var continuation: (url: String, body: JSONLiteral)?
    }

    /// The next pages, and the name of the rule that has found them.
    struct NextPages {
        var requests: [PageRequest]
        var rule: String
        /// The alternatives, if the response does not name the parameter for the next page.
        var guess: Guess?
        /// A Boolean value that indicates whether a missing page is the end of the list.
        var mayBeMissing = false
    }

    /// The alternatives for a next page that is not known with certainty. They are tried if the server sends the
    /// current page again. If all of them fail, the listing ends with `failure`.
    struct Guess {
        var alternatives: [PageRequest]
        var failure: RESTClientError.PaginationFailure
    }

    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// Returns the next pages.
    ///
    /// - Throws: An error of kind `pagination` if the page indicates more items, but they cannot be requested.
    public func pages(after page: PageInfo) throws -> [PageRequest] {
        do {
            return try decision(after: page)?.requests ?? []
        } catch let failure as PaginationError {
            throw failure.error(for: page.url)
        }
    }

    func decision(after page: PageInfo) throws -> NextPages? {
        let decision =
            switch rule {
            case .none: nil as NextPages?
            case .automatic: try PageAnalysis(page).decision()
            case .link: try checked(page.link(), page)
            case .next(let path): try checked(page.next(at: path), page)
            case .token(let source, let use): try checked(page.token(source, use), page)
            case .number(let name, let count):
                try page.numbers(
                    parameter: name, current: PageAnalysis(page).isCountedFromZero ? 0 : nil,
                    count: try page.count(at: count), rule: "the page number \"\(name)\"")
            case .offset(let name, let total):
                try page.offsets(
                    parameter: name, current: nil, total: try page.count(at: total),
                    rule: "the offset \"\(name)\"")
            }
        guard var decision, let parameter, page.number == 1, decision.guess == nil else { return decision }
        decision.guess = Guess(alternatives: [], failure: .ignoredParameter(parameter))
        return decision
    }

    /// The parameter that the rule names.
    private var parameter: String? {
        switch rule {
        case .token(_, let use): use.parameter
        case .number(let name, _), .offset(let name, _): name
        case .automatic, .none, .link, .next: nil
        }
    }

    /// Returns the decision of a named rule, or throws if it has no pages and the page indicates more items.
    private func checked(_ decision: NextPages?, _ page: PageInfo) throws -> NextPages? {
        guard decision?.requests.isEmpty ?? true else { return decision }
        let automatic = PageAnalysis(page)
        let failure =
            page.number == 1 ? automatic.evidence : automatic.more?.flag == true ? .missingNext : nil
        if let failure { throw PaginationError(failure) }
        return decision
    }

    /// A Boolean value that indicates whether the rule uses the first or last item of a page.
    var usesItems: Bool { if case .token(.lastItem, _) = rule { true } else { false } }

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
        let isLast = link.parameters["results"] == "false"
        return NextPages(
            requests: isLast ? [] : [try nextPage(link.target, in: nil)], rule: "the Link header")
    }

    /// Returns the next page from a URL in the body.
    func next(at path: MemberPath) throws -> NextPages? {
        let name = TerminalEscaping.quoted("\(path)")
        if let reference = envelope.string(path) {
            guard !reference.isEmpty else { return nil }
            return NextPages(requests: [try nextPage(reference, in: path)], rule: name)
        }
        guard envelope.integer(path) == nil else { throw PaginationError(.numberInsteadOfURL(in: path)) }
        try checkNotOmitted(path)
        return nil
    }

    /// Returns the next page from a token.
    func token(
        _ source: StandardPagination.TokenSource, _ use: StandardPagination.TokenUse
    ) throws -> NextPages? {
        var container = MemberPath.root
        if case .besideList = source { container = MemberPath(names: path.names.dropLast()) }
        func resolved(_ path: MemberPath) -> MemberPath { MemberPath(names: container.names + path.names) }
        let more = use.more.flatMap { path in
            envelope.flag(resolved(path)).flatMap {
                PaginationSign(resolved(path), .flag($0), from: .besideList).saysMore ?? $0
            }
        }
        guard more != false, let (token, name) = try token(source, resolved) else {
            if more == true { throw PaginationError(.missingNext) }
            return nil
        }
        if itemCount == 0, more == nil, use.continuation != nil { return nil }
        var next = request(setting: use.parameter, to: token)
        if use.isHeader {
            next = request
            next.headers[HTTPHeaders.Name(use.parameter)] = token.text
        } else if let (reference, body) = use.continuation {
            next = try number == 1 ? nextPage(reference, in: nil) : request
            next.method = .post
            next.body = body
            next.members = [MemberPath(use.parameter): token]
            next.isRepeatable = true
        }
        return NextPages(requests: [next], rule: name)
    }

    private func token(
        _ source: StandardPagination.TokenSource, _ resolved: (MemberPath) -> MemberPath
    ) throws -> (JSONLiteral, name: String)? {
        switch source {
        case .member(let path), .besideList(let path):
            let path = resolved(path)
            guard let token = envelope.token(path) else {
                try checkNotOmitted(path)
                return nil
            }
            return (token, TerminalEscaping.quoted("\(path)"))
        case .lastItem(let member):
            guard itemCount > 0 else { return nil }
            guard let token = lastItem?.token(member) else {
                throw PaginationError(.missingItemMember(member))
            }
            return (token, "\(TerminalEscaping.quoted("\(member)")) of the last item")
        case .header(let name):
            return headers[HTTPHeaders.Name(name)].map {
                (JSONLiteral(.string($0)), "the \(TerminalEscaping.escaped(name)) header")
            }
        }
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
    func numbers(parameter: String, current: Int?, count: Int?, rule: String) throws -> NextPages? {
        let current = self.parameter(parameter).flatMap { Int($0) } ?? current ?? 1
        guard 0..<Int.max ~= current else { throw PaginationError(.invalidPage(current)) }
        guard let count else { return uncounted(parameter, current + 1, rule) }
        // If the first page is 0, the last page is the number of pages minus 1.
        let last = current - (number - 1) <= 0 ? count - 1 : count
        guard current < last else { return nil }
        let numbers = current + 1...current + min(last - current, maxNextPages)
        return NextPages(requests: numbers.map { request(setting: parameter, to: $0) }, rule: rule)
    }

    /// Returns the next offsets up to `total`. Without a total, returns the next one unless the page is empty.
    func offsets(parameter: String, current: Int?, total: Int?, rule: String) throws -> NextPages? {
        let current = self.parameter(parameter).flatMap { Int($0) } ?? current ?? 0
        let (next, isTooFar) = current.addingReportingOverflow(itemCount)
        guard current >= 0, !isTooFar else { throw PaginationError(.invalidOffset(current)) }
        guard let total else { return uncounted(parameter, next, rule) }
        guard next < total else { return nil }
        guard itemCount > 0 else { throw PaginationError(.emptyPage(offset: current, total: total)) }
        let offsets = stride(from: next, to: total, by: itemCount).prefix(maxNextPages)
        return NextPages(requests: offsets.map { request(setting: parameter, to: $0) }, rule: rule)
    }

    /// Returns the next page of a list without a count, which may be missing if the page does not indicate more items.
    private func uncounted(_ parameter: String, _ number: Int, _ rule: String) -> NextPages? {
        guard itemCount > 0 else { return nil }
        let requests = [request(setting: parameter, to: number)]
        let mayBeMissing = PageAnalysis(self).evidence == nil
        return NextPages(requests: requests, rule: rule, mayBeMissing: mayBeMissing)
    }

    /// Returns the request of the page at `reference`.
    func nextPage(_ reference: String, in member: MemberPath?) throws -> PageRequest {
        guard let url = url(reference) else { throw PaginationError(.unresolvableURL(in: member, reference)) }
        var next = request
        next.url = url
        return next
    }
}
