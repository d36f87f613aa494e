import Foundation
import RESTClientHTTP

/// A pagination of the library: `.automatic`, `.none`, or a convention, such as `.next(at:)` or `.stripe`.
///
/// A convention that finds no next page on the first page is an error if the page indicates more items, because the
/// convention is probably the wrong one for the server. On every page, a flag such as `has_more` that contradicts it is
/// an error.
public struct StandardPagination: Pagination {
    enum Rule: Sendable { case automatic, none, convention(PaginationConvention) }

    /// The next pages, and the name of the rule that has found them.
    struct NextPages {
        var requests: [PageRequest]
        var rule: String
        /// The alternatives, if the response does not name the parameter for the next page.
        var guess: Guess?
        /// A Boolean value that indicates whether a missing page is the end of the list.
        var mayBeMissing = false
        /// The parameter that requests the pages, if they are not requested by their URLs.
        var parameter: String?
        /// The number of items of the list before the first page of the listing.
        var itemsSkipped = 0
    }

    /// The alternatives for a next page that is not known with certainty. They are tried if the server sends
    /// the current page again. If all fail, the listing ends with `failure`, or without an error if it is `nil`.
    struct Guess {
        var alternatives: [PageRequest] = []
        var failure: RESTClientError.PaginationFailure?
        /// The convention that most likely lists the rest, after all alternatives have failed.
        var suggestion: PaginationConvention?
        /// The next page if this one begins with the last item before it, because the server counts from 1.
        var ifOverlapping: PageRequest?
        /// `true` if the name of its parameter, such as `start`, says so, too. With another name, the same page again ends the list.
        var isNamedFromOne = false
        /// A Boolean value that indicates whether the number of all items is known, so that a wrong page is noticed.
        var hasTotal = false
        /// The request of the next page if the received one is empty, because the server counts pages from 0.
        var ifEmpty: PageRequest?
        /// A Boolean value that indicates whether an empty page cannot be the next one, because there are more items.
        var expectsItems = false

        /// A Boolean value that indicates whether the list ends without an error if the page is the same as the one before it.
        var isQuiet: Bool { alternatives.isEmpty && failure == nil }
    }

    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// Creates the pagination for a convention.
    public init(_ convention: PaginationConvention) { rule = .convention(convention) }

    /// Returns `pagination` if it is one of the library, or `nil` for a custom one.
    init?(_ pagination: any Pagination) {
        let convention = (pagination as? PaginationConvention).map { Self(.convention($0)) }
        guard let standard = convention ?? pagination as? Self else { return nil }
        self = standard
    }

    /// Returns the next pages.
    ///
    /// - Throws: An error of kind `pagination` if the page indicates more items, but they cannot be requested.
    public func pages(after page: PageInfo) throws -> [PageRequest] {
        do {
            return try decision(after: page)?.requests ?? []
        } catch let error as RESTClientError {
            throw error.at(page.url)
        }
    }

    func decision(after page: PageInfo) throws -> NextPages? { try decision(by: analysis(of: page)) }

    /// Returns the analysis of a page for `decision(by:)`.
    func analysis(of page: PageInfo) -> PageAnalysis {
        var page = page
        if case .automatic = rule, page.requestBody != nil {
            // The parameter is probably where the request has the page size.
            page.sendsQueryItems = QueryItems(of: page.url).numberName(in: .sizeQuery) != nil
        }
        return PageAnalysis(page)
    }

    func decision(by analysis: PageAnalysis) throws -> NextPages? {
        let page = analysis.page
        var decision: NextPages?
        var suggestion: PaginationConvention?
        switch rule {
        case .none: return nil
        case .automatic:
            decision = try analysis.decision()
            if page.number == 1, decision?.parameter != nil {
                suggestion = analysis.suggestion(afterTrying: 2)
            }
        case .convention(let convention):
            do { decision = try self.decision(by: convention, analysis) } catch var error as RESTClientError {
                let next = try? page.number == 1 ? Self.automatic.decision(after: page) : nil
                error.isPagedByDefault = next?.requests.isEmpty == false
                if case .pagination(.emptyPage) = error.kind { error.suggestedPagination = nil }
                throw error
            }
            decision?.parameter = convention.parameter
        }
        decision = decision.map(analysis.addingNumberedPages)
        if analysis.isFirstPageOfListing {
            decision?.itemsSkipped = analysis.reached.subtractingClamped(page.itemsSoFar)
        }
        // A server that ignores the parameter sends the first page again.
        if page.number == 1, decision?.guess == nil, let parameter = decision?.parameter {
            decision?.guess = Guess(failure: .ignoredParameter(parameter), suggestion: suggestion)
        }
        return decision
    }

    private func decision(
        by convention: PaginationConvention, _ analysis: PageAnalysis
    ) throws -> NextPages? {
        let page = analysis.page
        let more = try page.saysMore(convention)
        let decision: NextPages? =
            switch convention.kind {
            case .link: try analysis.endingAfterEmptyPage(page.link())
            case .url(let path): try analysis.endingAfterEmptyPage(page.next(at: path))
            case .token(let token): try page.next(by: token, more: more)
            case .number(let name, let count, let first):
                try analysis.numbers(parameter: name, count: count, first: first, more: more)
            case .offset(let name, let total, let first):
                try analysis.offsets(parameter: name, total: total, first: first, more: more)
            }
        guard decision?.requests.isEmpty ?? true else { return decision }
        if let failure = failure(atEndOf: analysis, by: convention, more) {
            var suggestion = analysis.suggestion(for: failure, afterTrying: 0)
            if page.number > 1, case .number(let parameter, nil, nil) = convention.kind {
                suggestion = .number(parameter: parameter, count: nil, first: 0)
            }
            throw RESTClientError(
                pagination: failure, suggestion: suggestion == convention ? nil : suggestion)
        }
        return decision
    }

    /// Returns the failure if a convention has no next page and the page indicates more items.
    private func failure(
        atEndOf analysis: PageAnalysis, by convention: PaginationConvention, _ more: Bool?
    ) -> RESTClientError.PaginationFailure? {
        let page = analysis.page
        if analysis.more?.flag == true { return .missingNext }
        // A request with a number can begin in the middle of the list.
        let isNumbered = convention.numbers.flatMap { page.parameter($0.parameter) } != nil
        guard page.number == 1 else {
            guard let failure = analysis.evidence, case .incompleteTotal = failure else { return nil }
            // The number of the first page was a guess, with which a page may have been skipped.
            if case .number(let parameter, nil, nil) = convention.kind,
                page.parameter(parameter) == "\(page.number)"
            {
                return failure
            }
            // Some servers deliver only the first 1,000 items. After a shorter page, others are counted, too.
            return page.itemCount > 0 && page.itemCount > (page.itemsSoFar - 1) / page.number ? failure : nil
        }
        guard !isNumbered, let failure = analysis.evidence else { return nil }
        // A total can also count the items that a filter excludes.
        if case .incompleteTotal = failure, let count = convention.numbers?.count,
            page.envelope.number(count) != nil
        {
            return nil
        }
        // Some servers send a token on the last page, too, for which they have a flag.
        if more == false, case .token(let token) = convention.kind, case .member(let path) = token.source {
            switch failure {
            case .unknownToken(in: path, _), .unknownNext(in: path, _): return nil
            default: break
            }
        }
        return failure
    }

    /// A Boolean value that indicates whether the pagination uses the first or last item of a page.
    var usesItems: Bool {
        if case .convention(let convention) = rule { convention.lastItemMember != nil } else { false }
    }

    /// Returns the next pages if they can be determined from the headers alone.
    func decision(afterHeadOf page: PageInfo) -> NextPages? {
        switch rule {
        case .convention(let convention) where convention.kind != .link: return nil
        case .none: return nil
        default: return (try? page.link()).map(PageAnalysis(page).addingNumberedPages)
        }
    }
}

extension RESTClientError {
    /// Creates the error of a list whose next page cannot be determined or requested. `suggestion` is the
    /// convention that most likely lists all pages. The request is added with `at(_:)`.
    init(pagination reason: PaginationFailure, suggestion: PaginationConvention? = nil) {
        self.init(.pagination(reason))
        suggestedPagination = suggestion
    }

    /// Returns the error with the URL of the page, whose secrets are masked everywhere in the error.
    func at(_ page: URL) -> Self {
        guard case .pagination = kind, url == nil else { return self }
        let located = Self(kind, URLRequest(url: page))
        var error = self
        (error.kind, error.url) = (located.kind, located.url)
        return error
    }
}

// MARK: Rules

extension PageInfo {
    typealias NextPages = StandardPagination.NextPages

    /// Returns the next page from the `Link` header.
    func link() throws -> NextPages? {
        if let malformed = Link.malformedNext(in: headers) {
            throw RESTClientError(pagination: .unresolvableURL(in: nil, malformed))
        }
        guard let link = Link.first("next", in: headers),
            !PaginationSign.Value.text(link.target).isNothing
        else { return nil }
        // Sentry sends a `next` link with `results="false"` on the last page.
        let isLast = link.parameters["results"] == "false"
        return NextPages(
            requests: isLast ? [] : [try nextPage(link.target, in: nil)], rule: "the Link header")
    }

    /// Returns the next page from a URL in the body.
    func next(at path: MemberPath) throws -> NextPages? {
        let name = TerminalEscaping.quoted("\(path)")
        if let reference = envelope.string(path) {
            guard !reference.isEmpty, !PaginationSign.Value.text(reference).isNothing else { return nil }
            return NextPages(requests: [try nextPage(reference, in: path)], rule: name)
        }
        guard envelope.integer(path) == nil
        else { throw RESTClientError(pagination: .numberInsteadOfURL(in: path)) }
        // A list of links such as `[{"rel": "next", "href": "…"}]`, whose relation is the last name of the path.
        if let target = envelope.paginationSigns(around: self.path).first(where: {
            $0.isLink && $0.path == path && !$0.value.isNothing
        })?.text {
            return NextPages(requests: [try nextPage(target, in: path)], rule: name)
        }
        try checkNotOmitted(path)
        return nil
    }

    /// Returns the next page from a token. `more` is the meaning of the flags.
    func next(by token: PaginationConvention.Token, more: Bool? = nil) throws -> NextPages? {
        guard more != false, let (value, name) = try value(of: token.source, more) else {
            if more == true { throw RESTClientError(pagination: .missingNext) }
            return nil
        }
        var next: PageRequest
        switch token.destination {
        case .parameter("*"):
            next = request(setting: fields(of: token.source).map { ($0.end, .value($0.value)) })
        case .parameter(let parameter):
            // Some servers repeat the token at the end of the list.
            if itemCount == 0, more == nil, self.parameter(parameter) == value.text { return nil }
            next = request(setting: parameter, to: value)
        case .header(let field):
            next = request
            next.headers[HTTPHeaders.Name(field)] = value.text
        case .post(let member, let url, let body):
            if itemCount == 0, more == nil { return nil }
            next = try number == 1 ? nextPage(url, in: nil) : request
            next.method = .post
            next.body = body
            next.members = [MemberPath(member): value]
            next.isRepeatable = true
        }
        return NextPages(requests: [next], rule: name)
    }

    private func value(
        of source: PaginationConvention.Token.Source, _ more: Bool?
    ) throws -> (JSONLiteral, name: String)? {
        switch source {
        case .member(let member), .besideList(let member):
            let path = path(of: member, for: source)
            guard let value = envelope.token(path) else {
                try checkNotOmitted(path)
                return nil
            }
            // `"next_cursor": 0`, but not the id 0 of the last item
            let isEnd =
                more == nil && value.isNothing
                && PaginationNames.roles(of: path.names.last ?? "").contains(.next)
            return isEnd ? nil : (value, TerminalEscaping.quoted("\(path)"))
        case .lastItem(let member):
            guard itemCount > 0 else { return nil }
            guard let value = lastItem?.token(member)
            else { throw RESTClientError(pagination: .missingItemMember(member)) }
            return (value, "\(TerminalEscaping.quoted("\(member)")) of the last item")
        case .header(let name):
            guard let value = fields(of: source).first?.value else { return nil }
            return (JSONLiteral(.string(value)), "the \(TerminalEscaping.escaped(name)) header")
        }
    }

    /// Returns the fields of a token in the headers, and the ends of their names that an asterisk stands for.
    private func fields(of source: PaginationConvention.Token.Source) -> [(end: String, value: String)] {
        guard case .header(let name) = source else { return [] }
        guard name.hasSuffix("*")
        else { return headers[HTTPHeaders.Name(name)].flatMap { $0.isEmpty ? nil : [("", $0)] } ?? [] }
        let start = name.dropLast().lowercased()
        return headers.compactMap { field, value in
            let name = field.rawValue
            guard name.lowercased().hasPrefix(start), !value.isEmpty else { return nil }
            return (String(name.dropFirst(start.count)), value)
        }
    }

    /// Throws if the member was too large for the envelope, because it can be the link to the next page.
    func checkNotOmitted(_ path: MemberPath) throws {
        guard envelope.wasOmitted(path) else { return }
        throw RESTClientError(pagination: .memberTooLarge(path))
    }

    /// Returns the request of the page at `reference`, which is a URL, or a part of the query such as `&page=2`.
    func nextPage(_ reference: String, in member: MemberPath?) throws -> PageRequest {
        let base = member.flatMap { envelope.string($0.sibling("base")) }
        // `/items?page=2{&sort}` (RFC 6570)
        let isTemplate = reference.utf8.contains(UInt8(ascii: "{"))
        let reference = isTemplate ? reference.replacing(#/\{[?&#][^{}]*\}/#, with: "") : reference
        // Servers that do not know their own URL send `/?page=2`, or `/items?page=2` for `/api/items`.
        let path = reference.prefix { $0 != "?" }
        let hasQueryOnly =
            path.hasPrefix("/") && path != reference
            && (path == "/" || base == nil && responseURL.path().hasSuffix(path))
        let target =
            reference.hasPrefix("&")
            ? replacingItems(with: reference.dropFirst())
            : hasQueryOnly ? String(reference.dropFirst(path.count)) : reference
        guard let url = url(base.map { adding($0, to: target) } ?? target)
        else { throw RESTClientError(pagination: .unresolvableURL(in: member, reference)) }
        var next = request
        next.url = url
        return next
    }

    /// Returns a reference with the query of the page's URL, in which the items of `query` replace those with their names.
    private func replacingItems(with query: Substring) -> String {
        let names = Set(QueryItems(percentEncoded: String(query)).map(\.name))
        let others = (url.query(percentEncoded: true) ?? "").split(separator: "&").filter { item in
            !QueryItems(percentEncoded: String(item)).contains { names.contains($0.name) }
        }
        return "?" + (others + [query]).joined(separator: "&")
    }

    /// Returns an absolute path with the path of the URL `base` before it, unless it contains that already.
    private func adding(_ base: String, to reference: String) -> String {
        guard reference.hasPrefix("/"), !reference.hasPrefix("//"), let base = url(base)
        else { return reference }
        let path = base.path(percentEncoded: true)
        let prefix = path.hasSuffix("/") ? path : path + "/"
        let isOwn = responseURL.path(percentEncoded: true).hasPrefix(prefix)
        return isOwn && !reference.hasPrefix(prefix) ? prefix + reference.dropFirst() : reference
    }
}
