import Foundation

/// A list that a mock server divides into pages by a convention.
///
/// ```swift
/// let server = MockServer {
///     Route(.get, "/v1/charges", list: PagedList(of: charges, size: 3, by: .stripe, at: "data"))
/// }
/// ```
///
/// Links to other pages are the URL of the request with the query item `page`, so that other query items, such as
/// filters, are kept. A request with an invalid page or token is answered with status 400.
public struct PagedList: Sendable {
    /// The reply to a request for the number, offset or link of a page after the last one.
    public enum PastEnd: Hashable, Sendable {
        /// A page without items.
        case emptyPage
        /// Status 404.
        case notFound
        /// The last page again.
        case lastPage
    }

    /// The form of the links to other pages.
    public enum LinkForm: Hashable, Sendable {
        /// A URL: `https://shop.example/items?page=2`.
        case absolute
        /// A path with a query: `/items?page=2`.
        case path
        /// A query: `?page=2`.
        case query
    }

    /// The place of the number of all items in a response.
    public enum Total: Hashable, Sendable {
        /// A member of the body.
        case member(MemberPath)
        /// A header field, such as `X-Total-Count`.
        case header(HTTPHeaders.Name)
    }

    /// The convention of the pages.
    public var convention: PaginationConvention
    /// The path of the list in the body; `.root` for a bare array.
    public var path: MemberPath
    /// The maximum number of items on a page, unless the request sets the parameter that
    /// `PaginationConvention.pageSize(_:)` names.
    public var size: Int
    /// The place of the total, or `nil` if responses do not contain it. Defaults to `nil`.
    public var total: Total?
    /// The form of links. Defaults to absolute URLs.
    public var links = LinkForm.absolute
    /// The number of the first page, if pages have numbers. Defaults to 1.
    public var firstNumber = 1
    /// The reply to a request for the number, offset or link of a page after the last one. Defaults to an empty page. With
    /// other conventions, the page is always empty.
    public var pastEnd = PastEnd.emptyPage
    /// The query items that requests may have in addition to those of the convention, or `nil` for any. A request with
    /// another one is answered with status 400. Defaults to `nil`.
    public var parameters: Set<String>?

    /// The JSON text of the items.
    private let items: Result<[String], any Error>
    /// The deviations of a simulated server.
    package var deviations = Deviations()

    /// Creates a list of items that are encoded as JSON, with sorted keys.
    public init(
        of items: some Sequence<some Encodable>, size: Int = 10, by convention: PaginationConvention,
        at path: MemberPath = "items"
    ) {
        self.init(
            Result { try items.map { String(decoding: try JSONLiteral.value($0).encoded(), as: UTF8.self) } },
            size, convention, path)
    }

    /// Creates a list of `count` objects whose `id` is `item-1`, `item-2` and so on.
    public init(
        count: Int, size: Int = 10, by convention: PaginationConvention, at path: MemberPath = "items"
    ) {
        let items = (0..<max(0, count)).map { index -> JSONLiteral in
            let item: JSONLiteral = ["id": "item-\(index + 1)"]
            guard let member = convention.lastItemMember else { return item }
            return item.setting(member, to: "item-\(index + 1)")
        }
        self.init(of: items, size: size, by: convention, at: path)
    }

    /// Creates a list of items whose JSON text is given.
    package init(
        texts: [String], size: Int, by convention: PaginationConvention, at path: MemberPath = "items"
    ) {
        self.init(.success(texts), size, convention, path)
    }

    private init(
        _ items: Result<[String], any Error>, _ size: Int, _ convention: PaginationConvention,
        _ path: MemberPath
    ) {
        (self.items, self.size, self.convention, self.path) = (items, size, convention, path)
    }

    /// Returns the page that a request names, or the first one.
    public func page(for request: ReceivedRequest) -> Reply {
        do {
            let page = try response(to: request)
            return page.headers.reduce(.text(page.body, as: .json, status: page.status)) {
                $0.header($1.name, $1.value)
            }
        } catch let error as MockServerError {
            return .error(error)
        } catch {
            return .error(MockServerError(.unusableReply(.unencodableValue(function: "PagedList", error))))
        }
    }
}

extension PagedList {
    /// A request for a page that has an invalid parameter.
    private struct InvalidParameter: Error { let name: String }

    /// The place of a page in the list.
    private struct Page {
        let index: Int
        let items: Range<Int>
    }

    /// The token of a page: its index, and the page size, which further requests need not repeat.
    private struct Token {
        let index: Int
        let size: Int

        init(index: Int, size: Int) { (self.index, self.size) = (index, size) }

        init?(_ text: String) {
            let numbers = text.dropFirst().split(separator: "-").compactMap { Int($0) }
            guard text.first == "p", numbers.count == 2 else { return nil }
            self.init(index: numbers[0], size: numbers[1])
        }

        var text: String { "p\(index)-\(size)" }
    }

    /// The query item in the links to pages.
    private static let linkParameter = "page"

    /// Returns the index of the page that a request names.
    ///
    /// - Throws: An error if the request has an invalid parameter.
    package func pageIndex(of request: ReceivedRequest) throws -> Int {
        let items = try items.get()
        let parameters = PageParameters(request)
        return try page(for: parameters, items, size(for: parameters)).index
    }

    /// Returns the response to a request for a page.
    package func response(to request: ReceivedRequest) throws -> Response {
        do {
            return try response(to: PageParameters(request), items.get())
        } catch let error as InvalidParameter {
            return Response(
                status: 400, body: "{\"error\":\(JSONLiteral.quoted("\(error.name) is not valid"))}")
        }
    }

    private func response(to request: PageParameters, _ items: [String]) throws -> Response {
        try check(request.request.query)
        let size = size(for: request)
        var page = try page(for: request, items, size)
        if convention.hasPastEnd, page.index > 0, page.items.lowerBound >= items.count, deviations.next == nil
        {
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
        addReference(to: next.map { Token(index: $0, size: size) }, from: page, size, request, &content)
        addCounts(items.count, size, page, &content)
        return Response(
            status: content.status, headers: content.headers, body: try body(content, items[page.items]))
    }

    /// Returns the JSON text of a page.
    private func body(_ content: PageContent, _ items: ArraySlice<String>) throws -> String {
        let list = "[\(items.joined(separator: deviations.separator))]"
        guard !path.names.isEmpty else {
            guard content.members.isEmpty else {
                throw MockServerError(.unusableReply(.membersBesideArray(content.members.map(\.path))))
            }
            return list
        }
        // A text that JSON contains only as this placeholder.
        let placeholder = "\u{0}"
        var members = content.members
        members.insert((path, .value(placeholder)), at: deviations.isListLast ? members.endIndex : 0)
        let body = members.reduce(JSONLiteral(.object([]))) { $0.setting($1.path, to: $1.value) }
        return "\(body)".replacing(JSONLiteral.quoted(placeholder), with: list, maxReplacements: 1)
    }

    private func check(_ query: QueryItems) throws {
        guard let parameters else { return }
        let own: [String?] = [convention.parameter ?? Self.linkParameter, convention.pageSize]
        for (name, _) in query where !parameters.contains(name) && !own.contains(name) {
            throw InvalidParameter(name: name)
        }
    }

    /// Returns the page size of a request: that of its token, that of its parameter, or the default.
    private func size(for request: PageParameters) -> Int {
        let token = pageValue(in: request).flatMap(Token.init)
        return max(1, token?.size ?? convention.pageSize.flatMap { request[$0] }.flatMap { Int($0) } ?? size)
    }

    private func pageCount(of count: Int, _ size: Int) -> Int {
        deviations.bounds.map { $0.count - 1 } ?? (count / size + (count % size > 0 ? 1 : 0))
    }

    // MARK: Requests

    /// Returns the value that names the page, or `nil` in a request for the first page.
    private func pageValue(in request: PageParameters) -> String? {
        if case .token(let token) = convention.kind, case .header(let field) = token.destination {
            return request.request.headers[HTTPHeaders.Name(field)]
        }
        return request[convention.parameter ?? Self.linkParameter]
    }

    private func page(for request: PageParameters, _ items: [String], _ size: Int) throws -> Page {
        guard let value = pageValue(in: request) else { return page(0, items.count, size) }
        switch convention.kind {
        case .link, .url:
            if let number = Int(value), number > 0 { return page(number - 1, items.count, size) }
        case .number:
            if let number = Int(value), number >= firstNumber {
                return page(number - firstNumber, items.count, size)
            }
        case .offset:
            if let offset = Int(value), offset >= 0 { return page(from: offset, items.count, size) }
        case .token(let token):
            if case .lastItem(let member) = token.source {
                let last = items.firstIndex {
                    (try? JSONLiteral(parsing: Data($0.utf8)))?[member]?.text == value
                }
                if let last { return page(from: last + 1, items.count, size) }
            } else if let token = Token(value) {
                return page(token.index, items.count, size)
            }
        }
        throw InvalidParameter(name: convention.parameter ?? Self.linkParameter)
    }

    private func page(_ index: Int, _ count: Int, _ size: Int) -> Page {
        let index = min(index, Int(Int32.max))
        if let bounds = deviations.bounds {
            let items = index < bounds.count - 1 ? bounds[index]..<bounds[index + 1] : count..<count
            return Page(index: index, items: items)
        }
        let (start, isTooFar) = index.multipliedReportingOverflow(by: size)
        guard !isTooFar, start < count else { return Page(index: index, items: count..<count) }
        return Page(index: index, items: start..<start + min(size, count - start))
    }

    private func page(from start: Int, _ count: Int, _ size: Int) -> Page {
        if let bounds = deviations.bounds {
            return page(bounds.firstIndex(of: start) ?? bounds.count - 1, count, size)
        }
        let start = min(start, count)
        return Page(
            index: start / size + (start % size > 0 ? 1 : 0), items: start..<start + min(size, count - start))
    }

    // MARK: Responses

    /// Adds the reference to the next page.
    private func addReference(
        to next: Token?, from page: Page, _ size: Int, _ request: PageParameters, _ content: inout PageContent
    ) {
        switch convention.kind {
        case .link:
            if let next {
                content.headers.append((.link, "<\(link(to: next, from: page, request))>; rel=\"next\""))
            }
        case .url(let path):
            content.members.append((path, .value(next.map { link(to: $0, from: page, request) })))
        case .token(let token): addToken(token, to: next, from: page, size, &content)
        case .number, .offset: break
        }
    }

    private func addToken(
        _ token: PaginationConvention.Token, to next: Token?, from page: Page, _ size: Int,
        _ content: inout PageContent
    ) {
        var container: [String] = []
        switch token.source {
        case .lastItem: break
        case .besideList(let member):
            container = path.names.dropLast()
            content.members.append(
                (MemberPath(names: container + member.names), .value(next?.text)))
        case .member(let member):
            // A scroll has a token on every page, and ends with an empty page.
            var named = next
            if case .post = token.destination, token.more == nil {
                named = Token(index: page.index + 1, size: size)
            }
            content.members.append((member, .value(named?.text)))
        case .header(let field):
            if let next { content.headers.append((HTTPHeaders.Name(field), next.text)) }
        }
        if let more = token.more {
            let path = MemberPath(names: container + more.path.names)
            content.members.append((path, .value((next != nil) != more.isTrueAtEnd)))
        }
        if token.destination == .header("Range"), next != nil { content.status = 206 }
    }

    /// Adds the total, and the number of the page or its offset.
    private func addCounts(_ count: Int, _ size: Int, _ page: Page, _ content: inout PageContent) {
        switch convention.kind {
        case .number(_, let path?):
            let pages = deviations.reported(pageCount(of: count, size), page.index + 1)
            content.members.append((path.sibling("page"), .value(page.index + firstNumber)))
            content.members.append((path, .value(pages)))
        case .offset(_, let path?):
            content.members.append((path.sibling("offset"), .value(page.items.lowerBound)))
            content.members.append((path, .value(deviations.reported(count, page.items.upperBound))))
        default: break
        }
        switch total {
        case .member(let path): content.members.append((path, .value(count)))
        case .header(let name): content.headers.append((name, "\(count)"))
        case nil: break
        }
    }

    private func link(to next: Token, from page: Page, _ request: PageParameters) -> String {
        let url = request.request.url.setting(Self.linkParameter, to: "\(next.index + 1)")
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        if let origin = deviations.origin?(page.index) {
            return origin + url.path(percentEncoded: true) + query
        }
        return switch links {
        case .absolute: url.absoluteString
        case .path: url.path(percentEncoded: true) + query
        case .query: query
        }
    }
}

/// The parameters of a request for a page: query items, and members of a JSON body.
private struct PageParameters {
    let request: ReceivedRequest
    private let query: QueryItems
    private let body: JSONLiteral?

    init(_ request: ReceivedRequest) {
        self.request = request
        query = request.query
        body = request.body.isEmpty ? nil : try? JSONLiteral(parsing: request.body)
    }

    subscript(name: String) -> String? { query[name] ?? body?[MemberPath(name)]?.text }
}

/// The response for a page, without its items.
private struct PageContent {
    var status: HTTPStatus = 200
    var headers: [(name: HTTPHeaders.Name, value: String)] = []
    var members: [(path: MemberPath, value: JSONLiteral)] = []
}

extension PaginationConvention {
    /// A Boolean value that indicates whether a request can name a page after the last one.
    fileprivate var hasPastEnd: Bool { if case .token = kind { false } else { true } }
}
