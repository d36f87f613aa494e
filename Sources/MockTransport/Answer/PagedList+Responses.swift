import Foundation

extension PagedList {
    package func response(to request: ReceivedRequest) throws -> Response {
        do {
            return try response(to: PageParameters(request, convention), items.get())
        } catch let error as InvalidParameter {
            return Response(
                status: 400, body: "{\"error\":\(JSONLiteral.quoted("\(error.name) is not valid"))}")
        }
    }

    private func response(to request: PageParameters, _ items: [String]) throws -> Response {
        try check(request.request.query)
        let size = try size(for: request)
        var page = try page(for: request, items, size)
        let canBePastEnd = deviations.next == nil && convention.token == nil
        if canBePastEnd, page.index > 0, page.items.lowerBound >= items.count {
            switch pastEnd {
            case .emptyPage: break
            case .notFound: return Response(status: 404, body: #"{"error":"there is no such page"}"#)
            case .lastPage: page = self.page(max(0, pageCount(of: items.count, size) - 1), items.count, size)
            }
        }
        let next =
            deviations.next.map { $0(page.index) }
            ?? (page.items.upperBound < items.count ? page.index + 1 : nil)
        var content = PageContent()
        addReference(to: next, from: page, items, size, request, &content)
        addFlags(hasNext: next != nil, &content)
        addCounts(items.count, size, page, &content)
        return Response(
            status: content.status, headers: content.headers, body: try body(content, items[page.items]))
    }

    private func body(_ content: PageContent, _ items: ArraySlice<String>) throws -> String {
        let list = "[\(items.joined(separator: deviations.separator))]"
        guard !path.names.isEmpty else {
            guard content.paths.isEmpty else {
                throw MockServerError(.unusableReply(.membersBesideArray(content.paths)))
            }
            return list
        }
        if let (first, second) = content.paths.overlap(with: path) {
            throw MockServerError(.unusableReply(.overlappingMembers(first, second)))
        }
        // A text that JSON contains only as this placeholder.
        let placeholder = "\u{0}"
        var members = content.members
        members.insert((path, .value(placeholder)), at: deviations.isListLast ? members.endIndex : 0)
        let body = members.reduce(JSONLiteral(.object([]))) { $0.setting($1.path, to: $1.value) }
        return "\(body)".replacing(JSONLiteral.quoted(placeholder), with: list, maxReplacements: 1)
    }

    private func addReference(
        to next: Int?, from page: Page, _ items: [String], _ size: Int, _ request: PageParameters,
        _ content: inout PageContent
    ) {
        let isKept = end == .kept && (!page.items.isEmpty || convention.kind == .link)
        let target = next ?? (isKept ? page.index + 1 : nil)
        switch convention.kind {
        case .link:
            guard let target else { break }
            let results = end == .kept ? "; results=\"\(next != nil)\"" : ""
            content.headers.append(
                (.link, "<\(link(to: target, from: page, request))>; rel=\"next\"\(results)"))
        case .url(let path):
            if links == .base { content.add(path.sibling("base"), .value(base(of: request))) }
            content.add(path, target.map { .value(link(to: $0, from: page, request)) } ?? emptyReference)
        case .token(let token):
            var target = target
            // A scroll has a token on every page, and ends with an empty page.
            if case .post = token.destination, convention.more == nil, convention.last == nil {
                target = page.index + 1
            }
            addToken(token, target.map { self.token(for: $0, after: page, items) }, size, &content)
            if token.destination == .header("Range"), next != nil { content.status = 206 }
        case .number, .offset: break
        }
    }

    /// The value of a token or link that leads nowhere, or `nil` if the member is missing.
    private var emptyReference: JSONLiteral? {
        switch end {
        case .missing: nil
        case .null, .kept: JSONLiteral(.null)
        case .emptyString: ""
        }
    }

    /// Returns the token for a page: the member of the last item before it, or a text.
    private func token(for next: Int, after page: Page, _ items: [String]) -> JSONLiteral {
        if deviations.next == nil, let itemMember, let last = items[page.items].last,
            let value = Self.value(at: itemMember, in: last)
        {
            return value
        }
        let isPage = deviations.bounds != nil || deviations.next != nil
        let number = isPage ? next : page.items.upperBound
        if !isPage, convention.sendsOffset { return .value(number) }
        return .value(PageToken(number, isPage: isPage).text)
    }

    private func addToken(
        _ token: PaginationConvention.Token, _ value: JSONLiteral?, _ size: Int,
        _ content: inout PageContent
    ) {
        switch token.source {
        case .lastItem: break
        case .besideList(let member):
            content.add(MemberPath(names: path.names.dropLast() + member.names), value ?? emptyReference)
        case .member("LastEvaluatedKey"):
            content.add("LastEvaluatedKey", value.map { ["id": ["S": $0]] } ?? emptyReference)
        case .member(let member): content.add(member, value ?? emptyReference)
        case .header(let field):
            guard let value = value ?? emptyReference, value != JSONLiteral(.null) else { break }
            let isRange = token.destination == .header("Range") && value != ""
            let text = isRange ? "id ]\(value.text)..; max=\(size)" : value.text
            content.headers.append((HTTPHeaders.Name(field.replacing("*", with: Self.fieldEnd)), text))
        }
    }

    private func addFlags(hasNext: Bool, _ content: inout PageContent) {
        var container: [String] = []
        if case .besideList = convention.token?.source { container = path.names.dropLast() }
        for (flag, value) in [(convention.more, hasNext), (convention.last, !hasNext)] {
            guard let flag else { continue }
            let text = flag.text.map { value ? JSONLiteral.value($0) : nil }
            content.add(MemberPath(names: container + flag.path.names), text ?? .value(value))
        }
    }

    private func addCounts(_ count: Int, _ size: Int, _ page: Page, _ content: inout PageContent) {
        var position: (name: String, value: Int)?
        var counter = (convention.more ?? convention.last)?.path
        switch convention.kind {
        case .number(let name, let path, _):
            let pages = deviations.reported(pageCount(of: count, size), page.index + 1)
            if let path { content.add(path, .value(pages)) }
            counter = path ?? counter
            position = (
                Self.member(for: name, else: "page"), page.index.addingReportingOverflow(first).partialValue
            )
        case .offset(let name, let path, _):
            if let path { content.add(path, .value(deviations.reported(count, page.items.upperBound))) }
            counter = path ?? counter
            position = (
                Self.member(for: name, else: "offset"),
                page.items.lowerBound.addingReportingOverflow(first).partialValue
            )
        case .link, .url, .token: break
        }
        switch total {
        case .member(let path): content.add(path, .value(count))
        case .header(let name): content.headers.append((name, "\(count)"))
        case nil: break
        }
        guard hasPosition, let position, let member = counter?.sibling(position.name),
            (content.paths + [member]).overlap(with: path) == nil
        else { return }
        content.add(member, .value(position.value))
    }

    /// Returns the name of the member for the value of a parameter such as `pagination.page`.
    private static func member(for parameter: String, else name: String) -> String {
        let last = parameter.split(separator: ".").last ?? ""
        return !last.isEmpty && last.allSatisfy(\.isLetter) ? String(last) : name
    }

    private func link(to next: Int, from page: Page, _ request: PageParameters) -> String {
        let url = request.request.url.setting(Self.linkParameter, to: "\(next + 1)")
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        let path = url.path(percentEncoded: true)
        if let origin = deviations.origin?(page.index) { return origin + path + query }
        return switch links {
        case .absolute: url.absoluteString
        case .path: path + query
        case .query: query
        case .base: path.dropFirst(Self.basePath(of: path).count) + query
        }
    }

    /// Returns the URL that links are relative to: the first component of the path.
    private func base(of request: PageParameters) -> String {
        var url = URLComponents(url: request.request.url, resolvingAgainstBaseURL: true)
        url?.percentEncodedQuery = nil
        url?.percentEncodedPath = Self.basePath(of: request.request.url.path(percentEncoded: true))
        return url?.string ?? ""
    }

    private static func basePath(of path: String) -> String {
        path.dropFirst().firstIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}

/// The response for a page, without its items.
private struct PageContent {
    var status: HTTPStatus = 200
    var headers: [(name: HTTPHeaders.Name, value: String)] = []
    private(set) var members: [(path: MemberPath, value: JSONLiteral)] = []
    /// The paths of all members, also of those that this page does not have.
    private(set) var paths: [MemberPath] = []

    mutating func add(_ path: MemberPath, _ value: JSONLiteral?) {
        paths.append(path)
        if let value { members.append((path, value)) }
    }
}

extension [MemberPath] {
    /// Returns two paths of which one contains the other.
    fileprivate func overlap(with other: MemberPath) -> (MemberPath, MemberPath)? {
        let all = self + [other]
        for (index, first) in all.enumerated() {
            for second in all[(index + 1)...] {
                let count = Swift.min(first.names.count, second.names.count)
                if first.names.prefix(count) == second.names.prefix(count) { return (first, second) }
            }
        }
        return nil
    }
}

extension PaginationConvention {
    /// The token that requests the next page, or `nil` if the convention has none.
    var token: Token? { if case .token(let token) = kind { token } else { nil } }

    /// A Boolean value that indicates whether the token is the offset of the next page, as in Bitbucket Server.
    var sendsOffset: Bool { token?.source == .member("nextPageStart") }
}

extension PagedList {
    package struct Response: Sendable {
        package var status: HTTPStatus = 200
        package var headers: [(name: HTTPHeaders.Name, value: String)] = []
        package var body: String
    }

    /// The ways in which a simulated server deviates from the convention.
    package struct Deviations: Sendable {
        /// The index of the first item of each page, and the number of items, if the sizes of the pages differ.
        package var bounds: [Int]?
        /// Returns the index of the page that a page names as the next one, or `nil` if it names none.
        package var next: (@Sendable (_ page: Int) -> Int?)?
        /// Returns the origin in the link to the next page, if it is another one.
        package var origin: (@Sendable (_ page: Int) -> String?)?
        package var separator = ","
        package var isListLast = false
        /// Returns the total to report on a page that ends after `done` of `total` items or pages.
        package var reported: @Sendable (_ total: Int, _ done: Int) -> Int = { total, _ in total }

        package init() {}
    }
}
